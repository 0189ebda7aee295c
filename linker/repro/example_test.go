package repro_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/culink/culink/linker/repro"
)

// This example packs a link and reads it back.
func Example() {
	var file bytes.Buffer
	err := (&repro.Package{
		Tool:    "nvlink",
		Args:    []string{"-arch=sm_90", "a.cubin", "-o", "a.out"},
		Inputs:  map[string][]byte{"a.cubin": []byte("what was read")},
		Stderr:  []byte("nvlink fatal   : cubin not an elf?\n"),
		Exit:    1,
		Outputs: map[string]string{},
	}).Write(&file)
	if err != nil {
		log.Fatal(err)
	}
	p, err := repro.Read(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %v ended with %d\n%s", p.Tool, p.Args, p.Exit, p.Stderr)
	fmt.Printf("%s\n", p.Inputs["a.cubin"])
	// Output:
	// nvlink [-arch=sm_90 a.cubin -o a.out] ended with 1
	// nvlink fatal   : cubin not an elf?
	// what was read
}

// A path below the working folder stays the same.
func ExampleLocal() {
	fmt.Println(repro.Local("in/a.cubin"))
	// Output: in/a.cubin
}
