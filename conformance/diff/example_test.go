package diff_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/linker/cubintext"
)

// kernel is a small cubin in the text form of package cubintext.
const kernel = `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol k global func .text.k other=entry
	symbol g global data .nv.global other=global size=4
section .note.nv.cuinfo
	cuinfo
section .text.k regs=8
	u64 0x000000000000794d 0x000fea0003800000
section .nv.global size=4
`

// build makes a cubin from its text form.
func build(text string) []byte {
	data, err := cubintext.Parse("k.txt", text)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func ExampleCompare() {
	report, err := diff.Compare(build(kernel), build(strings.ReplaceAll(kernel, "size=4", "size=8")), diff.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("identical", report.Identical)
	for _, d := range report.Differences {
		fmt.Println(d.Key, d.A, d.B)
	}
	// Output:
	// identical false
	// section.nv.global.size 0x4 0x8
	// sym.g.size 4 8
}

// A pattern selects a key and the keys below it.
func ExampleMatch() {
	fmt.Println(diff.Match("sym.g", "sym.g.value"), diff.Match("sym.*.size", "sym.g.value"))
	// Output: true false
}
