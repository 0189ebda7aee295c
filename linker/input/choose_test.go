package input

import (
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/fatbin"
)

// TestChoose checks which entry is chosen. Entries are written as "90", "100a", "ptx80", "lto90" (LOAD-002,
// LOAD-017, KIT-300).
func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		target  string
		entries string
		want    int
	}{
		{"sm_90", "80 90", 1},
		{"sm_90", "90 80", 0},
		{"sm_90", "80", -1},
		{"sm_90", "100", -1},
		{"sm_89", "86 80 ptx89", 2},
		{"sm_89", "80 ptx80", 0},
		{"sm_90", "80 ptx80", 1},
		{"sm_103", "100c ptx100f", 0},
		{"sm_103", "100 ptx100f", 1},
		{"sm_90", "90 90a", 1},
		{"sm_90a", "90 ptx90a", 0},
		{"sm_90", "ptx90a", -1},
		{"sm_100a", "100 100a 100f", 1},
		{"sm_100", "100a", -1},
		{"sm_100", "100f", 0},
		{"sm_100a", "100f", -1},
		{"sm_100", "100ac", 0},
		{"sm_110", "100c", -1},
		{"sm_87", "86 80", -1},
		{"sm_90", "lto90", 0},
		{"sm_90", "lto90 ptx50", 1},
		{"sm_89", "lto89 80", 1},
		{"compute_90", "90 ptx80 lto90", 1},
		{"compute_90", "90 lto90", -1},
		{"sm_90", "90 90", 0},
		{"sm_90", "ptx90 ptx90", 1},
		{"sm_90", "ptx80 ptx80", 0},
		{"sm_90", "90 ptx90 90", 0},
		{"sm_90", "ptx90 ptx80 ptx90 ptx90", 3},
		{"sm_90a", "ptx90a ptx90a", 0},
		{"sm_90a", "ptx90 ptx90", 1},
		{"sm_90", "lto90 lto90", 1},
	} {
		target, _ := arch.Parse(tt.target)
		got := -1
		if e := choose(entriesOf(t, tt.entries), target, false); e != nil {
			got = e.Index
		}
		if got != tt.want {
			t.Errorf("%s of %q: entry %d, want %d", tt.target, tt.entries, got, tt.want)
		}
	}
	lto := []fatbin.Entry{{Kind: fatbin.ELF, Arch: 90, Flags: fatbin.Flag64Bit}, {Kind: fatbin.LTOIR, Arch: 90, Flags: fatbin.Flag64Bit}}
	target, _ := arch.Parse("sm_90")
	if e := choose(lto, target, true); e == nil || e.Kind != fatbin.LTOIR {
		t.Errorf("with -dlto %v is chosen, want ltoir", e)
	}
	// A virtual target accepts machine code too (LTO-012).
	virtual, _ := arch.Parse("compute_90")
	if e := choose(lto[:1], virtual, true); e == nil || e.Kind != fatbin.ELF {
		t.Errorf("with -dlto for compute_90 %v is chosen, want machine code", e)
	}
}

// TestChooseEqual checks that releases before 13.0 link the last of several equal entries of machine code for the
// target's architecture (KIT-300).
func TestChooseEqual(t *testing.T) {
	for _, tt := range []struct {
		release, target string
		entries         string
		want            int
	}{
		{"11.2", "sm_80", "80 80", 1},
		{"12.9", "sm_80", "80 80 75 80", 3},
		{"13.0", "sm_80", "75 80 80", 1},
		{"13.5", "sm_80", "80 80", 0},
		{"12.4", "sm_86", "80 80", 0},
		{"12.4", "sm_90a", "90a 90a", 0},
		{"12.4", "sm_90a", "90 90", 1},
		{"12.4", "sm_80", "ptx80 ptx80", 1},
		{"13.5", "sm_80", "ptx80 ptx75 ptx80", 2},
		{"13.5", "sm_86", "ptx80 ptx80", 0},
	} {
		toolkit, err := arch.Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		target, ok := toolkit.Parse(tt.target)
		if !ok {
			t.Fatal(tt.release, tt.target)
		}
		if e := choose(entriesOf(t, tt.entries), target, false); e == nil || e.Index != tt.want {
			t.Errorf("%s for %s chooses %+v of %q, want entry %d", tt.release, tt.target, e, tt.entries, tt.want)
		}
	}
}

// TestChooseLetters checks which letters of architectures count in each release (KIT-540 to KIT-544, LOAD-540).
func TestChooseLetters(t *testing.T) {
	for _, tt := range []struct {
		release, target string
		entries         string
		want            int
	}{
		{"11.8", "sm_90", "90a 90", 1},
		{"11.8", "sm_90", "90f", 0},
		{"12.0", "sm_90a", "90a 90", 0},
		{"12.8", "sm_100", "100f 100", 1},
		{"12.8", "sm_100", "100ac", -1},
		{"12.9", "sm_100", "100ac", 0},
		{"12.9", "sm_100", "100fc 100", 0},
		{"12.9", "sm_90", "90 90f", 0},
		{"12.8", "sm_90", "ptx90f", 0},
		{"12.9", "sm_90", "ptx90f", -1},
		{"12.9", "sm_120", "ptx100f", 0},
		{"13.0", "sm_120", "ptx100f", -1},
		{"12.9", "sm_100a", "ptx100a ptx100", 1},
		{"13.0", "sm_100a", "ptx100a ptx100", 0},
		{"12.9", "sm_90", "ptx90a", 0},
		{"13.0", "sm_90", "ptx90a", -1},
		{"12.4", "sm_90", "lto90a", 0},
		{"12.4", "sm_80", "80a 80", 1},
		{"13.0", "sm_80", "80 80a", 0},
		{"13.0", "sm_80", "ptx80a", 0},
		{"13.1", "sm_80", "ptx80a", -1},
		{"13.1", "sm_100a", "ptx80a", 0},
		{"13.1", "sm_90", "ptx90f", -1},
		{"13.2", "sm_90", "ptx90f", 0},
		{"13.2", "sm_100", "ptx90f", -1},
		{"13.2", "sm_86", "ptx80 ptx80f", 1},
		{"13.1", "sm_86", "ptx80 ptx80f", 0},
		{"13.2", "sm_90a", "ptx80f", -1},
		{"13.2", "sm_75", "ptx70f", 0},
		{"13.2", "sm_80", "ptx75f", -1},
		{"13.1", "sm_90a", "ptx80 ptx80a", 0},
		{"12.4", "sm_86", "unknown80", 0},
		{"12.4", "sm_90", "unknown80", -1},
		{"12.5", "sm_90", "unknown90", -1},
		{"13.5", "sm_90", "unknown90f", 0},
	} {
		toolkit, err := arch.Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		target, ok := toolkit.Parse(tt.target)
		if !ok {
			t.Fatal(tt.release, tt.target)
		}
		got := -1
		if e := choose(entriesOf(t, tt.entries), target, false); e != nil {
			got = e.Index
		}
		if got != tt.want {
			t.Errorf("%s for %s chooses entry %d of %q, want %d", tt.release, tt.target, got, tt.entries, tt.want)
		}
	}
}

// entriesOf returns the entries of 64-bit code that a list describes. A "c" after the name, as in "100ac", adds
// compatibility records.
func entriesOf(t *testing.T, list string) (entries []fatbin.Entry) {
	t.Helper()
	for i, name := range strings.Fields(list) {
		e := fatbin.Entry{Index: i, Kind: fatbin.ELF, Flags: fatbin.Flag64Bit}
		if rest, ok := strings.CutPrefix(name, "ptx"); ok {
			e.Kind, name = fatbin.PTX, rest
		} else if rest, ok := strings.CutPrefix(name, "lto"); ok {
			e.Kind, name = fatbin.LTOIR, rest
		} else if rest, ok := strings.CutPrefix(name, "unknown"); ok {
			e.Kind, name = fatbin.Unknown16, rest
		}
		if rest, ok := strings.CutSuffix(name, "c"); ok {
			e.Flags |= fatbin.FlagCompat
			e.Options, name = []byte("\x00\x02\x02\x01\x00"), rest
		}
		if _, err := fmt.Sscanf(name, "%d%c", &e.Arch, &e.Suffix); e.Arch == 0 {
			t.Fatal(name, err)
		}
		entries = append(entries, e)
	}
	return entries
}
