package sound_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// Check judges a linked file by its inputs alone. The example checks nvlink's output for two files, and the same output
// after one bit of its code is flipped.
func ExampleCheck() {
	files := map[string][]byte{}
	read := func(name string) []byte {
		data, err := fs.ReadFile(corpus.Files, "basic/two-files/sm_80/"+name)
		if err != nil {
			log.Fatal(err)
		}
		return data
	}
	for _, name := range []string{"caller.cubin", "callee.cubin"} {
		files[name] = read("in/" + name)
	}
	link, _, err := sound.FromCommand(context.Background(), files, []string{"-arch=sm_80", "caller.cubin", "callee.cubin", "-o", "out.cubin"})
	if err != nil {
		log.Fatal(err)
	}
	output := read("1.out/out.cubin")
	fmt.Println(len(sound.Check(*link, output)), "findings")

	f, err := cubin.Open("out.cubin", output)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range f.Sections {
		if s.Flags&cubin.FlagExec != 0 {
			output[s.Offset] ^= 1
			break
		}
	}
	for _, finding := range sound.Check(*link, output) {
		fmt.Println(finding.Key)
	}
	// Output:
	// 0 findings
	// code._Z6callerPi
}
