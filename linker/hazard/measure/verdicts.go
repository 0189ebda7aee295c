package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

// A tally counts the verdicts on functions for an SM.
type tally struct {
	verdicts [3]int
	took     time.Duration
	code     int
}

// verdicts contains the tallies of all SMs, and the reasons of functions that are not safe.
type verdicts struct {
	verbose bool
	tallies map[int]*tally
	reasons map[string]int
	where   map[string]string // the last place with a reason
}

func newVerdicts(verbose bool) *verdicts {
	return &verdicts{verbose: verbose, tallies: map[int]*tally{}, reasons: map[string]int{}, where: map[string]string{}}
}

// of returns the tally of an SM.
func (v *verdicts) of(sm int) *tally {
	if v.tallies[sm] == nil {
		v.tallies[sm] = &tally{}
	}
	return v.tallies[sm]
}

var number = regexp.MustCompile(`0x[0-9a-f]+`)

// add checks a function and counts the verdict.
func (v *verdicts) add(path string, f hazard.Function) hazard.Verdict {
	t := v.of(f.SM)
	began := time.Now()
	r := hazard.Check(f)
	t.took += time.Since(began)
	t.code += len(f.Text)
	t.verdicts[r.Verdict]++
	first := map[string]bool{}
	for _, finding := range r.Findings {
		if finding.Verdict != r.Verdict {
			continue
		}
		if v.verbose {
			fmt.Printf("%s %s: %v [%#x after %#x]\n", path, f.Name, finding, opcode(f, finding.Offset), opcode(f, finding.Other))
		}
		text := fmt.Sprintf("sm_%d %v: %s", f.SM, finding.Verdict, number.ReplaceAllString(finding.Reason, "N"))
		if !first[text] {
			first[text] = true
			v.reasons[text]++
			v.where[text] = fmt.Sprintf("%s %s at %#x", path, f.Name, finding.Offset)
		}
	}
	return r.Verdict
}

// line returns the tally of an SM as text.
func (v *verdicts) line(sm int) string {
	t := v.of(sm)
	n := t.verdicts[0] + t.verdicts[1] + t.verdicts[2]
	return fmt.Sprintf("sm_%d: %d functions: %d safe, %d unknown, %d unsafe; %.3f ms and %d bytes each", sm, n,
		t.verdicts[hazard.Safe], t.verdicts[hazard.Unknown], t.verdicts[hazard.Unsafe], t.took.Seconds()*1000/float64(max(n, 1)), t.code/max(n, 1))
}

// write prints the tallies, and the most frequent reasons.
func (v *verdicts) write(most int) {
	for _, sm := range slices.Sorted(maps.Keys(v.tallies)) {
		fmt.Println(v.line(sm))
	}
	list := slices.SortedFunc(maps.Keys(v.reasons), func(a, b string) int { return cmp.Compare(v.reasons[b], v.reasons[a]) })
	for _, text := range list[:min(len(list), most)] {
		fmt.Printf("%6d %s (%s)\n", v.reasons[text], text, v.where[text])
	}
}

// opcode returns the opcode of the instruction at an offset, or 0 if there is none.
func opcode(f hazard.Function, at uint64) uint16 {
	if at+sass.Size > uint64(len(f.Text)) {
		return 0
	}
	return sass.Decode(f.Text[at:]).Opcode()
}
