package input

import (
	"bytes"

	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/platform"
)

// A host object that was compiled for relocatable device code has a fat binary in section __nv_relfatbin, and
// the names of its modules in __nv_module_id. The .nvHR* sections have the names of the kernels and variables
// that its host code refers to. Whole-program objects have .nv_fatbin instead, and nvlink skips them
// (LOAD-015).

// A Host is a host object with relocatable device code. It need not have code for the target.
type Host struct {
	Name       string // as in messages: "a.o", "lib.a:member.o"
	System     bool   // from libcudadevrt
	Place      int    // if System: number of objects of libcudadevrt before it
	Module     string // its first module id
	References References
}

// Names of sections in a host object.
const (
	sectionSegment  = ".nvFatBinSegment"
	sectionRelFat   = "__nv_relfatbin"
	sectionWholeFat = ".nv_fatbin"
	sectionModuleID = "__nv_module_id"
)

// A hostFile is a host object in the file format of its system.
type hostFile interface {
	// hostSection finds a section by its name.
	hostSection(name string) (coff.Section, bool)
}

// hostObject loads a host ELF object that is a file of its own.
func (l *loader) hostObject(f *file) error {
	e, ok := l.openELF(f.data, nil)
	if !ok || !hasELFMagic(f.data) || l.target.Profile.Input.ChecksTables && !e.hasSoundTables() {
		return l.noFatbin(f.name)
	}
	if err := l.afterError(diag.ElfLinkInternal); err != nil {
		return err
	}
	return l.deviceCode(f.name, e, false, platform.IsSystem(f.name))
}

// deviceCode loads the device code of a host object, if it has any, and records which modules are linked in it
// already. inArchive suppresses the warning about missing code.
func (l *loader) deviceCode(name string, f hostFile, inArchive, system bool) error {
	if err := l.takeDeviceCode(name, f, inArchive, system); err != nil {
		return err
	}
	return l.noteLinked(f)
}

func (l *loader) takeDeviceCode(name string, f hostFile, inArchive, system bool) error {
	s, relocatable := f.hostSection(sectionRelFat)
	_, whole := f.hostSection(sectionWholeFat)
	if _, ok := f.hostSection(sectionSegment); !ok || !relocatable && whole {
		l.loaded.Unreferenced = true
		return nil
	}
	if !fatbin.IsFatbin(s.Rest) {
		return l.noFatbin(name)
	}
	image := s.Rest
	if total := fatbin.Size(image); total <= uint64(len(image)) {
		image = image[:total:total]
	} else if total > maxTotal {
		l.log.Report(diag.MemoryAllocation)
		return l.fail(diag.ElfLinkInternal)
	}
	host, place := len(l.loaded.Hosts), l.systemObjects
	v, err := l.fatbin(name, image, origin{host: host, inArchive: inArchive, system: system})
	if err != nil || v == ignored {
		return err
	}
	ids := []string{l.fileModule(name)}
	section, hasIDs := f.hostSection(sectionModuleID)
	if hasIDs {
		ids = idsIn(section)
	}
	l.loaded.Hosts = append(l.loaded.Hosts, Host{Name: name, System: system, Place: place, Module: ids[0], References: references(f)})
	isModule := hasIDs || v != notForTarget // without ids the path identifies the linked code
	if system && v == notForTarget && (isModule || !l.opt.Registers) {
		l.addPlace()
	}
	if !isModule {
		return nil
	}
	if !l.target.Profile.Input.TakesLaterIDs || isLinkedNote(ids[0]) {
		ids = ids[:1]
	}
	for i, id := range ids {
		l.register(Module{ID: id, System: system, Place: place, More: i > 0})
	}
	return nil
}

// maxTotal is the total size in bytes from which nvlink has no memory for a fat binary. A smaller size that
// extends past the end of the file makes nvlink read beyond the file, or hang.
const maxTotal = 1 << 36

// idsIn returns the names in __nv_module_id, one for each module that ld -r has combined. Only the name at the
// start of the section may be empty. The last name extends to a NUL, even past the end of the section
// (LOAD-025). If the size of the section extends past the end of the file, there are no names.
func idsIn(s coff.Section) []string {
	var ids []string
	size := min(s.Size, uint64(len(s.Rest)))
	for at := uint64(0); at == 0 || at < size; {
		id, _, _ := bytes.Cut(s.Rest[at:], []byte{0})
		if len(id) > 0 || at == 0 {
			ids = append(ids, string(id))
		}
		at += uint64(len(id)) + 1
	}
	return ids
}

func (l *loader) noFatbin(name string) error {
	l.log.Report(diag.NoFatbinIn, name)
	return l.fail(diag.ElfLinkInternal)
}
