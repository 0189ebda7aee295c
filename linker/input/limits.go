package input

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
)

// What a link takes of the machine is bounded before it is taken (LIMIT-001): the bytes
// of files by their sizes, the bytes of compressed code by what a container says of it,
// and the bytes of a cubin that stand for more than one thing by its tables.

// exceeded reports that an input asks for more than a limit allows.
func (l *loader) exceeded(name string, err error) error {
	var e *limit.Error
	if !errors.As(err, &e) {
		return err
	}
	return l.failBecause(err, diag.LimitReached, name, e.Error(), e.Name())
}

// contents reads a file, of which info says how large it is if it is a regular one.
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
	data, err := l.own.readAtMost(path, left) // it does not say how large it is
	if err != nil {
		return nil, err
	}
	return data, l.budget.Take(limit.Read, uint64(len(data)))
}

// taken takes what was read of a regular file from the budget.
func (l *loader) taken(name string, info fs.FileInfo, c contents) ([]byte, error) {
	if c.mapped {
		l.loaded.mapped = append(l.loaded.mapped, mappedFile{name, l.path(name), info, c.data})
	}
	return c.data, l.budget.Take(limit.Read, uint64(len(c.data)))
}

// readAtMost reads one byte more than most of a file that does not say how large it is.
func (t tree) readAtMost(path string, most uint64) ([]byte, error) {
	f, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(min(most, maxStream))+1))
}

// maxStream bounds the bytes of a file that is no regular one, whatever the limit.
const maxStream = 1 << 30

// takeShared takes what a cubin uses more than once from the budget: the bytes that its
// sections have in all beyond those of the file, and the same of the names of its sections
// and symbols. Both halves of a file for sm_100 and later have the data in one place, so that
// the bytes of sections count from twice the file on (MERC-313).
func (l *loader) takeShared(name string, f *elfFile) error {
	size := uint64(len(f.data))
	sections, names := uint64(0), uint64(0)
	const halves = 2
	left := l.budget.Left(limit.Shared)
	for i := range f.sections {
		s := &f.sections[i]
		if (&cubin.Section{Type: s.typ}).HasBytes() {
			sections += s.size // inside the file, of which there are at most 2^32 sections
		}
		names += uint64(len(bytesAt(f.nameTable, s.nameOffset)))
	}
	for i := range f.sections {
		if s := &f.sections[i]; s.typ == cubin.SectionSymTab {
			names += f.symbolNames(s, size+left)
			break // others are not read
		}
	}
	return l.exceeded(name, l.budget.Take(limit.Shared, max(sections, halves*size)-halves*size+max(names, size)-size))
}

// symbolNames is how many bytes the names of a symbol table have in all, as the linker
// reads them; counting ends after most.
func (f *elfFile) symbolNames(s *elfSection, most uint64) (n uint64) {
	if s.link >= uint32(len(f.sections)) {
		return 0
	}
	table := f.data[min(f.sections[s.link].offset, uint64(len(f.data))):]
	symbols := f.bytes(s)
	for ; len(symbols) >= cubin.SymbolSize && n <= most; symbols = symbols[cubin.SymbolSize:] {
		if at := uint64(u32(symbols)); at < uint64(len(table)) {
			n += uint64(max(bytes.IndexByte(table[at:], 0), 0))
		}
	}
	return n
}
