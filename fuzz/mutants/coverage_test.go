package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The profile of a check on this file, in which the body of the first if was not executed:
//
//	5 func f(a int) {
//	6 	if a > 1 {
//	7 		a++
//	8 	}
//	9 	switch {
//	10	case a == 3:
//	11		a--
//	12	}
const profile = `mode: set
` + module + `linker/x/x.go:5.15,6.11 1 1
` + module + `linker/x/x.go:6.11,8.3 1 0
` + module + `linker/x/x.go:9.2,9.9 1 1
` + module + `linker/x/x.go:10.14,11.6 1 1
`

func measuredChecks(t *testing.T, name string) *coverage {
	t.Helper()
	v, err := openCoverage(name, "source")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a/all": profile, "a/none": "mode: set\n"} {
		if err := v.note(name, check{Hash: "h", Seconds: 1}, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	v.Checks["a/died"] = check{Hash: "h"}
	return v
}

// A mutant is asked of the checks that execute its block, and of those of which nothing is known.
func TestAmong(t *testing.T) {
	checks := []string{"a/none", "a/all", "a/died", "a/new"}
	v := measuredChecks(t, "")
	u := newUsers()
	if _, err := pointsOf("linker/x/x.go", []byte("package x\n\nvar table, other = 1, 2\n\nfunc f() { for range made {} }\n\nvar made = table + 1\n"), u); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		p    point
		want []string
	}{
		{"executed", point{File: "linker/x/x.go", Line: 6, Column: 7, begins: 5}, checks[1:]},
		{"not executed", point{File: "linker/x/x.go", Line: 7, Column: 3, begins: 5}, checks[2:]},
		{"between blocks: that of the function", point{File: "linker/x/x.go", Line: 10, Column: 9, begins: 5}, checks[1:]},
		{"outside of functions: what names what is made of it", point{File: "linker/x/x.go", Line: 3, Column: 20, declares: []string{"table", "other"}}, checks[1:]},
		{"outside of functions, and unnamed", point{File: "linker/x/x.go", Line: 3, Column: 1}, checks},
		{"another file", point{File: "linker/x/y.go", Line: 6, Column: 7, begins: 5}, checks},
	} {
		if got := v.among(checks, &c.p, u); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What was measured is read again, unless the source is another one.
func TestOpenCoverage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mutants.tsv.coverage")
	if err := measuredChecks(t, name).save(); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]int{"source": 3, "another": 0} {
		v, err := openCoverage(name, source)
		if err != nil || len(v.Checks) != want || len(v.Blocks) != len(v.index) {
			t.Errorf("%s: %+v, %v", source, v, err)
		}
	}
	if v := measuredChecks(t, name); len(v.Blocks) != 4 {
		t.Errorf("blocks counted twice: %v", v.Blocks)
	}
	if err := measuredChecks(t, "").note("a/all", check{}, []byte(module+"linker/x/x.go:1 1 1\n")); err == nil {
		t.Error("a block without its place is read")
	}
}

func TestHashTree(t *testing.T) {
	files := fstest.MapFS{"a/x.go": {Data: []byte("1")}, "a/b/y.go": {Data: []byte("2")}, "c": {Data: []byte("3")}}
	hash := func() string {
		h, err := hashTree(files, "a", func(name string) bool { return name != "a/b/y.go" })
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	before := hash()
	files["c"], files["a/b/y.go"] = nil, &fstest.MapFile{Data: []byte("4")}
	if hash() != before {
		t.Error("files that are not chosen count")
	}
	files["a/x.go"] = &fstest.MapFile{Data: []byte("5")}
	if hash() == before {
		t.Error("another file, the same hash")
	}
}

// The tests that execute a mutant's block are asked, by package: its own first, then the scenarios, the fastest next;
// all of a package that was not measured, and none that is slow.
func TestSuitesFor(t *testing.T) {
	v := measuredChecks(t, "")
	c := campaign{coverage: v, users: newUsers(), suites: []string{"linker/a", "linker/b", "linker/new", "linker/x", scenarios}}
	for name, tests := range map[string]map[string]check{
		"linker/a": {"TestOne": v.Checks["a/all"], "TestNone": v.Checks["a/none"], "TestSlow": {Seconds: slowest + 1}},
		"linker/b": {"TestNone": v.Checks["a/none"]},
		"linker/x": {"TestDied": v.Checks["a/died"]},
		scenarios:  {"TestAll": {Seconds: 5}},
	} {
		var names []string
		for _, test := range slices.Sorted(maps.Keys(tests)) {
			names = append(names, test)
			v.Checks[testID(name, test)] = tests[test]
		}
		v.Checks[name] = check{Hash: "h", Tests: names}
	}
	var got []string
	for _, s := range c.suitesFor(&point{File: "linker/x/x.go", Line: 6, Column: 7, begins: 5}) {
		got = append(got, s.name+": "+strings.Join(s.tests, " "))
	}
	want := []string{"linker/x: TestDied", scenarios + ": TestAll", "linker/new: .*", "linker/a: TestOne"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
