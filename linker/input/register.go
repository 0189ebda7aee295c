package input

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// The host linker must register each object's device code with the runtime.
// --register-link-binaries writes a C file for that: the number of objects,
// and one line for each with the id of its module (LOAD-025).

// A Module is one line of the register file.
type Module struct {
	ID     string // from __nv_module_id; for a plain file made of its path
	System bool   // from libcudadevrt
}

// fileModule gives the module id of a file that is no host object: its absolute
// path, each byte but letters and digits replaced by '_'. The path is not
// cleaned.
func fileModule(name string) string {
	if !filepath.IsAbs(name) {
		if cwd, err := os.Getwd(); err == nil {
			name = cwd + "/" + name
		}
	}
	id := []byte(name)
	for i, c := range id {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			id[i] = '_'
		}
	}
	return string(id)
}

// register adds a module to the register file.
func (l *loader) register(m Module) { l.loaded.Modules = append(l.loaded.Modules, m) }

// RegisterFile gives the contents of the file that --register-link-binaries
// names. keepSystem tells that libcudadevrt stayed in the link, as it does when
// nothing is linked because the target is virtual.
func (l *Loaded) RegisterFile(keepSystem bool) []byte {
	var lines bytes.Buffer
	n := 0
	for _, m := range l.Modules {
		if m.System && !keepSystem {
			continue
		}
		n++
		fmt.Fprintf(&lines, "DEFINE_REGISTER_FUNC(%s)\n", m.ID)
	}
	return append(fmt.Appendf(nil, "#define NUM_PRELINKED_OBJECTS %d\n", n), lines.Bytes()...)
}
