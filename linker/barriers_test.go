package linker_test

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker"
)

// With 13.1 a file of the old format for sm_90a leaves the letter in the count of barriers, from sm_90 on (INFO-980).
func TestBarriersOfOldSpecificTarget(t *testing.T) {
	for _, tt := range []struct{ header, arch, toolkit, said string }{
		{"sm=23053 osabi=0x33 abi=7 version=0x7c flags=0x5a0d5a", "sm_90a", "13.1", "used 97 barriers"},
		{"sm=23045 osabi=0x33 abi=7 version=0x7c flags=0x5a055a", "sm_90", "13.1", "used 512 barriers"},
		{"sm=20493 osabi=0x33 abi=7 version=0x7c flags=0x500d50", "sm_80", "13.1", "used 512 barriers"},
		{"sm=23053 osabi=0x33 abi=7 version=0x7c flags=0x5a0d5a", "sm_90a", "13.2", "used 5 barriers"},
	} {
		in := build("a.cubin", `cutext 1
header `+tt.header+`
section .shstrtab
section .strtab
section .symtab
	symbol k global func .text.k other=entry
section .nv.info
	attr REGCOUNT @k 8
section .text.k
	u64 0x794d 0x000fea0003800000
`)
		opt := linker.Options{Arch: tt.arch, Toolkit: tt.toolkit, Verbose: true}
		r := linker.Link(t.Context(), opt, []linker.Input{in})
		if got := said(r); !strings.Contains(got, tt.said) {
			t.Errorf("%s by %s: %s, want %q", tt.header, tt.toolkit, got, tt.said)
		}
	}
}
