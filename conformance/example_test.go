package conformance_test

import (
	"fmt"
	"log"
	"os"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

// A case says which inputs there are, and which command lines are run on them.
func ExampleParseCase() {
	text, err := corpus.Files.ReadFile("basic/two-files/case.txt")
	if err != nil {
		log.Fatal(err)
	}
	c, err := suite.ParseCase("basic/two-files", string(text))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.ID(), c.Targets[:2])
	fmt.Println(c.Argv(0, "80"))
	// Output:
	// basic/two-files [75 80]
	// [-arch=sm_80 caller.cubin callee.cubin -o out.cubin]
}

// A linker that ended with another status and said something else than nvlink.
func ExampleJudge() {
	want := &attempt.Outcome{Exit: 0, Stdout: []byte{}}
	got := &attempt.Outcome{Exit: 1, Stderr: []byte("ld fatal   : out of ideas\n")}
	for _, facet := range []conformance.Facet{conformance.FacetExit, conformance.FacetMessages} {
		for _, d := range conformance.Judge(facet, suite.ExpectRecorded, want, got) {
			fmt.Printf("%s: %s: want %s, got %s\n", facet, d.Key, d.Want, d.Got)
		}
	}
	// Output:
	// exit: exit: want 0, got 1
	// messages: stderr.1: want nothing, got "tool fatal   : out of ideas\n"
}

// A report as a table, an area on each line.
func ExampleReport_WriteTable() {
	report := &conformance.Report{
		Toolkit: suite.Toolkit, Facets: []conformance.Facet{conformance.FacetExit, conformance.FacetBytes},
		Verdicts: []conformance.Verdict{
			{Case: "basic/two-files", SM: "80", Step: 1, Facet: conformance.FacetExit},
			{Case: "basic/two-files", SM: "80", Step: 1, Facet: conformance.FacetBytes,
				Differences: []conformance.Difference{{Facet: conformance.FacetBytes, Key: "out.cubin"}}},
		},
	}
	if err := report.WriteTable(os.Stdout); err != nil {
		log.Fatal(err)
	}
	fmt.Println("passed:", report.OK())
	// Output:
	// area   cases  exit  bytes
	// basic  1      1/1   0/1
	// all    1      1/1   0/1
	// passed: false
}
