package hunt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/tools/toolstest"
)

// compiledFolder returns a folder with units of two compilers.
func compiledFolder(t *testing.T, units map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range units {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// PTX is read for its target and later ones, PTX of a target with a letter and a cubin for their own target alone
// (CONF-995).
func TestUnitsOfCompilers(t *testing.T) {
	folder := compiledFolder(t, map[string]string{
		"a/x.80.ptx": "", "a/x.90a.ptx": "", "a/x.90a.cubin": "", "a/x.100.ptx": "", "b/x.0.80.cubin": "", "b/x.ptx": "", "b/x.80.o": "", "made.txt": "",
	})
	for target, want := range map[string][]string{
		"80":   {"a-x.80.ptx.cubin ptx", "b-x.0.80.cubin"},
		"90a":  {"a-x.80.ptx.cubin ptx", "a-x.90a.cubin", "a-x.90a.ptx.cubin ptx"},
		"90":   {"a-x.80.ptx.cubin ptx"},
		"100a": {"a-x.100.ptx.cubin ptx", "a-x.80.ptx.cubin ptx"},
	} {
		units, err := readCompiled(folder, target)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range units {
			if u.ptx {
				got = append(got, u.file+" ptx")
			} else {
				got = append(got, u.file)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("sm_%s: %q, want %q", target, got, want)
		}
	}
	if _, err := readCompiled(folder, "75"); err == nil {
		t.Error("a target without units is accepted")
	}
}

// The units of a trial fit together, the same seed makes the same trials, and the compilers of a trial are counted
// (CONF-995).
func TestLinksOfCompilers(t *testing.T) {
	h := fakeHunter(t, "good")
	h.chains = 20
	m := &mixer{hunter: h, target: "90a", units: map[*member]*compiledUnit{}, links: map[string]int{}}
	for i, maker := range []string{"a", "b", "c"} {
		for _, role := range []string{"leaf", "kernel"} {
			u := &compiledUnit{member: &member{file: fmt.Sprint(maker, "-", role, ".cubin"), data: []byte{byte(i)}}, maker: maker}
			if role == "leaf" {
				u.defines = []string{"leaf"}
			} else {
				u.needs, u.defines = []string{"leaf"}, []string{maker}
			}
			m.units[u.member], m.pool = u, append(m.pool, u.member)
		}
	}
	mixed, packed := 0, 0
	for n := range 200 {
		a, b := m.trial(n), m.trial(n)
		if fmt.Sprint(a.steps()) != fmt.Sprint(b.steps()) || a.arch != "sm_90a" {
			t.Fatalf("trial %d: %v and %v", n, a.steps(), b.steps())
		}
		if words := strings.Join(a.order, " "); strings.Contains(words, "a-kernel") && strings.Contains(words, "b-leaf") {
			mixed++
		}
		packed += len(a.archive)
	}
	if mixed == 0 || packed == 0 || m.links["a"] == 0 {
		t.Errorf("%d links of two compilers, %d members of archives, links by compiler %v", mixed, packed, m.links)
	}
}

// No trial starts after the end, and the summary says where to go on (CONF-995).
func TestHuntEnds(t *testing.T) {
	h := fakeHunter(t, "good")
	h.end = time.Now()
	tally := h.run("80", 5, 30, 1, func(number int) *trial { return h.trial(80, number) }, nil)
	var said strings.Builder
	tally.summary(&said)
	if tally.trials != 0 || !strings.Contains(said.String(), "no time was left for 30 trials: go on with -from 5\n") {
		t.Errorf("%d trials, and %q", tally.trials, said.String())
	}
}

// A unit of PTX is assembled by the releases of -mix, and left out if none does that (CONF-995).
func TestLiveUnitsOfCompilers(t *testing.T) {
	folder := compiledFolder(t, map[string]string{
		"a/leaf.80.ptx": ".version 7.0\n.target sm_80\n.address_size 64\n.visible .func leaf() { ret; }\n",
		"b/k.80.ptx":    ".version 7.0\n.target sm_80\n.address_size 64\n.extern .func leaf();\n.visible .entry k() { call leaf; ret; }\n",
		"b/bad.80.ptx":  ".version 7.0\nnothing\n",
	})
	units, err := readCompiled(folder, "90")
	if err != nil {
		t.Fatal(err)
	}
	o := newOracle(toolstest.Oracle(t))
	h := fakeHunter(t, "good")
	m, leftOut, err := newMixer(h, "90", units, []column{{assembler: o, options: [][]string{{"--device-debug"}}}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(leftOut) != 1 || leftOut[0].folder != "b-bad.80.ptx.cubin" || len(m.pool) != 2 || m.pool[1].needs[0] != "leaf" {
		t.Errorf("left out %v of %v", leftOut, m.pool)
	}
	var said strings.Builder
	m.trial(0)
	m.summary(&said, leftOut)
	if !strings.Contains(said.String(), "1 units") || !strings.Contains(said.String(), "left out: b-bad.80.ptx.cubin: ptxas") {
		t.Errorf("the summary is %q", said.String())
	}
}
