package quick_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/fuzz/quick"
)

// The example links the calling function without the function that it calls.
func ExampleLink() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	data, err := corpus.Files.ReadFile("basic/two-files/sm_80/in/caller.cubin")
	if err != nil {
		log.Fatal(err)
	}
	out, err := quick.Link(context.Background(), dir, "sm_80", quick.File{Name: "a.cubin", Data: data})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Exit, out.Output != nil)
	fmt.Print(out.Stderr)
	// Output:
	// 255 false
	// nvlink error   : Undefined reference to '_Z6calleei' in 'a.cubin'
}
