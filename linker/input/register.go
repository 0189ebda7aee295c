package input

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/culink/culink/linker/diag"
)

// The host linker must register each object's device code with the runtime.
// --register-link-binaries writes a C file for that: the number of objects,
// and one line for each with the id of its module (LOAD-025).

// A Module is one line of the register file.
type Module struct {
	ID     string // from __nv_module_id; for a plain file made of its path
	System bool   // from libcudadevrt
	More   bool   // not the first of its object, as ld -r makes them
}

// fileModule returns the module id of a file that is no host object: its absolute
// path, which need not be one of a whole name on Windows (WIN-021), each byte but letters and digits replaced by '_'. The path is not
// cleaned.
func (l *loader) fileModule(name string) string {
	if !l.host.IsAbs(name) {
		name = l.folder() + name
	}
	id := []byte(name)
	if l.host.COFF {
		id = narrow(id)
	}
	for i, c := range id {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			id[i] = '_'
		}
	}
	return string(id)
}

// narrow returns text with one byte for each letter: Windows has names in a code page, where most have one.
func narrow(text []byte) []byte {
	narrowed := make([]byte, 0, len(text))
	for _, r := range string(text) {
		narrowed = append(narrowed, byte(min(r, utf8.RuneSelf)))
	}
	return narrowed
}

// folder is the working folder, with a slash; empty if it has no name. It is asked for once: a
// link may have thousands of files.
func (l *loader) folder() string {
	if l.cwd == nil {
		cwd, err := os.Getwd()
		if err == nil {
			cwd += "/"
		}
		l.cwd = &cwd
	}
	return *l.cwd
}

// register adds a module to the register file.
func (l *loader) register(m Module) { l.loaded.Modules = append(l.loaded.Modules, m) }

// RegisterFile returns the contents of the file that --register-link-binaries
// names. keepSystem tells that libcudadevrt stayed in the link, as it does when
// nothing is linked because the target is virtual.
func (l *Loaded) RegisterFile(keepSystem bool) []byte {
	var first, more []Module
	for _, m := range l.Modules {
		switch {
		case m.System && !keepSystem:
		case m.More: // nvlink pushes them at the front of a list
			more = append(more, m)
		default:
			first = append(first, m)
		}
	}
	slices.Reverse(more)
	text := fmt.Appendf(nil, "#define NUM_PRELINKED_OBJECTS %d\n", len(first)+len(more))
	for _, m := range append(first, more...) {
		text = fmt.Appendf(text, "DEFINE_REGISTER_FUNC(%s)\n", m.ID)
	}
	return text
}

// nvcc -dlink writes down in the object that it makes which modules are linked in it:
// "def ID". A link that has such an object among its inputs, and is asked for the
// register file, leaves these modules out, wherever they stand (LOAD-045).
const linkedPrefix = "def "

// isLinkedNote reports whether the object with this first id notes which modules are linked in it.
func isLinkedNote(id string) bool { return strings.HasPrefix(id, linkedPrefix) }

// noteLinked notes the modules that are linked in a host object, if its first id is one.
func (l *loader) noteLinked(f hostFile) error {
	s, ok := f.hostSection(sectionModuleID)
	if !ok || !l.opt.Registers {
		return nil
	}
	ids := idsIn(s)
	if !isLinkedNote(ids[0]) {
		return nil
	}
	l.linked = append(l.linked, ids[0])
	for _, id := range ids {
		module, ok := strings.CutPrefix(id, linkedPrefix)
		if !ok {
			return l.fail(diag.ModuleIDs)
		}
		l.linked = append(l.linked, module)
	}
	return nil
}

// leaveOutLinked drops the modules that are linked already.
func (l *loader) leaveOutLinked() {
	if l.linked == nil {
		return
	}
	linked := map[string]bool{}
	for _, id := range l.linked {
		linked[id] = true
	}
	l.loaded.Objects = slices.DeleteFunc(l.loaded.Objects, func(o Object) bool {
		if o.Host >= 0 {
			return linked[l.loaded.Hosts[o.Host].Module]
		}
		return linked[l.fileModule(o.Name)]
	})
	l.loaded.Modules = slices.DeleteFunc(l.loaded.Modules, func(m Module) bool { return !m.More && linked[m.ID] })
}
