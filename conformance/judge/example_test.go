package judge_test

import (
	"fmt"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
)

// The linker has another exit status than nvlink and prints another message.
func ExampleCompare() {
	want := &attempt.Outcome{Exit: 0, Stdout: []byte{}}
	got := &attempt.Outcome{Exit: 1, Stderr: []byte("ld fatal   : out of ideas\n")}
	for _, facet := range []judge.Facet{judge.FacetExit, judge.FacetMessages} {
		for _, d := range judge.Compare(facet, suite.ExpectRecorded, want, got) {
			fmt.Printf("%s: %s: want %s, got %s\n", facet, d.Key, d.Want, d.Got)
		}
	}
	// Output:
	// exit: exit: want 0, got 1
	// messages: stderr.1: want nothing, got "tool fatal   : out of ideas\n"
}
