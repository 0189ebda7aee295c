package input

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/platform"
)

// All members of an archive that are host objects with code for the target are linked, in the archive's order,
// whether needed or not. Members are read until the first one that is not an ELF file. ELF files without
// relocatable device code are skipped (LOAD-020). An archive is loaded only once, even if several paths lead to
// it (LOAD-021).

// archiveFile loads the members of an archive.
func (l *loader) archiveFile(f *file) error {
	if l.seen(f.info) {
		return nil
	}
	if err := l.afterError(diag.ElfLinkInternal); err != nil {
		return err
	}
	if l.host.COFF {
		return l.microsoftArchive(f)
	}
	var e elfFile // reused for each member
	for m, err := range l.reading().Members(f.data, l.budget) {
		if err != nil {
			return l.badArchive(f.name, err)
		}
		data, err := l.memberData(f, m)
		if err != nil {
			return err
		}
		if !l.beginsAsELF(m, data) {
			return nil
		}
		if len(data) == 0 {
			continue
		}
		if archive.IsThin(f.data) {
			if err := l.takeAgain(m.Name); err != nil {
				return err
			}
		}
		name := f.name + ":" + m.Name
		err = e.openMember(data)
		switch {
		case err != nil && m.Cut:
			l.loaded.Unreferenced = true // LOAD-024
			return nil
		case err != nil: // damage, whatever nvlink does (LOAD-026)
			return l.failDamaged(name, err)
		}
		if err := l.deviceCode(name, &e, true, platform.IsSystem(f.name)); err != nil {
			return err
		}
	}
	return nil
}

// reading returns the way in which the release reads archives.
func (l *loader) reading() archive.Reading {
	how := archive.Loose
	if l.host.COFF {
		how |= archive.Microsoft
	}
	if l.target.Profile.Input.BoundsArchives {
		how |= archive.Bounded
	}
	return how
}

// beginsAsELF reports whether a member begins like an ELF file. Up to 13.4, if the member is shorter than the
// ELF magic, the bytes after it count too (KIT-125).
func (l *loader) beginsAsELF(m archive.Member, data []byte) bool {
	return hasELFMagic(data) || !l.target.Profile.Input.BoundsMembers && hasELFMagic(m.Rest)
}

// seen reports whether the archive has been loaded already.
func (l *loader) seen(info fs.FileInfo) bool {
	if slices.ContainsFunc(l.archives, func(other fs.FileInfo) bool { return isSame(info, other) }) {
		return true
	}
	l.archives = append(l.archives, info)
	return false
}

// memberData returns the contents of a member. The members of a thin archive are paths relative to the current
// directory, wherever the archive is.
func (l *loader) memberData(f *file, m archive.Member) ([]byte, error) {
	if !archive.IsThin(f.data) {
		return m.Data, nil
	}
	key := filepath.Clean(m.Name)
	if member, ok := l.members[key]; ok {
		return member.data, nil
	}
	data, info, err := l.readRegular(m.Name)
	var exceeded *limit.Error
	switch {
	case err == nil:
		l.members[key] = &thinMember{data: data}
		return data, nil
	case errors.As(err, &exceeded):
		return nil, l.exceeded(m.Name, err)
	case info != nil && info.IsDir() && !l.host.COFF:
		l.log.Add(diag.New(diag.MemoryAllocation).Because(err))
	default:
		l.log.Add(diag.New(diag.CannotOpenInput, m.Name).Because(err))
	}
	return nil, l.fail(diag.ElfLinkInternal)
}

// A thinMember is a file that thin archives refer to. It is read once.
type thinMember struct {
	data   []byte
	loaded bool
}

// takeAgain counts the size of a thin archive's member against the budget if the member has been loaded before.
func (l *loader) takeAgain(name string) error {
	member := l.members[filepath.Clean(name)]
	if !member.loaded {
		member.loaded = true
		return nil
	}
	return l.exceeded(name, l.budget.Take(limit.Shared, uint64(len(member.data))))
}

// errNotRegular is the error for a member of a thin archive that is a device or a pipe.
var errNotRegular = errors.New("no regular file")

// readRegular reads a file whose name comes from another file. The name must be that of a regular file or a
// folder, because a device may have no end and a pipe may have no writer.
func (l *loader) readRegular(name string) ([]byte, fs.FileInfo, error) {
	info, err := l.own.stat(l.path(name))
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, info, &fs.PathError{Op: "read", Path: name, Err: errNotRegular}
	}
	return l.readFile(name)
}

// archiveErrors maps the errors of an archive to messages. For a truncated archive there is no message; reading
// only stops there.
var archiveErrors = []struct {
	err error
	id  diag.ID
}{
	{archive.ErrFormat, diag.ArchiveFormat},
	{archive.ErrNoLongNames, diag.NoLongNames},
	{archive.ErrLongNameRange, diag.MemoryAllocation},
	{archive.ErrUnterminated, diag.LongNameUnterminated},
	{archive.ErrBounds, diag.ArchiveBounds},
}

func (l *loader) badArchive(name string, err error) error {
	if exceeded := (*limit.Error)(nil); errors.As(err, &exceeded) {
		return l.exceeded(name, err)
	}
	for _, e := range archiveErrors {
		if errors.Is(err, e.err) {
			id := e.id
			if id == diag.ArchiveFormat && !l.target.Profile.Input.NamesArchiveFormat {
				id = diag.MemoryAllocation // KIT-086
			}
			if e.err == archive.ErrLongNameRange && l.reading()&archive.Bounded != 0 {
				id = diag.LongNameRange // KIT-124
			}
			l.log.Add(diag.New(id).Because(err))
			return l.fail(diag.ElfLinkInternal)
		}
	}
	return nil
}
