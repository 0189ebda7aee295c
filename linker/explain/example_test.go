package explain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
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

// An explanation shows what a link knows about one symbol.
func ExampleExplanation() {
	result := linker.Link(context.Background(), linker.Options{Arch: "sm_80", ToolName: "culink", Explain: []string{"_Z6calleei"}}, inputs())
	for _, e := range result.Explanations {
		fmt.Print(e)
	}
	// Output:
	// _Z6calleei: function
	//   defined in   callee.cubin
	//   reached by   _Z6callerPi -> _Z6calleei
	//   registers    24
	//   stack        0 bytes of its own, 0 with what it calls
}
