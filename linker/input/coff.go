package input

import (
	"errors"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/platform"
)

// On Windows host objects are COFF files, and libraries are archives of them in Microsoft's format (WIN-001 to
// WIN-012).

// A coffFile is a COFF object as a host object.
type coffFile struct{ *coff.File }

func (f coffFile) hostSection(name string) (coff.Section, bool) { return f.Section(name) }

// coffObject loads a COFF object that is a file of its own.
func (l *loader) coffObject(f *file) error {
	object, err := coff.Open(f.data, uint64(len(f.data)))
	if err != nil {
		return l.badObject(f.name, err)
	}
	if err := l.afterError(diag.ElfLinkInternal); err != nil {
		return err
	}
	return l.deviceCode(f.name, coffFile{object}, false, platform.IsSystem(f.name))
}

// objectErrors maps the errors of a COFF object to messages.
var objectErrors = []struct {
	err error
	id  diag.ID
}{
	{coff.ErrTruncated, diag.ObjectTruncated},
	{coff.ErrBigEndian, diag.ObjectBigEndian},
	{coff.ErrBase64, diag.ObjectUnreadable},
}

// badObject ends the load because of a COFF object that cannot be read. If the offset of a name is outside the
// file, nvlink.exe crashes.
func (l *loader) badObject(name string, err error) error {
	for _, e := range objectErrors {
		switch {
		case !errors.Is(err, e.err):
		case e.id == diag.ObjectUnreadable: // nvlink.exe prints the function instead of the file
			return l.failBecause(err, e.id, "base64")
		default:
			return l.failBecause(err, e.id, name)
		}
	}
	return l.failDamaged(name, err)
}

// isRelocatableELF reports whether data begins like an ELF object file.
func isRelocatableELF(data []byte) bool {
	return hasELFMagic(data) && u16(data, offType) == typeRelocatable
}

// microsoftArchive loads those members of an archive that are host objects, either COFF or relocatable ELF. Other
// members are skipped (WIN-010).
func (l *loader) microsoftArchive(f *file) error {
	var e elfFile // reused for each ELF member
	isObject := func(data []byte) bool { return coff.Is(data) || isRelocatableELF(data) }
	for m, err := range l.reading().Objects(f.data, l.budget, isObject) {
		if err != nil {
			return l.badArchive(f.name, err)
		}
		if m.NameErr != nil {
			return l.badArchive(f.name, m.NameErr)
		}
		object, err := l.openMember(f, m, &e)
		if err != nil {
			return err
		}
		if object == nil {
			continue
		}
		if err := l.deviceCode(f.name+":"+m.Name, object, true, platform.IsSystem(f.name)); err != nil {
			return err
		}
	}
	return nil
}

// openMember opens a member that is a host object. It returns nil for an ELF file that is not valid. A COFF
// member ends where the member's header says. An ELF member extends as far as its tables.
//
// A member of a thin archive is the whole file of that name, whatever the header says, and errors name the file
// alone. The archive's own bytes still decide whether it is a member at all (WIN-012).
func (l *loader) openMember(f *file, m archive.Member, e *elfFile) (hostFile, error) {
	name, data, size, contents := f.name+":"+m.Name, m.Data, uint64(m.Size), m.Rest
	if archive.IsThin(f.data) {
		var err error
		if data, err = l.memberData(f, m); err != nil {
			return nil, err
		}
		name, size, contents = m.Name, uint64(len(data)), data
	}
	if hasELFMagic(contents) {
		if e.openMember(contents) != nil {
			return nil, nil
		}
		return e, nil
	}
	object, err := coff.Open(data, size)
	if !coff.Is(contents) {
		err = coff.ErrTruncated
	}
	if err != nil {
		l.badObject(name, err)
		return nil, l.fail(diag.ElfLinkInternal)
	}
	return coffFile{object}, nil
}
