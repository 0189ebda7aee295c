package linker_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
)

// TestToolkitByName checks that releases and targets have names, and that an unknown name is an error
// wherever it is given (KIT-001, OPT-010).
func TestToolkitByName(t *testing.T) {
	t.Parallel()
	releases := linker.Toolkits()
	if len(releases) < 16 || !slices.Contains(releases, "13.0.88") {
		t.Error(releases)
	}
	for _, name := range append(releases, "13.0", "13.0.48", "") {
		if targets, err := linker.Targets(name); err != nil || !slices.Contains(targets, "sm_80") || !slices.Contains(targets, "compute_80") {
			t.Errorf("%q: %v, %v", name, targets, err)
		}
	}
	for _, c := range []struct {
		toolkit, arch string
		want          diag.ID
		lists         string
	}{{"9.9", "sm_80", diag.UnknownToolkit, "12.9.86"}, {"13.0", "sm_9", diag.UnknownArch, ""}, {"13.0", "sm_70", diag.UnknownArch, ""}} {
		opt := linker.Options{Toolkit: c.toolkit, Arch: c.arch}
		files := input.Options{Toolkit: c.toolkit, Arch: c.arch}
		_, choosing := files.Choose(nil)
		_, checking := input.CheckCubin(files, "a.cubin", nil)
		_, loading := input.LoadData(t.Context(), files, input.CubinData, "a.cubin", nil, new(diag.Log))
		for what, err := range map[string]error{
			"Link": linker.Link(t.Context(), opt, nil).Err(), "LinkFiles": linker.LinkFiles(t.Context(), opt, "a.cubin").Err(),
			"Choose": choosing, "CheckCubin": checking, "LoadData": loading,
		} {
			if d := (diag.Diagnostic{}); !errors.As(err, &d) || d.ID != c.want || !strings.Contains(d.Text(), c.lists) {
				t.Errorf("%s for %q, %q: %v", what, c.toolkit, c.arch, err)
			}
		}
	}
	if _, err := linker.Targets("9.9"); err == nil {
		t.Error("Targets of 9.9")
	}
}
