// Package suitetest reads cases of the corpus for the tests of other packages.
package suitetest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

// Case reads a case of the corpus.
func Case(t *testing.T, id string) *suite.Case {
	t.Helper()
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c *suite.Case) bool { return c.ID() == id })
	if i < 0 {
		t.Fatalf("no case %s", id)
	}
	return cases[i]
}

// Clone copies an outcome with its contents, so that a test can change them.
func Clone(o *attempt.Outcome) *attempt.Outcome {
	c := *o
	c.Stdout, c.Stderr = bytes.Clone(o.Stdout), bytes.Clone(o.Stderr)
	c.Files = attempt.Files{}
	for name, data := range o.Files {
		c.Files[name] = bytes.Clone(data)
	}
	return &c
}
