package sound

import (
	"strconv"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// An output is the linked file, with its tables in a form that is easy to look up.
type output struct {
	file        *cubin.File
	symbols     []cubin.Symbol
	inner       []cubin.Symbol // symbols of the Mercury half
	copies      []uint32       // copies in the Mercury half, by section
	data        [][]byte
	byName      map[string]uint32      // first section of a name
	bound       map[uint32][]uint32    // sections by the section number in their sh_info
	relocations map[uint32][]*leftOver // relocations by the section that they patch
	leftAt      map[spot][]*leftOver
	resolved    map[uint32][]*leftOver // notes of --preserve-relocs
	infos       map[uint32][]nvinfo.Record
}

// A spot is an offset in a section of the output.
type spot struct {
	section uint32
	offset  uint64
}

// A leftOver is a relocation of the output that is left to the driver or to a later link.
type leftOver struct {
	cubin.Relocation
	rela    bool
	claimed bool // an input demands it
}

// openOutput reads the output. It returns nil and adds a finding if the output is not a cubin.
func (c *checker) openOutput(data []byte) *output {
	fail := func(err error) *output {
		c.report("file", "a readable cubin", "%v", err)
		return nil
	}
	file, err := cubin.OpenBounded("output", data)
	if err != nil {
		return fail(err)
	}
	if len(file.Sections) == 0 {
		c.report("file", "sections", "none")
		return nil
	}
	o := &output{
		file: file, byName: map[string]uint32{}, bound: map[uint32][]uint32{},
		relocations: map[uint32][]*leftOver{}, leftAt: map[spot][]*leftOver{}, resolved: map[uint32][]*leftOver{}, infos: map[uint32][]nvinfo.Record{},
	}
	if o.symbols, err = file.Symbols(); err != nil {
		return fail(err)
	}
	findMistaken(file, o.symbols)
	for i := range file.Sections {
		s := &file.Sections[i]
		bytes, err := file.Data(uint32(i))
		if err != nil {
			return fail(err)
		}
		o.data = append(o.data, bytes)
		if _, ok := o.byName[s.Name]; !ok {
			o.byName[s.Name] = uint32(i)
		}
		if binds(s) {
			o.bound[s.Info] = append(o.bound[s.Info], uint32(i))
		}
		switch s.Type {
		case cubin.SectionInfo, cubin.SectionMercInfo:
			if o.infos[uint32(i)], err = nvinfo.Decode(bytes); err != nil {
				return fail(err)
			}
		case cubin.SectionMercSymTab:
			if o.inner, err = file.SymbolsOf(uint32(i)); err != nil {
				return fail(err)
			}
		case cubin.SectionRel, cubin.SectionRela, cubin.SectionResolvedRela, cubin.SectionMercRela, cubin.SectionMercResolved:
			list, err := file.Relocations(uint32(i))
			if err != nil {
				return fail(err)
			}
			for _, r := range list {
				l := &leftOver{Relocation: r, rela: s.Type != cubin.SectionRel}
				if s.Type == cubin.SectionResolvedRela || s.Type == cubin.SectionMercResolved {
					o.resolved[s.Info] = append(o.resolved[s.Info], l)
					continue
				}
				o.relocations[s.Info] = append(o.relocations[s.Info], l)
				o.leftAt[spot{s.Info, r.Offset}] = append(o.leftAt[spot{s.Info, r.Offset}], l)
			}
		}
	}
	o.copies = copies(file, o.data)
	findMistakenCopies(o.inner, o.symbols, o.copies)
	for i := range o.symbols {
		if y := &o.symbols[i]; y.Defined() && int(y.Section) >= len(file.Sections) {
			c.report("symbol."+y.Name, "a section", "section %d of %d", y.Section, len(file.Sections))
			return nil
		}
	}
	return o
}

// boundTo returns the section that belongs to the code in section text and whose name has a prefix, or 0 if there is
// none.
func (o *output) boundTo(text uint32, prefix string) uint32 {
	for _, i := range o.bound[text] {
		if strings.HasPrefix(o.file.Sections[i].Name, prefix) {
			return i
		}
	}
	return 0
}

// constantBank returns the number of a constant bank from the section's name, or -1 for other sections.
func constantBank(name string) int {
	rest, ok := strings.CutPrefix(name, ".nv.constant")
	if !ok {
		return -1
	}
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return n
}

// span returns size bytes of a section from an offset on, or nil if the section does not have them.
func (o *output) span(section uint32, from, size uint64) []byte {
	s := &o.file.Sections[section]
	if from > s.Size || size > s.Size-from || !s.HasBytes() {
		return nil
	}
	return o.data[section][from : from+size]
}
