package linker_test

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
)

// twoKernels returns a cubin with the kernels alone and calls, of which the second has unnamed shared memory. Outside of kernels there
// is a shared variable v with an alignment. symbols and relocations are further lines of the symbol table and for the code of calls.
func twoKernels(align, symbols, relocations string) linker.Input {
	return build("a.cubin", strings.NewReplacer("%ALIGN", align, "%SYMBOLS", symbols, "%REL", relocations).Replace(`cutext 1
header sm=90
section .shstrtab
section .strtab
section .symtab
	symbol alone global func .text.alone other=entry
	symbol calls global func .text.calls other=entry
	symbol v local data .nv_debug.shared other=shared value=%ALIGN size=32
	%SYMBOLS
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
section .nv_debug.shared size=0x20 align=%ALIGN
`))
}

// sharedOfCalls returns the size and the alignment of the shared memory of calls in the output of a link.
func sharedOfCalls(t *testing.T, r *linker.Result) (size, align uint64) {
	t.Helper()
	f, err := cubin.Open("output", r.Output)
	if err != nil {
		t.Fatal(err, said(r))
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Name == ".nv.shared.calls" {
			return s.Size, s.AddrAlign
		}
	}
	return 0, 0
}

// The shared memory of a kernel that the options leave out is not laid out if it has unnamed variables only (LAYOUT-970). With
// --preserve-relocs code of the kernel then cannot refer to a variable that it alone uses (RELOC-970).
func TestUnnamedSharedOfUnchosen(t *testing.T) {
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
		r := linker.Link(t.Context(), tt.opt, []linker.Input{twoKernels("16", "", tt.use)})
		if got := said(r); tt.said == "" && r.Output == nil || !strings.Contains(got, tt.said) {
			t.Errorf("%s: %s, want %q", tt.name, got, tt.said)
		}
		if r.Output == nil {
			continue
		}
		if size, _ := sharedOfCalls(t, r); size != tt.size {
			t.Errorf("%s: size %#x, want %#x", tt.name, size, tt.size)
		}
	}
}

// With -r such shared memory has extern arrays, but not the alignment of other shared memory (LAYOUT-970).
func TestUnnamedSharedOfUnchosenRelocatable(t *testing.T) {
	for _, tt := range []struct {
		chosen      string
		size, align uint64
	}{
		{"calls", 0x80, 64},
		{"alone", 0x40, 32},
	} {
		opt := linker.Options{Arch: "sm_90", Toolkit: "13.5", KernelsUsed: []string{tt.chosen}, Relocatable: true}
		r := linker.Link(t.Context(), opt, []linker.Input{twoKernels("64", "symbol x global data undef other=shared value=32", "rel 0 R_CUDA_ABS32_32 x")})
		if size, align := sharedOfCalls(t, r); size != tt.size || align != tt.align {
			t.Errorf("%s: size %#x, alignment %d, want %#x and %d", tt.chosen, size, align, tt.size, tt.align)
		}
	}
}

// With --preserve-relocs extern arrays raise the alignment and the end of such shared memory (LAYOUT-985).
func TestUnnamedSharedOfUnchosenPreserved(t *testing.T) {
	for _, tt := range []struct {
		own, second string // the alignments of two extern arrays
		preserve    bool
		size, align uint64
	}{
		{"8", "8", true, 16, 16},
		{"32", "8", true, 32, 32},
		{"8", "128", true, 128, 128},
		{"8", "128", false, 0, 0}, // the kernel is not in the output
	} {
		opt := linker.Options{Arch: "sm_90", Toolkit: "13.5", KernelsUsed: []string{"alone"}, PreserveRelocs: tt.preserve}
		symbols := "symbol x global data undef other=shared value=" + tt.own + "\n\tsymbol y global data undef other=shared value=" + tt.second
		r := linker.Link(t.Context(), opt, []linker.Input{twoKernels("64", symbols, "rel 0 R_CUDA_ABS32_32 x\n\trel 0 R_CUDA_ABS32_32 y")})
		if size, align := sharedOfCalls(t, r); size != tt.size || align != tt.align {
			t.Errorf("arrays %s and %s: size %#x, alignment %d, want %#x and %d", tt.own, tt.second, size, align, tt.size, tt.align)
		}
	}
}
