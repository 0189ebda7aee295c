package object

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// nvlink 13.5 generates the plain half of an input again from its Mercury half before it merges anything. It ignores
// the plain headers of sections that the Mercury half has too (KIT-175). culink keeps these sections, because it needs
// their machine code and the data that describes places in it. It therefore restores their headers from their names
// and from the headers of their copies.

// whyNotRemade returns why an input is rejected that has code outside of code sections, or data in executable sections
// (KIT-175). Stubs of unified functions count as code if the compiler writes a Mercury call graph (KIT-260).
func (o *Object) whyNotRemade() string {
	const ofCode = cubin.FlagAlloc | cubin.FlagExec
	hasCallGraph := slices.ContainsFunc(o.File.Sections, func(s cubin.Section) bool { return s.Type == cubin.SectionMercCallGraph })
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		switch {
		case s.Flags&cubin.FlagMercury != 0:
		case strings.HasPrefix(s.Name, cubin.CodePrefix):
			if s.Type != cubin.SectionProgBits || s.Flags&ofCode != ofCode {
				return "malformed annotation section in input elf"
			}
		case s.Type == cubin.SectionUFT && hasCallGraph:
		case IsData(s) && s.HasBytes() && s.Flags&cubin.FlagExec != 0:
			return UnsupportedType
		}
	}
	return ""
}

// ofOneHalf holds the sections that the Mercury half lacks, with their types by name. nvlink crashes if such a section
// has another type.
var ofOneHalf = map[string]cubin.SectionType{
	".note.nv.tkinfo": cubin.SectionNote, ".note.nv.cuinfo": cubin.SectionNote,
	".nv.callgraph": cubin.SectionCallGraph, ".nv.prototype": cubin.SectionPrototype,
}

// checkOneHalf checks the types of the sections in ofOneHalf, and of the tables of the Mercury half (MERC-310).
func (o *Object) checkOneHalf() error {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		want, ok := ofOneHalf[s.Name]
		if s.Flags&cubin.FlagMercury != 0 {
			want, ok = typeOfTable(s.Name)
		}
		if ok && s.Type != want {
			return o.Damaged("section header "+s.Name, int64(o.File.ShOff)+int64(s.Index)*cubin.SectionHeaderSize, "not of the type of its name", uint32(s.Type))
		}
	}
	return nil
}

// typeOfTable returns the type of a table of the Mercury half by its name.
func typeOfTable(name string) (typ cubin.SectionType, ok bool) {
	switch {
	case strings.HasPrefix(name, mercuryRelocations+"."):
		return cubin.SectionMercRela, true
	case name == mercuryInfo, strings.HasPrefix(name, mercuryInfo+"."):
		return cubin.SectionMercInfo, true
	}
	return 0, false
}

// remadeHeaders holds the type and flags of sections by the prefix of their names. If a section describes another one,
// the name of that section is about, followed by the rest of the name.
var remadeHeaders = [...]struct {
	prefix string
	typ    cubin.SectionType
	flags  cubin.SectionFlags
	about  string
}{
	{".rela.", cubin.SectionRela, cubin.FlagInfoLink, "."},
	{".rel.", cubin.SectionRel, cubin.FlagInfoLink, "."},
	{".nv.info.", cubin.SectionInfo, cubin.FlagInfoLink, cubin.CodePrefix},
	{cubin.ParameterPrefix, cubin.SectionConstant0, cubin.FlagAlloc | cubin.FlagInfoLink, cubin.CodePrefix},
}

// remakeHeaders regenerates the headers of the plain half. symbols are those of the Mercury half.
func (o *Object) remakeHeaders(symbols []cubin.Symbol) {
	named := make(map[string]uint32, len(o.File.Sections)) // the first section of each name
	for i := len(o.File.Sections) - 1; i >= 0; i-- {
		named[o.File.Sections[i].Name] = uint32(i)
	}
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Flags&cubin.FlagMercury != 0 {
			continue
		}
		if function, ok := strings.CutPrefix(s.Name, cubin.CodePrefix); ok {
			s.Info = o.remadeOwner(s, function, symbols)
		} else if k, ok := named[cubin.MercuryName(s.Name)]; ok && o.File.Sections[k].Type == cubin.SectionProgBits {
			c := &o.File.Sections[k] // as sections for debuggers are
			s.Type, s.Flags, s.Link, s.Info, s.AddrAlign, s.EntSize = c.Type, c.Flags&^cubin.FlagMercury, c.Link, c.Info, c.AddrAlign, c.EntSize
		} else {
			o.remakeHeader(s, named)
		}
	}
}

// remakeHeader sets the header of a section by its name. It is not for code and debug sections.
func (o *Object) remakeHeader(s *cubin.Section, named map[string]uint32) {
	if s.Name == ".nv.info" {
		s.Type, s.Flags, s.Info = cubin.SectionInfo, 0, 0
		return
	}
	for _, h := range remadeHeaders {
		rest, ok := strings.CutPrefix(s.Name, h.prefix)
		if !ok {
			continue
		}
		s.Type, s.Flags = h.typ, h.flags
		// An earlier -r may have joined static functions of the same name. Their sections have the same name too, and
		// only the header shows which function a section belongs to.
		if int(s.Info) >= len(o.File.Sections) || o.File.Sections[s.Info].Name != h.about+rest && o.File.Sections[s.Info].Type != cubin.SectionUFT {
			s.Info = named[h.about+rest]
		}
		return
	}
}

// remadeOwner returns the symbol that owns the code in section s, according to the symbols of the Mercury half.
func (o *Object) remadeOwner(s *cubin.Section, function string, symbols []cubin.Symbol) uint32 {
	isOwner := func(y *cubin.Symbol) bool { return y.Type == cubin.SymFunc && y.Name == function }
	if owner := s.CodeSymbol(); int(owner) < len(symbols) && isOwner(&symbols[owner]) {
		return s.Info
	}
	for i := range symbols {
		if isOwner(&symbols[i]) {
			return uint32(i)
		}
	}
	return s.Info
}
