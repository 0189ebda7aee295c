package sound

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// This file checks the part of a file that does not depend on the program: the identification bytes, the tables and
// their positions, and the null entries of the tables.

// Offsets in the identification.
const (
	identVersion = 6
	identUnused  = 9
	identEnd     = 16
)

// checkForm checks the form of the output.
func (c *checker) checkForm() {
	data, h := c.out.file.Bytes(), &c.out.file.Header
	c.expect("header.ident.version", 1, uint64(data[identVersion]))
	if !zero(data[identUnused:identEnd]) {
		c.report("header.ident.unused", "zeros", "%x", data[identUnused:identEnd])
	}
	if h.PhNum == 0 {
		c.expect("header.segments.offset", 0, h.PhOff)
		if h.PhEntSize != 0 {
			c.expect("header.segments", cubin.SegmentHeaderSize, uint64(h.PhEntSize))
		}
	}
	c.checkNulls()
	c.checkSingles()
	c.checkSpans()
	c.checkEntries()
}

// checkNulls checks the first section header and the first symbols. nvlink may leave a value in the first symbol
// (KIT-090). In a file of more than 65,279 sections, the first section header has the number of sections.
func (c *checker) checkNulls() {
	first := c.out.file.Sections[0]
	if first.Offset|first.Addr|first.AddrAlign|first.EntSize != 0 || first.Type != 0 || first.Flags != 0 || first.Info != 0 || first.Name != "" ||
		c.out.file.ShNum != 0 && (first.Size != 0 || first.Link != 0) {
		c.report("section", "nothing in the first header", "%+v", first)
	}
	for _, symbols := range [][]cubin.Symbol{c.out.symbols, c.out.inner} {
		if len(symbols) == 0 {
			continue
		}
		y := symbols[0]
		if y.Name != "" || y.Type != 0 || y.Bind != 0 || y.Other != 0 || y.Size != 0 || int(y.Section) >= len(c.out.file.Sections) {
			c.report("symbol", "nothing in the first symbol but a place", "%+v", y)
		}
	}
}

// A single is a section that a file contains at most once.
type single struct {
	name       string
	typ        cubin.SectionType
	isRequired bool
}

var singles = []single{
	{".shstrtab", cubin.SectionStrTab, true},
	{".strtab", cubin.SectionStrTab, true},
	{".symtab", cubin.SectionSymTab, true},
	{".nv.callgraph", cubin.SectionCallGraph, true},
	{".nv.prototype", cubin.SectionPrototype, false},
	{".nv.rel.action", cubin.SectionRelAction, false},
	{".nv.compat", cubin.SectionCompat, false},
	{".nv.merc.symtab", cubin.SectionMercSymTab, false},
	{".nv.info", cubin.SectionInfo, false},
}

// checkSingles checks the names and types of the sections that a file contains at most once. No other section may have
// one of these types, except the attributes of a function.
func (c *checker) checkSingles() {
	counts := map[string]int{}
	for i := range c.out.file.Sections {
		s := &c.out.file.Sections[i]
		counts[s.Name]++
		named := slices.IndexFunc(singles, func(k single) bool { return k.name == s.Name })
		typed := slices.IndexFunc(singles, func(k single) bool { return k.typ == s.Type })
		switch {
		case named >= 0:
			c.expect("section"+s.Name+".type", uint64(singles[named].typ), uint64(s.Type))
		case typed >= 0 && !(s.Type == cubin.SectionInfo && binds(s)):
			c.report("section"+s.Name+".type", "that of another section than "+singles[typed].name, "%#x", uint32(s.Type))
		}
	}
	for _, k := range singles {
		n := counts[k.name]
		if c.link.Target.Profile.Merge.OmitsCallGraph && (k.typ == cubin.SectionCallGraph || k.typ == cubin.SectionPrototype) { // KIT-213
			c.expect("section"+k.name, 0, uint64(n))
			continue
		}
		if n > 1 || n == 0 && k.isRequired {
			c.report("section"+k.name, "one", "%d", n)
		}
	}
}

// A span is a part of the file.
type span struct {
	name     string
	from, to uint64
	inner    bool // section of the Mercury half, which may have the offset of the section that it copies
}

// checkSpans checks that the tables and the sections are inside the file and do not overlap.
func (c *checker) checkSpans() {
	f := c.out.file
	spans := []span{
		{"header", 0, cubin.HeaderSize, false},
		{"section headers", f.ShOff, f.ShOff + uint64(len(f.Sections))*cubin.SectionHeaderSize, false},
	}
	if f.PhNum > 0 {
		spans = append(spans, span{"program headers", f.PhOff, f.PhOff + uint64(f.PhNum)*cubin.SegmentHeaderSize, false})
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.EntSize > 1 && s.Type != cubin.SectionProgBits && !isStubCapsule(s) && s.HasBytes() && s.Size%s.EntSize != 0 {
			c.report("section"+s.Name+".size", fmt.Sprintf("entries of %#x", s.EntSize), "%#x", s.Size)
		}
		hasRoom := s.Type != cubin.SectionSharedReserved || c.link.Target.Profile.Emit.FillsReserved // KIT-057
		if s.HasBytes() && s.Size > 0 && hasRoom {
			spans = append(spans, span{s.Name, s.Offset, s.Offset + s.Size, s.Flags&cubin.FlagMercury != 0})
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(spans); i++ {
		a, b := spans[i-1], spans[i]
		if b.from < a.to && !(a.inner != b.inner && a.from == b.from && a.to == b.to) {
			c.report("file."+b.name, fmt.Sprintf("a place after %s, from %#x on", a.name, a.to), "%#x", b.from)
		}
	}
}

// checkEntries checks that each relocation has a known type, a symbol, and a place inside its section. Offsets in a
// capsule refer to its unpacked code.
func (c *checker) checkEntries() {
	for section, list := range c.out.relocations {
		if int(section) >= len(c.out.file.Sections) {
			continue
		}
		s := &c.out.file.Sections[section]
		for _, l := range list {
			t := lookup(l.Type, s.Flags)
			switch {
			case t == nil:
				c.report("relocation"+s.Name, "a type that there is", "%#x at %#x", l.Type, l.Offset)
			case int(l.Symbol) >= len(c.out.symbols):
				c.report("relocation"+s.Name, "a symbol", "%d at %#x", l.Symbol, l.Offset)
			case s.Type != cubin.SectionCapMerc && (l.Offset > s.Size || reach(t) > s.Size-l.Offset):
				c.report("relocation"+s.Name, fmt.Sprintf("a place inside of %#x bytes", s.Size), "%#x", l.Offset)
			}
		}
	}
}
