package conformance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/corpus"
)

// TestSurroundings: each kind of surroundings stands around many links of the corpus, and around the
// same ones whenever it is asked (CONF-009).
func TestSurroundings(t *testing.T) {
	cases, err := LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]int{}
	for _, c := range cases {
		for _, sm := range c.Targets {
			for i := range c.Steps {
				s := surroundingsOf(c.ID(), sm, i)
				if again := surroundingsOf(c.ID(), sm, i); again.folder != s.folder || again.locale != s.locale || !slices.Equal(again.env, s.env) {
					t.Fatalf("%s sm_%s step %d: %v, then %v", c.ID(), sm, i+1, s, again)
				}
				links[s.folder]++
				links[s.locale]++
				links[strings.Join(s.env, " ")]++
				if s.alone {
					links["alone"]++
				}
			}
		}
	}
	if want := len(folders) + len(locales) + len(variables) + 1; len(links) != want {
		t.Errorf("%d kinds, want %d", len(links), want)
	}
	for kind, n := range links {
		if n < 200 {
			t.Errorf("only %d links amid %q", n, kind)
		}
	}
}

// TestTimes: what the links of a run took, and what a yardstick took for some of them (CONF-010).
func TestTimes(t *testing.T) {
	link := func(name string, cpu time.Duration, memory int64, yardstick time.Duration) took {
		return took{name, confine.Usage{CPU: cpu, Memory: memory}, yardstick}
	}
	times := timesOf([]took{
		link("a/b sm_80 step 1", 2*time.Second, 5<<20, 20*time.Millisecond),
		link("a/c sm_80 step 1", 1*time.Second, 90<<20, 0),
		link("a/d sm_80 step 1", 4*time.Second, 7<<20, 40*time.Millisecond),
	})
	var b strings.Builder
	if err := times.write(&b); err != nil {
		t.Fatal(err)
	}
	const want = "time: 7s of processors for 3 links, 2s in the median, 4s at most (a/d sm_80 step 1); memory: 90 MiB at most (a/c sm_80 step 1); 100.0 times what culink took for 2 of them\n"
	if b.String() != want {
		t.Errorf("said %qwant %q", b.String(), want)
	}
	if timesOf(nil) != nil {
		t.Error("there are times of no links")
	}
}

// TestRunIsMeasured: a run asks the yardstick for some links, and reports what all took.
func TestRunIsMeasured(t *testing.T) {
	linker := reference(t)
	report, err := Run(t.Context(), corpus.Files, linker, Selection{Cases: []string{"basic/two-files"}, Facets: []Facet{FacetExit}}, Options{Yardstick: linker})
	if err != nil {
		t.Fatal(err)
	}
	times := report.Times
	if times == nil || times.Links != report.Links() || times.Sample != times.Links || times.Ratio <= 0 || times.CPU <= 0 || times.Most.Link == "" {
		t.Errorf("measured %+v of %d links", times, report.Links())
	}
}
