package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/trace"
)

// --trace=merge,layout prints what these phases of the link do, one line a step, on
// stderr; --trace-file=FILE writes it to a file instead, and without --trace that
// has all phases except "time", the durations of the others. Neither changes the output or the messages (OPT-500).

// A tracing is the destination of the trace; nil without --trace and --trace-file.
type tracing struct {
	phases []string // empty for all that are the same in each link
	to     io.Writer
	name   string // of the file; empty for stderr
	file   bytes.Buffer
}

// openTrace reads the options; a phase that does not exist is fatal.
func openTrace(s *option.Settings, log *diag.Log, stderr io.Writer) *tracing {
	if len(s.Trace) == 0 && s.TraceFile == "" {
		return nil
	}
	for _, name := range s.Trace {
		if !slices.Contains(phaseNames(), name) {
			log.Report(diag.UnknownPhase, name, strings.Join(phaseNames(), ", "))
			return nil
		}
	}
	t := &tracing{phases: s.Trace, to: stderr, name: s.TraceFile}
	if t.name != "" {
		t.to = &t.file
	}
	return t
}

// phaseNames are the phases that can be traced.
func phaseNames() (names []string) {
	for _, p := range trace.Phases() {
		names = append(names, string(p))
	}
	return names
}

// listener returns the function that receives the events of package linker.
func (t *tracing) listener() func(trace.Event) {
	if t == nil {
		return nil
	}
	return func(e trace.Event) {
		if len(t.phases) == 0 && e.Phase() != trace.Time || slices.Contains(t.phases, string(e.Phase())) {
			fmt.Fprintln(t.to, e)
		}
	}
}

// close writes the file, also for a link that failed.
func (t *tracing) close(log *diag.Log, f *files) {
	if t != nil && t.name != "" {
		f.write(log, t.name, t.file.Bytes())
	}
}
