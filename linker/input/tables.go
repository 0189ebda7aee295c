package input

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// From 13.1 on nvlink checks some tables of an ELF file that is not in a container before it loads the file. These
// are the names of sections, the attributes, the relocations with addend, and the notes. If one of them is
// invalid, a cubin is skipped, like one whose tables extend past the end of the file, and a host object ends the
// link (KIT-095).

// hasSoundTables reports whether all of these tables are valid.
func (f *elfFile) hasSoundTables() bool {
	if len(f.sections) < 2 || !f.hasNames {
		return false // only the null section, or no section names
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

// leastNote returns the size of the smallest note in a section with these flags. A note consists of its header,
// the name NVIDIA, and a description. The description has 8 bytes if it is about the compilation of an input,
// and 24 if it is about the tool.
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

// areWholeRecords reports whether all attributes have known formats, and the last one ends where the section
// ends. The last bytes of an attribute without payload may be missing.
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

// namesSymbols reports whether every relocation in section s, which has addends, refers to a symbol of the
// table that s links to. An empty section may link to anything.
func (f *elfFile) namesSymbols(s *elfSection) bool {
	c := classOf(f.data)
	if s.entSize != c.relaSize {
		return false
	}
	symbols := f.symbolsOf(s)
	for data := f.bytes(s); uint64(len(data)) >= c.relaSize; data = data[c.relaSize:] {
		if c.relaSymbol(data) >= symbols {
			return false
		}
	}
	return true
}

// symbolsOf returns the number of symbols in the table that section s links to, or 0 if it links to no symbol
// table.
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
