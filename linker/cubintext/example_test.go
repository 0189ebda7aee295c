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

// Text becomes a cubin, and the cubin becomes the same text again.
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

// A field that is given overrides what would be derived: this makes a file
// whose section table lies outside of it.
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
