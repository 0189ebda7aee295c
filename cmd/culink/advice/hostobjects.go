package advice

import (
	"bytes"
	"debug/elf"
	"slices"
	"strings"

	"github.com/culink/culink/linker/inspect"
)

// Host objects contain device code and further information about it: the functions it should define, whether it is
// relocatable, and its module name.

// Sections of host objects.
const (
	offloadSection     = ".llvm.offloading" // clang's new driver keeps device code there
	moduleSection      = "__nv_module_id"   // names of modules
	relocatableSection = "__nv_relfatbin"   // code compiled with -rdc=true
	wholeSection       = ".nv_fatbin"       // code compiled without it, or linked
)

// A host is an object of the host.
type host struct{ file *elf.File }

// openHost opens a host object. It returns nil if the object cannot be read.
func openHost(p *inspect.Part) *host {
	file, err := elf.NewFile(bytes.NewReader(p.Data))
	if err != nil {
		return nil
	}
	return &host{file}
}

// isHostELF reports whether a part is a host object, or an ELF file of another kind.
func isHostELF(p *inspect.Part) bool {
	return (p.Kind == inspect.KindHost || p.Kind == inspect.KindOther) && isELF(p.Data)
}

// hostOf returns the host object that contains a part, or nil.
func hostOf(parents []*inspect.Part) *inspect.Part {
	for _, p := range slices.Backward(parents) {
		if isHostELF(p) {
			return p
		}
	}
	return nil
}

// isMember reports whether a part is inside an archive.
func isMember(parents []*inspect.Part) bool {
	return slices.ContainsFunc(parents, func(p *inspect.Part) bool { return p.Kind == inspect.KindArchive })
}

// section returns the bytes of a section, or nil if there is none.
func (h *host) section(name string) []byte {
	s := h.file.Section(name)
	if s == nil || s.Type == elf.SHT_NOBITS {
		return nil
	}
	data, err := s.Data()
	if err != nil {
		return nil
	}
	return data
}

// defines reports whether the object defines a non-local function of that name.
func (h *host) defines(name string) bool {
	symbols, err := h.file.Symbols()
	return err == nil && slices.ContainsFunc(symbols, func(y elf.Symbol) bool {
		return y.Name == name && y.Section != elf.SHN_UNDEF && elf.ST_TYPE(y.Info) == elf.STT_FUNC && elf.ST_BIND(y.Info) != elf.STB_LOCAL
	})
}

// isWhole reports whether the device code was compiled without -rdc=true.
func (h *host) isWhole() bool {
	return h.file.Section(relocatableSection) == nil && h.file.Section(wholeSection) != nil
}

// offloads reports whether device code of clang's new driver contains the name of a symbol.
func (h *host) offloads(name string) bool {
	return bytes.Contains(h.section(offloadSection), []byte(name))
}

// holdsOffloaded reports whether a part is an object of clang's new driver without anything that nvlink reads.
func holdsOffloaded(p *inspect.Part) bool {
	if !isHostELF(p) || len(p.Parts) > 0 {
		return false
	}
	h := openHost(p)
	return h != nil && h.file.Section(offloadSection) != nil
}

var offloadedCode = []Fact{
	{"holds", "device code of clang in a section that nvlink does not read (" + offloadSection + ")"},
	{"try", "link with clang++ --offload-link, or compile with clang++ -fgpu-rdc --no-offload-new-driver"},
}

// modules returns the module names in a host object.
func (h *host) modules() []string {
	return strings.FieldsFunc(string(h.section(moduleSection)), func(r rune) bool { return r == 0 })
}

// moduleOf returns the module name of a host object, or the empty string.
func moduleOf(p *inspect.Part) string {
	if p == nil {
		return ""
	}
	if h := openHost(p); h != nil {
		if names := h.modules(); len(names) > 0 {
			return names[0]
		}
	}
	return ""
}

// A linkedBy is an object made by nvcc -dlink. It lists the modules that are already linked into it. The link omits
// these (LOAD-045).
type linkedBy struct{ file, member string }

func (l linkedBy) where() string {
	if l.member == "" {
		return l.file
	}
	return l.file + ":" + l.member
}

// name returns the name of the object. container returns the archive, or the link, from which the user should remove it.
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
		if names := h.modules(); len(names) > 0 && strings.HasPrefix(names[0], linked) {
			for _, name := range names {
				a.linked[strings.TrimPrefix(name, linked)] = by
			}
		}
	}
	a.parts(func(file string, p *inspect.Part) {
		if isHostELF(p) {
			note(p, linkedBy{file: file})
		}
		for _, q := range p.Parts {
			if p.Kind == inspect.KindArchive && isHostELF(q) {
				note(q, linkedBy{file, q.Name})
			}
		}
	})
	return a.linked
}
