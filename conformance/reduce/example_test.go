package reduce_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/reduce"
	"github.com/culink/culink/linker/cubintext"
)

// The linker of the example fails on every file with a variable v. After the reduction, only the lines that cause the
// failure are left.
func ExampleReduce() {
	data, err := cubintext.Parse("k.txt", `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol k global func .text.k other=entry
	symbol v global data .nv.global other=global size=4
section .note.nv.cuinfo
	cuinfo
section .text.k regs=8
	u64 0x000000000000794d 0x000fea0003800000
section .nv.global size=4
`)
	if err != nil {
		log.Fatal(err)
	}
	link := attempt.Link{
		Before: attempt.Files{"a.cubin": data},
		Argv:   []string{"-arch=sm_80", "-v", "a.cubin", "-o", "out.cubin"},
	}
	decide := func(_ context.Context, l attempt.Link) ([]judge.Difference, []int, error) {
		if strings.Contains(cubintext.Format(l.Before["a.cubin"]), "symbol v ") {
			return []judge.Difference{{Facet: judge.FacetExit, Key: "exit", Want: "0", Got: "139"}}, []int{139}, nil
		}
		return nil, []int{0}, nil
	}
	result, err := reduce.Reduce(context.Background(), link, decide, reduce.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(result.Texts["a.cubin"], "\n"))
	// Output:
	// cutext 1
	// section .shstrtab
	// section .strtab
	// section .symtab
	// 	symbol v global data .nv.global
	// section .nv.global
}

func ExampleTargetOf() {
	fmt.Println(reduce.TargetOf([]string{"-arch=sm_90a", "a.cubin"}))
	// Output: 90a true
}
