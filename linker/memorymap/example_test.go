package memorymap_test

import (
	"context"
	"fmt"
	"log"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
)

// In this example the map shows what is in each memory space after a link, and what the kernels
// need.
func ExampleMap() {
	var inputs []linker.Input
	for _, name := range []string{"caller.cubin", "callee.cubin"} {
		data, err := corpus.Files.ReadFile("basic/two-files/sm_80/in/" + name)
		if err != nil {
			log.Fatal(err)
		}
		inputs = append(inputs, linker.Input{Name: name, Data: data})
	}
	r := linker.Link(context.Background(), linker.Options{Arch: "sm_80", ToolName: "culink", Map: true}, inputs)
	m := r.Map
	for _, s := range m.Spaces {
		fmt.Println(s.Name, s.Size)
	}
	for _, k := range m.Kernels {
		fmt.Println(m.Functions[k.Function].Name, "needs registers:", k.Registers)
	}
	// Output:
	// code 640
	// global 0
	// constant 360
	// shared 0
	// local 0
	// none 2017
	// _Z6callerPi needs registers: 24
}
