package linker_test

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
)

// manyFunctions returns a file of n functions, numbered from first on.
func manyFunctions(t testing.TB, first, n int) []byte {
	t.Helper()
	data, err := cubintext.Parse("many.txt", manyText(first, n))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// half is the number of functions in firstHalf.
const half = 33000

// firstHalf is a file of functions that several tests link.
var firstHalf = sync.OnceValues(func() ([]byte, error) { return cubintext.Parse("half.txt", manyText(0, half)) })

// manyText returns the text form of manyFunctions.
func manyText(first, n int) string {
	var b strings.Builder
	b.WriteString("cutext 1\nheader sm=80\nsection .shstrtab\nsection .strtab\nsection .symtab\n")
	each := func(format string) {
		for i := first; i < first+n; i++ {
			fmt.Fprintf(&b, format, i)
		}
	}
	each("\tsymbol f%[1]d global func .text.f%[1]d\n")
	if n > 65000 {
		b.WriteString("section .symtab_shndx\n")
	}
	b.WriteString("section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n")
	each("\tattr REGCOUNT @f%[1]d 8\n\tattr FRAME_SIZE @f%[1]d 0\n")
	each("section .text.f%[1]d regs=8\n\tu64 0x000000000000794d 0x000fea0003800000\n")
	return b.String()
}

// A file with more sections than a symbol can refer to has .symtab_shndx, and can be linked again. Every
// function is found, even one that nvlink treats as a common symbol (EMIT-041, EMIT-042, E-360).
func TestManySections(t *testing.T) {
	if testing.Short() {
		t.Skip("links 66,000 functions")
	}
	link := func(relocatable bool, inputs ...[]byte) (data []byte, f *cubin.File) {
		t.Helper()
		var list []linker.Input
		for i, data := range inputs {
			list = append(list, linker.Input{Name: fmt.Sprintf("%d.cubin", i), Data: data})
		}
		result := linker.Link(context.Background(), linker.Options{ToolName: "nvlink", Arch: "sm_80", Relocatable: relocatable, Debug: !relocatable}, list)
		if result.Output == nil {
			t.Fatal(result.Log)
		}
		f, err := cubin.Open("linked", result.Output)
		if err != nil {
			t.Fatal(err)
		}
		return result.Output, f
	}
	check := func(f *cubin.File, common ...uint32) {
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
			if y.Section == cubin.ShnCommon {
				at := slices.IndexFunc(f.Sections, func(s cubin.Section) bool { return s.Name == ".text."+y.Name })
				if !slices.Contains(common, uint32(at)) {
					t.Errorf("%s, in section %d, is common", y.Name, at)
				}
			} else if f.Sections[y.Section].Name != ".text."+y.Name {
				t.Fatalf("%s stands in %s", y.Name, f.Sections[y.Section].Name)
			}
		}
		if functions != 2*half || len(f.Sections) <= cubin.ShnLoReserve || f.Sections[4].Name != ".symtab_shndx" {
			t.Fatalf("%d functions in %d sections, the fourth %s", functions, len(f.Sections), f.Sections[4].Name)
		}
	}
	first, err := firstHalf()
	if err != nil {
		t.Fatal(err)
	}
	second := manyFunctions(t, half, half)
	partial, f := link(true, first, second)
	check(f, 65522, 65523)
	_, f = link(false, partial)
	check(f, 65522)
	_, f = link(true, manyFunctions(t, 0, 2*half)) // all in one file
	check(f, 65522, 65523)
}

// .symtab_shndx is written if the link created too many sections, even if few of them remain. Here every
// function but the kernel is removed (EMIT-024).
func TestManyDeadSections(t *testing.T) {
	if testing.Short() {
		t.Skip("links 66,000 functions")
	}
	kernel := strings.NewReplacer("f0", "k", "func .text.k", "func .text.k other=entry").Replace(manyText(0, 1))
	data, err := cubintext.Parse("k.txt", kernel)
	if err != nil {
		t.Fatal(err)
	}
	first, err := firstHalf()
	if err != nil {
		t.Fatal(err)
	}
	inputs, n := []linker.Input{{Name: "k.cubin", Data: data}, {Name: "f.cubin", Data: first}}, half
	for _, tt := range []struct {
		more int
		want bool
	}{{32000, false}, {300, true}} {
		inputs = append(inputs, linker.Input{Name: "more.cubin", Data: manyFunctions(t, n, tt.more)})
		n += tt.more
		result := linker.Link(context.Background(), linker.Options{ToolName: "nvlink", Arch: "sm_80"}, inputs)
		f, err := cubin.Open("linked", result.Output)
		if err != nil {
			t.Fatal(err, result.Log)
		}
		if got := f.Section(".symtab_shndx") != nil; got != tt.want || len(f.Sections) > 20 {
			t.Errorf("%d dead functions: .symtab_shndx %v in %d sections", n, got, len(f.Sections))
		}
	}
}

// manyMercury returns a file for sm_100 with n functions, numbered from first on, with a Mercury half.
func manyMercury(t testing.TB, first, n int) []byte {
	t.Helper()
	var b strings.Builder
	b.WriteString("cutext 1\nheader sm=100\nsection .shstrtab\nsection .strtab\nsection .symtab\n")
	each := func(format string) {
		for i := first; i < first+n; i++ {
			fmt.Fprintf(&b, format, i)
		}
	}
	each("\tsymbol .text.f%[1]d\n")
	each("\tsymbol f%[1]d global func .text.f%[1]d\n")
	attributes := func() {
		each("\tattr REGCOUNT @f%[1]d 0x18\n\tattr FRAME_SIZE @f%[1]d 0\n")
		b.WriteString("\tattr MERCURY_ISA_VERSION 0x101\n")
	}
	b.WriteString("section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n")
	attributes()
	b.WriteString("section .nv.compat\n\tattr ISA_CLASS 1\n\tattr MERCURY_ISA_MAJOR_MINOR_VERSION 0x101\n\tattr CAN_FASTPATH_FINALIZE 9 0\n")
	each("section .text.f%[1]d\n\tu64 0x0000000014007950 0x000fea0003e00000\n\tu64 0xfffffffc00fc7947 0x000fc0000383ffff\n" +
		strings.Repeat("\tu64 0x0000000000007918 0x000fc00000000000\n", 14))
	const code = 7 // number of the first section of code
	for i := range n {
		fmt.Fprintf(&b, "section .nv.capmerc.text.f%d\n\thex %08x010000c00200000000000000\n\thex 4233000ed007\n", first+i, bits.ReverseBytes32(uint32(code+i)))
	}
	b.WriteString("section .nv.merc.nv.info\n")
	attributes()
	b.WriteString("section .nv.merc.symtab\n")
	each("\tsymbol .text.f%[1]d local section .nv.capmerc.text.f%[1]d\n")
	each("\tsymbol f%[1]d global func .nv.capmerc.text.f%[1]d size=0x20\n")
	data, err := cubintext.Parse("many.txt", b.String())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// If only both halves together have more sections than a symbol can refer to, the finalizer makes a table of
// numbers for each half. Every function is found in both, also when the file is linked again (EMIT-043,
// EMIT-044).
func TestManyMercurySections(t *testing.T) {
	if testing.Short() {
		t.Skip("links 33,000 functions")
	}
	const n, half = 33000, 16500
	inputs := []linker.Input{{Name: "a.cubin", Data: manyMercury(t, 0, half)}, {Name: "b.cubin", Data: manyMercury(t, half, half)}}
	for _, relocatable := range []bool{true, false} {
		result := linker.Link(context.Background(), linker.Options{ToolName: "nvlink", Arch: "sm_100", Relocatable: relocatable, Debug: true}, inputs)
		f, err := cubin.Open("linked", result.Output)
		if err != nil {
			t.Fatal(err, result.Log)
		}
		inputs = []linker.Input{{Name: "linked.cubin", Data: result.Output}}
		for _, half := range []struct{ table, numbers, code string }{
			{".symtab", ".symtab_shndx", ".text."}, {".nv.merc.symtab", ".nv.merc.symtab_shndx", ".nv.capmerc.text."},
		} {
			table, numbers := f.Section(half.table), f.Section(half.numbers)
			if table == nil || numbers == nil || numbers.Link != table.Index || len(f.Sections) <= cubin.ShnLoReserve {
				t.Fatalf("%v: %s %v, %s %v in %d sections", relocatable, half.table, table, half.numbers, numbers, len(f.Sections))
			}
			symbols, err := f.SymbolsOf(table.Index)
			if err != nil {
				t.Fatal(err)
			}
			functions := 0
			for _, y := range symbols {
				if y.Type != cubin.SymFunc {
					continue
				}
				functions++
				if name := f.Sections[y.Section].Name; name != half.code+y.Name {
					t.Fatalf("%v: %s of %s stands in %s", relocatable, y.Name, half.table, name)
				}
			}
			if functions != n {
				t.Errorf("%v: %d functions in %s", relocatable, functions, half.table)
			}
		}
	}
}
