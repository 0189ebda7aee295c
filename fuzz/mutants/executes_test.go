package main

import (
	"os"
	"slices"
	"testing"
)

// A mutant runs on the checks that execute its statement, and on those that were not measured.
func TestAmong(t *testing.T) {
	c := campaign{checks: map[string]check{
		"executes": {executes: map[int]bool{1: true}}, "other": {executes: map[int]bool{2: true}}, "died": {}, "fails": {fails: true},
	}}
	checks := []string{"executes", "other", "died", "fails", "new"}
	for _, k := range []struct {
		p    point
		want []string
	}{
		{point{number: 1}, []string{"executes", "died", "new"}},
		{point{number: 3}, []string{"died", "new"}},
		{point{number: 3, anywhere: true}, []string{"executes", "other", "died", "new"}},
	} {
		if got := c.among(checks, &k.p); !slices.Equal(got, k.want) {
			t.Errorf("%+v: %q, want %q", k.p, got, k.want)
		}
	}
}

// readNotes reads recorded notes once and adds them to the known ones.
func TestReadNotes(t *testing.T) {
	c := campaign{temp: t.TempDir()}
	if err := os.WriteFile(c.notes(), []byte("3\n5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := c.readNotes(map[int]bool{1: true})
	if err != nil || len(got) != 3 || !got[3] || !got[5] {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := c.readNotes(nil); err != nil || got == nil || len(got) != 0 {
		t.Errorf("read twice: %v, %v", got, err)
	}
}

// testsFor returns the tests that may notice a mutant, except slow ones.
func TestTestsFor(t *testing.T) {
	s := &testSuite{name: "linker/x", tests: []string{"TestOne", "TestNone", "TestSlow", "TestDied"}}
	c := campaign{checks: map[string]check{
		"linker/x TestOne":  {executes: map[int]bool{1: true}, seconds: 2},
		"linker/x TestNone": {executes: map[int]bool{}, seconds: 1},
		"linker/x TestSlow": {executes: map[int]bool{1: true}, seconds: slowest + 1},
		"linker/x TestDied": {seconds: 3},
	}}
	tests, seconds := c.testsFor(s, &point{number: 1})
	if !slices.Equal(tests, []string{"TestOne", "TestDied"}) || seconds != 5 {
		t.Errorf("%q in %g s", tests, seconds)
	}
	tests, _ = c.testsFor(s, &point{number: 3, File: "linker/x/x.go"})
	if !slices.Equal(tests, []string{"TestOne", "TestNone", "TestDied"}) {
		t.Errorf("outside of functions: %q", tests)
	}
}

func TestPlacesIn(t *testing.T) {
	const errors = "# github.com/culink/culink/linker/x\n/tmp/together/linker+x+x.go:12:3: declared and not used: y\n../together/linker+x+y.go:7:1: missing return\n\ttoo many errors\n"
	if got := placesIn(errors); !slices.Equal(got, []place{{"linker/x/x.go", 12}, {"linker/x/y.go", 7}}) {
		t.Errorf("%v", got)
	}
}
