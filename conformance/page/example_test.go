package page_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/page"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/rulebook"
	"github.com/culink/culink/conformance/suite"
)

// The report of a run becomes one HTML file.
func ExampleWrite() {
	report := &report.Report{
		Toolkit: suite.Toolkit, Facets: []judge.Facet{judge.FacetExit},
		Verdicts: []judge.Verdict{{Case: "basic/two-files", SM: "80", Step: 1, Facet: judge.FacetExit}},
	}
	var file bytes.Buffer
	if err := page.Write(&file, page.Contents{Report: report, Rules: &rulebook.Book{}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.HasPrefix(file.Bytes(), []byte("<!DOCTYPE html>")), bytes.Contains(file.Bytes(), []byte("basic")))
	// Output: true true
}
