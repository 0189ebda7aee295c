package trace_test

import (
	"context"
	"fmt"
	"log"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/trace"
)

// inputs returns a kernel and, in another file, the function that it calls.
func inputs() (list []linker.Input) {
	for _, name := range []string{"caller.cubin", "callee.cubin"} {
		data, err := corpus.Files.ReadFile("basic/two-files/sm_80/in/" + name)
		if err != nil {
			log.Fatal(err)
		}
		list = append(list, linker.Input{Name: name, Data: data})
	}
	return list
}

// This example prints the events of one phase of a link, in order.
func ExampleEvent() {
	linker.Link(context.Background(), linker.Options{Arch: "sm_80", ToolName: "culink", Trace: func(e trace.Event) {
		if e.Phase() == trace.Relocate {
			fmt.Println(e)
		}
	}}, inputs())
	// Output:
	// resolve reloc 2 for sym=14+0 at <section=10,offset=3c>, .debug_frame in .debug_frame
	// resolve reloc 2 for sym=14+0 at <section=10,offset=b4>, .debug_frame in .debug_frame
}
