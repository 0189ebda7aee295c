package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// The linked cubin is opened when its bytes are complete, and never for a link
// that failed; an existing file keeps its mode. The registration file comes after
// it, and is written even for a link that ended with errors, as long as none of
// them was fatal (OPT-052, OPT-053). A write that fails is fatal (OPT-057).

// writeOutputs writes the files that the link makes, up to the first that fails.
func writeOutputs(s *option.Settings, log *diag.Log, output []byte, in *loaded) {
	if output != nil && log.Worst() < diag.Error {
		if !writeFile(log, s.Output, output) {
			return
		}
	}
	if s.Given("register-link-binaries") {
		writeFile(log, s.RegisterLinkBinaries, registerFile(in.modules))
	}
}

// writeFile replaces the contents of a file; false after a fatal message.
func writeFile(log *diag.Log, name string, data []byte) bool {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		log.Add(diag.New(diag.CannotOpenOutput, name).Because(err))
		return false
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		log.Add(diag.New(diag.CannotWriteFile, name).Because(err))
		return false
	}
	return true
}

// registerFile is the C text that the driver's link stub includes: one macro call
// for each linked module (OPT-054).
func registerFile(modules []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#define NUM_PRELINKED_OBJECTS %d\n", len(modules))
	for _, id := range modules {
		fmt.Fprintf(&b, "DEFINE_REGISTER_FUNC(%s)\n", id)
	}
	return b.Bytes()
}

// moduleID is the id of a cubin that no host object carries: its absolute path,
// with each byte that is no letter or digit as an underscore (OPT-054).
func moduleID(name string) string {
	if !filepath.IsAbs(name) {
		if dir, err := os.Getwd(); err == nil {
			name = dir + "/" + name
		}
	}
	id := []byte(name)
	for i, c := range id {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			id[i] = '_'
		}
	}
	return string(id)
}
