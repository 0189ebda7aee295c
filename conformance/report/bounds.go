package report

import (
	"fmt"
	"strings"

	"github.com/culink/culink/conformance/judge"
)

// What a linker prints and writes decides how long differences are and how many; a report has limits whatever that is
// (CONF-065). They are far above what a person reads.
const (
	mostOfValue   = 1000     // bytes of a key and of each value of a difference
	mostOfLines   = 8 << 10  // bytes of its lines
	mostOfVerdict = 64       // differences of a verdict
	mostOfRun     = 32 << 20 // bytes of all differences of a run; verdicts beyond have one
)

// shorten returns a text, or its beginning and how long it is. What it returns is no part of the memory of the text, which may
// be a file.
func shorten(text string, most int) string {
	if len(text) <= most {
		return strings.Clone(text)
	}
	return fmt.Sprintf("%s... (%d bytes)", text[:most], len(text))
}

// shortenDifference shortens a difference.
func shortenDifference(d *judge.Difference) {
	d.Key, d.Want, d.Got = shorten(d.Key, mostOfValue), shorten(d.Want, mostOfValue), shorten(d.Got, mostOfValue)
	d.Lines = shorten(d.Lines, mostOfLines)
}

// sizeOf is how many bytes a report keeps of a difference.
func sizeOf(d *judge.Difference) int { return len(d.Key) + len(d.Want) + len(d.Got) + len(d.Lines) }

// keep keeps so many differences of a verdict, shortened, and counts the others. What is not kept is not referred to.
func keep(v *judge.Verdict, most int) {
	if len(v.Differences) > most {
		v.More += len(v.Differences) - most
		v.Differences = append([]judge.Difference(nil), v.Differences[:most]...)
	}
	for i := range v.Differences {
		shortenDifference(&v.Differences[i])
	}
}

// KeepFew keeps of each verdict what a report has at most.
func KeepFew(verdicts []judge.Verdict) {
	for i := range verdicts {
		keep(&verdicts[i], mostOfVerdict)
	}
}

// A reportBudget is what a run may still keep of differences.
type Budget struct{ left int }

// NewBudget is that of a run.
func NewBudget() *Budget { return &Budget{mostOfRun} }

// Take keeps what the budget has room for: of a verdict beyond it the first difference, without lines.
func (b *Budget) Take(verdicts []judge.Verdict) {
	for i := range verdicts {
		v := &verdicts[i]
		size := 0
		for k := range v.Differences {
			size += sizeOf(&v.Differences[k])
		}
		if size <= b.left {
			b.left -= size
		} else {
			keep(v, 1)
			v.Differences[0].Lines = ""
		}
	}
}
