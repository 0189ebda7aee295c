package conformance

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/culink/culink/corpus"
)

// No recorded link ended by a signal or at a limit: the corpus holds nothing that ends nvlink (CONF-012).
func TestNoRecordingEndsNvlink(t *testing.T) {
	cases, err := LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, c := range cases {
		for _, sm := range c.Targets {
			r, err := LoadRecording(corpus.Files, c, sm)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Steps {
				links++
				if class := r.Steps[i].Class(); class != ClassEnd {
					t.Errorf("%s sm_%s step %d: %s", c.ID(), sm, i+1, class)
				}
			}
		}
	}
	if links < 3900 {
		t.Errorf("%d links; there were 3,900 at least", links)
	}
}

// The live nvlink of CULINK_ORACLE, of whatever release, ends every link of the corpus by itself (CONF-012). The
// nightly step "harmless" runs this with CULINK_HARMLESS=1.
func TestLiveToolEndsEveryLink(t *testing.T) {
	if os.Getenv("CULINK_HARMLESS") == "" {
		t.Skip("CULINK_HARMLESS is not set: the nightly step harmless sets it")
	}
	nvlink := &Linker{Command: []string{filepath.Join(oracle(t), "bin", "nvlink")}, Limits: DefaultLimits}
	cases, err := LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	var links int
	var mutex sync.Mutex
	units := Selection{}.units(cases)
	inOrder(len(units), 0, func(i int) {
		c, sm := units[i].c, units[i].sm
		r, err := LoadRecording(corpus.Files, c, sm)
		if err != nil {
			t.Error(err)
			return
		}
		for step := range r.Steps {
			got, err := nvlink.Run(t.Context(), r.Before(step), c.Argv(step, sm))
			mutex.Lock()
			links++
			switch {
			case err != nil:
				t.Error(err)
			case got.Class() != ClassEnd:
				t.Errorf("%s sm_%s step %d: %s", c.ID(), sm, step+1, got.Class())
			}
			mutex.Unlock()
		}
	}, func(int) {})
	t.Logf("%d links", links)
}
