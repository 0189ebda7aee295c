package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/cmd/culink/command"
	"github.com/culink/culink/conformance/cleanenv"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/corpus"
)

func TestMain(m *testing.M) {
	if os.Getenv(servedVariable) != "" {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
		return
	}
	if len(os.Args) > 3 && os.Args[1] == spoilMode {
		os.Exit(spoiledLinker(os.Args[2], os.Args[3], os.Args[4:]))
	}
	cleanenv.Unset()
	status := m.Run()
	os.RemoveAll(referenceFolder())
	os.Exit(status)
}

// referenceFolder is the folder in which the tests build culink once.
var referenceFolder = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "culink")
	if err != nil {
		panic(err)
	}
	return dir
})

var builtReference = sync.OnceValues(func() (*sandbox.Linker, error) {
	return BuildReference(context.Background(), referenceFolder())
})

// reference returns culink, built.
func reference(t *testing.T) *sandbox.Linker {
	t.Helper()
	linker, err := builtReference()
	if err != nil {
		t.Fatal(err)
	}
	return linker
}

// servedVariable is the environment variable that makes the test program a linker that serves culink's links.
const servedVariable = "CONFORMANCE_TEST_SERVED"

// serve links as culink does, in this process.
func serve() error {
	return sandbox.Answer(os.Stdin, os.Stdout, func(link sandbox.ServedLink) (sandbox.ServedOutcome, error) { return link.Here(command.Run) })
}

// served returns culink as a linker that serves links. A run with it takes half the time of a run that starts a process
// for each link. The step "corpus" of .ci/run starts them.
func served(t *testing.T) *sandbox.Linker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &sandbox.Linker{Command: []string{self}, Limits: sandbox.DefaultLimits, Env: []string{servedVariable + "=1"}, Serves: true}
}

// inMemory lets a test that makes many links have its files in memory. It is not for nvlink, whose message about a folder
// that is no file depends on the file system.
func inMemory(t *testing.T) {
	t.Helper()
	if folder := memoryFolder(); folder != "" && os.Getenv("TMPDIR") == "" {
		t.Setenv("TMPDIR", folder)
	}
}

// A run with a serving linker has the same verdicts as one with a linker that starts for each link. It uses one process
// for each concurrent link (CONF-014).
func TestServedRun(t *testing.T) {
	t.Parallel()
	selection := plan.Selection{Cases: []string{"basic/two-files", "options/verbose", "messages/undefined", "options/option-time"}, Targets: []string{"80"}}
	for _, l := range []*sandbox.Linker{reference(t), served(t)} {
		r, err := Run(t.Context(), corpus.Files, l, selection, Options{Jobs: 2})
		if err != nil {
			t.Fatal(err)
		}
		if r.Failed() > 0 || r.Links() < 4 {
			t.Errorf("serves %v: %d links, %v", l.Serves, r.Links(), r.FailedLinks())
		}
	}
}

// A run measures the yardstick on some links and reports the costs of all links.
func TestRunIsMeasured(t *testing.T) {
	linker := reference(t)
	report, err := Run(t.Context(), corpus.Files, linker, plan.Selection{Cases: []string{"basic/two-files"}, Facets: []judge.Facet{judge.FacetExit}}, Options{Yardstick: linker})
	if err != nil {
		t.Fatal(err)
	}
	times := report.Times
	if times == nil || times.Links != report.Links() || times.Sample != times.Links || times.Ratio <= 0 || times.CPU <= 0 || times.Most.Link == "" {
		t.Errorf("measured %+v of %d links", times, report.Links())
	}
}

// TestInterruptedRun: CONF-660. A run that is cancelled ends with one error, which counts the links that were judged.
func TestInterruptedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	selection := plan.Selection{Cases: []string{"basic"}, Targets: []string{"80"}}
	_, err := Run(ctx, corpus.Files, reference(t), selection, Options{Jobs: 4, Progress: func(Progress) { cancel() }})
	if !errors.Is(err, context.Canceled) || strings.Count(err.Error(), "canceled") != 1 || !strings.HasPrefix(err.Error(), "ended after ") {
		t.Errorf("%v", err)
	}
}
