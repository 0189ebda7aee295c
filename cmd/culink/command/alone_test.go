package command

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
)

// These inputs are not given to NVIDIA's tools (CONF-012). Each is made from an input of the corpus: its header is
// changed, or inputs are linked in another order.
func TestInputsThatCulinkAloneReads(t *testing.T) {
	const flags, sections = 48, 40 // e_flags, e_shoff
	word := func(at int, change func(uint32) uint32) func([]byte) {
		return func(data []byte) {
			binary.LittleEndian.PutUint32(data[at:], change(binary.LittleEndian.Uint32(data[at:])))
		}
	}
	noArchitecture := word(flags, func(w uint32) uint32 { return w &^ 0xff00 })
	architecture := func(number uint32) func([]byte) {
		return word(flags, func(w uint32) uint32 { return w&^0xffff00 | number<<8 })
	}
	bothKinds := word(flags, func(w uint32) uint32 { return w | 2 })
	otherNote := word(flags, func(w uint32) uint32 { return w&0xffffff | 7<<24 })
	capsule := word(flags, func(w uint32) uint32 { return w&^4 | 2 })
	bare := word(flags, func(w uint32) uint32 { return w&^6 | 1 })
	noKind := word(flags, func(w uint32) uint32 { return w | 0xffff })
	ofNoSize := func(data []byte) { copy(data[56:], "0         ") } // the first member of an archive
	outside := word(sections, func(uint32) uint32 { return 0x100000 })
	for _, tt := range []struct {
		rules, folder, args string
		change              func([]byte) // changes the first input
		toolkit, want       string       // part of the message; empty: it links
	}{
		{"DIAG-111", "basic/one-kernel/sm_80", "k.cubin", noArchitecture, "13.0", "Unknown arch name 'sm_0'"},
		{"KIT-035", "basic/one-kernel/sm_80", "k.cubin", noArchitecture, "13.1", "specified arch exceeds buffer length"},
		{"KIT-035", "basic/one-kernel/sm_80", "k.cubin", architecture(999), "13.1", "arch does not match"},
		{"KIT-035", "basic/one-kernel/sm_80", "k.cubin", architecture(1000), "13.1", "specified arch exceeds buffer length"},
		{"KIT-035", "basic/one-kernel/sm_80", "k.cubin", architecture(1000), "13.0", "arch does not match"},
		{"DIAG-111", "basic/one-kernel/sm_80", "k.cubin", bothKinds, "13.0", "fatal   : Internal error\n"},
		{"KIT-127", "basic/one-kernel/sm_80", "k.cubin", bothKinds, "13.1", "elfLink error finalization failed"},
		{"KIT-128", "basic/one-kernel/sm_80", "k.cubin", capsule, "13.1", "Mercury code for an architecture without it"},
		{"KIT-128", "basic/one-kernel/sm_80", "k.cubin", capsule, "13.2", "Finalization failed: 'unsupported SM version'\nnvlink fatal   : elfLink error finalization failed"},
		{"DIAG-111", "basic/one-kernel/sm_90", "k.cubin", otherNote, "13.0", "must be recompiled with toolkit >= Cuda 12.0"},
		{"DIAG-111", "basic/one-kernel/sm_80", "k.cubin", otherNote, "13.0", ""},
		{"DIAG-111", "basic/one-kernel/sm_80", "k.cubin", outside, "13.0", ""},
		{"KIT-126", "basic/one-kernel/sm_80", "k.cubin", noKind, "13.0", "arch does not match"},
		{"KIT-126", "basic/one-kernel/sm_80", "k.cubin", noKind, "13.1", "cannot read nvcompat"},
		{"KIT-125", "archive/bounds/sm_80", "cut.a caller.cubin", ofNoSize, "13.4", "unexpected archive format"},
		{"KIT-125", "archive/bounds/sm_80", "cut.a caller.cubin", ofNoSize, "13.5", "Undefined reference to '_Z6calleei'"},
		{"MERC-304", "basic/two-files/sm_100", "caller.cubin callee.cubin", bare, "13.0", "Internal error: unexpected reloc"},
		{"KIT-098", "basic/two-files/sm_100", "caller.cubin callee.cubin", bare, "13.5", "Internal error: internal error"},
		{"MERGE-038", "mercury/lost-jump-tables/sm_100", "-r tables.cubin plain.cubin", nil, "13.0", "Internal error: reference to deleted section"},
		{"KIT-134", "mercury/lost-jump-tables/sm_100", "-r tables.cubin plain.cubin", nil, "13.5", "Internal error: reference to deleted section"},
		{"RELOC-031", "mercury/replaced-kernels-used/sm_100", "-kernels-used=used many.cubin few.cubin k.cubin", nil, "13.0", "Internal error: unexpected reloc"},
		{"KIT-135", "mercury/replaced-kernels-used/sm_120", "-kernels-used=used many.cubin few.cubin k.cubin", nil, "13.5", ""},
		{"REACH-040 MERGE-025", "merge/alias-awaited/sm_90", "b.cubin partial.cubin", nil, "13.0", ""},
	} {
		t.Run(tt.rules+" "+tt.toolkit, func(t *testing.T) {
			t.Chdir(t.TempDir())
			inputs, err := fs.Sub(corpus.Files, tt.folder+"/in")
			if err == nil {
				err = os.CopyFS(".", inputs)
			}
			if err != nil {
				t.Fatal(err)
			}
			args := strings.Fields(tt.args)
			if tt.change != nil {
				data, err := os.ReadFile(args[0])
				if err != nil {
					t.Fatal(err)
				}
				tt.change(data)
				if err := os.WriteFile(args[0], data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, target, _ := strings.Cut(tt.folder, "/sm_")
			args = append([]string{"-arch=sm_" + target, "-o", "out.cubin"}, args...)
			var stdout, stderr bytes.Buffer
			status := culinkOf(t, tt.toolkit)(args, &stdout, &stderr)
			if (status == 0) != (tt.want == "") || !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("status %d: %s, want %q", status, &stderr, tt.want)
			}
		})
	}
}
