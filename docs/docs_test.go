package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/rulebook"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/docs"
	"github.com/culink/culink/linker"
)

// TestReadmeFigures: the figures of the README are those of the tables.
func TestReadmeFigures(t *testing.T) {
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	book, err := rulebook.Parse(docs.Rules)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	releases := linker.Toolkits()
	for _, want := range []string{
		fmt.Sprintf("The corpus has %d cases,", len(cases)),
		fmt.Sprintf("nvlink of %s to %s ", short(releases[0]), short(releases[len(releases)-1])),
		fmt.Sprintf("\n  %d [rules]", len(book.Rules)),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}

// short returns the line of a release: 13.0 for 13.0.88.
func short(release string) string { return release[:strings.LastIndexByte(release, '.')] }
