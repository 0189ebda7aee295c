package linker_test

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
)

// The shared memory of a kernel that the options leave out is not laid out if it has unnamed variables only (LAYOUT-970). With
// --preserve-relocs code of the kernel then cannot refer to a variable that it alone uses (RELOC-970).
func TestUnnamedSharedOfUnchosen(t *testing.T) {
	const text = `cutext 1
header sm=90
section .shstrtab
section .strtab
section .symtab
	symbol alone global func .text.alone other=entry
	symbol calls global func .text.calls other=entry
	symbol v local data .nv_debug.shared other=shared value=16 size=32
section .note.nv.cuinfo
	cuinfo
section .nv.info
	attr REGCOUNT @alone 8
	attr REGCOUNT @calls 8
section .rela.text.calls
	%REL
section .text.alone
	u64 0x794d 0x000fea0003800000
section .text.calls
	u64 0x794d 0x000fea0003800000
section .nv.shared.calls size=0x10 align=0x10
section .nv_debug.shared size=0x20 align=0x10
`
	const use = "rel 0 R_CUDA_ABS32_32 v"
	for _, tt := range []struct {
		name string
		opt  linker.Options
		use  string
		size uint64
		said string
	}{
		{"chosen", linker.Options{KernelsUsed: []string{"calls"}, PreserveRelocs: true}, "", 0x410, ""},
		{"left out", linker.Options{KernelsUsed: []string{"alone"}, PreserveRelocs: true}, "", 0x10, ""},
		{"none chosen", linker.Options{KernelsUsed: []string{"none"}, PreserveRelocs: true}, "", 0x10, ""},
		{"left out, -r", linker.Options{KernelsUsed: []string{"alone"}, Relocatable: true}, "", 0x20, ""},
		{"left out, with a variable", linker.Options{KernelsUsed: []string{"alone"}, PreserveRelocs: true}, use, 0, "reference to deleted symbol"},
		{"chosen, with a variable", linker.Options{KernelsUsed: []string{"calls"}, PreserveRelocs: true}, use, 0x430, ""},
	} {
		tt.opt.Arch, tt.opt.Toolkit = "sm_90", "13.5"
		r := linker.Link(t.Context(), tt.opt, []linker.Input{build("a.cubin", strings.Replace(text, "%REL", tt.use, 1))})
		if got := said(r); tt.said == "" && r.Output == nil || !strings.Contains(got, tt.said) {
			t.Errorf("%s: %s, want %q", tt.name, got, tt.said)
		}
		if r.Output == nil {
			continue
		}
		f, err := cubin.Open("output", r.Output)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Sections {
			if s := &f.Sections[i]; s.Name == ".nv.shared.calls" && s.Size != tt.size {
				t.Errorf("%s: size %#x, want %#x", tt.name, s.Size, tt.size)
			}
		}
	}
}

// With -r such shared memory has extern arrays, but not the alignment of other shared memory (LAYOUT-970).
func TestUnnamedSharedOfUnchosenRelocatable(t *testing.T) {
	const text = `cutext 1
header sm=90
section .shstrtab
section .strtab
section .symtab
	symbol alone global func .text.alone other=entry
	symbol calls global func .text.calls other=entry
	symbol v local data .nv_debug.shared other=shared value=64 size=32
	symbol x global data undef other=shared value=32
section .note.nv.cuinfo
	cuinfo
section .nv.info
	attr REGCOUNT @alone 8
	attr REGCOUNT @calls 8
section .rela.text.calls
	rel 0 R_CUDA_ABS32_32 x
section .text.alone
	u64 0x794d 0x000fea0003800000
section .text.calls
	u64 0x794d 0x000fea0003800000
section .nv.shared.calls size=0x10 align=0x10
section .nv_debug.shared size=0x20 align=0x40
`
	for _, tt := range []struct {
		chosen      string
		size, align uint64
	}{
		{"calls", 0x80, 64},
		{"alone", 0x40, 32},
	} {
		opt := linker.Options{Arch: "sm_90", Toolkit: "13.5", KernelsUsed: []string{tt.chosen}, Relocatable: true}
		r := linker.Link(t.Context(), opt, []linker.Input{build("a.cubin", text)})
		f, err := cubin.Open("output", r.Output)
		if err != nil {
			t.Fatal(err, said(r))
		}
		for i := range f.Sections {
			if s := &f.Sections[i]; s.Name == ".nv.shared.calls" && (s.Size != tt.size || s.AddrAlign != tt.align) {
				t.Errorf("%s: size %#x, alignment %d, want %#x and %d", tt.chosen, s.Size, s.AddrAlign, tt.size, tt.align)
			}
		}
	}
}
