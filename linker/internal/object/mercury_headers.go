package object

import (
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
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Flags&cubin.FlagMercury == 0 || int(s.Info) >= len(o.File.Sections) {
			continue
		}
		if s.Name == mercuryInfo {
			s.Type, s.Info = cubin.SectionMercInfo, 0
		} else if about, ok := strings.CutPrefix(s.Name, mercuryInfo+"."); ok {
			s.Type = cubin.SectionMercInfo
			o.setAbout(s, cubin.CodePrefix+about)
		} else if about, ok := strings.CutPrefix(s.Name, mercuryRelocations); ok {
			s.Type = cubin.SectionMercRela
			o.setAbout(s, about)
		}
	}
}

// setAbout makes table s one about the section of the Mercury half with a name, which is without its prefix. It keeps the section
// that s names if that has the name: static functions may share one.
func (o *Object) setAbout(s *cubin.Section, about string) {
	isIt := func(i int) bool {
		c := &o.File.Sections[i]
		return c.Flags&cubin.FlagMercury != 0 && (c.Name == cubin.MercuryName(about) || c.Name == cubin.MercuryPrefix+about)
	}
	if isIt(int(s.Info)) {
		return
	}
	for i := range o.File.Sections {
		if isIt(i) {
			s.Info = uint32(i)
			return
		}
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
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Type != cubin.SectionRela || s.Flags&cubin.FlagMercury != 0 || int(s.Info) >= len(o.File.Sections) {
			continue
		}
		t := &o.File.Sections[s.Info]
		about, isTable := strings.CutPrefix(s.Name, ".rela")
		if t.Flags&cubin.FlagMercury == 0 && about != t.Name && (!isTable || o.File.Section(about) == nil) {
			return o.wrongHeader(s, "not the name of relocations of "+t.Name, s.NameOffset)
		}
	}
	return nil
}
