package input

import (
	"errors"
	"io"
	"io/fs"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
)

// The resources of a link are checked against limits before they are used (LIMIT-001). The size of a file tells
// how many bytes will be read. The sizes in a container tell how many bytes will be decoded. The tables of a
// cubin tell how many of its bytes will be used more than once.

// exceeded reports that an input needs more than a limit allows.
func (l *loader) exceeded(name string, err error) error {
	var e *limit.Error
	if !errors.As(err, &e) {
		return err
	}
	return l.failBecause(err, diag.LimitReached, name, e.Error(), e.Name())
}

// contents reads a file. info contains its size if it is a regular file.
func (l *loader) contents(name string, info fs.FileInfo) ([]byte, error) {
	path := l.path(name)
	left := l.budget.Left(limit.Read)
	if info.Mode().IsRegular() && uint64(info.Size()) > left {
		return nil, l.budget.Take(limit.Read, uint64(info.Size()))
	}
	if info.Mode().IsRegular() && info.Size() > 0 {
		c, err := l.own.read(path, info)
		if err != nil {
			return nil, err
		}
		return l.taken(name, info, c)
	}
	data, err := l.own.stream(path, left)
	if err != nil {
		return nil, err
	}
	return data, l.budget.Take(limit.Read, uint64(len(data)))
}

// taken counts the bytes that were read from a regular file against the budget.
func (l *loader) taken(name string, info fs.FileInfo, c contents) ([]byte, error) {
	if c.mapped {
		l.loaded.mapped = append(l.loaded.mapped, mappedFile{name, l.path(name), info, c.data})
	}
	if r := c.in; r != nil && l.opt.Passing && !r.listed {
		r.listed = true
		l.loaded.rooms = append(l.loaded.rooms, r)
	}
	return c.data, l.budget.Take(limit.Read, uint64(len(c.data)))
}

// stream reads a file that is not regular, or states no size. It reads at most most+1 bytes, and of a file with an end as far
// as a seek tells, but at least what nvlink looks at to recognise a file: a device may have no end (LOAD-935).
func (t tree) stream(path string, most uint64) ([]byte, error) {
	f, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n := min(most, maxStream) + 1
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		if end, err := seekEnd(f); err == nil {
			n = min(n, max(end, minSize))
		}
	}
	return io.ReadAll(io.LimitReader(f, int64(n)))
}

// maxStream is the maximum number of bytes that are read from a file that is not regular, whatever the limit
// is.
const maxStream = 1 << 30

// takeShared counts against the budget those bytes that the sections, and the names of the sections and symbols, of a cubin
// use more than once ([cubin.UsedAgain]).
func (l *loader) takeShared(name string, f *elfFile) error {
	size := uint64(len(f.data))
	sections, names := uint64(0), uint64(0)
	left := l.budget.Left(limit.Shared)
	for i := range f.sections {
		s := &f.sections[i]
		if (&cubin.Section{Type: s.typ}).HasBytes() {
			sections += s.size // inside the file; there are at most 2^32 sections
		}
		names += uint64(len(bytesAt(f.nameTable, s.nameOffset)))
	}
	for i := range f.sections {
		if s := &f.sections[i]; s.typ == cubin.SectionSymTab {
			if s.link < uint32(len(f.sections)) {
				table := f.data[min(f.sections[s.link].offset, size):]
				names += cubin.SizeOfNames(f.bytes(s), table, size+left)
			}
			break // other symbol tables are not read
		}
	}
	return l.exceeded(name, l.budget.Take(limit.Shared, cubin.UsedAgain(size, sections, names)))
}
