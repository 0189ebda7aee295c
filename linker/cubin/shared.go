package cubin

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/culink/culink/linker/limit"
)

// OpenBounded is Open for a reader that prints or copies each name: a file of some kilobytes may have any number of sections
// and names that lie in one place. It returns a [*FormatError] if sections, or names of sections and symbols, use more bytes
// of the file again than [limit.Shared] allows by default.
func OpenBounded(name string, data []byte) (*File, error) {
	f, err := Open(name, data)
	if err == nil {
		err = f.checkShared(limit.Shared.Row().Most)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// checkShared is the check of [OpenBounded] for another limit.
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
		if s := &f.Sections[i]; (s.Type == SectionSymTab || s.Type == SectionMercSymTab) && s.Link < uint32(len(f.Sections)) {
			symbols, _ := f.Data(uint32(i))
			table := f.data[min(f.Sections[s.Link].Offset, size):]
			names += SizeOfNames(symbols, table, size+most)
		}
	}
	if again := UsedAgain(size, sections, names); again > most {
		return &FormatError{f.Name, "sections and names", int64(f.ShOff), fmt.Sprintf("more than %d bytes are used again by other sections or names", most), again}
	}
	return nil
}

// UsedAgain returns how many bytes of a file are used more than once. The parameters are the size of the file, and the total
// sizes of its sections and of its names. The two halves of a file for sm_100 and later share their data, so the bytes of
// sections count only beyond twice the size of the file (MERC-313). The bytes of names count beyond the size of the file.
func UsedAgain(size, sections, names uint64) uint64 {
	const halves = 2
	return max(sections, halves*size) - halves*size + max(names, size) - size
}

// SizeOfNames returns the total size in bytes of the names in a symbol table. table is the string table, and what follows it
// in the file. Counting stops after most bytes.
func SizeOfNames(symbols, table []byte, most uint64) (n uint64) {
	for ; len(symbols) >= SymbolSize && n <= most; symbols = symbols[SymbolSize:] {
		if at := uint64(binary.LittleEndian.Uint32(symbols)); at < uint64(len(table)) {
			n += uint64(max(bytes.IndexByte(table[at:], 0), 0))
		}
	}
	return n
}
