package advice_test

import (
	"log"
	"os"

	"github.com/culink/culink/cmd/culink/advice"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/edgname"
)

// The input that defines the called function is missing. The answer names the calling function.
func ExampleAdviser() {
	data, err := corpus.Files.ReadFile("basic/two-files/sm_80/in/caller.cubin")
	if err != nil {
		log.Fatal(err)
	}
	adviser := advice.Adviser{Objects: []advice.Object{{Name: "caller.cubin", Data: data}}, Demangle: edgname.Demangle}
	facts := adviser.On(diag.New(diag.UndefinedReference, "_Z6calleei", "caller.cubin"))
	if err := advice.Write(os.Stdout, facts); err != nil {
		log.Fatal(err)
	}
	// Output:
	// means     callee(int)
	//   named by  caller(int *) in caller.cubin
	//   try       link the file or library that defines this function, compiled with -rdc=true
}
