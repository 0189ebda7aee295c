package report_test

import (
	"fmt"
	"log"
	"os"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/suite"
)

// WriteTable writes a report as a table with one area on each line.
func ExampleReport_WriteTable() {
	r := &report.Report{
		Toolkit: suite.Toolkit, Facets: []judge.Facet{judge.FacetExit, judge.FacetBytes},
		Verdicts: []judge.Verdict{
			{Case: "basic/two-files", SM: "80", Step: 1, Facet: judge.FacetExit},
			{Case: "basic/two-files", SM: "80", Step: 1, Facet: judge.FacetBytes,
				Differences: []judge.Difference{{Facet: judge.FacetBytes, Key: "out.cubin"}}},
		},
	}
	if err := r.WriteTable(os.Stdout); err != nil {
		log.Fatal(err)
	}
	fmt.Println("passed:", r.OK())
	// Output:
	// area   cases  exit  bytes
	// basic  1      1/1   0/1
	// all    1      1/1   0/1
	// passed: false
}
