package cubin

import (
	"encoding/binary"
	"fmt"
)

// A Symbol is one entry of the symbol table. Names of section symbols are empty
// in cubins; the section's name stands in the section table.
type Symbol struct {
	Index      uint32
	Name       string
	NameOffset uint32 // st_name
	Bind       Binding
	Type       SymbolType
	Other      uint8
	Section    uint32 // true section index, or one of the Shn numbers
	Value      uint64 // offset in the section; the alignment of a shared or common symbol in a relocatable file
	Size       uint64 // bytes
}

// Space is the memory space in st_other.
func (s *Symbol) Space() Space { return Space(s.Other & OtherSpaceMask) }

// Defined tells whether the symbol has a section, or is absolute or common.
func (s *Symbol) Defined() bool { return s.Section != ShnUndef }

// IsInternal tells whether the symbol is not part of a linked file's symbol table.
func (s *Symbol) IsInternal() bool { return s.Other&OtherVisibility == OtherInternal }

// IsEntry tells whether the symbol is a kernel.
func (s *Symbol) IsEntry() bool { return s.Type == SymFunc && s.Other&OtherEntry != 0 }

// Symbols reads the symbol table (.symtab), its null entry included; nil when the
// file has none.
func (f *File) Symbols() ([]Symbol, error) {
	for i := range f.Sections {
		if f.Sections[i].Type == SectionSymTab {
			return f.SymbolsOf(uint32(i))
		}
	}
	return nil, nil
}

// SymbolsOf reads the symbol table that is section i. Bytes behind the last whole
// symbol count for nothing, and a name is what stands where it should, be it behind
// the table of names, as for nvlink (DIAG-302).
func (f *File) SymbolsOf(i uint32) ([]Symbol, error) {
	data, err := f.Data(i)
	if err != nil {
		return nil, err
	}
	s := &f.Sections[i]
	extended, err := f.extendedIndices(i)
	if err != nil {
		return nil, err
	}
	symbols := make([]Symbol, len(data)/SymbolSize)
	c := &cursor{file: f, part: "section " + s.Name, data: data, base: int64(s.Offset)}
	for k := range symbols {
		y := &symbols[k]
		y.Index = uint32(k)
		y.NameOffset = c.u32()
		info := c.u8()
		y.Bind, y.Type = Binding(info>>4), SymbolType(info&15)
		y.Other = c.u8()
		y.Section = SectionOfSymbol(c.u16())
		y.Value = c.u64()
		y.Size = c.u64()
		if y.Section == ShnXIndex && k < len(extended)/4 {
			y.Section = binary.LittleEndian.Uint32(extended[4*k:])
		}
		var named bool
		if y.Name, named = f.stringAhead(s.Link, y.NameOffset); !named {
			return nil, &FormatError{f.Name, fmt.Sprintf("section %s, symbol %d", s.Name, k), int64(s.Offset) + int64(k)*SymbolSize, "bad name offset", y.NameOffset}
		}
	}
	return symbols, c.err
}

// extendedIndices gives the bytes of .symtab_shndx, which holds the section
// numbers that do not fit into 16 bits.
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
	Addend int64  // 0 in a .rel section, whose addend stands in the patched field
}

// Relocations reads relocation section i; s.Type tells whether its entries have
// addends (SectionRela and NVIDIA's variants of it) or not (SectionRel). There are as many
// as entries of the size in the header fit; bytes behind them count for nothing.
func (f *File) Relocations(i uint32) ([]Relocation, error) {
	data, err := f.Data(i)
	if err != nil {
		return nil, err
	}
	s := &f.Sections[i]
	size := RelaSize
	if s.Type == SectionRel {
		size = RelSize
	}
	relocations := make([]Relocation, uint64(len(data))/max(uint64(size), s.EntSize))
	c := &cursor{file: f, part: "section " + s.Name, data: data, base: int64(s.Offset)}
	for k := range relocations {
		r := &relocations[k]
		r.Offset = c.u64()
		info := c.u64()
		r.Type, r.Symbol = uint32(info), uint32(info>>32)
		if size == RelaSize {
			r.Addend = int64(c.u64())
		}
	}
	return relocations, c.err
}

// A Note is one record of a note section.
type Note struct {
	Name string // owner, without its NUL
	Type uint32
	Desc []byte // borrowed; without the padding that follows
	// Size is the length of the whole record in the section, padding included.
	Size int
}

// Notes reads note section i (.note.nv.tkinfo, .note.nv.cuinfo, .note.nv.cuver). On
// damage it gives the records before it too.
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
