package command

import (
	"encoding/json"
	"io"

	"github.com/culink/culink/cmd/culink/edgname"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// The linked cubin is written when its bytes are complete, and never for a link
// that failed; package output replaces the old file in one step. The registration file comes after
// it, and is written even for a link that ended with errors, as long as none of
// them was fatal (OPT-052, OPT-053). The map comes last, also for a link that failed
// (LAYOUT-500). A write that fails is fatal (OPT-057).

// writeOutputs writes the files that the link makes, up to the first that fails.
func (f *files) writeOutputs(s *option.Settings, log *diag.Log, result *linker.Result, register []byte) {
	if result.Linked() && log.Worst() < diag.Error {
		if !f.writeTo(log, s.Output, func(w io.Writer) error { _, err := result.WriteTo(w); return err }) {
			return
		}
	}
	if s.Given("register-link-binaries") && !f.write(log, s.RegisterLinkBinaries, register) {
		return
	}
	if s.Given("dot-file") && !f.write(log, s.DotFile, result.Dot) {
		return
	}
	f.writeMap(s, log, result)
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
