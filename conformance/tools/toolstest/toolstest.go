// Package toolstest gives NVIDIA's tools to tests.
package toolstest

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/arch"
)

// Live must be part of the name of every test that uses NVIDIA's tools. The step live-test of .ci/run runs only the tests
// with such a name.
const Live = "Live"

// Oracle returns the folder of NVIDIA's tools ([tools.Oracle]). It skips the test if CULINK_ORACLE is not set.
func Oracle(t testing.TB) string {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	if strings.HasPrefix(name, "Test") && !strings.Contains(name, Live) {
		t.Fatalf("%s uses NVIDIA's tools, so its name must contain %s", name, Live)
	}
	folder, err := tools.Oracle()
	switch {
	case errors.Is(err, tools.ErrNoOracle):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return folder
}

// OracleOf returns the folder of a release's tools, which is that of [Oracle] or beside it ([tools.Beside]).
func OracleOf(t testing.TB, p *arch.Profile) (string, error) {
	t.Helper()
	reference := Oracle(t)
	if p == arch.Default {
		return reference, nil
	}
	return tools.Beside(reference, p)
}

// NVLink returns the nvlink in the folder of [Oracle].
func NVLink(t testing.TB) string {
	t.Helper()
	return filepath.Join(Oracle(t), "bin", "nvlink")
}
