package report

import (
	"fmt"
	"strings"

	"github.com/culink/culink/conformance/judge"
)

// A linker can cause differences of any length and number. A report limits both (CONF-065). The limits are far above
// what a person reads.
const (
	mostOfValue   = 1000     // bytes of a key and of each value of a difference
	mostOfLines   = 8 << 10  // bytes of its lines
	mostOfVerdict = 64       // differences of a verdict
	mostOfRun     = 32 << 20 // bytes of all differences of a run; beyond this, a verdict keeps one difference
)

// shorten returns a text, or its beginning and its length. The result is a copy, because the text may be a large file
// that should be freed.
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

// sizeOf returns the number of bytes that a report stores for a difference.
func sizeOf(d *judge.Difference) int { return len(d.Key) + len(d.Want) + len(d.Got) + len(d.Lines) }

// keep shortens the first differences of a verdict and drops the others. most is the number of differences that it
// keeps. It counts those that it drops.
func keep(v *judge.Verdict, most int) {
	if len(v.Differences) > most {
		v.More += len(v.Differences) - most
		v.Differences = append([]judge.Difference(nil), v.Differences[:most]...)
	}
	for i := range v.Differences {
		shortenDifference(&v.Differences[i])
	}
}

// KeepFew bounds the differences of each verdict.
func KeepFew(verdicts []judge.Verdict) {
	for i := range verdicts {
		keep(&verdicts[i], mostOfVerdict)
	}
}

// A Budget is the number of bytes of differences that a run may still store.
type Budget struct{ left int }

// NewBudget returns the budget of a run.
func NewBudget() *Budget { return &Budget{mostOfRun} }

// Take subtracts the differences of verdicts from the budget. If the budget is used up, a verdict keeps only its first
// difference, without lines.
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
