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

// --trace=merge,layout prints the steps of these phases of the link on stderr, one on each line. --trace-file=FILE
// writes them to a file instead. Without --trace, the file has all phases except "time", the durations of the other
// phases. Neither option changes the output or the messages (OPT-500).

// A tracing describes where the trace goes. It is nil without --trace and --trace-file.
type tracing struct {
	phases []string // if empty, all phases whose trace is the same in each run
	to     io.Writer
	name   string // name of the file; empty for stderr
	file   bytes.Buffer
}

// openTrace reads the options. A phase that does not exist is a fatal error.
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

// phaseNames returns the names of the phases that can be traced.
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

// close writes the trace file. It does so for a failed link too.
func (t *tracing) close(log *diag.Log, f *files) {
	if t != nil && t.name != "" {
		f.write(log, t.name, t.file.Bytes())
	}
}
