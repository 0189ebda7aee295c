package input

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/lto"
)

// A program that links at run time has its inputs in memory, and states the kind of each, as with libnvJitLink
// (docs/nvjitlink.md). LoadData loads one such input. It skips nothing without a message: an input without code
// for the target is refused (JIT-040).

// A DataKind is the kind of an input in memory.
type DataKind uint8

// Kinds of inputs in memory.
const (
	UnknownData DataKind = iota
	CubinData            // a device ELF
	PTXData
	LTOData     // intermediate code in a file of its own
	FatbinData  // a fat binary
	ObjectData  // a host ELF object, with or without device code
	LibraryData // an archive of host objects
)

// ErrNotPTX reports PTX in a fat binary that does not begin as PTX (JIT-962).
var ErrNotPTX = errors.New("it does not begin as PTX")

// ErrNoSections reports a cubin that ends before its section headers, in releases that judge its header first (JIT-961).
var ErrNoSections = errors.New(noSections)

// minObject is the size in bytes of the smallest ELF file, which consists of its header.
const minObject = 64

// offFatbinVersion is the offset of the version in a fat binary.
const offFatbinVersion = 4

// Is reports whether data begins like an input of this kind. A cubin is also an object.
func (k DataKind) Is(data []byte) bool {
	isELF := hasELFMagic(data) && len(data) >= minObject
	switch k {
	case CubinData:
		return isELF && u16(data, offMachine) == cubin.Machine
	case PTXData:
		return isPTX(data)
	case LTOData:
		return lto.IsCode(data)
	case FatbinData:
		return fatbin.IsFatbin(data) && u16(data, offFatbinVersion) == fatbin.Version
	case ObjectData:
		return isELF
	case LibraryData:
		return archive.Is(data)
	}
	return false
}

// KindOf returns the kind that the beginning of data shows, or UnknownData.
func KindOf(data []byte) DataKind {
	for k := CubinData; k <= LibraryData; k++ {
		if k.Is(data) {
			return k
		}
	}
	return UnknownData
}

// LoadData returns the device ELFs that one input contains for the target. All of them have the name of the
// input, even members of an archive. data must be of the given kind, as defined by [DataKind.Is]; the result
// uses its memory. Files, Libraries and SearchPaths of opt are ignored. On an error LoadData also returns those
// members of an archive that precede the refused one.
func LoadData(ctx context.Context, opt Options, kind DataKind, name string, data []byte, log *diag.Log) ([]Object, error) {
	l, err := newMemoryLoader(ctx, opt, log)
	if err != nil {
		return nil, err
	}
	err = l.exceeded(name, l.budget.Take(limit.Read, uint64(len(data))))
	if err == nil {
		err = l.data(kind, name, data)
	}
	for i := range l.loaded.Objects {
		l.loaded.Objects[i].Name = name
	}
	return l.loaded.Objects, err
}

// newMemoryLoader returns a loader for inputs in memory, which reads them as the release's libnvJitLink does (JIT-940).
func newMemoryLoader(ctx context.Context, opt Options, log *diag.Log) (*loader, error) {
	l, err := newLoader(ctx, opt, log)
	if err != nil {
		return nil, err
	}
	l.inMemory, l.target.Profile = true, l.target.Profile.OfLibrary()
	return l, nil
}

// CheckCubin checks the header of a cubin, for a link with opt that uses the cubin unchanged. It must be
// possible to open data as a cubin. relocatable is true for an input of links, and false for an executable. The
// error is a [diag.Diagnostic].
func CheckCubin(opt Options, name string, data []byte) (relocatable bool, err error) {
	l, err := newMemoryLoader(context.Background(), opt, &diag.Log{})
	if err != nil {
		return false, err
	}
	v, err := l.cubin(name, data, plain)
	return v == taken, err
}

// Intermediate reports whether o is intermediate code: either a file of such code, or a fat binary with one
// entry. Only LoadData returns such objects.
func (o *Object) Intermediate() bool { return o.code }

// Compile compiles PTX to a cubin. If whole is set, the result is a whole program, which is not linked.
func Compile(ctx context.Context, opt Options, name string, text []byte, whole bool, log *diag.Log) ([]byte, error) {
	l, err := newMemoryLoader(ctx, opt, log)
	if err != nil {
		return nil, err
	}
	options := []string{"-c"}
	if whole {
		options = nil
	}
	return l.assemble(name, text, options)
}

func (l *loader) data(kind DataKind, name string, data []byte) error {
	switch kind {
	case CubinData:
		return l.only(func() error {
			switch {
			case l.target.Profile.Input.JudgesHeaders:
				_, err := l.headerFirst(name, data, plain)
				return err
			case l.skipsClass(data):
				return nil
			case data[offClass] != class64:
				return l.fail(diag.SizeOfTargetMismatch, name, machine64)
			}
			if !l.target.Profile.Input.RefusesMalformed && l.refusesFormat(name, data) {
				return nil
			}
			if !sectionsInside(data) { // NVIDIA's library crashes
				return l.fail(diag.DamagedInput, name, noSections)
			}
			f, ok := openELF(data, nil)
			if !ok && !l.target.Profile.Input.RefusesMalformed { // nvlink does not check program headers here
				data = bytes.Clone(data)
				clear(data[offPhOff : offPhOff+8])
				clear(data[offPhNum : offPhNum+2])
				f, ok = openELF(data, nil)
			}
			if ok && !isExecutable(data) && l.target.Profile.Input.StaysAtHome && staysAtHome(readCubinHeader(l.target.Profile, data, f).sm, l.target.Number) {
				return l.fail(diag.ArchMismatch, name, l.target.Name)
			}
			_, err := l.cubin(name, data, plain)
			return err
		})
	case PTXData:
		return l.only(func() error {
			_, err := l.ptx(name, data, nil, plain)
			return err
		})
	case FatbinData:
		return l.only(func() error {
			_, err := l.fatbin(name, data, plain)
			return err
		})
	case ObjectData:
		return l.only(func() error { return l.objectData(name, data) })
	case LibraryData:
		return l.libraryData(name, data)
	case LTOData:
		if l.opt.LTO == nil {
			return l.fail(diag.LTOObjects)
		}
		return l.codeFile(name, data)
	}
	return l.fail(diag.DamagedInput, name, "nobody knows what it is")
}

// headerFirst judges a cubin as the libraries up to 12.3 do, by its type and flags before its sections. Its machine and byte
// order do not count (JIT-961).
func (l *loader) headerFirst(name string, data []byte, from origin) (verdict, error) {
	profile := l.target.Profile
	isLinked := len(data) > offType+1 && !isExecutable(data)
	if profile.Input.OnlyRelocatable {
		isLinked = isLinked && u16(data, offType) == cubin.TypeRelocatable
	}
	switch {
	case !hasELFMagic(data):
		return ignored, l.fail(diag.NotDeviceELF)
	case !isLinked:
		return ignored, nil
	case len(data) < minObject: // NVIDIA's library reads what follows in memory
		return ignored, l.fail(diag.ArchMismatch, name, l.target.Name)
	case data[offClass] != class64:
		return ignored, l.fail(diag.SizeOfTargetMismatch, name, machine64)
	}
	if err := l.checkHeader(name, readCubinHeader(profile, data, nil)); err != nil {
		return ignored, err
	}
	if f, ok := openTables(data, nil); !sectionsInside(data) || ok && !slices.ContainsFunc(f.sections, isSymbolTable) {
		return ignored, l.failBecause(ErrNoSections, diag.DamagedInput, name, noSections)
	}
	data = cubin.WithMagicAndMachine(data)
	if data[offEncoding] != littleEndian {
		data = bytes.Clone(data)
		data[offEncoding] = littleEndian
	}
	return l.cubin(name, data, from)
}

func isSymbolTable(s elfSection) bool { return s.typ == cubin.SectionSymTab }

// noSections is the damage of a cubin whose section headers are not in the file.
const noSections = "its sections do not lie inside the file"

// sectionsInside reports whether the section headers are inside the file.
func sectionsInside(data []byte) bool {
	at := binary.LittleEndian.Uint64(data[offShOff:])
	size := uint64(u16(data, offShNum)) * uint64(u16(data, offShEntSize))
	return at <= uint64(len(data)) && size <= uint64(len(data))-at
}

// staysAtHome reports whether target refuses a cubin for sm although it accepts the same cubin from a fat
// binary (JIT-042). There is only one such pair.
func staysAtHome(sm, target int) bool { return sm == 100 && target == 103 }

// objectData loads the device code of a host object of any byte order. If the tables of the object are broken,
// it has no device code (LOAD-015).
func (l *loader) objectData(name string, data []byte) error {
	f, ok := openTables(data, nil)
	if !ok {
		return nil
	}
	return l.relocatableCode(name, f)
}

// relocatableCode loads the relocatable device code of a host object, if it has any.
func (l *loader) relocatableCode(name string, f *elfFile) error {
	if f.section(sectionRelFat) == nil {
		return nil
	}
	return l.deviceCode(name, f, false, false)
}

// truncatedObject loads the device code of the last member of an archive that ends inside the member, as
// objectData does for a whole object.
func (l *loader) truncatedObject(name string, data []byte) error {
	var f elfFile
	if f.openMember(data) != nil { // the section table is lost
		return nil
	}
	return l.relocatableCode(name, &f)
}

// libraryData loads the members of an archive up to the first that is not an ELF file. It skips cubins, and
// objects without device code. If a member is truncated, its sections are read up to its end (JIT-114).
func (l *loader) libraryData(name string, data []byte) error {
	f := &file{name: name, data: data}
	for m, err := range l.reading().Members(data, l.budget) {
		if err != nil {
			return l.badArchive(name, err)
		}
		content, err := l.memberData(f, m)
		if err != nil {
			return err
		}
		if !hasELFMagic(content) {
			return nil
		}
		if len(content) < minObject {
			continue
		}
		object := func() error { return l.objectData(name, content) }
		if m.Cut {
			object = func() error { return l.truncatedObject(name, content) }
		}
		if err := l.only(object); err != nil {
			return err
		}
	}
	return nil
}

// only loads one piece of an input, either completely or not at all. It refuses what nvlink skips with a
// warning: an input without code for the target, and plain machine code if Mercury code is required.
func (l *loader) only(take func() error) error {
	n := len(l.loaded.Objects)
	err := take()
	refused := slices.IndexFunc(l.log.Diagnostics, func(d diag.Diagnostic) bool {
		return d.ID == diag.OutputLimited || d.ID == diag.ArchNotFound && err == nil
	})
	if refused >= 0 {
		err = l.log.Diagnostics[refused]
	}
	if err != nil {
		l.loaded.Objects = l.loaded.Objects[:n]
	}
	return err
}
