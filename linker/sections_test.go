package linker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
)

// manyFunctions is a file of n functions, from the first number on, in the text form.
func manyFunctions(t testing.TB, first, n int) []byte {
	t.Helper()
	var b strings.Builder
	b.WriteString("cutext 1\nheader sm=80\nsection .shstrtab\nsection .strtab\nsection .symtab\n")
	each := func(format string) {
		for i := first; i < first+n; i++ {
			fmt.Fprintf(&b, format, i)
		}
	}
	each("\tsymbol f%[1]d global func .text.f%[1]d\n")
	b.WriteString("section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n")
	each("\tattr REGCOUNT @f%[1]d 8\n\tattr FRAME_SIZE @f%[1]d 0\n")
	each("section .text.f%[1]d regs=8\n\tu64 0x000000000000794d 0x000fea0003800000\n")
	data, err := cubintext.Parse("many.txt", b.String())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// EMIT-024: a file of more sections than a symbol can number has .symtab_shndx, and can be
// linked again.
func TestManySections(t *testing.T) {
	if testing.Short() {
		t.Skip("links 66,000 functions")
	}
	const half = 33000
	link := func(inputs ...[]byte) *cubin.File {
		t.Helper()
		var list []linker.Input
		for i, data := range inputs {
			list = append(list, linker.Input{Name: fmt.Sprintf("%d.cubin", i), Data: data})
		}
		result := linker.Link(context.Background(), linker.Options{ToolName: "nvlink", Arch: "sm_80", Relocatable: true}, list)
		if result.Output == nil {
			t.Fatal(result.Log)
		}
		f, err := cubin.Open("linked", result.Output)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	check := func(f *cubin.File) {
		t.Helper()
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		functions := 0
		for _, y := range symbols {
			if y.Type != cubin.SymFunc {
				continue
			}
			functions++
			// nvlink takes one section's number, 65,523, for "common" (E-360).
			if name := ".text." + y.Name; y.Section != cubin.ShnCommon && f.Sections[y.Section].Name != name {
				t.Fatalf("%s stands in %s", y.Name, f.Sections[y.Section].Name)
			}
		}
		if functions != 2*half || len(f.Sections) <= cubin.ShnLoReserve || f.Sections[4].Name != ".symtab_shndx" {
			t.Fatalf("%d functions in %d sections, the fourth %s", functions, len(f.Sections), f.Sections[4].Name)
		}
	}
	check(link(manyFunctions(t, 0, half), manyFunctions(t, half, half)))
}
