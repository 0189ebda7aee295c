package sound

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/sass"
)

// The Mercury half of a file repeats most of the plain half under other section names. A finalizer on another machine
// makes code from it. Its sections describe the same functions and variables at the same places. The code of each
// function is packed into a capsule.

// mercuryNames maps prefixes of plain section names to the prefixes in the Mercury half.
var mercuryNames = [...]struct{ plain, inner string }{
	{".text.", ".nv.capmerc.text."},
	{stubPrefix, stubCapsule},
	{".nv.constant2.", ".nv.merc.nv.constant.optimizer."},
	{".nv.constant3", ".nv.merc.nv.constant.user"},
	{".nv.constant4", ".nv.merc.nv.constant.pic"},
}

// mercuryName returns the name of the copy of a plain section.
func mercuryName(plain string) string {
	for _, n := range mercuryNames {
		if rest, ok := strings.CutPrefix(plain, n.plain); ok {
			return n.inner + rest
		}
	}
	return ".nv.merc" + plain
}

// findCopies finds the copies of the sections of o. In some releases it also converts capsules in an early format.
func (o *object) findCopies(kit *arch.Profile) (err error) {
	var data [][]byte
	for _, p := range o.pieces {
		data = append(data, p.data)
		if p.section.Type == cubin.SectionMercSymTab && p.section.Flags&cubin.FlagMercury != 0 {
			if o.inner, err = o.file.SymbolsOf(p.index); err != nil {
				return err
			}
		}
	}
	list := copies(o.file, data)
	findMistakenCopies(o.inner, o.symbols, list)
	for i, k := range withoutChains(list) {
		if k != 0 {
			p, q := o.pieces[i], o.pieces[k]
			p.copy, q.plain = q, p
			if renewed, early := capsule.Renew(q.data, p.data); early && q.isCapsule() && !kit.Merge.KeepsCapsules { // MERC-107, KIT-163
				q.data = renewed
			}
		}
	}
	return nil
}

// withoutChains returns the copies of sections, without those that have a copy themselves. Only damaged files have them.
func withoutChains(list []uint32) []uint32 {
	single := slices.Clone(list)
	for i, k := range list {
		if k != 0 && list[k] != 0 {
			single[i] = 0
		}
	}
	return single
}

// isCapsule reports whether p is the Mercury code of a function.
func (p *piece) isCapsule() bool { return p.section.Type == cubin.SectionCapMerc }

// lookup finds the type of a relocation of p.
func (p *piece) lookup(r fixup) *reloc.Type { return lookup(r.Type, p.section.Flags) }

// lookup returns the relocation type with a number in a section with the given flags.
func lookup(number uint32, flags cubin.SectionFlags) *reloc.Type {
	find := reloc.Lookup
	if flags&cubin.FlagMercury != 0 {
		find = reloc.LookupMercury
	}
	t, _ := find(number)
	return t
}

// copiesAt lists the places of p, a section of the Mercury half. They follow from the places of its plain section.
func (c *checker) copiesAt(p *piece) []place {
	if p.isCapsule() && p.owner == nil {
		return nil
	}
	list := c.places(p.plain)
	for i := range list {
		q := &list[i]
		q.section = c.out.copyOf(q.section)
		q.name = "mercury." + q.name
		if p.isCapsule() {
			q.to = ^uint64(0) // relocations refer to the code before it is packed
		}
	}
	return list
}

// copies returns the index of the copy of each section of a file, or 0 if there is none. A capsule contains the index of
// its code section. The copies of other sections of a function contain the index of the capsule.
func copies(f *cubin.File, data [][]byte) []uint32 {
	list := make([]uint32, len(data))
	type copied struct {
		name string
		of   uint32
	}
	inner := map[copied]uint32{}
	for i := range f.Sections {
		s := &f.Sections[i]
		switch {
		case s.Flags&cubin.FlagMercury == 0:
		case s.Type == cubin.SectionCapMerc && len(data[i]) >= 4:
			if text := le.Uint32(data[i]); int(text) < len(list) && list[text] == 0 {
				list[text] = uint32(i)
			}
		case s.Flags&cubin.FlagInfoLink != 0:
			inner[copied{s.Name, s.Info}] = uint32(i)
		default:
			inner[copied{s.Name, 0}] = uint32(i)
		}
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Flags&(cubin.FlagExec|cubin.FlagMercury) != 0 {
			continue
		}
		key := copied{name: mercuryName(s.Name)}
		if s.Flags&cubin.FlagInfoLink != 0 && int(s.Info) < len(list) {
			key.of = list[s.Info]
		}
		list[i] = inner[key]
	}
	return list
}

// copyOf returns the copy of a section of the output, or 0 if there is none.
func (o *output) copyOf(plain uint32) uint32 {
	if int(plain) >= len(o.copies) {
		return 0
	}
	return o.copies[plain]
}

// checkCapsule checks the Mercury code of a function. It must be that of the input or of the finalizer, with the new
// section number and the new operands.
func (c *checker) checkCapsule(p *piece, places []place) {
	for _, q := range places {
		want, err := p.patched(p.data)
		if err != nil {
			c.report(q.name, "a capsule in "+p.object.name, "%v", err)
			return
		}
		for _, r := range p.relocations {
			t := p.lookup(r)
			target, at := c.targetOf(p, r)
			switch disposition := c.disposition(p, r, t, target, places); disposition {
			case reloc.Keep, reloc.KeepNone:
				c.claim(p, r, t, disposition, at, q)
			}
			here := spot{q.section, r.Offset}
			c.settled[here] = append(c.settled[here], settled{c.numberOf(r, t), p, r, false})
		}
		if got := c.out.data[q.section]; !bytes.Equal(got, want) && !p.isShortened(got) && !(p.plain.unspaced != nil && sameButSpacing(got, want)) {
			c.report(q.name, fmt.Sprintf("a capsule of %#x bytes", len(want)), "another, of %#x", len(got))
		}
		s, out := &c.out.file.Sections[q.section], &c.out.file.Sections[p.owner.out.Section]
		c.expect(q.name+".symbol", uint64(p.owner.out.Index), uint64(s.Info))
		if want := mercuryName(out.Name); s.Name != want {
			c.report(q.name+".section", want, "%s", s.Name)
		}
	}
}

// patched returns data, a capsule for p, with the new section number and the new operands.
func (p *piece) patched(data []byte) ([]byte, error) {
	want := bytes.Clone(data)
	opened, err := capsule.Open(want, capsule.Place{})
	if err != nil {
		return nil, err
	}
	capsule.SetText(want, p.owner.out.Section)
	operands := slices.Clone(p.plain.operands)
	slices.SortFunc(operands, func(a, b capsule.Operand) int { return a.Machine - b.Machine })
	opened.Patch(operands)
	return want, nil
}

// isShortened reports whether got is the capsule that the finalizer makes of p for code that it leaves as it is.
func (p *piece) isShortened(got []byte) bool {
	if p.plain.shortened == nil {
		return false
	}
	want, err := p.patched(p.plain.shortened)
	return err == nil && bytes.Equal(got, want)
}

// noteOperand records the value of a relocation in code, for the comparison of the capsule. In the capsule, the operand
// of a texture, sampler or surface is the place in a separate slot table.
func (c *checker) noteOperand(p *piece, r fixup, t *reloc.Type, v reloc.Value) {
	size := capsule.OperandSize(t.Number)
	if size == 0 || !c.mercury || p.plain != nil {
		return
	}
	if e := p.object.entities[r.Symbol]; e != nil && e.kind == handle && p.owner != nil {
		v.Symbol = c.innerSlot(p.owner, e, v.Symbol)
	}
	number := int(r.Offset / sass.Size)
	if number < len(p.unspaced) {
		number = p.unspaced[number]
	}
	p.operands = append(p.operands, capsule.Operand{
		Machine: number, Size: size, Value: uint32(v.Symbol + uint64(v.Addend)),
	})
}

// slotTable is the prefix of the name of a kernel's slot table in the Mercury half.
const slotTable = ".nv.merc.nv.constant.entry_image_header_indices."

// innerSlot returns the place of e in the slot tables of the kernels that reach f. All tables have e at the same place,
// so if no kernel reaches f, it looks at all kernels. Without tables, the place is the end of the parameters.
func (c *checker) innerSlot(f, e *entity, plain uint64) uint64 {
	kernels := c.reaching[f]
	if len(kernels) == 0 {
		kernels = c.kernels
	}
	slots := map[uint64]bool{}
	for _, k := range kernels {
		section := c.out.boundTo(c.out.copyOf(k.out.Section), slotTable)
		for _, l := range c.out.relocations[section] {
			if section != 0 && e.out != nil && l.Symbol == e.out.Index && l.Type >= reloc.MercuryTexHeaderIndex && l.Type <= reloc.MercurySurfHeaderIndex && l.Addend == 0 {
				slots[l.Offset] = true
			}
		}
	}
	if len(slots) == 0 && len(c.reaching[f]) == 0 {
		return plain - c.endOfParameters()
	}
	if len(slots) != 1 {
		c.report("mercury.slot."+e.name, "one slot in every kernel that gets to "+f.name, "%d", len(slots))
	}
	for at := range slots {
		return at
	}
	return 0
}

// endOfParameters returns the end of the parameters of the kernel with the most parameters.
func (c *checker) endOfParameters() uint64 {
	end := uint64(0x380) // start of the parameters
	for _, k := range c.kernels {
		if in := k.bankPiece(0); in != nil {
			end = max(end, roundUp(in.section.Size, 16))
		}
	}
	return end
}

// ofLostTable reports whether l, a relocation in the Mercury half, belongs to a jump table of a discarded definition.
// nvlink keeps these relocations (MERC-215).
func (c *checker) ofLostTable(s *cubin.Section, l *leftOver) bool {
	if s.Type != cubin.SectionMercOptimizer {
		return false
	}
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			if !p.lost || p.section.Type != cubin.SectionMercOptimizer {
				continue
			}
			for _, r := range p.relocations {
				e := o.entities[r.Symbol]
				if e != nil && e.out != nil && e.out.Index == l.Symbol && r.Type == l.Type && r.Addend == l.Addend {
					return true
				}
			}
		}
	}
	return false
}

// checkMercury checks the symbols and attributes of the Mercury half. If an input has no Mercury half, the
// output must not have one either.
func (c *checker) checkMercury() {
	if !c.mercury {
		for i := range c.out.file.Sections {
			if s := &c.out.file.Sections[i]; c.link.Target.Mercury() && s.Type == cubin.SectionMercSymTab {
				c.report("mercury", "machine code only", "section %s", s.Name)
			}
		}
		return
	}
	c.checkMercurySymbols()
	got, want := bag{}, bag{}
	for _, r := range c.unjoined(c.moduleRecords(cubin.SectionInfo, ".nv.info")) {
		want.add(r)
	}
	for _, r := range c.moduleRecords(cubin.SectionMercInfo, ".nv.merc.nv.info") {
		got.add(r)
	}
	c.compareBags("mercury.attribute", want, got)
	c.said, c.anyone = c.gather(cubin.SectionMercInfo), map[nvinfo.Code][]nvinfo.Record{}
	c.inner = true
	c.checkFunctions("mercury.attribute.")
}

// moduleRecords returns the records of a section of the output.
func (c *checker) moduleRecords(typ cubin.SectionType, name string) []nvinfo.Record {
	if i, ok := c.out.byName[name]; ok && c.out.file.Sections[i].Type == typ {
		return c.out.infos[i]
	}
	return nil
}

// checkMercurySymbols checks the symbols of the Mercury half. Numbers and names must be those of the plain symbols.
// Types, sizes and offsets in code must be those of the inputs.
func (c *checker) checkMercurySymbols() {
	inner := c.out.inner
	for _, e := range c.program.entities {
		if e.out == nil || e.internal {
			continue
		}
		key := "mercury.symbol." + e.name
		if int(e.out.Index) >= len(inner) {
			if !c.isParameter(e) {
				c.report(key, "a symbol", "none")
			}
			continue
		}
		y := &inner[e.out.Index]
		if y.Name != e.out.Name {
			c.report(key+".name", e.out.Name, "%s", y.Name)
			continue
		}
		c.expect(key+".binding", uint64(e.out.Bind), uint64(y.Bind))
		if e.symbol == nil || int(e.symbol.Index) >= len(e.object.inner) {
			continue
		}
		in := &e.object.inner[e.symbol.Index]
		c.expect(key+".type", uint64(in.Type), uint64(y.Type))
		c.expect(key+".other", uint64(e.otherOf(in)), uint64(y.Other))
		if e.kind == function {
			c.expect(key+".value", in.Value, y.Value)
			c.expect(key+".size", in.Size, y.Size)
		} else if e.kind != shared && e.kind != reserved {
			c.expect(key+".value", e.out.Value, y.Value)
			c.expect(key+".size", e.out.Size, y.Size)
		}
		if section := c.out.copyOf(e.out.Section); section != 0 {
			c.expect(key+".section", uint64(section), uint64(y.Section))
		}
	}
}
