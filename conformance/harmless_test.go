package conformance

import (
	"os"
	"sync"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

// No file of the corpus makes nvlink crash or hang: no recorded link was ended by a signal or a limit (CONF-012).
func TestNoRecordingEndsNvlink(t *testing.T) {
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, c := range cases {
		for _, sm := range c.Targets {
			r, err := suite.LoadRecording(corpus.Files, c, sm)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Steps {
				links++
				if class := r.Steps[i].Class(); class != attempt.ClassEnd {
					t.Errorf("%s sm_%s step %d: %s", c.ID(), sm, i+1, class)
				}
			}
		}
	}
	if links < 3900 {
		t.Errorf("%d links; there were 3,900 at least", links)
	}
}

// The program of CULINK_HARMLESS, of any release, runs every link of the corpus without a crash or a timeout (CONF-012).
// The nightly step "harmless" runs the test with nvlink of two releases and with the driver of libnvJitLink. The library
// runs only cases of one step, because in other cases the files of earlier steps are nvlink's.
func TestToolEndsEveryLink(t *testing.T) {
	tool := toolOf(t)
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	var links int
	var mutex sync.Mutex
	units := plan.Selection{}.Units(cases)
	plan.InOrder(len(units), 0, func(i int) {
		c, sm := units[i].Case, units[i].SM
		r, err := suite.LoadRecording(corpus.Files, c, sm)
		if err != nil {
			t.Error(err)
			return
		}
		for step := range r.Steps {
			got, err := tool.Run(t.Context(), r.Before(step), c.Argv(step, sm))
			mutex.Lock()
			links++
			switch {
			case err != nil:
				t.Error(err)
			case got.Class() != attempt.ClassEnd:
				t.Errorf("%s sm_%s step %d: %s", c.ID(), sm, step+1, got.Class())
			}
			mutex.Unlock()
		}
	}, func(int) {})
	t.Logf("%d links", links)
}

// toolOf returns the linker that CULINK_HARMLESS names. If the library crashes in a driver, the driver ends with the
// same signal.
func toolOf(t *testing.T) *sandbox.Linker {
	t.Helper()
	name := os.Getenv("CULINK_HARMLESS")
	if name == "" {
		t.Skip("CULINK_HARMLESS is not set: the nightly step harmless sets it")
	}
	command, err := sandbox.ParseCommand(name)
	if err != nil {
		t.Fatal(err)
	}
	return &sandbox.Linker{Command: command, Limits: sandbox.DefaultLimits, Env: []string{"GOTRACEBACK=crash"}}
}
