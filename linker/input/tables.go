package input

import (
	"encoding/binary"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// From 13.1 on nvlink looks into some tables before it takes a cubin that is a file of its own: the names of
// sections, attributes, relocations with addend, and notes. Where one of them cannot be, the cubin is passed
// over, as one whose tables lie outside the file (KIT-095).

// hasSoundTables reports whether all of them can be.
func (f *elfFile) hasSoundTables() bool {
	if len(f.sections) < 2 || !f.hasNames {
		return false // nothing but the null section, or nothing that has a name
	}
	for i := range f.sections {
		s := &f.sections[i]
		switch s.typ {
		case cubin.SectionInfo:
			if !areWholeRecords(f.bytes(s)) {
				return false
			}
		case cubin.SectionRela:
			if !f.namesSymbols(s) {
				return false
			}
		case cubin.SectionNote:
			if s.size < leastNote(s.flags) {
				return false
			}
		}
	}
	return true
}

// leastNote is the size of the smallest note whose section has these flags: the head of a note, the name NVIDIA,
// and what follows, 8 bytes of what an input was compiled for, or 24 of the tool.
func leastNote(flags cubin.SectionFlags) uint64 {
	const named = 24
	switch {
	case flags&cubin.FlagCUInfo != 0:
		return named + 8
	case flags&cubin.FlagTKInfo != 0:
		return named + 24
	}
	return 0
}

// areWholeRecords reports whether attributes are of formats that there are, and end with the
// section. What ends in one without payload may lack its last bytes.
func areWholeRecords(data []byte) bool {
	const headSize = 4
	for len(data) > 0 {
		size := headSize
		switch nvinfo.Format(data[0]) {
		case nvinfo.NoValue, nvinfo.Byte, nvinfo.Half:
			size = min(size, len(data))
		case nvinfo.Sized:
			if len(data) < headSize {
				return false
			}
			size += int(u16(data, 2))
		default:
			return false
		}
		if size > len(data) {
			return false
		}
		data = data[size:]
	}
	return true
}

// namesSymbols reports whether every entry of section s, relocations with addend, is against a symbol of the
// table that s is linked to. An empty section may be linked to anything.
func (f *elfFile) namesSymbols(s *elfSection) bool {
	const symbolAt = 12
	if s.entSize != cubin.RelaSize {
		return false
	}
	symbols := f.symbolsOf(s)
	for data := f.bytes(s); len(data) >= cubin.RelaSize; data = data[cubin.RelaSize:] {
		if uint64(binary.LittleEndian.Uint32(data[symbolAt:])) >= symbols {
			return false
		}
	}
	return true
}

// symbolsOf is how many symbols the table has that section s is linked to; 0 where that is none.
func (f *elfFile) symbolsOf(s *elfSection) uint64 {
	const dynamicSymbols cubin.SectionType = 11
	if uint64(s.link) >= uint64(len(f.sections)) {
		return 0
	}
	table := &f.sections[s.link]
	if table.typ != cubin.SectionSymTab && table.typ != dynamicSymbols || table.entSize == 0 {
		return 0
	}
	return table.size / table.entSize
}
