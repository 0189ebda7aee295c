package command

import (
	"errors"
	"io"

	"github.com/culink/culink/cmd/culink/output"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// One value has the names of all files that a run reads and writes. --repro packs these files. Some outputs exist only
// in culink (--map, --trace-file, --repro). culink rejects such an output before it writes anything if the file is also
// an input or another output (OPT-511). The output of -o may be an input, as in nvlink (OPT-052).

// files holds the files of one run.
type files struct {
	rec     *recorder // nil without --repro
	host    *platform.Platform
	read    []string // names of the inputs so far
	outputs output.Set
}

// readResponses reads a response file for the parser.
func (f *files) readResponses(name string) ([]byte, error) {
	f.read = append(f.read, name)
	return f.rec.readFile(name)
}

// opened records a file that the run has read, or whose existence it has checked.
func (f *files) opened(name string, data []byte) {
	f.read = append(f.read, name)
	f.rec.opened(name, data)
}

// clash checks the files that only culink writes. If one of them is also an input, one of nvlink's outputs, or another
// of these files, it reports a fatal error and returns true. Empty names are ignored.
func (f *files) clash(log *diag.Log, s *option.Settings, own ...string) bool {
	name := output.Clash(named(own...), append(named(s.Output, s.RegisterLinkBinaries, s.DotFile, s.TimeFile), f.read...))
	if name != "" {
		log.Report(diag.OutputIsTaken, name)
	}
	return name != ""
}

// named returns the names that are not empty.
func named(all ...string) []string {
	var names []string
	for _, name := range all {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// write replaces the contents of a file. It returns false after a fatal message.
func (f *files) write(log *diag.Log, name string, data []byte) bool {
	return f.writeTo(log, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeTo is like write, but calls fill to write the contents.
func (f *files) writeTo(log *diag.Log, name string, fill func(io.Writer) error) bool {
	write := f.outputs.Write
	if f.host.Or().IsNull(name) {
		write = func(_ string, fill func(io.Writer) error) error { return fill(io.Discard) }
	}
	err := write(f.host.Or().Local(name), fill)
	id := diag.CannotWriteFile
	if opening := (*output.OpenError)(nil); errors.As(err, &opening) {
		id = diag.CannotOpenOutput
	}
	if err != nil {
		log.Add(diag.New(id, name).Because(err))
	}
	return err == nil
}

// A checkedWriter remembers the first write error.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}
