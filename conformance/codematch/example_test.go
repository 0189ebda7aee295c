package codematch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
)

// Compare counts the functions of a linked file that have the same code as in nvlink's output, and those that differ
// only in their schedule.
func ExampleCompare() {
	read := func(name string) []byte {
		data, err := corpus.Files.ReadFile("info/pragmas-and-exits/sm_100/" + name)
		if err != nil {
			log.Fatal(err)
		}
		return data
	}
	result := linker.Link(context.Background(), linker.Options{Arch: "sm_100", ToolName: "nvlink"},
		[]linker.Input{{Name: "a.cubin", Data: read("in/a.cubin")}})
	if err := result.Err(); err != nil {
		log.Fatal(err)
	}
	match := codematch.Compare(read("1.out/out.cubin"), result.Output)
	fmt.Println(match.Count)
	for _, name := range match.Sections {
		fmt.Println(name)
	}
	// Output:
	// 2 functions equal, 1 equal but for their schedule, 0 different
	// .text.k1
}
