package conformance

import (
	"encoding/binary"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// A single fault in a linker must be reported as one fault, and not as twenty. The first line of the report must
// describe it clearly. testdata/faults.txt has the expected sentence for each fault. The faults are typical mistakes of
// linker authors.

// faults lists the faults for this test that are not among the spoils.
var faults = []spoil{
	{name: "a symbol less", from: "basic/two-files", do: func(o *attempt.Outcome) {
		header := headerOf(o, ".symtab")
		binary.LittleEndian.PutUint64(header[32:], binary.LittleEndian.Uint64(header[32:])-cubin.SymbolSize)
	}},
	{name: "another alignment of the first code", from: "basic/two-files", do: misalignFirstCode},
}

// misalignFirstCode changes the alignment of the first code section.
func misalignFirstCode(o *attempt.Outcome) {
	for name, data := range o.Files {
		f, err := cubin.Open(name, data)
		if err != nil {
			continue
		}
		for _, s := range f.Sections {
			if strings.HasPrefix(s.Name, cubin.CodePrefix) {
				at := f.ShOff + uint64(s.Index)*cubin.SectionHeaderSize + 48
				binary.LittleEndian.PutUint64(data[at:], s.AddrAlign/2)
				return
			}
		}
	}
}

// faulted judges the links of a case on sm_80 by a linker that behaves as recorded except for one fault.
func faulted(t *testing.T, c *suite.Case, do func(*attempt.Outcome)) (all []judge.Verdict) {
	t.Helper()
	rec, err := suite.LoadRecording(corpus.Files, c, "80")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rec.Steps {
		want := &rec.Steps[i]
		got := *want
		got.Files = attempt.Files{}
		for name, data := range want.Files {
			got.Files[name] = slices.Clone(data)
		}
		do(&got)
		link := attempt.Link{Before: rec.Before(i), Argv: c.Argv(i, "80")}.Remembered(t.Context())
		for _, f := range judge.Facets {
			if judge.Asks(t.Context(), c, f, link, want) {
				v := judge.Verdict{Case: c.ID(), SM: "80", Step: i + 1, Facet: f, Class: got.Class()}
				v.Differences = judge.Link(t.Context(), f, c.Expect, link, want, &got)
				all = append(all, v)
			}
		}
		if len(all) > 0 && !strings.HasPrefix(c.ID(), "basic/") {
			break // one link shows it
		}
	}
	return all
}

// The first cause in the report of each fault is the expected sentence (CONF-013).
func TestFaultsInWords(t *testing.T) {
	t.Parallel()
	const table = "testdata/faults.txt"
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	all := append(spoils(), faults...)
	n := 0
	for line := range strings.Lines(string(text)) {
		name, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		i := slices.IndexFunc(all, func(s spoil) bool { return s.name == name })
		if i < 0 {
			t.Errorf("no fault %q", name)
			continue
		}
		c := cases[slices.IndexFunc(cases, func(c *suite.Case) bool { return c.ID() == all[i].from })]
		r := &report.Report{Verdicts: faulted(t, c, all[i].do)}
		groups := r.FirstCauses()
		if len(groups) == 0 {
			t.Errorf("%s: nothing fails", name)
			continue
		}
		if got := groups[0].Line(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		n++
	}
	if n < 30 {
		t.Errorf("%d faults", n)
	}
}

// A fault that affects every link of an area is reported as one cause (CONF-013).
func TestOneFaultIsOneCause(t *testing.T) {
	t.Parallel()
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	r := &report.Report{}
	for _, c := range cases {
		if path.Dir(c.ID()) == "basic" && slices.Contains(c.Targets, "80") && c.Expect == suite.ExpectRecorded {
			r.Verdicts = append(r.Verdicts, faulted(t, c, misalignFirstCode)...)
		}
	}
	groups := r.FirstCauses()
	if len(groups) != 1 || groups[0].Links < 10 || !strings.Contains(groups[0].What, "alignment") {
		for _, g := range groups {
			t.Errorf("%d %s", g.Links, g.Line())
		}
	}
}
