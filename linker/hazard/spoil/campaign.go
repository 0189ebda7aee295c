package spoil

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/hazard/adversary"
	"github.com/culink/culink/linker/sass"
)

// An Outcome is the result of damaging a function.
type Outcome int

// The outcomes, in the order of tables.
const (
	Unsafe   Outcome = iota // the checker reports an error
	Unknown                 // the checker's verdict is unknown
	Harmless                // the checker's verdict is safe, and no path fails
	Untried                 // the checker's verdict is safe, and there are too many paths to try
	Hole                    // the checker's verdict is safe, and a path fails
	outcomes
)

func (o Outcome) String() string {
	return [...]string{"unsafe", "unknown", "safe, shown harmless", "safe, too many paths", "safe, but goes wrong"}[o]
}

// Counts contains the number of times of each outcome.
type Counts [outcomes]int

// A Campaign damages functions and counts the outcomes.
type Campaign struct {
	// Limit is the maximum number of states that the adversary may visit.
	Limit int
	// Report, if not nil, is called with the reason for each damaged function that the checker does not find
	// unsafe.
	Report func(kind string, f hazard.Function, at int, o Outcome, why string)

	counts map[string]*Counts
}

// Spoil damages a function in each way. A way that affects one instruction is applied the given number of
// times. Spoil does nothing if the function is not safe to begin with.
func (c *Campaign) Spoil(f hazard.Function, rng *rand.Rand, times int) {
	if len(f.Text) < 2*sass.Size || hazard.Check(f).Verdict != hazard.Safe {
		return
	}
	for i := range Kinds {
		k := &Kinds[i]
		n := times
		if k.whole {
			n = 1
		}
		for range n {
			spoiled, at, ok := k.Spoil(f, rng)
			if !ok {
				break
			}
			o, why := c.Judge(spoiled)
			c.of(k.Name)[o]++
			if c.Report != nil && o != Unsafe {
				c.Report(k.Name, spoiled, at, o, why)
			}
		}
	}
}

// of returns the counts for a kind of damage.
func (c *Campaign) of(name string) *Counts {
	if c.counts == nil {
		c.counts = map[string]*Counts{}
	}
	if c.counts[name] == nil {
		c.counts[name] = new(Counts)
	}
	return c.counts[name]
}

// Judge runs the checker on a function. If the checker finds no error, it runs the adversary too.
func (c *Campaign) Judge(f hazard.Function) (o Outcome, why string) {
	report := hazard.Check(f)
	switch report.Verdict {
	case hazard.Unsafe:
		return Unsafe, report.Findings[0].Reason
	case hazard.Unknown:
		return Unknown, report.Findings[0].Reason
	}
	r, err := adversary.Attack(f, c.Limit)
	switch {
	case err != nil:
		return Untried, err.Error()
	case r.Attack != "":
		return Hole, r.Attack
	case !r.All:
		return Untried, fmt.Sprintf("after %d states", r.States)
	}
	return Harmless, ""
}

// Sum returns the counts of all kinds together.
func (c *Campaign) Sum() (sum Counts) {
	for _, counts := range c.counts {
		for o, n := range counts {
			sum[o] += n
		}
	}
	return sum
}

// Write writes a table, a row for each kind.
func (c *Campaign) Write(w io.Writer) {
	fmt.Fprint(w, "| spoil | spoiled |")
	for o := range outcomes {
		fmt.Fprintf(w, " %v |", o)
	}
	fmt.Fprint(w, "\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for i := range Kinds {
		writeRow(w, Kinds[i].Name, *c.of(Kinds[i].Name))
	}
	writeRow(w, "all", c.Sum())
}

func writeRow(w io.Writer, name string, counts Counts) {
	all := 0
	for _, n := range counts {
		all += n
	}
	fmt.Fprintf(w, "| %s | %d |", name, all)
	for _, n := range counts {
		fmt.Fprintf(w, " %d |", n)
	}
	fmt.Fprintln(w)
}
