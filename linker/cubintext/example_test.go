package cubintext_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/culink/culink/linker/cubintext"
)

const kernel = `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol k global func .text.k other=entry
section .note.nv.cuinfo
	cuinfo
section .text.k regs=8
	u64 0x000000000000794d 0x000fea0003800000
`

// This example parses a text to a cubin, and formats the cubin to the same text.
func ExampleParse() {
	data, err := cubintext.Parse("k.txt", kernel)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q, %d bytes\n", data[:4], len(data))
	fmt.Println(cubintext.Format(data) == kernel)
	// Output:
	// "\x7fELF", 656 bytes
	// true
}

// In this example a given field overrides the derived value. The section table of the resulting file is
// outside the file.
func ExampleParse_damaged() {
	data, err := cubintext.Parse("k.txt", strings.Replace(kernel, "sm=80", "sm=80 shoff=0xffffff", 1))
	fmt.Printf("%#x %v\n", data[40:43], err)
	// Output: 0xffffff <nil>
}

func ExampleError() {
	_, err := cubintext.Parse("k.txt", strings.Replace(kernel, "func .text.k", "func .text.f", 1))
	fmt.Println(err)
	// Output: k.txt:7:23: no section .text.f
}
