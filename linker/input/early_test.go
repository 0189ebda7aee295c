package input

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// In objects of 12.8 and 12.9 for sm_100 and later, e_flags records whether the name of the architecture ends
// in 'a' (INFO-027), and the tool note records the release (INFO-024).
func TestEarlyNotes(t *testing.T) {
	made, err := os.ReadFile("../../cmd/culink/command/testdata/toolkits/12.9/images/of-two/sm_100a/in/b.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("b.cubin", made)
	if err != nil {
		t.Fatal(err)
	}
	const flagsAt, recordAt = 48, 24
	plain, later := append([]byte(nil), made...), append([]byte(nil), made...)
	plain[flagsAt] &^= cubin.FlagSpecific
	binary.LittleEndian.PutUint32(later[f.Section(".note.nv.tkinfo").Offset+recordAt:], 144)
	for _, tt := range []struct {
		name            string
		data            []byte
		toolkit, target string
		want            diag.ID // 0: it is accepted
	}{
		{"for sm_100a", made, "12.9", "sm_100a", 0},
		{"for sm_100a", made, "12.9", "sm_103a", diag.ArchMismatch},
		{"for sm_100a", made, "13.0", "sm_103", diag.ArchMismatch},
		{"for sm_100a", made, "13.1", "sm_100", diag.SpecificBesideOther},
		{"for sm_100", plain, "12.9", "sm_103a", 0},
		{"for sm_100", plain, "13.1", "sm_100", 0},
		{"of 12.9", made, "12.8", "sm_100a", diag.NewerThanToolkit},
		{"of a later release", later, "13.5", "sm_100a", diag.NewerThanToolkit},
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("b.cubin", tt.data, 0o666); err != nil {
			t.Fatal(err)
		}
		var log diag.Log
		Load(t.Context(), Options{Arch: tt.target, Toolkit: tt.toolkit, Files: []string{"b.cubin"}}, &log)
		var got diag.ID
		if len(log.Diagnostics) > 0 {
			got = log.Diagnostics[0].ID
		}
		if got != tt.want {
			t.Errorf("%s, by %s for %s: %v", tt.name, tt.toolkit, tt.target, log.Diagnostics)
		}
	}
}
