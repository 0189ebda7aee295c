package advice

import (
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// An answer that does not depend on the inputs is one line (DIAG-502).
func TestRemedies(t *testing.T) {
	for id, text := range remedies {
		facts := ForTarget(arch.Default, "sm_90").On(diag.Diagnostic{ID: id})
		if len(facts) != 1 || facts[0] != (Fact{"try", text}) {
			t.Errorf("%v: %v", id, facts)
		}
	}
}

// Options of other tools are told apart from misspelled ones, with and without a value (DIAG-502).
func TestOptionsOfOtherTools(t *testing.T) {
	a := ForTarget(arch.Default, "sm_90")
	a.Options = func() []string { return []string{"-arch"} }
	for option, want := range map[string]string{
		"rdc": "nvcc", "O3": "nvcc", "G": "nvcc", "gencode": "nvcc", "Wl,--start-group": "host", "-whole-archive": "host", "arhc": "-arch", "no": "--help",
	} {
		if facts := fmt.Sprint(a.On(diag.New(diag.UnknownOption, option))); !strings.Contains(facts, want) || want != "nvcc" && strings.Contains(facts, "nvcc itself") {
			t.Errorf("%s: %s", option, facts)
		}
	}
}

// Of nine variables the last is listed, and of ten the last two are counted (DIAG-502).
func TestLargest(t *testing.T) {
	for n, last := range map[int]string{8: "1 bytes: v", 9: "1 bytes: v", 10: "and 2 smaller ones"} {
		var pieces []piece
		for i := range n {
			pieces = append(pieces, piece{uint64(i + 1), "v"})
		}
		if facts := largest(pieces); facts[len(facts)-1].Text != last {
			t.Errorf("%d variables: %v", n, facts)
		}
	}
}

// The releases of compilers are compared by number (INFO-051).
func TestNumberOfRelease(t *testing.T) {
	for release, want := range map[string]uint32{"12.0": 120, "9.2": 92, "13.5": 135, "": 0, "12": 0, "a.b": 0} {
		if n, ok := number(release); ok != (want > 0) || ok && n != want {
			t.Errorf("%q: %d, %v", release, n, ok)
		}
	}
}
