package conformance

import (
	"bytes"
	"slices"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// loadCase reads a case of the corpus.
func loadCase(t *testing.T, id string) *Case {
	t.Helper()
	cases, err := LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c *Case) bool { return c.ID() == id })
	if i < 0 {
		t.Fatalf("no case %s", id)
	}
	return cases[i]
}

// recorded returns the outcome of the first step of a case.
func recorded(t *testing.T, id, sm string) *attempt.Outcome {
	t.Helper()
	c := loadCase(t, id)
	r, err := LoadRecording(corpus.Files, c, sm)
	if err != nil {
		t.Fatal(err)
	}
	return &r.Steps[0]
}

// sectionBytes lends the bytes of a section of out.cubin.
func sectionBytes(t *testing.T, o *attempt.Outcome, name string) []byte {
	t.Helper()
	f, err := cubin.Open("out.cubin", o.Files["out.cubin"])
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(name)
	if s == nil || !s.HasBytes() {
		t.Fatalf("no bytes in %s", name)
	}
	return o.Files["out.cubin"][s.Offset : s.Offset+s.Size]
}

// cloned copies an outcome so deeply that it can be spoiled.
func cloned(o *attempt.Outcome) *attempt.Outcome {
	c := *o
	c.Stdout, c.Stderr = bytes.Clone(o.Stdout), bytes.Clone(o.Stderr)
	c.Files = attempt.Files{}
	for name, data := range o.Files {
		c.Files[name] = bytes.Clone(data)
	}
	return &c
}
