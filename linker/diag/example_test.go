package diag_test

import (
	"fmt"
	"log"
	"os"

	"github.com/culink/culink/linker/diag"
)

// In this example a phase reports messages to a log, and the command prints the log as nvlink does.
func ExamplePrint() {
	var said diag.Log
	said.Report(diag.StackUnknown, "k")
	said.Report(diag.UndefinedReference, "f", "a.cubin")
	if err := diag.Print(os.Stdout, "nvlink", "", said.Diagnostics); err != nil {
		log.Fatal(err)
	}
	fmt.Println("exit status", said.ExitStatus())
	// Output:
	// nvlink warning : Stack size for entry function 'k' cannot be statically determined
	// nvlink error   : Undefined reference to 'f' in 'a.cubin'
	// exit status 255
}

// Programs read the values instead of the text.
func ExampleDiagnostic() {
	d := diag.New(diag.UndefinedReference, "f", "a.cubin")
	fmt.Println(d.Name(), d.Severity, d.Args[0], d.File())
	// Output: undefined-reference error f a.cubin
}
