package command

import (
	"encoding/json"
	"io"
	"os"

	"github.com/culink/culink/cmd/culink/edgname"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// The linked cubin is opened when its bytes are complete, and never for a link
// that failed; an existing file keeps its mode. The registration file comes after
// it, and is written even for a link that ended with errors, as long as none of
// them was fatal (OPT-052, OPT-053). The map comes last, also for a link that failed
// (LAYOUT-500). A write that fails is fatal (OPT-057).

// writeOutputs writes the files that the link makes, up to the first that fails.
func writeOutputs(s *option.Settings, log *diag.Log, result *linker.Result, register []byte) {
	if result.Linked() && log.Worst() < diag.Error {
		if !writeTo(log, s.Output, func(w io.Writer) error { _, err := result.WriteTo(w); return err }) {
			return
		}
	}
	if s.Given("register-link-binaries") && !writeFile(log, s.RegisterLinkBinaries, register) {
		return
	}
	if s.Given("dot-file") && !writeFile(log, s.DotFile, result.Dot) {
		return
	}
	writeMap(s, log, result)
}

// writeExplanations prints the answers to --explain, with --json one object a line.
func writeExplanations(s *option.Settings, w io.Writer, all []linker.Explanation) {
	name := func(name string) string { return name }
	if s.Demangle == "yes" {
		name = edgname.Demangle
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, e := range all {
		if s.JSON {
			lines.Encode(e)
		} else {
			io.WriteString(w, e.Text(name))
		}
	}
}

// writeFile replaces the contents of a file; false after a fatal message.
func writeFile(log *diag.Log, name string, data []byte) bool {
	return writeTo(log, name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// writeTo is writeFile by a function.
func writeTo(log *diag.Log, name string, fill func(io.Writer) error) bool {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		log.Add(diag.New(diag.CannotOpenOutput, name).Because(err))
		return false
	}
	err = fill(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		log.Add(diag.New(diag.CannotWriteFile, name).Because(err))
		return false
	}
	return true
}
