package command

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A killing describes how links are ended on a system.
type killing struct {
	kills   int                                                 // number of links; with CULINK_KILLS it is 1000
	program string                                              // culink
	env     []string                                            // variables for it, in addition to those of the test
	from    float64                                             // earliest time of a signal, of the time that a link takes;
	span    float64                                             // the latest time is later by this
	adapts  bool                                                // the time that a link takes follows from how the links end
	signals []os.Signal                                         // in turn
	excuse  string                                              // when a draft may stay,
	excused func(signal os.Signal, draft, complete string) bool // beside the old output
}

// check ends links at random times. The output must be either the old file or the new one, and no other file may remain
// unless it is excused.
func (k killing) check(t *testing.T) {
	if os.Getenv("CULINK_KILLS") != "" {
		k.kills = 1000
	}
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", cubin)
	link := func() *exec.Cmd {
		cmd := exec.Command(k.program, "-arch=sm_90", "k.cubin", "-o", "out")
		cmd.Env = append(os.Environ(), k.env...)
		return cmd
	}
	began := time.Now()
	if out, err := link().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	took := time.Since(began)
	complete := read(t, "out")
	seen := map[string]int{}
	for i := range k.kills {
		old := ""
		os.Remove("out")
		if i%2 == 0 {
			old = strings.Repeat("old", 5000)
			write(t, "out", []byte(old))
		}
		cmd := link()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(float64(took) * (k.from + k.span*rand.Float64())))
		signal := k.signals[i%len(k.signals)]
		cmd.Process.Signal(signal)
		cmd.Wait()
		data, _ := os.ReadFile("out")
		change := time.Duration(0) // so that half of the links end before they are killed
		switch string(data) {
		case old:
			seen["old"]++
			change = took / 16
		case complete:
			seen["new"]++
			change = -took / 16
		default:
			t.Errorf("kill %d: %d bytes of %d", i, len(data), len(complete))
		}
		if k.adapts {
			took += change
		}
		left, _ := filepath.Glob(".*")
		for _, name := range left {
			draft := read(t, name)
			if len(left) == 1 && string(data) == old && k.excused(signal, draft, complete) {
				seen[k.excuse]++
			} else {
				t.Errorf("kill %d: left %s of %d bytes, and out is of %d of %d", i, name, len(draft), len(data), len(complete))
			}
			os.Remove(name)
		}
	}
	t.Log(seen)
}
