package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/rulebook"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/docs"
	"github.com/culink/culink/linker"
)

// The figures in the README are those of the tables.
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

// short returns the minor version of a release. For 13.0.88 it returns 13.0.
func short(release string) string { return release[:strings.LastIndexByte(release, '.')] }

// No page or table of this folder has the marks of an unresolved merge.
func TestNoMergeConflicts(t *testing.T) {
	var names []string
	for _, pattern := range []string{"*.md", "*.tsv", "../*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, mark := range []string{strings.Repeat("<", 7) + " ", strings.Repeat(">", 7) + " "} {
			if bytes.Contains(text, []byte(mark)) {
				t.Errorf("%s holds %q", name, mark)
			}
		}
	}
}
