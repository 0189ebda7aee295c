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
