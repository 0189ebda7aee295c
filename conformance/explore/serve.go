package explore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/coverage"
	"runtime/debug"

	"github.com/culink/culink/conformance/sandbox"
)

// Serving is the environment variable that makes the program serve links (docs/serve.md) and report the coverage
// counters of each. The counters belong to a process, and comparing outputs executes parts of culink too, so links need
// separate processes.
const Serving = "CUCONFORM_SERVES_COUNTED"

// countersFile is the name of the file for the counters, in the folder of a link.
const countersFile = ".counters"

// A LinkFunc runs culink in this process. args starts with its name.
type LinkFunc func(ctx context.Context, args []string, stdout, stderr io.Writer) (exit int)

// Serve runs links in this process, one for each request, until in ends.
func Serve(link LinkFunc, in io.Reader, out io.Writer) error {
	return sandbox.Answer(in, out, func(asked sandbox.ServedLink) (sandbox.ServedOutcome, error) { return serve(link, asked) })
}

// serve runs one link in its folder and writes the counters there.
func serve(link LinkFunc, asked sandbox.ServedLink) (answer sandbox.ServedOutcome, err error) {
	if err := coverage.ClearCounters(); err != nil {
		return answer, errNoCounters
	}
	if answer, err = asked.Here(guarded(link)); err != nil {
		return answer, err
	}
	var counters bytes.Buffer
	if err := coverage.WriteCounters(&counters); err != nil {
		return answer, err
	}
	return answer, os.WriteFile(filepath.Join(asked.Dir, countersFile), counters.Bytes(), 0o666)
}

// guarded returns a link that turns a panic into a message and an exit status, as in a separate process.
func guarded(link LinkFunc) LinkFunc {
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (exit int) {
		defer func() {
			if r := recover(); r != nil {
				fmt.Fprintf(stderr, "panic: %v\n\n%s", r, debug.Stack())
				exit = 2
			}
		}()
		return link(ctx, args, stdout, stderr)
	}
}
