package cubin

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// OpenBounded is Open for a reader that prints or copies each name: a file of some kilobytes may have any number of sections
// and names that lie in one place. It returns a [*FormatError] if sections, or names of sections and symbols, use more than
// most bytes of the file again. Both halves of a file for sm_100 and later share their data, so the bytes of sections count
// beyond twice the size of the file (MERC-313), and those of names beyond its size.
func OpenBounded(name string, data []byte, most uint64) (*File, error) {
	f, err := Open(name, data)
	if err == nil {
		err = f.checkShared(most)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// checkShared is the check of [OpenBounded].
func (f *File) checkShared(most uint64) error {
	size := uint64(len(f.data))
	sections, names := uint64(0), uint64(0)
	for i := range f.Sections {
		s := &f.Sections[i]
		names += uint64(len(s.Name))
		if s.HasBytes() {
			sections += s.Size // inside the file; there are at most 2^32 sections
		}
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type == SectionSymTab || s.Type == SectionMercSymTab {
			names += f.symbolNames(s, size+most)
		}
	}
	const halves = 2
	if more := max(sections, halves*size) - halves*size + max(names, size) - size; more > most {
		return &FormatError{f.Name, "sections and names", int64(f.ShOff), fmt.Sprintf("more than %d bytes are used again by other sections or names", most), more}
	}
	return nil
}

// symbolNames returns the total size in bytes of the names in a symbol table. Counting stops after most.
func (f *File) symbolNames(s *Section, most uint64) (n uint64) {
	if s.Link >= uint32(len(f.Sections)) || s.Offset > uint64(len(f.data)) {
		return 0
	}
	table := f.data[min(f.Sections[s.Link].Offset, uint64(len(f.data))):]
	symbols := f.data[s.Offset:][:min(s.Size, uint64(len(f.data))-s.Offset)]
	for ; len(symbols) >= SymbolSize && n <= most; symbols = symbols[SymbolSize:] {
		if at := uint64(binary.LittleEndian.Uint32(symbols)); at < uint64(len(table)) {
			n += uint64(max(bytes.IndexByte(table[at:], 0), 0))
		}
	}
	return n
}
