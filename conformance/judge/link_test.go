package judge

import (
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/suite/suitetest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
)

// link returns the first step of a case on a target, and the outcome of nvlink.
func link(t *testing.T, id, sm string) (attempt.Link, *attempt.Outcome) {
	t.Helper()
	c := suitetest.Case(t, id)
	r, err := suite.LoadRecording(corpus.Files, c, sm)
	if err != nil {
		t.Fatal(err)
	}
	return attempt.Link{Before: r.Before(0), Argv: c.Argv(0, sm)}, &r.Steps[0]
}

func TestSoundIsJudgedByTheInputs(t *testing.T) {
	good, want := link(t, "basic/two-files", "80")
	judge := func(l attempt.Link, got *attempt.Outcome) []Difference {
		return Link(t.Context(), FacetSound, suite.ExpectRecorded, l, want, got)
	}
	if d := judge(good, want); len(d) > 0 {
		t.Errorf("nvlink's own output: %v", d)
	}
	spoiled := suitetest.Clone(want)
	sectionBytes(t, spoiled, ".nv.rel.action")[0]++
	if d := judge(good, spoiled); len(d) == 0 || d[0].Key != "out.cubin:section.nv.rel.action" {
		t.Errorf("a spoiled output: %v", d)
	}
	if d := judge(good, &attempt.Outcome{}); len(d) != 1 || d[0].Got != "not written" {
		t.Errorf("no output: %v", d)
	}
	if d := judge(good, &attempt.Outcome{Killed: "time"}); len(d) != 1 || d[0].Key != "killed" {
		t.Errorf("a killed linker: %v", d)
	}
	missing := attempt.Link{Before: attempt.Files{}, Argv: good.Argv}
	if d := judge(missing, want); len(d) != 1 || d[0].Key != "link" {
		t.Errorf("inputs that are not there: %v", d)
	}
	// The output of one link is not accepted for another link.
	other, _ := link(t, "basic/three-kernels", "80")
	if d := judge(other, want); len(d) == 0 {
		t.Error("the output of another link passes")
	}
}

func TestSoundAppliesToCubins(t *testing.T) {
	for id, applies := range map[string]bool{
		"basic/two-files":                     true,
		"options/relocatable-chain":           true, // the first step is -r
		"messages/several-errors-in-one-file": false,
	} {
		_, want := link(t, id, "80")
		if got := FacetSound.Applies(want, suite.ExpectRecorded); got != applies {
			t.Errorf("%s: %v, want %v", id, got, applies)
		}
	}
	_, want := link(t, "basic/two-files", "80")
	if FacetSound.Applies(want, suite.ExpectCleanError) {
		t.Error("applies where a clean error is wanted")
	}
	if !FacetSound.Applies(&attempt.Outcome{Exit: 1}, suite.ExpectRightCode) {
		t.Error("does not apply where right code is wanted")
	}
}

// In 11.2 the sizes of descriptors are local symbols, of which the driver knows the values all the same (KIT-079).
func TestSoundWithLocalNamesOfTheDriver(t *testing.T) {
	p, err := arch.Find("11.2")
	if err != nil {
		t.Fatal(err)
	}
	c := suitetest.Case(t, "texture/descriptor-sizes")
	r, err := suite.LoadRecordingOf(t.Context(), corpus.Files, c, "86", p)
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for i := range r.Steps {
		link := attempt.Link{Before: r.Before(i), Argv: c.Argv(i, "86"), Toolkit: p}
		if FacetSound.Applies(&r.Steps[i], suite.ExpectRecorded) {
			judged++
		}
		for _, d := range Link(t.Context(), FacetSound, suite.ExpectRecorded, link, &r.Steps[i], &r.Steps[i]) {
			t.Errorf("step %d: %s", i+1, d)
		}
	}
	if judged != 2 { // 11.2 refuses the second step
		t.Errorf("%d steps are judged", judged)
	}
}

// If a case declares nvlink's output of a step unsound, no linker needs to be sound in that step. Other steps of the
// case, and cases without such a declaration, are judged.
func TestUnsoundCases(t *testing.T) {
	var pages strings.Builder
	for _, name := range []string{"rules.md", "errata.md"} {
		page, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		pages.Write(page)
	}
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, e := range c.Exceptions {
			if e.Unsound != "" && !strings.Contains(pages.String(), "**"+e.Unsound+"**") && !strings.Contains(pages.String(), "| "+e.Unsound+" |") {
				t.Errorf("%s: unsound for %s, which is no rule and no erratum", c.ID(), e.Unsound)
			}
		}
		if c.Unsound != "" && !strings.Contains(pages.String(), "**"+c.Unsound+"**") && !strings.Contains(pages.String(), "| "+c.Unsound+" |") {
			t.Errorf("%s: unsound for %s, which is no rule and no erratum", c.ID(), c.Unsound)
		}
	}
	for _, test := range []struct {
		id, sm string
		want   bool
	}{
		{"reach/call-without-edge", "80", false},
		{"texture/slots-by-address", "80", false},
		{"texture/slots-by-address", "100", true},
	} {
		c := suitetest.Case(t, test.id)
		r, err := suite.LoadRecording(corpus.Files, c, test.sm)
		if err != nil {
			t.Fatal(err)
		}
		all := true
		for i := range r.Steps {
			all = all && Asks(t.Context(), c, FacetSound, attempt.Link{Before: r.Before(i), Argv: c.Argv(i, test.sm)}, &r.Steps[i])
		}
		if all != test.want {
			t.Errorf("%s sm_%s: judged %v, want %v", test.id, test.sm, all, test.want)
		}
	}
}
