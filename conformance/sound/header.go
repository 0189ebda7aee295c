package sound

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Some fields have the same values in every file that nvlink writes: the header of a section follows from the section's
// kind, and the header of a segment from its contents. The table here was made from 1,945 outputs of nvlink. It is
// independent of the linker's own table, so that an error in that one is noticed.

// A headline holds the header fields of a kind of section.
type headline struct {
	flags   uint64 // but SHF_INFO_LINK, which goes with the info
	entries uint64
	align   uint64 // 0: by contents
	link    linked
}

// linked tells which section sh_link must contain.
type linked uint8

const (
	toNothing linked = iota
	toSymbols
	toInnerSymbols
	toStrings
	toToolNote
)

const inMercury = cubin.FlagMercury

// headlines holds the header fields by section type, for types whose headers are the same in every file.
var headlines = map[cubin.SectionType]headline{
	cubin.SectionNull:          {},
	cubin.SectionSymTab:        {0, cubin.SymbolSize, 8, toStrings},
	cubin.SectionStrTab:        {0, 0, 1, toNothing},
	cubin.SectionRel:           {0, cubin.RelSize, 8, toSymbols},
	cubin.SectionRela:          {0, cubin.RelaSize, 8, toSymbols},
	cubin.SectionResolvedRela:  {0, cubin.RelaSize, 8, toSymbols},
	cubin.SectionInfo:          {0, 0, 4, toSymbols},
	cubin.SectionCallGraph:     {0, 8, 4, toSymbols},
	cubin.SectionPrototype:     {0, 8, 4, toSymbols},
	cubin.SectionRelAction:     {0, 8, 8, toNothing},
	cubin.SectionCompat:        {0, 0, 4, toNothing},
	cubin.SectionCapMerc:       {inMercury, 0, 16, toInnerSymbols},
	cubin.SectionMercBank:      {inMercury | cubin.FlagAlloc, 0, 4, toNothing},
	cubin.SectionMercUser:      {inMercury | cubin.FlagAlloc, 0, 0, toNothing},
	cubin.SectionMercOptimizer: {inMercury | cubin.FlagAlloc, 0, 4, toNothing},
	cubin.SectionMercRela:      {inMercury, cubin.RelaSize, 8, toInnerSymbols},
	cubin.SectionMercResolved:  {inMercury, cubin.RelaSize, 8, toInnerSymbols},
	cubin.SectionMercInfo:      {inMercury, 0, 4, toInnerSymbols},
	cubin.SectionMercSymTab:    {inMercury, cubin.SymbolSize, 8, toStrings},
}

// namedHeadlines holds the header fields of sections whose name, not type, determines their kind.
var namedHeadlines = []struct {
	prefix string
	headline
}{
	{".text.", headline{cubin.FlagAlloc | cubin.FlagExec, 0, 0, toSymbols}},
	{".debug_", headline{0, 0, 1, toNothing}},
	{".nv_debug_line_sass", headline{0, 0, 1, toNothing}},
	{".nv_debug_ptx_txt", headline{0, 0, 1, toNothing}},
	{".nv_debug_info_reg_", headline{0, 0, 1, toNothing}},
	{".nv.merc.debug_", headline{inMercury, 0, 1, toNothing}},
	{".nv.merc.nv_debug_", headline{inMercury, 0, 1, toNothing}},
	{".nv.constant", headline{cubin.FlagAlloc, 0, 0, toNothing}},
	{".nv.shared.", headline{cubin.FlagAlloc | cubin.FlagWrite, 0, 0, toNothing}},
	{".nv.global", headline{cubin.FlagAlloc | cubin.FlagWrite, anyEntries, 0, toNothing}},
	{".nv_debug.shared", headline{cubin.FlagAlloc | cubin.FlagWrite, 0, 0, toNothing}},
	{".nv.merc.nv.global", headline{inMercury | cubin.FlagAlloc | cubin.FlagWrite, anyEntries, 0, toNothing}},
	{".nv.merc.nv.shared", headline{inMercury | cubin.FlagAlloc | cubin.FlagWrite, 0, 0, toNothing}},
	{".note.nv.tkinfo", headline{0x2000000, 0, 4, toNothing}},
	{".note.nv.cuinfo", headline{0x1000000, 0, 4, toToolNote}},
}

// anyEntries is the entry size of variables: a compiler may have chosen any.
const anyEntries = ^uint64(0)

// typesByName maps prefixes of section names to section types. In an executable, a section with another name may have
// one of several types.
var typesByName = []struct {
	prefix string
	typ    cubin.SectionType
}{
	{".rela.", cubin.SectionRela}, {".rel.", cubin.SectionRel}, {".nv.rel.action", cubin.SectionRelAction}, {".nv.resolvedrela", cubin.SectionResolvedRela},
	{".note.", cubin.SectionNote}, {".nv.merc.rela", cubin.SectionMercRela}, {".nv.merc.nv.resolvedrela", cubin.SectionMercResolved},
	{slotTable, cubin.SectionMercBank}, {".text.", cubin.SectionProgBits}, {".debug_", cubin.SectionProgBits},
}

// headlineOf returns the header fields that a section must have. ok is false if they depend on the inputs.
func headlineOf(s *cubin.Section) (want headline, ok bool) {
	if isStubCapsule(s) {
		return headline{inMercury, anyEntries, 16, toInnerSymbols}, true
	}
	if want, ok = headlines[s.Type]; ok {
		return want, true
	}
	for _, n := range namedHeadlines {
		if strings.HasPrefix(s.Name, n.prefix) {
			return n.headline, true
		}
	}
	return want, false
}

// checkHeadlines compares the header of each section with that of its kind.
func (c *checker) checkHeadlines() {
	for i := range c.out.file.Sections {
		s := &c.out.file.Sections[i]
		key := "section" + s.Name
		for _, n := range typesByName {
			if strings.HasPrefix(s.Name, n.prefix) {
				c.expect(key+".type", uint64(n.typ), uint64(s.Type))
			}
		}
		c.checkInfoLink(key, s)
		want, ok := headlineOf(s)
		if !ok {
			continue
		}
		got := s.Flags &^ cubin.FlagInfoLink
		if got&cubin.FlagExec != 0 {
			got &^= cubin.FlagBarriers // old objects have them here
		}
		c.expect(key+".flags", want.flags, uint64(got))
		if want.entries != anyEntries {
			c.expect(key+".entries", want.entries, s.EntSize)
		}
		if want.align != 0 {
			c.expect(key+".alignment", want.align, s.AddrAlign)
		}
		c.checkLink(key, s, want.link)
		c.checkInfo(key, s)
	}
}

// checkInfoLink checks that the flags of a section tell whether its sh_info contains a section number. It makes
// exceptions for releases that never set this flag (KIT-071), and for parameters and their relocations (KIT-085).
func (c *checker) checkInfoLink(key string, s *cubin.Section) {
	kit := c.link.Target.Profile
	forced := !kit.Emit.LinksForcedRela && constantBank(strings.TrimPrefix(s.Name, ".rela")) == 0
	if !kit.Emit.LinksInfo || forced || constantBank(strings.TrimPrefix(s.Name, ".rel")) == 0 {
		return
	}
	if names := binds(s); names != (s.Flags&cubin.FlagInfoLink != 0) {
		c.report(key+".flags", fmt.Sprintf("one that says that its info names a section: %v", names), "%#x", uint64(s.Flags))
	}
}

// checkLink checks the section number in sh_link.
func (c *checker) checkLink(key string, s *cubin.Section, want linked) {
	if want == toToolNote && !c.link.Target.Profile.Info.Notes { // a copied note of an input
		if c.isLinkOfInput(s) {
			return
		}
		want = toNothing
	}
	if want == toNothing {
		c.expect(key+".link", 0, uint64(s.Link))
		return
	}
	if number := c.link.Target.Profile.Emit.SymtabLink; number > 0 && want == toSymbols { // KIT-181
		c.expect(key+".link", uint64(number), uint64(s.Link))
		return
	}
	fits := map[linked]func(*cubin.Section) bool{
		toSymbols:      func(t *cubin.Section) bool { return t.Type == cubin.SectionSymTab },
		toInnerSymbols: func(t *cubin.Section) bool { return t.Type == cubin.SectionMercSymTab },
		toStrings:      func(t *cubin.Section) bool { return t.Name == ".strtab" },
		toToolNote:     func(t *cubin.Section) bool { return t.Name == ".note.nv.tkinfo" },
	}[want]
	if int(s.Link) >= len(c.out.file.Sections) || !fits(&c.out.file.Sections[s.Link]) {
		c.report(key+".link", [...]string{"", "the symbol table", "the symbol table of the Mercury half", ".strtab", "the tool note"}[want], "section %d", s.Link)
	}
}

// isLinkOfInput reports whether the section of the same name in an input has the sh_link of s. Releases that copy notes keep it,
// although the sections of the output have other numbers (KIT-129).
func (c *checker) isLinkOfInput(s *cubin.Section) bool {
	return slices.ContainsFunc(c.program.objects, func(o *object) bool {
		t := o.file.Section(s.Name)
		return t != nil && t.Link == s.Link
	})
}

// checkInfo checks sh_info. For code, checkFunction and checkCapsule check it.
func (c *checker) checkInfo(key string, s *cubin.Section) {
	switch {
	case s.Type == cubin.SectionSymTab || s.Type == cubin.SectionMercSymTab:
		c.checkSymbolCount(key, s)
	case s.Flags&cubin.FlagExec != 0 || s.Type == cubin.SectionCapMerc:
	case s.Type == cubin.SectionRel && s.Flags&cubin.FlagInfoLink == 0: // relocations of a parameter bank
	case !binds(s):
		c.expect(key+".info", 0, uint64(s.Info))
	case int(s.Info) >= len(c.out.file.Sections) || s.Info == 0:
		c.report(key+".info", "a section", "%d", s.Info)
	default:
		c.checkPartner(key, s, &c.out.file.Sections[s.Info])
	}
}

// relocationNames lists the prefixes of the names of relocation sections.
var relocationNames = []string{".rela", ".rel", ".nv.resolvedrela", ".nv.merc.rela", ".nv.merc.nv.resolvedrela"}

// checkPartner checks the section whose number is in sh_info of s. The name of s must contain the name of that section.
func (c *checker) checkPartner(key string, s, about *cubin.Section) {
	name := strings.TrimPrefix(strings.TrimPrefix(about.Name, ".nv.capmerc"), ".nv.merc")
	switch {
	case s.Type == cubin.SectionNote:
		if about.Type != cubin.SectionCompat {
			c.report(key+".info", ".nv.compat", "%s", about.Name)
		}
	case s.Type == cubin.SectionRel || s.Type == cubin.SectionRela || s.Type == cubin.SectionResolvedRela || s.Type == cubin.SectionMercRela || s.Type == cubin.SectionMercResolved:
		for _, prefix := range relocationNames {
			if s.Name == prefix+name {
				return
			}
		}
		c.report(key+".info", "the section that it is named after", "%s", about.Name)
	default:
		function := strings.TrimPrefix(name, ".text")
		if unified, ok := strings.CutPrefix(name, stubPrefix); ok {
			function = ".__cuda_uf_stub_" + unified
		}
		if function == name || !strings.HasSuffix(s.Name, function) {
			c.report(key+".info", "the code that it is named after", "%s", about.Name)
		}
	}
}

// checkSymbolCount checks sh_info of a symbol table: the number of the first symbol after the last local one. With -r,
// nvlink may also count symbols that it has removed.
func (c *checker) checkSymbolCount(key string, s *cubin.Section) {
	symbols := c.out.symbols
	if s.Type == cubin.SectionMercSymTab {
		symbols = c.out.inner
	}
	locals, banksCount := uint64(1), !c.mercury || c.link.Target.Profile.Emit.CountsBanks // KIT-166
	for i := range symbols {
		isBank := symbols[i].Type == cubin.SymSection && constantBank(symbols[i].Name) == 0
		if symbols[i].Bind == cubin.BindLocal && (banksCount || !isBank || locals == uint64(i)) {
			locals = uint64(i) + 1
		}
	}
	if c.link.Target.Profile.Emit.OmitsNull { // KIT-214
		locals--
	}
	if c.link.Target.Profile.Layout.DemotedIsLocal { // shared variables may be local symbols after the others (KIT-025)
		if got := uint64(s.Info); got > locals {
			c.report(key+".info", fmt.Sprintf("%d at most", locals), "%d", got)
		}
		return
	}
	if c.link.Relocatable {
		if got := uint64(s.Info); got < locals || got > uint64(len(symbols)) {
			c.report(key+".info", fmt.Sprintf("%d to %d", locals, len(symbols)), "%d", got)
		}
		return
	}
	c.expect(key+".info", locals, uint64(s.Info))
}

// segmentAlignment is the alignment of every segment.
const segmentAlignment = 8

// checkSegmentHeader checks that a segment has only the permissions that one of its sections needs. The program header
// table and the segment that contains it may be read. If the file has no Mercury half, they may also be executed.
func (c *checker) checkSegmentHeader(number int, g *cubin.Segment) {
	key := fmt.Sprintf("segment.%d", number)
	c.expect(key+".alignment", segmentAlignment, g.Align)
	if g.Type != cubin.SegmentPHdr && g.Type != cubin.SegmentLoad {
		c.report(key+".type", "a segment that is loaded", "type %#x", uint32(g.Type))
	}
	ofTable := uint32(cubin.SegmentRead | cubin.SegmentExec)
	if c.mercury {
		ofTable = cubin.SegmentRead
	}
	if g.Type == cubin.SegmentPHdr || g.Offset == c.out.file.PhOff {
		c.expect(key+".flags", uint64(ofTable), uint64(g.Flags))
		return
	}
	if g.MemSize == 0 && c.link.Target.Profile.Emit.EarlySegments { // KIT-214
		return
	}
	allowed := uint32(cubin.SegmentRead)
	for i := range c.out.file.Sections {
		s := &c.out.file.Sections[i]
		if s.Flags&cubin.FlagAlloc == 0 || s.Flags&cubin.FlagMercury != 0 || s.Offset < g.Offset || s.Offset-g.Offset > g.FileSize {
			continue
		}
		inside := s.Size == 0
		switch {
		case s.HasBytes():
			inside = inside || s.Offset-g.Offset < g.FileSize
		default: // the section takes memory after the bytes of the segment
			inside = inside || g.MemSize > g.FileSize
		}
		if inside && s.Flags&cubin.FlagWrite != 0 {
			allowed |= cubin.SegmentWrite
		}
		if inside && (s.Flags&cubin.FlagExec != 0 || constantBank(s.Name) >= 0 && !c.link.Target.Mercury() && !c.hasCode()) {
			allowed |= cubin.SegmentExec
		}
	}
	if g.Flags&^allowed != 0 || g.Flags&cubin.SegmentWrite != 0 && g.Flags&cubin.SegmentExec != 0 {
		c.report(key+".flags", fmt.Sprintf("at most %#x, and not both written and executed", allowed), "%#x", g.Flags)
	}
}

// hasCode reports whether the output has machine code. If it has none, nvlink gives the segment of constants the same
// permission to execute as it gives code.
func (c *checker) hasCode() bool {
	return slices.ContainsFunc(c.out.file.Sections, func(s cubin.Section) bool { return s.Flags&cubin.FlagExec != 0 })
}

// checkTables checks the symbols of sections, and the symbols that no entity of the program requires.
func (c *checker) checkTables() {
	seen := map[uint32]bool{}
	for i := range c.out.symbols {
		y := &c.out.symbols[i]
		if y.Type != cubin.SymSection || int(y.Section) >= len(c.out.file.Sections) {
			continue
		}
		name := c.out.file.Sections[y.Section].Name
		key := "symbol" + name
		named := y.Name == name || c.link.Target.Profile.Emit.FreshTables && y.Name == cubin.NameInMercury(name) // KIT-039
		if !named || seen[y.Section] {
			c.report(key, "one symbol of its name", "%q", y.Name)
		}
		seen[y.Section] = true
		c.expect(key+".size", 0, y.Size)
		c.expect(key+".other", 0, uint64(y.Other))
	}
	c.checkStrangers(c.out.symbols, false)
	if c.mercury {
		c.checkInnerTables()
		c.checkStrangers(c.out.inner, true)
	}
}

// checkInnerTables checks the symbols of the Mercury half that no input requires. They must have the names of the
// symbols of the plain half.
func (c *checker) checkInnerTables() {
	for i := range c.out.inner {
		y := &c.out.inner[i]
		if i >= len(c.out.symbols) {
			break
		}
		plain := &c.out.symbols[i]
		key := "mercury.symbol." + plain.Name
		c.expect(key+".binding", uint64(plain.Bind), uint64(y.Bind))
		if y.Type != cubin.SymSection {
			if y.Name != plain.Name {
				c.report(key, plain.Name, "%s", y.Name)
			}
			c.checkInnerPlace(key, plain, y)
			continue
		}
		c.expect(key+".value", 0, y.Value)
		c.expect(key+".size", 0, y.Size)
		c.expect(key+".other", 0, uint64(y.Other))
		if int(y.Section) >= len(c.out.file.Sections) || int(plain.Section) >= len(c.out.file.Sections) {
			c.report(key+".section", "a section", "%d", y.Section)
			continue
		}
		about, given := &c.out.file.Sections[y.Section], c.out.file.Sections[plain.Section].Name
		switch name := about.Name; {
		case about.Flags&cubin.FlagMercury == 0 && y.Section != plain.Section,
			about.Flags&cubin.FlagMercury != 0 && name != mercuryName(given) && name != slotTable+strings.TrimPrefix(given, ".nv.constant0."),
			y.Name != strings.TrimPrefix(strings.TrimPrefix(name, ".nv.capmerc"), ".nv.merc"):
			c.report(key+".section", "the copy of "+given, "%s, section %s", y.Name, name)
		}
	}
}

// checkInnerPlace checks that a symbol is defined in both halves or in neither. In the Mercury half it must be in the
// copy of the plain symbol's section, if there is a copy.
func (c *checker) checkInnerPlace(key string, plain, y *cubin.Symbol) {
	if plain.Defined() != y.Defined() {
		c.report(key+".section", defined(plain.Defined()), "%s", defined(y.Defined()))
		return
	}
	want := uint64(plain.Section)
	if section := c.out.copyOf(plain.Section); section != 0 {
		want = uint64(section)
	}
	c.expect(key+".section", want, uint64(y.Section))
}
