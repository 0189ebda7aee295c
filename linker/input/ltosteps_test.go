package input

import (
	"errors"
	"slices"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/lto"
	"github.com/google/go-cmp/cmp"
)

// With -v2 a line is printed for each step up to the one that fails. The lines were printed by nvlink (KIT-490).
func TestReportSteps(t *testing.T) {
	all := []string{
		" Running nvlink cicc-lto", "  Running LibNVVM module linking step", "  Running source modules parsing", "  Running modules linking",
		"  Running LTO step", "  Running LibNVVM optimization step", "  Running LibNVVM code-generation step", " Running nvlink ptxas-lto",
	}
	without := func(lines ...int) []string {
		var kept []string
		for i, line := range all {
			if !slices.Contains(lines, i) {
				kept = append(kept, line)
			}
		}
		return kept
	}
	refused := func(said string) error { return &lto.RefusedError{Said: said} }
	for _, tt := range []struct {
		name, toolkit string
		quiet         bool
		modules       int
		err           error
		want          []string
	}{
		{"two modules", "13.5", false, 2, nil, all},
		{"two modules by 13.2", "13.2", false, 2, nil, without(1)},
		{"one module", "13.3", false, 1, nil, without(3)},
		{"one module by 13.2", "13.2", false, 1, nil, without(1, 3)},
		{"without -v2", "13.5", true, 2, nil, nil},
		{"an unknown option", "13.5", false, 2, refused("libnvvm : error: -nonsense is an unsupported optionNVVM_ERROR_INVALID_OPTION"), all[:1]},
		{"two definitions", "13.5", false, 3, refused("b.o: link error: error: Linking globals named 'g': symbol multiply defined!\n\nNVVM_ERROR_COMPILATION"), all[:4]},
		{"damaged code", "13.5", false, 2, refused("b.o: parse Malformed blockNVVM_ERROR_COMPILATION"), all[:3]},
		{"no compiler", "13.5", false, 2, errors.New("exit status 2"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			profile, err := arch.Find(tt.toolkit)
			if err != nil {
				t.Fatal(err)
			}
			log := new(diag.Log)
			l := &loader{opt: Options{LTO: &LTO{Steps: !tt.quiet}}, target: arch.Target{Profile: profile}, log: log}
			l.reportSteps(tt.modules, tt.err)
			var got []string
			for _, d := range log.Diagnostics {
				got = append(got, d.Text())
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}
