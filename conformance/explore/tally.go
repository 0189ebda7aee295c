package explore

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/linker/show"
)

// A Tally counts the links that both linkers ran, over all runs on a corpus.
type Tally struct {
	Targets map[string]*TargetTally
	Known   map[string]int // links with a known difference, by the id that explains it
	New     map[string]int // links with another difference, by class
	Settled int            // links of classes that no longer exist: on their examples the linkers now agree, or a rule explains them
	Time    time.Duration  // of all runs
	// Since is the number of links after the last one with a new class.
	Since int
}

// A TargetTally counts the links for one target.
type TargetTally struct {
	Links  int // command lines given to both linkers
	Linked int // both wrote a file
	Failed int // both refused, with the same messages
	Differ int // links with a known or another difference
	Ended  int // the reference did not end by itself
	Bad    int // culink did not
	Kept   int // inputs that reached something new
}

func newTally() *Tally {
	return &Tally{Targets: map[string]*TargetTally{}, Known: map[string]int{}, New: map[string]int{}}
}

// of returns the tally of a target.
func (t *Tally) of(sm string) *TargetTally {
	if t.Targets[sm] == nil {
		t.Targets[sm] = &TargetTally{}
	}
	return t.Targets[sm]
}

// write prints the tally.
func (t *Tally) write(w io.Writer) {
	fmt.Fprintf(w, "%-8s %9s %9s %9s %9s %7s %5s %7s\n", "target", "links", "linked", "refused", "differ", "ended", "bad", "kept")
	var all TargetTally
	for _, sm := range slices.Sorted(maps.Keys(t.Targets)) {
		x := t.Targets[sm]
		x.write(w, "sm_"+sm)
		all.add(x)
	}
	all.write(w, "all")
	fmt.Fprintf(w, "in %s; %d links since the first of a new class\n", t.Time.Round(time.Second), t.Since)
	writeCounts(w, "known differences", t.Known)
	fmt.Fprintf(w, "differences that were new once: %d\n", t.Settled)
	writeCounts(w, "new differences", t.New)
}

// add adds the counts of another target.
func (x *TargetTally) add(y *TargetTally) {
	x.Links, x.Linked, x.Failed, x.Differ = x.Links+y.Links, x.Linked+y.Linked, x.Failed+y.Failed, x.Differ+y.Differ
	x.Ended, x.Bad, x.Kept = x.Ended+y.Ended, x.Bad+y.Bad, x.Kept+y.Kept
}

func (x *TargetTally) write(w io.Writer, name string) {
	fmt.Fprintf(w, "%-8s %9d %9d %9d %9d %7d %5d %7d\n", name, x.Links, x.Linked, x.Failed, x.Differ, x.Ended, x.Bad, x.Kept)
}

// writeCounts prints each entry with its count, the most frequent first.
func writeCounts(w io.Writer, title string, counts map[string]int) {
	total := 0
	for _, n := range counts {
		total += n
	}
	fmt.Fprintf(w, "%s: %d\n", title, total)
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	for _, name := range names {
		fmt.Fprintf(w, "%9d  %s\n", counts[name], show.Line(name))
	}
}

// writeReached prints the number of executed blocks of each package. If all is set, it also prints the functions without
// an executed block.
func (u *universe) writeReached(w io.Writer, reached []bool, all bool) {
	fmt.Fprintf(w, "%-50s %8s %8s %6s\n", "package", "blocks", "reached", "")
	line := func(name string, blocks, hit int) {
		fmt.Fprintf(w, "%-50s %8d %8d %5.1f%%\n", name, blocks, hit, 100*float64(hit)/float64(max(blocks, 1)))
	}
	total, totalHit := 0, 0
	var never []string
	for _, p := range u.packages {
		blocks, hit := 0, 0
		for _, f := range p.functions {
			of := 0
			for i := range f.blocks {
				if reached[f.first+i] {
					of++
				}
			}
			if of == 0 && len(f.blocks) > 0 {
				never = append(never, fmt.Sprintf("%s:%d %s", f.file, f.blocks[0].line, f.name))
			}
			blocks, hit = blocks+len(f.blocks), hit+of
		}
		if blocks > 0 {
			line(p.path, blocks, hit)
		}
		total, totalHit = total+blocks, totalHit+hit
	}
	line("all", total, totalHit)
	if all {
		fmt.Fprintf(w, "functions that no link has reached: %d of %d\n", len(never), u.functions)
		for _, name := range never {
			fmt.Fprintln(w, " ", name)
		}
	}
}
