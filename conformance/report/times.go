package report

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/linker/show"
)

// A linker can write the right bytes and yet take a hundred times as long, or use all memory. No facet shows that,
// because times differ from run to run and depend on the machine. A report shows times beside the verdicts. For
// comparison it shows the time of the culink in cuconform for some of the same links. Package race compares more
// precisely.

// Times are the costs of a run's links.
type Times struct {
	Links  int
	CPU    time.Duration // of all
	Median time.Duration // processor time
	Most   Peak          // processor time
	Memory Peak
	// Ratio is the processor time of the links that the yardstick also made, divided by the time of the yardstick. Sample is
	// the number of these links. Ratio is 0 without a yardstick.
	Ratio  float64
	Sample int
}

// A Peak is the link with the highest cost.
type Peak struct {
	Link  string // "basic/two-files sm_80 step 1"
	Value int64  // nanoseconds, or bytes
}

// A Took is the cost of one link.
type Took struct {
	Link      string
	Usage     confine.Usage
	Yardstick time.Duration // time of the yardstick; 0 if it did not make this link
}

// TimesOf sums up the costs of links. It returns nil if there are none.
func TimesOf(all []Took) *Times {
	if len(all) == 0 {
		return nil
	}
	t := &Times{Links: len(all)}
	var each []time.Duration
	var ours, theirs time.Duration
	for _, l := range all {
		t.CPU += l.Usage.CPU
		each = append(each, l.Usage.CPU)
		t.Most.raise(l.Link, int64(l.Usage.CPU))
		t.Memory.raise(l.Link, l.Usage.Memory)
		if l.Yardstick > 0 {
			t.Sample++
			ours, theirs = ours+l.Usage.CPU, theirs+l.Yardstick
		}
	}
	slices.Sort(each)
	t.Median = each[len(each)/2]
	if theirs > 0 {
		t.Ratio = float64(ours) / float64(theirs)
	}
	return t
}

func (p *Peak) raise(link string, value int64) {
	if p.Link == "" || value > p.Value {
		p.Link, p.Value = link, value
	}
}

// write writes the line of times.
func (t *Times) write(w io.Writer) error {
	line := fmt.Sprintf("time: %v of processors for %s, %v in the median, %v at most (%s); memory: %d MiB at most (%s)",
		t.CPU.Round(10*time.Millisecond), commandline.Count(t.Links, "link"), t.Median.Round(100*time.Microsecond), time.Duration(t.Most.Value).Round(time.Millisecond), t.Most.Link,
		t.Memory.Value>>20, t.Memory.Link)
	if t.Ratio > 0 {
		line += fmt.Sprintf("; %.1f times what culink took for %d of them", t.Ratio, t.Sample)
	}
	_, err := fmt.Fprintln(w, show.Line(line))
	return err
}
