package report

import (
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/confine"
)

// The test covers the times of a run's links, and those of a yardstick for some of them (CONF-010).
func TestTimes(t *testing.T) {
	link := func(name string, cpu time.Duration, memory int64, yardstick time.Duration) Took {
		return Took{name, confine.Usage{CPU: cpu, Memory: memory}, yardstick}
	}
	times := TimesOf([]Took{
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
	if TimesOf(nil) != nil {
		t.Error("there are times of no links")
	}
}
