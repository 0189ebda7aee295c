package inspect_test

import (
	"fmt"
	"log"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/inspect"
)

// Read lists the contents of a file with device code, and the requirements of its functions.
func ExampleRead() {
	data, err := corpus.Files.ReadFile("basic/two-files/sm_90/1.out/out.cubin")
	if err != nil {
		log.Fatal(err)
	}
	part := inspect.Read("out.cubin", data)
	fmt.Println(part.Kind, part.Cubin.Target, part.Cubin.File)
	for _, f := range part.Cubin.Functions {
		fmt.Println(f.Name, "is a kernel:", f.Kernel, "and needs registers:", f.Registers)
	}
	// Output:
	// cubin sm_90 executable
	// _Z6callerPi is a kernel: true and needs registers: 24
	// _Z6calleei is a kernel: false and needs registers: 24
}

func ExampleRead_noDeviceCode() {
	fmt.Println(inspect.Read("notes.txt", []byte("bread, milk")).Kind)
	// Output: no device code
}
