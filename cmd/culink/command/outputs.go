package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/edgname"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/show"
)

// culink writes the linked cubin when all its bytes are known, and only if the link succeeded. Package output replaces
// the old file in one step. The registration file follows. It is written unless there was a fatal error, even if the
// link has other errors (OPT-052, OPT-053). The map comes last, and is written for a failed link too (LAYOUT-500). A
// write that fails is a fatal error (OPT-057).

// writeOutputs writes the output files of the link. It stops at the first write that fails.
func (f *files) writeOutputs(s *option.Settings, log *diag.Log, loaded *input.Loaded, result *linker.Result) {
	if result.Linked() && log.Worst() < diag.Error && !f.writeLinked(log, s.Output, loaded, result) {
		return
	}
	if s.Given("register-link-binaries") && !f.writeRegisterFile(s, log, loaded, result) {
		return
	}
	if s.Given("dot-file") && !f.write(log, s.DotFile, s.Platform.Encode(result.Dot)) {
		return
	}
	f.writeMap(s, log, result)
}

// writeRegisterFile writes the registration file. One that does not list libcudadevrt because it was not needed leaves
// an older file as it is: nvcc links for several targets with one registration file, and another target may have needed
// it (OPT-960). Before an older file is replaced, nvlink reads it.
func (f *files) writeRegisterFile(s *option.Settings, log *diag.Log, loaded *input.Loaded, result *linker.Result) bool {
	name := s.RegisterLinkBinaries
	local := f.host.Or().Local(name)
	if old, err := os.Stat(local); err == nil && !old.IsDir() {
		if loaded.LeavesOut(result.SystemParts) {
			return true
		}
		if err := readable(local, old); err != nil {
			log.Add(diag.New(diag.CannotOpenInput, name).Because(err))
			return false
		}
	}
	return f.write(log, name, s.Platform.Encode(loaded.RegisterFile(result.SystemParts)))
}

// readable returns an error if a regular file cannot be opened for reading.
func readable(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// writeExplanations prints the answers to --explain. With --json it prints one object on each line. If the inputs
// determined the release, it first prints the release and the input (KIT-009).
func writeExplanations(s *option.Settings, w io.Writer, all []linker.Explanation) {
	lines := json.NewEncoder(show.JSONWriter(w))
	lines.SetEscapeHTML(false)
	if s.NewestInput != "" && !s.JSON && len(all) > 0 {
		fmt.Fprintf(w, "toolkit %s, by %s\n", s.Toolkit.Version, show.Line(s.NewestInput))
	}
	asked := map[string]bool{}
	for _, word := range s.Explain {
		asked[word] = true
	}
	for _, e := range all {
		if s.JSON {
			lines.Encode(e)
		} else {
			io.WriteString(w, e.Text(shownNames(s, asked, e.Symbol)))
		}
	}
}

// shownNames returns a function that formats the names in an answer. The function demangles names if the user wrote the
// symbol as in the source.
func shownNames(s *option.Settings, asked map[string]bool, symbol string) func(string) string {
	isSource := func() bool {
		source := edgname.Demangle(symbol)
		return slices.ContainsFunc(s.Explain, func(word string) bool { return strings.Contains(source, word) })
	}
	if s.Demangle == "yes" || s.Demangle == "" && !asked[symbol] && isSource() {
		return edgname.Demangle
	}
	return func(name string) string { return name }
}

// writeLinked writes the linked file. The bytes come directly from mapped input files. If another program changes an
// input meanwhile, this is a fatal error.
func (f *files) writeLinked(log *diag.Log, name string, loaded *input.Loaded, result *linker.Result) bool {
	before := len(log.Diagnostics)
	written := f.writeTo(log, name, func(w io.Writer) (err error) {
		if changed := loaded.Guard(func() { _, err = result.WriteTo(w) }); changed != nil {
			return changed
		}
		return err
	})
	if err := (*input.ChangedError)(nil); !written && errors.As(log.Diagnostics[before].Cause, &err) {
		log.Diagnostics[before] = changed(err)
	}
	return written
}

// changed returns the message for an input that was changed during the link.
func changed(err error) diag.Diagnostic {
	var e *input.ChangedError
	errors.As(err, &e)
	return diag.New(diag.DamagedInput, e.Name, "it was changed during the link").Because(err)
}
