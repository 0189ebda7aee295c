package hunt

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/conformance/tools/toolstest"
)

// readOptions takes the values of an option from the help text, and otherwise from the samples. It omits options that do
// not compile (CONF-051).
func TestReadOptions(t *testing.T) {
	t.Parallel()
	const help = `Usage  : ptxas [options] <ptx file>,...

--Ofast-compile <0|min|max>                         (-Ofc)
        Specify fast-compile level.

--compile-only                                      (-c)
        Generate relocatable object.

--maxrregcount <archmax/archmin/N>                  (-maxrregcount)
        Specify the maximum amount of registers.

--return-at-end                                     (-ret-end)
        Keep the last return.

--sanitize <string>                                 (-sanitize)
        Generate instrumented code.
        Allowed values for this option:  'memcheck',
        'threadsteer'.
`
	got, err := readOptions(help)
	want := []compilerOption{
		{"--Ofast-compile", []string{"0", "min", "max"}},
		{"--maxrregcount", []string{"24", "40", "archmax", "archmin"}},
		{"--return-at-end", nil},
		{"--sanitize", []string{"memcheck", "threadsteer"}},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(compilerOption{})); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	lines := [][]string{
		nil, {"--device-debug"},
		{"--sanitize=memcheck"}, {"--device-debug", "--sanitize=memcheck"}, {"--sanitize=threadsteer"}, {"--device-debug", "--sanitize=threadsteer"},
	}
	if d := cmp.Diff(lines, arguments(want[3:])); d != "" {
		t.Error(d)
	}
	if _, err := readOptions("--new-option <thing>  (-new)\n        Does something new.\n"); err == nil {
		t.Error("an option without a known value is no error")
	}
}

// A unit becomes a module for the requested version and target, with the modes of the unit (CONF-051).
func TestUnits(t *testing.T) {
	t.Parallel()
	units, err := readUnits()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]unit{}
	for _, u := range units {
		named[u.group+"/"+u.name] = u
	}
	if len(named) != len(units) {
		t.Errorf("%d names of %d units", len(named), len(units))
	}
	for name, want := range map[string]string{
		"symbols/nothing":         ".version 9.2\n.target sm_90a\n.address_size 64\n",
		"textures/independent-1d": ".version 9.2\n.target sm_90a, texmode_independent\n.address_size 64\n.global .texref t;",
		"instructions/elect":      ".version 9.2\n.target sm_90a\n.address_size 64\n.visible .entry k(",
		"kernels/old-target-20":   ".version 6.0\n.target sm_30\n",
	} {
		if got := named[name].ptx(92, "90a"); !strings.HasPrefix(got, want) {
			t.Errorf("%s begins %.120q", name, got)
		}
	}
}

// Every option of the installed compiler has values. Of equal objects of a unit, one is linked (CONF-051).
func TestMatrixLive(t *testing.T) {
	dir := toolstest.Oracle(t)
	o := newOracle(dir)
	options, err := o.options()
	if err != nil || len(options) < 30 {
		t.Fatalf("%d options, %v", len(options), err)
	}
	culink := filepath.Join(t.TempDir(), "nvlink")
	if out, err := exec.Command("go", "build", "-o", culink, "github.com/culink/culink/cmd/culink").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := &settings{n: 1, jobs: 2, units: 1, linker: culink, oracle: dir, sms: "80"}
	h, err := newHunter(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	units, err := readUnits()
	if err != nil {
		t.Fatal(err)
	}
	units = slices.DeleteFunc(units, func(u unit) bool { return u.name != "empty" && u.name != "elect" })
	c := column{release: "13.0.88", assembler: o, version: 90, options: [][]string{nil, {"--opt-level=2"}, {"--device-debug"}}}
	tally := h.runMatrix("80", units, []column{c}, 2)
	var text bytes.Buffer
	tally.summary(&text)
	if n := tally.ways["plain"]; n.links != 2 || n.same != 2 || len(tally.leftOut) != 3 || tally.differs() {
		t.Errorf("want two objects of three, and a unit that sm_80 does not have:\n%s", text.String())
	}
}
