package linker_test

import (
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
)

// Unified functions end a link before sections that are too large (LAYOUT-070), and their stubs count as callers (REACH-970).
// With -r relocations against __UFT_OFFSET stay (RELOC-971).
func TestUnifiedBesideOthers(t *testing.T) {
	unified, err := corpus.Files.ReadFile("relocatable/unified-functions/sm_90/in/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const head = "cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\nsection .symtab\n\tsymbol kk global func .text.kk other=entry\n"
	const code = "section .note.nv.cuinfo\n\tcuinfo\nsection .text.kk\n\tu64 0x794d 0x000fea0003800000\n"
	large := head + "\tsymbol v local data .nv.shared.kk other=shared value=4 size=0x20000\n" + code + "section .nv.shared.kk size=0x20000 align=4\n"
	offset := head + "\tsymbol __UFT_OFFSET weak object undef size=8\n" + code + "section .rela.text.kk\n\trel 0 R_CUDA_ABS32_32 __UFT_OFFSET\n"
	list := linker.Input{Name: "a.cubin", Data: unified}
	const only = "Unified symbols found but index file not specified."
	for _, opt := range []linker.Options{{}, {ExtraWarnings: true, KernelsUsed: []string{"kk"}}} {
		opt.Arch = "sm_90"
		got := said(linker.Link(t.Context(), opt, []linker.Input{list, build("b.cubin", large)}))
		if !strings.HasSuffix(got, only) || strings.Contains(got, "too much") || strings.Contains(got, "no calls") {
			t.Errorf("%v: %s", opt.KernelsUsed, got)
		}
	}
	for _, tt := range []struct {
		name   string
		inputs []linker.Input
		want   int
	}{
		{"alone", []linker.Input{build("b.cubin", offset)}, 0},
		{"beside a list", []linker.Input{list, build("b.cubin", offset)}, 1},
	} {
		r := linker.Link(t.Context(), linker.Options{Arch: "sm_90", Relocatable: true}, tt.inputs)
		if r.Err() != nil {
			t.Errorf("%s: %v", tt.name, r.Err())
			continue
		}
		f, err := cubin.Open("output", r.Output)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for i := range f.Sections {
			if s := &f.Sections[i]; s.Name == ".rela.text.kk" {
				got = int(s.Size / 24)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %d relocations, want %d", tt.name, got, tt.want)
		}
	}
}
