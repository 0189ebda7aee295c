package advice

import (
	"bytes"
	"debug/elf"
	"slices"
	"strings"

	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/edgname"
	"github.com/culink/culink/linker/inspect"
)

// A host object contains device code and information about it: the functions that it should define, whether it is
// relocatable, and its module name.

// Sections of host objects.
const (
	offloadSection     = ".llvm.offloading" // section in which clang's new driver stores device code
	moduleSection      = "__nv_module_id"   // names of modules
	relocatableSection = "__nv_relfatbin"   // code compiled with -rdc=true
	wholeSection       = ".nv_fatbin"       // code compiled without it, or linked
)

// A host is a host object: an ELF file, or a COFF file on Windows.
type host interface {
	// section returns the bytes of a section. ok is false if there is none.
	section(name string) (data []byte, ok bool)
	// defines reports whether the object has a non-local host function for a symbol of device code.
	defines(symbol string) bool
}

// openHost opens a host object. It returns nil if the object cannot be read.
func openHost(p *inspect.Part) host {
	if coff.Is(p.Data) {
		if file, err := coff.Open(p.Data, uint64(len(p.Data))); err == nil {
			return coffHost{file}
		}
		return nil
	}
	if file, err := elf.NewFile(bytes.NewReader(p.Data)); err == nil {
		return elfHost{file}
	}
	return nil
}

// isHost reports whether a part is a host object, or another file in the same format.
func isHost(p *inspect.Part) bool {
	return (p.Kind == inspect.KindHost || p.Kind == inspect.KindOther) && (isELF(p.Data) || coff.Is(p.Data))
}

// hostOf returns the host object that contains a part, or nil.
func hostOf(parents []*inspect.Part) *inspect.Part {
	for _, p := range slices.Backward(parents) {
		if isHost(p) {
			return p
		}
	}
	return nil
}

// isMember reports whether a part is inside an archive.
func isMember(parents []*inspect.Part) bool {
	return slices.ContainsFunc(parents, func(p *inspect.Part) bool { return p.Kind == inspect.KindArchive })
}

// An elfHost is a host object of Linux.
type elfHost struct{ file *elf.File }

func (h elfHost) section(name string) (data []byte, ok bool) {
	s := h.file.Section(name)
	if s == nil {
		return nil, false
	}
	if s.Type != elf.SHT_NOBITS {
		data, _ = s.Data() // a section that cannot be read counts as empty
	}
	return data, true
}

func (h elfHost) defines(symbol string) bool {
	symbols, err := h.file.Symbols()
	return err == nil && slices.ContainsFunc(symbols, func(y elf.Symbol) bool {
		return y.Name == symbol && y.Section != elf.SHN_UNDEF && elf.ST_TYPE(y.Info) == elf.STT_FUNC && elf.ST_BIND(y.Info) != elf.STB_LOCAL
	})
}

// A coffHost is a host object of Windows.
type coffHost struct{ file *coff.File }

func (h coffHost) section(name string) (data []byte, ok bool) {
	s, ok := h.file.Section(name)
	return s.Data, ok
}

// defines compares names without parameters. Device symbols have Linux mangling, and host functions have that of
// Microsoft's compiler.
func (h coffHost) defines(symbol string) bool {
	mangled := microsoftName(edgname.Demangle(symbol))
	return slices.ContainsFunc(h.file.Functions(), func(name string) bool {
		return name == symbol || mangled != "" && strings.HasPrefix(name, mangled)
	})
}

// microsoftName returns the beginning of a function's mangled name, such as "?f@n@@" for "n::f(int)". It returns the
// empty string for a template and for a C function.
func microsoftName(demangled string) string {
	name, _, isFunction := strings.Cut(demangled, "(")
	if !isFunction || strings.ContainsAny(name, "<> ") {
		return ""
	}
	parts := strings.Split(name, "::")
	slices.Reverse(parts)
	return "?" + strings.Join(parts, "@") + "@@"
}

// isWhole reports whether the device code of an object was compiled without -rdc=true.
func isWhole(h host) bool {
	_, isRelocatable := h.section(relocatableSection)
	_, isProgram := h.section(wholeSection)
	return !isRelocatable && isProgram
}

// offloads reports whether an object of clang's new driver has device code that contains the name of a symbol.
func offloads(h host, name string) bool {
	code, _ := h.section(offloadSection)
	return bytes.Contains(code, []byte(name))
}

// holdsOffloaded reports whether a part is an object of clang's new driver that contains nothing nvlink can read.
func holdsOffloaded(p *inspect.Part) bool {
	if !isHost(p) || len(p.Parts) > 0 {
		return false
	}
	h := openHost(p)
	if h == nil {
		return false
	}
	_, ok := h.section(offloadSection)
	return ok
}

var offloadedCode = []Fact{
	{"holds", "device code of clang in a section that nvlink does not read (" + offloadSection + ")"},
	{"try", "link with clang++ --offload-link, or compile with clang++ -fgpu-rdc --no-offload-new-driver"},
}

// modules returns the module names in a host object.
func modules(h host) []string {
	names, _ := h.section(moduleSection)
	return strings.FieldsFunc(string(names), func(r rune) bool { return r == 0 })
}

// moduleOf returns the module name of a host object, or the empty string.
func moduleOf(p *inspect.Part) string {
	if p == nil {
		return ""
	}
	if h := openHost(p); h != nil {
		if names := modules(h); len(names) > 0 {
			return names[0]
		}
	}
	return ""
}

// A linkedBy identifies an object made by "nvcc -dlink". The object lists the modules that are already linked into it,
// and the link omits these modules (LOAD-045).
type linkedBy struct{ file, member string }

func (l linkedBy) where() string {
	if l.member == "" {
		return l.file
	}
	return l.file + ":" + l.member
}

// name returns the name of the object. container returns the archive that contains the object, or else the link. The
// user should remove the object from there.
func (l linkedBy) name() string {
	if l.member == "" {
		return l.file
	}
	return l.member
}

func (l linkedBy) container() string {
	if l.member == "" {
		return "the link"
	}
	return l.file
}

// linkedModules maps the name of each module that an input lists as already linked to that input.
func (a *Adviser) linkedModules() map[string]linkedBy {
	if !a.Registers || a.linked != nil {
		return a.linked
	}
	a.linked = map[string]linkedBy{}
	note := func(p *inspect.Part, by linkedBy) {
		const linked = "def "
		h := openHost(p)
		if h == nil {
			return
		}
		if names := modules(h); len(names) > 0 && strings.HasPrefix(names[0], linked) {
			for _, name := range names {
				a.linked[strings.TrimPrefix(name, linked)] = by
			}
		}
	}
	a.parts(func(file string, p *inspect.Part) {
		if isHost(p) {
			note(p, linkedBy{file: file})
		}
		for _, q := range p.Parts {
			if p.Kind == inspect.KindArchive && isHost(q) {
				note(q, linkedBy{file, q.Name})
			}
		}
	})
	return a.linked
}
