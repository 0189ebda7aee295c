package sound

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// Code and data must be those of the inputs, with a new value in every field that the linker resolves. The output must
// have exactly the relocations that the inputs leave to the driver.

// checkContents compares each piece of the inputs with its places in the output.
func (c *checker) checkContents() {
	covered := map[uint32][]place{}
	c.settled = map[spot][]settled{}
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			if p.lost || !c.isContent(p) || c.mercury && p.section.Name == frameSection {
				continue
			}
			places := c.places(p)
			if p.isCapsule() {
				c.checkCapsule(p, places)
			} else {
				c.checkPiece(p, places)
			}
			for _, q := range places {
				covered[q.section] = append(covered[q.section], q)
			}
		}
	}
	if c.mercury {
		c.checkFrames()
	}
	c.checkHandles()
	c.checkLeftOvers(covered)
}

// isContent reports whether a section of an input contains parts of the program.
func (c *checker) isContent(p *piece) bool {
	s := p.section
	switch {
	case p.plain != nil:
		return c.mercury && c.isContent(p.plain)
	case s.Flags&cubin.FlagMercury != 0:
		return false
	}
	return s.Flags&cubin.FlagAlloc != 0 && s.Type != cubin.SectionShared && s.Type != cubin.SectionSharedReserved || isDebug(s)
}

// isDebugCopy reports whether name is the copy of .debug_info in the Mercury half. In some releases this copy is
// .debug_info itself (KIT-039).
func (c *checker) isDebugCopy(name string) bool {
	return c.link.Target.Profile.Emit.FreshTables && name == cubin.MercuryName(cubin.DebugInfoName)
}

// checkPiece relocates p and compares the result with the output.
func (c *checker) checkPiece(p *piece, places []place) {
	if p.plain != nil && c.isDebugCopy(p.section.Name) {
		return
	}
	if isDebug(p.section) && len(places) == 0 && p.section.Size > 0 {
		c.report("section"+p.section.Name, "a section", "none")
		return
	}
	if p.owner != nil && p.owner.out != nil && p.owner.isKernel() && len(places) == 0 && p.section.Size > 0 {
		if bank, ok := p.section.ConstantBank(); ok && bank == 0 {
			c.report("section"+p.section.Name, "a section", "none")
		}
	}
	want := bytes.Clone(p.data)
	for _, r := range p.relocations {
		var here []place
		for _, q := range places {
			if q.from <= r.Offset && r.Offset < q.to {
				here = append(here, q)
			}
		}
		if len(here) > 0 {
			c.checkFixup(p, r, want, here)
		}
	}
	for _, q := range places {
		c.compare(p, q, want)
	}
}

// compare compares want, the relocated bytes of p, with the output at one place.
func (c *checker) compare(p *piece, q place, want []byte) {
	if c.isOtherCopy(p, q) {
		return
	}
	s := &c.out.file.Sections[q.section]
	key := q.name
	if q.to < q.from || s.Size < q.base+q.from || s.Size-(q.base+q.from) < q.to-q.from {
		c.report(key, fmt.Sprintf("%#x bytes inside of %s", q.to-q.from, s.Name), "at %#x of %#x", q.base+q.from, s.Size)
		return
	}
	if q.section == 0 {
		c.report(key, "a section", "none")
		return
	}
	if from, to := memoryOf(p.section), memoryOf(s); from != to {
		c.report(key, from, "in %s", s.Name)
		return
	}
	if p.data == nil && !s.HasBytes() {
		return
	}
	if !s.HasBytes() || p.data != nil && q.to > uint64(len(want)) {
		c.report(key, "contents", "none in %s", s.Name)
		return
	}
	got := c.out.data[q.section][q.base+q.from : q.base+q.to]
	wanted := make([]byte, len(got)) // zeros if the input has no contents
	if p.data != nil {
		wanted = want[q.from:q.to]
	}
	switch {
	case bytes.Equal(wanted, got):
		c.checkRenewed(key, s, p, got)
		return
	case p.sameButSchedule(wanted, got):
		c.checkSchedule(key, s, wanted, got)
		c.checkRenewed(key, s, p, got)
		return
	}
	i := 0
	for wanted[i] == got[i] {
		i++
	}
	end := min(i+8, len(got))
	at := uint64(i) + q.from
	c.report(key, c.fieldAt(p, at)+fmt.Sprintf("%x at +%#x", wanted[i:end], at), "%x", got[i:end])
}

// fieldAt describes the relocation whose field contains a given byte of p: its type and symbol. It returns "" if there
// is none.
func (c *checker) fieldAt(p *piece, at uint64) string {
	size := uint64(8)
	if p.section.Flags&cubin.FlagExec != 0 {
		size = 16 // an instruction
	}
	for _, r := range p.relocations {
		if t := p.lookup(r); t != nil && r.Offset <= at && at < r.Offset+size {
			_, to := c.targetOf(p, r)
			return fmt.Sprintf("%s against %s at +%#x: ", t, to.name, r.Offset)
		}
	}
	return ""
}

// memoryOf names the memory that a section belongs to.
func memoryOf(s *cubin.Section) string {
	switch bank := constantBank(s.Name); {
	case s.Flags&cubin.FlagMercury != 0:
		return fmt.Sprintf("Mercury section of type %#x", uint32(s.Type))
	case bank >= 0:
		return fmt.Sprintf("constant bank %d", bank)
	case strings.HasPrefix(s.Name, ".nv.global"):
		return "global memory"
	case s.Flags&cubin.FlagExec != 0:
		return "code"
	}
	return s.Name
}

// checkFixup applies r to want, the bytes of p, if the link resolves r. Otherwise it looks for r among the
// relocations that the output keeps, at each of the places.
func (c *checker) checkFixup(p *piece, r fixup, want []byte, places []place) {
	t := p.lookup(r)
	target, at := c.targetOf(p, r)
	disposition := c.disposition(p, r, t, target, places)
	for _, q := range places {
		at := spot{q.section, q.base + r.Offset}
		c.settled[at] = append(c.settled[at], settled{c.numberOf(r, t), p, r, disposition == reloc.Resolve && target != reloc.DynamicShared && target != reloc.Handle})
	}
	if p.forgives(r) && disposition == reloc.Resolve {
		c.adopt(t, r, want, places[0])
		return
	}
	if target == reloc.Handle && disposition == reloc.Keep && r.rela && c.link.Relocatable {
		c.adoptField(p, r, t, want, places[0])
	}
	switch disposition {
	case reloc.Drop:
		if target == reloc.DeadFunction && p.owner != nil && p.owner.callable {
			c.report("code."+p.owner.name, "function "+at.name, "none in the output")
		}
	case reloc.Keep, reloc.KeepNone:
		for _, q := range places {
			c.claim(p, r, t, disposition, at, q)
		}
	case reloc.Resolve, reloc.ResolveNull:
		v := reloc.Value{Addend: r.Addend, HasAddend: r.rela, Bank: reloc.Bank(0)}
		if e := p.object.entities[r.Symbol]; e != nil && e.piece() != nil {
			v.Bank = reloc.Bank(uint32(e.piece().section.Type))
		}
		if disposition == reloc.Resolve {
			if at.slot != nil && !at.slot.known {
				c.report("address."+at.name, "an operand that tells it", "%s in %s", t, p.section.Name)
				return
			}
			v.Symbol, v.Align, v.Bank = at.value(), at.align, at.bank
			if isDistance(t, target) && !c.link.SlotsForDistances {
				v.Symbol -= c.firstSlot()
			}
		}
		c.noteOperand(p, r, t, v)
		if err := t.Apply(want, r.Offset, v); err != nil {
			c.report("relocation"+p.section.Name, "a place inside", "%v", err)
		}
	default:
		c.report("relocation"+p.section.Name, "no output: "+disposition.Fault(), "one")
	}
}

// clearsYield reports whether a YIELD instruction becomes a NOP. It does if there is a Mercury half or no input needs
// independent threads (RELOC-034).
func (c *checker) clearsYield() bool {
	const firstIndependent = 70
	return c.mercury || !slices.ContainsFunc(c.program.objects, func(in *object) bool { return in.origin.Virtual >= firstIndependent })
}

// disposition returns the disposition of r. A relocatable link may either resolve an operand or keep its relocation.
func (c *checker) disposition(p *piece, r fixup, t *reloc.Type, target reloc.Target, places []place) reloc.Disposition {
	disposition := t.Disposition(target, c.mode())
	if t.Use == reloc.Yield && disposition == reloc.Drop {
		switch {
		case c.mercury && c.link.Relocatable:
			return reloc.Keep // RELOC-480
		case c.clearsYield():
			return reloc.Resolve
		}
	}
	if !c.link.Relocatable {
		return disposition
	}
	if c.mercury && target == reloc.Handle && disposition == reloc.ResolveNull {
		return reloc.Keep // MERC-223
	}
	left := c.leftOver(p, r, t, r.Type, places[0]) != nil
	inKernel := p.owner != nil && p.owner.isKernel()
	switch {
	case disposition == reloc.Keep && !left && (target == reloc.DynamicShared && (c.link.Debug || !inKernel) || c.isConstantToCome(p.object.entities[r.Symbol])):
		return reloc.Resolve
	case disposition == reloc.Resolve && left:
		return reloc.Keep
	}
	return disposition
}

// lost reports whether symbol i of o is a non-prevailing definition.
func (o *object) lost(i uint32) bool {
	y, e := &o.symbols[i], o.entities[i]
	return e != nil && y.Defined() && e.symbol != y
}

// forgives reports whether r may be missing from the output because its target is a discarded definition. Debug
// information then has nothing to describe, and in a constant nvlink writes a null (MERGE-011).
func (p *piece) forgives(r fixup) bool {
	plain := p
	if p.plain != nil {
		plain = p.plain
	}
	_, inBank := plain.section.ConstantBank()
	return (inBank || isDebug(p.section)) && p.object.lost(r.Symbol)
}

// adopt copies the field of r from the output to want.
func (c *checker) adopt(t *reloc.Type, r fixup, want []byte, q place) {
	a := t.Actions[0]
	end := min(r.Offset+(uint64(a.At)+uint64(a.Width)+7)/8, uint64(len(want)))
	if got := c.out.span(q.section, q.base+r.Offset, end-r.Offset); got != nil && end > r.Offset {
		copy(want[r.Offset:end], got)
	}
}

// adoptField copies to want the value that the output has in the field of a relocation that it keeps. A later link
// overwrites this value, the start of the slots of textures (MERC-223).
func (c *checker) adoptField(p *piece, r fixup, t *reloc.Type, want []byte, q place) {
	if q.base+r.Offset >= uint64(len(c.out.data[q.section])) {
		return
	}
	told, ok := solve(t, r, want, c.out.data[q.section][q.base+r.Offset:])
	if !ok || told.value == 0 {
		return
	}
	v := reloc.Value{Symbol: told.value - told.addend, Addend: r.Addend, HasAddend: true}
	if err := t.Apply(want, r.Offset, v); err != nil {
		c.report("relocation"+p.section.Name, "a place inside", "%v", err)
	}
}

// claim looks for r among the relocations of the output and marks the one that it finds.
func (c *checker) claim(p *piece, r fixup, t *reloc.Type, disposition reloc.Disposition, at operand, q place) {
	typ := c.numberOf(r, t)
	if disposition == reloc.KeepNone {
		typ = 0
	}
	if l := c.leftOver(p, r, t, typ, q); l != nil {
		l.claimed = true
		return
	}
	if p.forgives(r) {
		return
	}
	want, got := c.claimedByCopy(p, r, fmt.Sprintf("%s against %s at %#x", t, at.name, q.base+r.Offset))
	if there := c.standsThere(p, r, q); got == noneOrAnother && there != "" {
		got = there
	}
	c.report("relocation"+c.out.file.Sections[q.section].Name, want, "%s", got)
}

// standsThere describes the first unclaimed relocation of the output at the place of r: its type, symbol and addend. It
// returns "none there" if there is none.
func (c *checker) standsThere(p *piece, r fixup, q place) string {
	for _, l := range c.out.leftAt[spot{q.section, q.base + r.Offset}] {
		if t := lookup(l.Type, p.section.Flags); !l.claimed && t != nil {
			return fmt.Sprintf("%s against %s, addend %#x (input: %#x)", t, c.symbolName(l.Symbol), l.Addend, r.Addend)
		}
	}
	return "none there"
}

// numberOf returns the type number of r in the output, where r is left to the driver or to a later link.
func (c *checker) numberOf(r fixup, t *reloc.Type) uint32 {
	if c.link.Relocatable {
		return r.Type
	}
	return t.Final
}

// leftOver finds the relocation of type number typ that the output keeps for r at q.
func (c *checker) leftOver(p *piece, r fixup, t *reloc.Type, typ uint32, q place) *leftOver {
	for _, l := range c.out.leftAt[spot{q.section, q.base + r.Offset}] {
		if !l.claimed && l.Type == typ && c.sameAddend(p, r, t, l) && c.sameTarget(p, r, l) {
			return l
		}
	}
	return nil
}

// sameAddend compares the addend of r with that of l. With -force-rela the addend of l may be in the relocation entry
// although that of r is in the section contents. For relocations against sections, sameTarget compares the addends.
func (c *checker) sameAddend(p *piece, r fixup, t *reloc.Type, l *leftOver) bool {
	switch {
	case r.rela:
		return l.rela && (l.Addend == r.Addend || p.object.symbols[r.Symbol].Type == cubin.SymSection)
	case l.rela:
		addend, err := t.ForcedAddend(p.data, r.Offset)
		return err == nil && addend == l.Addend
	}
	return true
}

// sameTarget reports whether l and r have the same target.
func (c *checker) sameTarget(p *piece, r fixup, l *leftOver) bool {
	if int(l.Symbol) >= len(c.out.symbols) {
		return false
	}
	if r.Symbol == 0 || l.Symbol == 0 { // a relocation of a YIELD has no symbol
		return r.Symbol == l.Symbol
	}
	got := &c.out.symbols[l.Symbol]
	e := p.object.entities[r.Symbol]
	if e == nil {
		y := &p.object.symbols[r.Symbol]
		return y.Type == cubin.SymSection && got.Defined() && c.sameSection(p.sameHalf(p.object.pieces[y.Section]), got.Section, got.Value+uint64(l.Addend-r.Addend))
	}
	if c.isInstance(p.owner, e, got) {
		return true
	}
	want := e.out
	if e.alias != nil && e.alias.out != nil {
		want = e.alias.out
	}
	switch {
	case want == nil:
		return false
	case !want.Defined() || !got.Defined():
		return want.Index == got.Index
	}
	return want.Section == got.Section && want.Value == got.Value
}

// sameSection reports whether q begins at an offset of a section of the output. If the start of q is still unknown, the
// call sets it.
func (c *checker) sameSection(q *piece, section uint32, offset uint64) bool {
	if q.section.Flags&cubin.FlagExec != 0 || q.isCapsule() {
		return q.owner != nil && q.owner.out != nil && q.owner.out.Section == section && offset == 0
	}
	if q.plain != nil && section != 0 {
		section = c.out.copyOf(section)
	}
	if c.out.file.Sections[section].Name != q.section.Name {
		return false
	}
	if !q.begin.known {
		q.begin = slot{offset, true}
	}
	return q.begin.value == offset
}

// checkLeftOvers reports relocations of the output that no input requires and that would change something. A note of
// --preserve-relocs does not identify its section: if several sections have the same name, one of them has the notes for
// all (RELOC-032).
func (c *checker) checkLeftOvers(covered map[uint32][]place) {
	named := map[string]int{}
	for _, s := range c.out.file.Sections {
		named[s.Name]++
	}
	c.checkNotes(named)
	for section := range c.out.file.Sections {
		name, flags := c.out.file.Sections[section].Name, c.out.file.Sections[section].Flags
		for _, l := range c.out.relocations[uint32(section)] {
			if l.claimed || c.ofLostTable(&c.out.file.Sections[section], l) || c.isDebugCopy(name) {
				continue
			}
			for _, q := range covered[uint32(section)] {
				if l.Offset+reach(lookup(l.Type, flags)) > q.base+q.from && l.Offset < q.base+q.to {
					c.report("relocation"+name, "none", "type %d at %#x against %s", l.Type, l.Offset, c.symbolName(l.Symbol))
					break
				}
			}
		}
		for _, l := range c.out.resolved[uint32(section)] {
			if named[name] == 1 && !slices.ContainsFunc(c.settled[spot{uint32(section), l.Offset}], func(s settled) bool { return c.isNoted(s, l) }) {
				c.report("resolved"+name, "none", "type %d at %#x against %s", l.Type, l.Offset, c.symbolName(l.Symbol))
			}
		}
	}
}

// A settled is a relocation of an input that the link has processed, with its type number in the output.
type settled struct {
	number uint32
	piece  *piece
	fixup  fixup
	noted  bool // --preserve-relocs has a note of it
}

// checkNotes checks that --preserve-relocs has written a note for each resolved relocation whose target has a
// symbol (RELOC-027).
func (c *checker) checkNotes(named map[string]int) {
	if !c.link.PreserveRelocs || c.mercury {
		return
	}
	names := map[string]bool{}
	for i := range c.out.symbols {
		names[c.out.symbols[i].Name] = true
	}
	for at, list := range c.settled {
		name := c.out.file.Sections[at.section].Name
		for _, s := range list {
			if s.noted && names[s.target()] && named[name] == 1 && !slices.ContainsFunc(c.out.resolved[at.section], func(l *leftOver) bool { return l.Offset == at.offset && c.isNoted(s, l) }) {
				c.report("resolved"+name, fmt.Sprintf("a note of type %d at %#x", s.number, at.offset), "none")
			}
		}
	}
}

// isNoted reports whether l, a note of --preserve-relocs, is the note for s.
func (c *checker) isNoted(s settled, l *leftOver) bool {
	if s.number != l.Type || s.fixup.rela && s.fixup.Addend != l.Addend && s.piece.object.symbols[s.fixup.Symbol].Type != cubin.SymSection {
		return false
	}
	return c.symbolName(l.Symbol) == s.target()
}

// target returns the name of the symbol that the relocation refers to.
func (s settled) target() string { return s.piece.object.symbols[s.fixup.Symbol].Name }

func (c *checker) symbolName(i uint32) string {
	if int(i) >= len(c.out.symbols) {
		return fmt.Sprintf("symbol %d", i)
	}
	return c.out.symbols[i].Name
}
