package input

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/culink/culink/linker/diag"
)

// The host linker must register each object's device code with the runtime. For this purpose,
// --register-link-binaries writes a C file with the number of objects and one line for each module id
// (LOAD-025).

// A Module is one line of the register file.
type Module struct {
	ID     string // from __nv_module_id; for a plain file derived from its path
	System bool   // from libcudadevrt
	Place  int    // of a module of libcudadevrt: number of objects of libcudadevrt before it
	More   bool   // not the first module of an object that ld -r has combined
}

// noModule stands for the module id of a fat binary without code for the target (LOAD-993).
const noModule = "(null)"

// fileModule returns the module id of a file that is not a host object. It is the absolute path, with each byte
// other than a letter or digit replaced by '_'. The path is not cleaned. On Windows the path may be incomplete
// (WIN-021).
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

// narrow returns text in which each letter is one byte. Windows stores names in a code page, in which most
// letters are one byte.
func narrow(text []byte) []byte {
	narrowed := make([]byte, 0, len(text))
	for _, r := range string(text) {
		narrowed = append(narrowed, byte(min(r, utf8.RuneSelf)))
	}
	return narrowed
}

// folder returns the working folder with a slash, or an empty string if the folder has no name. The result is
// cached because a link may have thousands of files.
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

// registerPlain registers a file that is not a host object.
func (l *loader) registerPlain(id string, from origin) {
	l.register(Module{ID: id, System: from.system, Place: max(0, l.systemObjects-1)})
}

// isLeftOut reports whether a module belongs to an object of libcudadevrt that is not needed.
func (m Module) isLeftOut(systemParts int) bool { return m.System && m.Place >= systemParts }

// LeavesOut reports whether the file of --register-link-binaries does not list all modules (LOAD-043). systemParts is
// that of [Loaded.RegisterFile]. Such a file does not replace an older one (OPT-960).
func (l *Loaded) LeavesOut(systemParts int) bool {
	return slices.ContainsFunc(l.Modules, func(m Module) bool { return m.isLeftOut(systemParts) })
}

// RegisterFile returns the contents of the file of --register-link-binaries. Modules of libcudadevrt are left out if
// systemParts or more of its objects come before them (LOAD-043). They are also listed if nothing is linked because the
// target is virtual.
func (l *Loaded) RegisterFile(systemParts int) []byte {
	var first, more []Module
	for _, m := range l.Modules {
		switch {
		case m.isLeftOut(systemParts):
		case m.More: // nvlink prepends them to a list
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

// nvcc -dlink records in its output object which modules it has linked, as "def ID". If a link has such an
// object among its inputs and writes the register file, it leaves these modules out, whatever input they come
// from (LOAD-045).
const linkedPrefix = "def "

// isLinkedNote reports whether an object records which modules it has linked. id is its first id.
func isLinkedNote(id string) bool { return strings.HasPrefix(id, linkedPrefix) }

// noteLinked records which modules a host object has linked already, if the object has such a record.
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

// leaveOutLinked drops the modules that are already linked.
func (l *loader) leaveOutLinked() {
	if l.linked == nil {
		return
	}
	linked := map[string]bool{}
	for _, id := range l.linked {
		linked[id] = true
	}
	places := []int{0} // by the old place of a module
	l.loaded.Objects = slices.DeleteFunc(l.loaded.Objects, func(o Object) (out bool) {
		if o.Host >= 0 {
			out = linked[l.loaded.Hosts[o.Host].Module]
		} else {
			out = linked[l.fileModule(o.Name)]
		}
		if place := places[len(places)-1]; o.System && out {
			places = append(places, place)
		} else if o.System {
			places = append(places, place+1)
		}
		return out
	})
	l.loaded.Modules = slices.DeleteFunc(l.loaded.Modules, func(m Module) bool { return !m.More && linked[m.ID] })
	for i := range l.loaded.Modules {
		if m := &l.loaded.Modules[i]; m.System {
			m.Place = places[m.Place]
		}
	}
	for i := range l.loaded.Hosts {
		if h := &l.loaded.Hosts[i]; h.System {
			h.Place = places[h.Place]
		}
	}
}
