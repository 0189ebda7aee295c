package linker_test

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker"
)

// said returns the messages of a link.
func said(r *linker.Result) string {
	var lines []string
	for i := range r.Log.Diagnostics {
		lines = append(lines, r.Log.Diagnostics[i].Error())
	}
	return strings.Join(lines, "\n")
}

// nvlink cannot give the mask of sparse instructions to a kernel that is the only one, but undefined (INFO-970).
func TestMaskOfUndefinedKernel(t *testing.T) {
	const text = `cutext 1
header sm=90
section .shstrtab
section .strtab
section .symtab
	symbol f global func .text.f
	symbol k global func .text.k other=entry
	symbol child global func undef other=entry
section .note.nv.cuinfo
	cuinfo
section .nv.info
	attr REGCOUNT @f 8
section .nv.info.f
	attr SPARSE_MMA_MASK
section .text.f
	u64 0x794d 0x000fea0003800000
section .text.k
	u64 0x794d 0x000fea0003800000
`
	lone := strings.NewReplacer("\tsymbol k global func .text.k other=entry\n", "", "section .text.k\n\tu64 0x794d 0x000fea0003800000\n", "").Replace(text)
	for _, tt := range []struct {
		name, text string
		opt        linker.Options
		want       bool
	}{
		{"alone", lone, linker.Options{PreserveRelocs: true}, true},
		{"beside another", text, linker.Options{PreserveRelocs: true}, false},
		{"chosen", text, linker.Options{PreserveRelocs: true, KernelsUsed: []string{"child"}}, true},
		{"not chosen", text, linker.Options{PreserveRelocs: true, KernelsUsed: []string{"k"}}, false},
		{"without a mask", strings.Replace(lone, "\tattr SPARSE_MMA_MASK\n", "", 1), linker.Options{PreserveRelocs: true}, false},
		{"-r", lone, linker.Options{Relocatable: true}, false},
	} {
		tt.opt.Arch = "sm_90"
		r := linker.Link(t.Context(), tt.opt, []linker.Input{build("a.cubin", tt.text)})
		if got := said(r); strings.Contains(got, "entry_info was null") != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
