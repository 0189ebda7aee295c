package input

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"testing"

	"github.com/culink/culink/corpus"
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
	checkHeaders(t, []headerTest{
		{"for sm_100a", made, "12.9", "sm_100a", 0},
		{"for sm_100a", made, "12.9", "sm_103a", diag.ArchMismatch},
		{"for sm_100a", made, "13.0", "sm_103", diag.ArchMismatch},
		{"for sm_100a", made, "13.1", "sm_100", diag.SpecificBesideOther},
		{"for sm_100", plain, "12.9", "sm_103a", 0},
		{"for sm_100", plain, "13.1", "sm_100", 0},
		{"of 12.9", made, "12.8", "sm_100a", diag.NewerThanToolkit},
		{"of a later release", later, "13.5", "sm_100a", diag.NewerThanToolkit},
	})
}

// Headers of CUDA 12 tell an architecture and whether its name ends in 'a' (KIT-091). Names of virtual architectures have two
// digits (LOAD-991). Code of sm_90 for a later virtual target needs a .nv.compat in the header of CUDA 13 alone (LOAD-051), and
// nothing from before 12.0 is taken for compute_90 (KIT-013).
func TestHeadersOfVirtualTargets(t *testing.T) {
	read := func(name string) []byte {
		data, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const flagsAt = 48
	volta := read("basic/earlier-architectures/sm_75/in/volta.cubin")
	of := func(architecture byte) []byte {
		data := bytes.Clone(volta)
		data[flagsAt] = architecture
		return data
	}
	turing := read("basic/earlier-architectures/sm_75/in/turing.cubin")
	specific := read("basic/earlier-architectures/sm_90/in/hopper.cubin")
	plain := bytes.Clone(specific)
	plain[flagsAt+1] &^= cubin.FlagSpecificLegacy >> 8
	marked := bytes.Clone(volta)
	marked[flagsAt+1] |= cubin.FlagSpecificLegacy >> 8
	later := read("basic/one-kernel/sm_90/in/k.cubin")
	untold := bytes.Clone(later)
	f, err := cubin.Open("k.cubin", later)
	if err != nil {
		t.Fatal(err)
	}
	const typeAt = 4
	compat := f.ShOff + uint64(f.Section(".nv.compat").Index)*cubin.SectionHeaderSize
	binary.LittleEndian.PutUint32(untold[compat+typeAt:], uint32(cubin.SectionProgBits))
	checkHeaders(t, []headerTest{
		{"of sm_70", volta, "13.0", "sm_75", diag.ArchMismatch},
		{"of sm_70", volta, "13.1", "sm_75", 0},
		{"of no architecture", of(0), "13.0", "compute_90", diag.UnknownArch},
		{"of sm_9", of(9), "11.8", "compute_80", diag.ArchMismatch},
		{"of sm_9", of(9), "12.4", "compute_90", diag.UnknownArch},
		{"of sm_9", of(9), "13.5", "sm_90", diag.ArchMismatch},
		{"of 11.8", turing, "12.4", "compute_90", diag.RecompileWith12},
		{"of 11.8", turing, "12.4", "compute_80", 0},
		{"of sm_90a by 12.4", specific, "13.0", "sm_90", 0},
		{"of sm_90a by 12.4", specific, "13.1", "sm_90", diag.SpecificBesideOther},
		{"of sm_90a by 12.4", specific, "13.1", "sm_90a", 0},
		{"of sm_90 by 12.4", plain, "13.1", "sm_90", 0},
		{"of sm_70 with the bit of sm_90a", marked, "13.1", "sm_75", 0},
		{"of sm_90 by 12.4", plain, "13.0", "compute_120", diag.OutputLimited},
		{"of sm_90 without records", untold, "13.0", "compute_120", diag.ArchMismatch},
		{"of sm_90 without records", untold, "13.1", "compute_120", diag.OutputLimited},
	})
}

// A headerTest is a file, and the last message of its load by a release for a target.
type headerTest struct {
	name            string
	data            []byte
	toolkit, target string
	want            diag.ID // 0: there is none
}

func checkHeaders(t *testing.T, tests []headerTest) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, tt := range tests {
		if err := os.WriteFile("b.cubin", tt.data, 0o666); err != nil {
			t.Fatal(err)
		}
		var log diag.Log
		Load(t.Context(), Options{Arch: tt.target, Toolkit: tt.toolkit, Files: []string{"b.cubin"}}, &log)
		var got diag.ID
		if n := len(log.Diagnostics); n > 0 {
			got = log.Diagnostics[n-1].ID
		}
		if got != tt.want {
			t.Errorf("%s, by %s for %s: %v", tt.name, tt.toolkit, tt.target, log.Diagnostics)
		}
	}
}
