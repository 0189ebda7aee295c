package linker

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// forgedRelocations calls link with a copy of a file for each field of each plain relocation, in which that field is forged.
func forgedRelocations(t *testing.T, whole []byte, link func(what string, forged []byte)) {
	t.Helper()
	f, err := cubin.Open("a", whole)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Type != cubin.SectionRela || s.Flags&cubin.FlagMercury != 0 {
			continue
		}
		for at := s.Offset; at < s.Offset+s.Size; at += cubin.RelaSize {
			for name, field := range map[string]struct {
				at    uint64
				value byte
			}{"offset": {0, 3}, "far offset": {6, 1}, "type": {8, 1}, "unknown type": {8, 0xff}, "symbol": {12, 5}, "wild symbol": {14, 0xff}, "addend": {16, 9}} {
				forged := bytes.Clone(whole)
				forged[at+field.at] ^= field.value
				link(fmt.Sprintf("%s at %#x: %s", s.Name, at, name), forged)
			}
		}
	}
}

// TestPlainRelocations checks that the plain relocations of an input follow from those of its Mercury half, whatever stands in
// them (MERC-780).
func TestPlainRelocations(t *testing.T) {
	for _, name := range []string{"weak/virtual-functions/sm_100/in/b.cubin", "mercury/replaced-debug/sm_120/in/linked.cubin", "basic/one-kernel/sm_100/in/k.cubin"} {
		whole, err := corpus.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, target, _ := strings.Cut(name, "/sm_")
		target, _, _ = strings.Cut(target, "/")
		for _, partial := range []bool{false, true} {
			link := func(data []byte) *Result {
				return Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_" + target, AllowUndefinedGlobals: true, Relocatable: partial}, []Input{{Name: "a.cubin", Data: data}})
			}
			want, n := link(whole), 0
			if want.Output == nil { // of what is undefined
				continue
			}
			forgedRelocations(t, whole, func(what string, forged []byte) {
				if r := link(forged); !bytes.Equal(r.Output, want.Output) {
					t.Errorf("%s, -r %t: %s: %v", name, partial, what, r.Log.Diagnostics)
				}
				n++
			})
			if n == 0 {
				t.Errorf("%s: no relocation", name)
			}
		}
	}
}
