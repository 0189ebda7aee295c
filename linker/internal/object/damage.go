package object

import (
	"encoding/binary"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Damage is found before the merge (DIAG-303). It consists of references to entries that do not exist,
// and of numbers that no valid program has.

// checkHeader checks the header of section s: its references, its alignment, and the size of
// its records.
func (o *Object) checkHeader(s *cubin.Section) error {
	if size := entrySize(s.Type); size != 0 && s.EntSize != size && (s.EntSize == 0 || s.Type == cubin.SectionSymTab || o.overlapsRecords(s) || o.miscounts(s, size)) && s.Size > 0 {
		return o.wrongHeader(s, "records of a wrong size", s.EntSize)
	}
	if s.Index == o.File.ShStrNdx && s.Type != cubin.SectionStrTab {
		return o.wrongHeader(s, "the section names are no table of strings", uint32(s.Type))
	}
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionInfo, cubin.SectionMercRela, cubin.SectionMercInfo:
		return o.checkTarget(s)
	}
	note := s.Type == cubin.SectionNote && s.Flags&cubin.FlagCUInfo == 0
	if s.Nameless && (note || IsData(s) && s.Type != cubin.SectionShared && !o.HasFunction[s.Index]) {
		return o.wrongHeader(s, "bad section name offset", s.NameOffset)
	}
	if note && (s.AddrAlign == 0 || s.AddrAlign > cubin.MaxPadding) {
		return o.wrongHeader(s, "wrong alignment", s.AddrAlign)
	}
	if !IsData(s) {
		return nil
	}
	if err := o.checkOwner(s); err != nil {
		return err
	}
	return o.checkRoom(s)
}

// overlapsRecords reports whether the records of a call graph, or of a table of prototypes, overlap, in a file with a Mercury
// half, whose finalizer reads the size (DIAG-303).
func (o *Object) overlapsRecords(s *cubin.Section) bool {
	return (s.Type == cubin.SectionCallGraph || s.Type == cubin.SectionPrototype) && s.EntSize < entrySize(s.Type) && o.HasMercury()
}

// miscounts reports whether the header of a table of relocations counts more records than the table has, so that nvlink reads on
// after it (DIAG-780). In a file with a Mercury half, it reports fewer records too: the headers of the halves contradict each other.
func (o *Object) miscounts(s *cubin.Section, size uint64) bool {
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionMercRela:
		counted, has := s.Size/s.EntSize, s.Size/size
		return counted > has || counted < has && o.HasMercury()
	}
	return false
}

// wrongHeader returns the error for a damaged header of section s.
func (o *Object) wrongHeader(s *cubin.Section, msg string, value any) error {
	return o.Damaged("section header "+s.Name, int64(o.File.ShOff)+int64(s.Index)*cubin.SectionHeaderSize, msg, value)
}

// checkTarget checks that the target section of a table of relocations or attributes exists.
func (o *Object) checkTarget(s *cubin.Section) error {
	if int(s.Info) >= len(o.File.Sections) {
		return o.wrongHeader(s, "it is about a section that does not exist", s.Info)
	}
	if o.File.Sections[s.Info].Nameless && s.Type != cubin.SectionInfo {
		return o.wrongHeader(s, "it is about a section without a name", s.Info)
	}
	return nil
}

// checkOwner checks that the symbol of a code section exists. For other data it checks the section that
// owns it.
func (o *Object) checkOwner(s *cubin.Section) error {
	if o.IsCode(s) || strings.HasPrefix(s.Name, cubin.CodePrefix) {
		if index := s.CodeSymbol(); int(index) >= len(o.Symbols) {
			return o.wrongHeader(s, "it is code of a symbol that does not exist", index)
		}
	} else if s.Flags&cubin.FlagMercury == 0 && int(s.Info) >= len(o.File.Sections) { // Mercury sections name a symbol
		return o.wrongHeader(s, "it belongs to nothing that exists", s.Info)
	}
	return nil
}

// checkRoom checks the alignment of data, and the size of constants that have no bytes.
func (o *Object) checkRoom(s *cubin.Section) error {
	_, isConstant := s.ConstantBank()
	switch {
	case s.Type == cubin.SectionShared: // its symbols are placed one by one
	case s.AddrAlign == 0 && s.Size > 0:
		return o.wrongHeader(s, "alignment 0", s.AddrAlign)
	case s.AddrAlign > cubin.MaxPadding, isConstant && s.AddrAlign > cubin.MaxConstant:
		return o.wrongHeader(s, "alignment is too large", s.AddrAlign)
	}
	if !s.HasBytes() && s.Size > cubin.MaxConstant && strings.HasPrefix(s.Name, cubin.ConstantPrefix) {
		return o.wrongHeader(s, "constant bank without bytes", s.Size)
	}
	return nil
}

// setCodeHeaders gives the section of each function the type and the flags of code. nvlink ignores
// both, but it rejects relocations of code in a section of another type (DIAG-302, RELOC-306).
func (o *Object) setCodeHeaders() {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if !o.IsCode(s) {
			continue
		}
		if s.Type != cubin.SectionProgBits && s.Type != cubin.SectionUFT {
			if o.mistyped == nil {
				o.mistyped = map[uint32]bool{}
			}
			o.mistyped[s.Index] = true
			s.Type = cubin.SectionProgBits
		}
		s.Flags = s.Flags&cubin.FlagBarriers | cubin.FlagAlloc | cubin.FlagExec
	}
}

// entrySize returns the size of the records of a table, or 0 if the section is not a table.
func entrySize(t cubin.SectionType) uint64 {
	switch t {
	case cubin.SectionSymTab:
		return cubin.SymbolSize
	case cubin.SectionRel:
		return cubin.RelSize
	case cubin.SectionRela, cubin.SectionMercRela:
		return cubin.RelaSize
	case cubin.SectionCallGraph, cubin.SectionPrototype:
		return 8
	}
	return 0
}

// checkCallGraph checks the two words of each record. The first word is a symbol. The second is another
// symbol or a prototype, depending on the group of the record.
func (o *Object) checkCallGraph(s *cubin.Section, data []byte) error {
	group := uint32(0)
	for k := 0; k+8 <= len(data); k += 8 {
		symbol, word := binary.LittleEndian.Uint32(data[k:]), binary.LittleEndian.Uint32(data[k+4:])
		if symbol == 0 {
			group = word
			continue
		}
		at := int64(s.Offset) + int64(k)
		switch {
		case group != 0 && !cubin.IsCallGroup(group):
		case int(symbol) >= len(o.Symbols):
			return o.Damaged("section "+s.Name, at, "symbol does not exist", symbol)
		case group == 0:
		case group == cubin.CallsDirect || group == cubin.TakesAddress:
			if word == 0 || int(word) >= len(o.Symbols) {
				return o.Damaged("section "+s.Name, at+4, "symbol does not exist", word)
			}
		case !o.hasString(word):
			return o.Damaged("section "+s.Name, at+4, "prototype lies outside the string table", word)
		}
	}
	return nil
}

// checkPrototypes checks that each record consists of a symbol and its prototype.
func (o *Object) checkPrototypes(s *cubin.Section, data []byte) error {
	for k := 0; k+8 <= len(data); k += 8 {
		symbol, word := binary.LittleEndian.Uint32(data[k:]), binary.LittleEndian.Uint32(data[k+4:])
		at := int64(s.Offset) + int64(k)
		switch {
		case symbol == 0 || int(symbol) >= len(o.Symbols):
			return o.Damaged("section "+s.Name, at, "symbol does not exist", symbol)
		case !o.hasString(word):
			return o.Damaged("section "+s.Name, at+4, "prototype lies outside the string table", word)
		}
	}
	return nil
}

// checkUnified checks that the first word of each record of unified functions or variables is a symbol.
func (o *Object) checkUnified(s *cubin.Section, data []byte) error {
	for k := 0; k+cubin.UnifiedEntrySize <= len(data); k += cubin.UnifiedEntrySize {
		if symbol := binary.LittleEndian.Uint32(data[k:]); int(symbol) >= len(o.Symbols) {
			return o.Damaged("section "+s.Name, int64(s.Offset)+int64(k), "symbol does not exist", symbol)
		}
	}
	return nil
}

// hasString reports whether the table of symbol names has a string at offset.
func (o *Object) hasString(offset uint32) bool {
	_, err := o.File.String(o.Strtab, offset)
	return err == nil
}

// isWild reports whether a symbol index is so far beyond the table that nvlink crashes. An index that
// is only slightly too large stands for no symbol.
func (o *Object) isWild(symbol uint32) bool {
	return int(symbol) >= len(o.Symbols) && symbol >= 0xffff
}
