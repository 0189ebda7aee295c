package object

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Prefixes of the names of tables in the Mercury half.
const (
	mercuryRelocations = cubin.MercuryPrefix + ".rela" // and the name of the section in that half, without its prefix
	mercuryInfo        = cubin.MercuryPrefix + ".nv.info"
)

// nameTables sets the types of the tables of the Mercury half, and the sections that they are about, by their names. Releases
// before 13.5 find them by name, whatever their headers say (MERC-781). A header that names a section beyond the table stays.
func (o *Object) nameTables() {
	inner := nameIndex{sections: o.File.Sections, flags: cubin.FlagMercury}
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Flags&cubin.FlagMercury == 0 || int(s.Info) >= len(o.File.Sections) {
			continue
		}
		if s.Name == mercuryInfo {
			s.Type, s.Info = cubin.SectionMercInfo, 0
		} else if about, ok := strings.CutPrefix(s.Name, mercuryInfo+"."); ok {
			s.Type = cubin.SectionMercInfo
			inner.setAbout(s, cubin.CodePrefix+about)
		} else if about, ok := strings.CutPrefix(s.Name, mercuryRelocations); ok {
			s.Type = cubin.SectionMercRela
			inner.setAbout(s, about)
		}
	}
}

// A nameIndex finds the first section of a name. A forged file may have many tables to find sections for.
type nameIndex struct {
	sections []cubin.Section
	flags    cubin.SectionFlags // that a section must have
	first    map[string]uint32  // nil until something is looked up
}

// find returns the first section of a name.
func (x *nameIndex) find(name string) (i uint32, ok bool) {
	if x.first == nil {
		x.first = make(map[string]uint32, len(x.sections))
		for i := range slices.Backward(x.sections) {
			if s := &x.sections[i]; s.Flags&x.flags == x.flags {
				x.first[s.Name] = uint32(i)
			}
		}
	}
	i, ok = x.first[name]
	return i, ok
}

// setAbout makes table s one about the section of the Mercury half with a name, which is without its prefix. It keeps the section
// that s names if that has the name: static functions may share one.
func (x *nameIndex) setAbout(s *cubin.Section, about string) {
	names := [...]string{cubin.MercuryName(about), cubin.MercuryPrefix + about}
	if c := &x.sections[s.Info]; c.Flags&x.flags == x.flags && slices.Contains(names[:], c.Name) {
		return
	}
	first, found := uint32(0), false
	for _, name := range names {
		if i, ok := x.find(name); ok && (!found || i < first) {
			first, found = i, true
		}
	}
	if found {
		s.Info = first
	}
}

// misplacedTable returns nvlink's message if a table of relocations of the Mercury half is about another section than its name says,
// or an empty string. Releases from 13.5 on look at both (MERC-781).
func (o *Object) misplacedTable() string {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		about, ok := strings.CutPrefix(s.Name, mercuryRelocations)
		if !ok || s.Type != cubin.SectionMercRela || s.Flags&cubin.FlagMercury == 0 || int(s.Info) >= len(o.File.Sections) {
			continue
		}
		if c := &o.File.Sections[s.Info]; c.Name != cubin.MercuryName(about) && c.Name != cubin.MercuryPrefix+about {
			return "unexpected reloc section"
		}
	}
	return ""
}

// checkPlainNames checks that the names of the plain relocations are those of relocations of some section. Up to 13.4 nvlink crashes
// on other names, or refuses them (MERC-314).
func (o *Object) checkPlainNames() error {
	sections := nameIndex{sections: o.File.Sections}
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Type != cubin.SectionRela || s.Flags&cubin.FlagMercury != 0 || int(s.Info) >= len(o.File.Sections) {
			continue
		}
		t := &o.File.Sections[s.Info]
		about, isTable := strings.CutPrefix(s.Name, ".rela")
		if t.Flags&cubin.FlagMercury != 0 || about == t.Name {
			continue
		}
		if _, ok := sections.find(about); !isTable || !ok {
			return o.wrongHeader(s, "not the name of relocations of "+t.Name, s.NameOffset)
		}
	}
	return nil
}
