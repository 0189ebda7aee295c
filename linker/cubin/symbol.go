package cubin

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// A Symbol is one entry of the symbol table. Section symbols have no names in cubins; the names are in the
// section table.
type Symbol struct {
	Index      uint32
	NameOffset uint32 // st_name
	Name       string
	Section    uint32 // true section index, or one of the Shn constants
	Bind       Binding
	Type       SymbolType
	Other      uint8
	Value      uint64 // offset in the section; the alignment of a shared or common symbol in a relocatable file
	Size       uint64 // bytes
}

// Space returns the memory space in st_other.
func (s *Symbol) Space() Space { return Space(s.Other & OtherSpaceMask) }

// Defined reports whether the symbol has a section, or is absolute or common.
func (s *Symbol) Defined() bool { return s.Section != ShnUndef }

// IsInternal reports whether the symbol table of a linked file omits the symbol.
func (s *Symbol) IsInternal() bool { return s.Other&OtherVisibility == OtherInternal }

// IsEntry reports whether the symbol is a kernel.
func (s *Symbol) IsEntry() bool { return s.Type == SymFunc && s.Other&OtherEntry != 0 }

// Symbols reads the symbol table (.symtab) including its null entry. It returns nil if the file has none.
func (f *File) Symbols() ([]Symbol, error) {
	for i := range f.Sections {
		if f.Sections[i].Type == SectionSymTab {
			return f.SymbolsOf(uint32(i))
		}
	}
	return nil, nil
}

// SymbolsOf reads the symbol table in section i. As in nvlink, bytes after the last whole symbol are ignored,
// and a name may be outside the table of names (DIAG-302).
func (f *File) SymbolsOf(i uint32) ([]Symbol, error) { return f.SymbolsInto(nil, i) }

// SymbolsInto is SymbolsOf, but stores the symbols in room if they fit.
func (f *File) SymbolsInto(room []Symbol, i uint32) ([]Symbol, error) {
	data, err := f.Data(i)
	if err != nil {
		return nil, err
	}
	s := &f.Sections[i]
	extended, err := f.extendedIndices(i)
	if err != nil {
		return nil, err
	}
	names := f.namesOf(s.Link)
	le := binary.LittleEndian
	number := len(data) / SymbolSize
	if room == nil || cap(room) < number {
		room = make([]Symbol, number)
	}
	symbols := room[:number]
	for k := range symbols {
		b, y := data[k*SymbolSize:][:SymbolSize], &symbols[k]
		*y = Symbol{
			Index: uint32(k), NameOffset: le.Uint32(b),
			Bind: Binding(b[4] >> 4), Type: SymbolType(b[4] & 15), Other: b[5], Section: SectionOfSymbol(le.Uint16(b[6:])),
			Value: le.Uint64(b[8:]), Size: le.Uint64(b[16:]),
		}
		if y.Section == ShnXIndex && k < len(extended)/4 {
			y.Section = le.Uint32(extended[4*k:])
		}
		var named bool
		if y.Name, named = f.nameAhead(names, s.Link, y.NameOffset); !named {
			return nil, &FormatError{f.Name, fmt.Sprintf("section %s, symbol %d", s.Name, k), int64(s.Offset) + int64(k)*SymbolSize, "bad name offset", y.NameOffset}
		}
	}
	return symbols, nil
}

// copiedNames holds a copy of all strings of a section. All names of symbols are parts of this copy.
type copiedNames struct {
	section uint32
	text    string
}

// namesOf returns a copy of all strings of section i. It reuses the last copy if that is of the same section.
// The result is empty for a section without bytes in the file.
func (f *File) namesOf(i uint32) string {
	if int(i) >= len(f.Sections) {
		return ""
	}
	if last := f.names.Load(); last != nil && last.section == i {
		return last.text
	}
	data, _ := f.Data(i)
	made := &copiedNames{i, string(data)}
	f.names.Store(made)
	return made.text
}

// nameAhead returns the string at an offset of section i, or after that section. names contains the strings of
// the section.
func (f *File) nameAhead(names string, i, offset uint32) (string, bool) {
	if uint64(offset) < uint64(len(names)) {
		if end := strings.IndexByte(names[offset:], 0); end >= 0 {
			return names[offset:][:end], true
		}
	}
	return f.stringAhead(i, offset)
}

// extendedIndices returns the bytes of .symtab_shndx, which contains the section numbers that do not fit in 16
// bits.
func (f *File) extendedIndices(symtab uint32) ([]byte, error) {
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type == SectionSymTabShNdx && (s.Link == symtab || s.Link == 0) {
			return f.Data(uint32(i))
		}
	}
	return nil, nil
}

// A Relocation is one entry of a .rel or .rela section.
type Relocation struct {
	Offset uint64 // in the section that it patches
	Type   uint32 // R_CUDA_* or, from 0x10000, R_MERCURY_*
	Symbol uint32 // index in the symbol table
	Addend int64  // 0 in a .rel section, whose addend is in the patched field
}

// A RelocationTable is a relocation section whose entries are read one by one.
type RelocationTable struct {
	data []byte
	n    int // number of entries
	size int // size of an entry
}

// RelocationTable finds the entries of relocation section i. The type of the section determines whether they
// have addends (SectionRela and NVIDIA's variants of it) or not (SectionRel). Their number follows from the
// entry size in the header. Remaining bytes are ignored.
func (f *File) RelocationTable(i uint32) (RelocationTable, error) {
	data, err := f.Data(i)
	if err != nil {
		return RelocationTable{}, err
	}
	s := &f.Sections[i]
	size := RelaSize
	if s.Type == SectionRel {
		size = RelSize
	}
	return RelocationTable{data, int(uint64(len(data)) / max(uint64(size), s.EntSize)), size}, nil
}

// Len returns the number of entries.
func (t RelocationTable) Len() int { return t.n }

// At returns entry k.
func (t RelocationTable) At(k int) Relocation {
	b := t.data[k*t.size:][:t.size]
	info := binary.LittleEndian.Uint64(b[8:])
	r := Relocation{Offset: binary.LittleEndian.Uint64(b), Type: uint32(info), Symbol: uint32(info >> 32)}
	if t.size == RelaSize {
		r.Addend = int64(binary.LittleEndian.Uint64(b[16:]))
	}
	return r
}

// Relocations reads all entries of relocation section i.
func (f *File) Relocations(i uint32) ([]Relocation, error) {
	table, err := f.RelocationTable(i)
	if err != nil {
		return nil, err
	}
	relocations := make([]Relocation, table.Len())
	for k := range relocations {
		relocations[k] = table.At(k)
	}
	return relocations, nil
}

// A Note is one record of a note section.
type Note struct {
	Name string // owner, without the final NUL
	Type uint32
	Desc []byte // borrowed; without the padding that follows
	// Size is the size of the whole record in the section, including padding.
	Size int
}

// Notes reads note section i (.note.nv.tkinfo, .note.nv.cuinfo, .note.nv.cuver). If a record is damaged it also
// returns the records before it.
func (f *File) Notes(i uint32) ([]Note, error) {
	data, err := f.Data(i)
	if err != nil {
		return nil, err
	}
	s := &f.Sections[i]
	var notes []Note
	c := &cursor{file: f, part: "section " + s.Name, data: data, base: int64(s.Offset)}
	for c.pos < len(data) {
		start := c.pos
		nameSize, descSize, typ := c.u32(), c.u32(), c.u32()
		name := c.bytes(int(nameSize))
		c.align4()
		desc := c.bytes(int(descSize))
		c.align4()
		if c.err != nil {
			return notes, c.err
		}
		for len(name) > 0 && name[len(name)-1] == 0 {
			name = name[:len(name)-1]
		}
		notes = append(notes, Note{Name: string(name), Type: typ, Desc: desc, Size: c.pos - start})
	}
	return notes, nil
}

// align4 moves to the next multiple of four, or to the end if that comes first.
func (c *cursor) align4() { c.pos = min(len(c.data), (c.pos+3)&^3) }
