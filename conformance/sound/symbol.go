package sound

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Symbol names connect the program to the output. A global name occurs once in the output. A local name may occur
// several times. The checker distinguishes symbols of one local name by their contents and by the references to them.

// matchSymbols finds the symbol of each entity in the output.
func (c *checker) matchSymbols() {
	global, local := map[string]*cubin.Symbol{}, map[string][]*cubin.Symbol{}
	for i := range c.out.symbols {
		y := &c.out.symbols[i]
		switch {
		case i == 0 || y.Type == cubin.SymSection:
		case y.Bind == cubin.BindLocal:
			local[y.Name] = append(local[y.Name], y)
		case y.Name == externInstance && c.link.Relocatable: // one for each kernel that needs one
		case global[y.Name] != nil:
			c.report("symbol."+y.Name, "one symbol", "two")
		default:
			global[y.Name] = y
		}
	}
	take := func(e *entity, fits func(*cubin.Symbol) bool) {
		list := local[e.name]
		if i := slices.IndexFunc(list, fits); i >= 0 && e.out == nil {
			e.out = list[i]
			local[e.name] = slices.Delete(list, i, i+1)
		}
	}
	var needed, rest []*entity
	for _, e := range c.program.entities {
		switch {
		case e.internal:
		case e.bind != cubin.BindLocal:
			e.out = global[e.name]
		case e.kind == function && !e.required, e.isLost():
			rest = append(rest, e)
		default:
			needed = append(needed, e)
		}
	}
	// Required entities choose first, because an entity that nothing requires may have the same contents. An entity that
	// fits no symbol gets one of the remaining symbols, so that a finding can describe the difference.
	for _, e := range slices.Concat(needed, rest) {
		if len(local[e.name]) > 1 {
			named := c.namedFor(e)
			take(e, func(y *cubin.Symbol) bool { return named[y.Index] && c.fits(e, y) })
		}
		if len(local[e.name]) > 1 && e.out == nil {
			named := c.namedByDebug(e)
			take(e, func(y *cubin.Symbol) bool { return named[y.Index] && c.fits(e, y) })
		}
		take(e, func(y *cubin.Symbol) bool { return c.fits(e, y) })
	}
	for _, e := range needed {
		take(e, func(y *cubin.Symbol) bool { return e.defined() == y.Defined() })
	}
}

// namedFor returns the symbols to which the output refers at the places where an input refers to local entity e. It
// looks at code and at variables with a global name, if their places are known. If several copies have the same
// contents, one of these symbols is that of e.
func (c *checker) namedFor(e *entity) map[uint32]bool {
	named := map[uint32]bool{}
	if e.object == nil {
		return named
	}
	for _, p := range e.object.pieces {
		for _, r := range p.relocations {
			if e.object.entities[r.Symbol] != e {
				continue
			}
			if at, ok := p.standsAt(r.Offset); ok {
				for _, l := range c.out.leftAt[at] {
					named[l.Symbol] = true
				}
			}
		}
	}
	return named
}

// standsAt returns the place of an offset of p in the output. It knows the place in code and in variables with a global
// name.
func (p *piece) standsAt(offset uint64) (at spot, ok bool) {
	if p.section.Flags&cubin.FlagExec != 0 {
		if p.owner == nil || p.owner.out == nil {
			return at, false
		}
		return spot{p.owner.out.Section, offset}, true
	}
	for _, e := range p.atoms {
		if from := e.symbol.Value; e.out != nil && e.bind != cubin.BindLocal && offset >= from && offset-from < e.size {
			return spot{e.out.Section, e.out.Value + offset - from}, true
		}
	}
	return at, false
}

// namedByDebug returns the symbols to which debug information of the output refers at the places where an input refers
// to local entity e. It looks only at debug information that the output contains unchanged, such as that of the Mercury
// half.
func (c *checker) namedByDebug(e *entity) map[uint32]bool {
	named := map[uint32]bool{}
	if e.object == nil {
		return named
	}
	for _, p := range e.object.pieces {
		section, ok := c.out.byName[p.section.Name]
		if !ok || !isDebug(p.section) {
			continue
		}
		for _, r := range p.relocations {
			if e.object.entities[r.Symbol] != e {
				continue
			}
			for _, l := range c.out.relocations[section] {
				if c.symbolName(l.Symbol) == e.name && l.Offset >= r.Offset && c.looksLike(p, section, l.Offset-r.Offset) {
					named[l.Symbol] = true
				}
			}
		}
	}
	return named
}

// findKernels lists the kernels of the output, and for each function the kernels that reach it.
func (c *checker) findKernels() {
	c.reaching = map[*entity][]*entity{}
	for _, e := range c.program.entities {
		if e.kind != function || e.out == nil || !e.out.Defined() || !e.isKernel() && !c.link.Relocatable {
			continue
		}
		if c.link.Chosen != nil && !c.link.Chosen(e.name) && !e.isTaken {
			c.reaching[e] = append(c.reaching[e], e)
			continue // nobody is going to start it
		}
		c.kernels = append(c.kernels, e)
		for _, f := range e.reach {
			c.reaching[f] = append(c.reaching[f], e)
		}
	}
}

// fits reports whether a symbol of the output can be that of local entity e.
func (c *checker) fits(e *entity, y *cubin.Symbol) bool {
	p := e.piece()
	if p == nil || !y.Defined() || int(y.Section) >= len(c.out.file.Sections) {
		return p == nil && !y.Defined()
	}
	if e.kind == handle {
		return e.typ == y.Type && !p.lost && p.owner != nil && p.owner.out != nil && p.owner.out.Section == y.Section
	}
	from, size := e.extent()
	if size != y.Size || e.typ == cubin.SymFunc != (y.Type == cubin.SymFunc) {
		return false
	}
	if s := &c.out.file.Sections[y.Section]; constantBank(s.Name) >= 0 && !p.lost && p.owner != nil && p.owner.out != nil && s.Info != p.owner.out.Section {
		return false // a bank of other code
	}
	to := from + size
	if p.data == nil {
		return !c.out.file.Sections[y.Section].HasBytes()
	}
	got := c.out.span(y.Section, y.Value, size)
	if to > uint64(len(p.data)) || to < from || got == nil {
		return false
	}
	want, got := p.masked(p.data[from:to], from), p.masked(got, from)
	return bytes.Equal(want, got) || p.sameButSchedule(want, got)
}

// checkSymbols compares the symbols of the output with the definitions of the inputs.
func (c *checker) checkSymbols() {
	known := map[uint32]bool{}
	for _, e := range c.program.entities {
		if e.out == nil {
			c.missing(e)
			continue
		}
		known[e.out.Index] = true
		c.checkSymbol(e)
	}
	for i := range c.out.symbols {
		y := &c.out.symbols[i]
		switch {
		case c.isNameless(y):
		case y.Type == cubin.SymFunc && !known[y.Index]:
			c.report("symbol."+y.Name, "no such function", "one")
		case y.Type == cubin.SymSection && (y.Bind != cubin.BindLocal || y.Value != 0):
			c.report("symbol"+c.out.file.Sections[y.Section].Name, "the start of the section", "%#x, binding %d", y.Value, y.Bind)
		}
	}
}

// isLost reports whether e is a variable that belongs to a discarded definition of a function.
func (e *entity) isLost() bool {
	p := e.piece()
	return e.kind == variable && !e.common && p != nil && p.lost
}

// missing adds a finding for e, which the output lacks, if the output must have it.
func (c *checker) missing(e *entity) {
	switch {
	case e.internal, e.kind == linker, e.kind == handle:
	case e.kind == reserved && !c.link.Target.Mercury(): // LAYOUT-060
	case e.kind == function && !e.required:
	case e.kind == variable && !e.defined():
	case e.dynamic && e.name == externInstance:
	case e.isLost():
	default:
		c.report("symbol."+e.name, "a symbol", "none")
	}
}

func (c *checker) checkSymbol(e *entity) {
	y, key := e.out, "symbol."+e.name
	if e.defined() != y.Defined() && !e.dynamic {
		c.report(key+".section", defined(e.defined()), "%s", defined(y.Defined()))
		return
	}
	want := e.typ
	if want == cubin.SymData && !c.link.Relocatable {
		want = cubin.SymObject
	}
	if e.kind == linker && y.Type == cubin.SymData { // LAYOUT-403
		want = y.Type
	}
	c.expect(key+".type", uint64(want), uint64(y.Type))
	if !e.defined() {
		return
	}
	if code := e.alias; code == nil || !c.mercury || y.Size != code.size && y.Size != 0 { // MERC-211
		_, size := e.extent()
		c.expect(key+".size", size, y.Size)
	}
	c.expect(key+".binding", uint64(e.bind), uint64(y.Bind))
	other := e.other
	if !c.link.Relocatable {
		other &^= cubin.OtherSpaceMask
	}
	c.expect(key+".other", uint64(other), uint64(y.Other))
	if e.kind == function {
		c.checkFunction(e)
	}
}

// extent returns the place and the size that e must have in the section of its definition. A function inside of the code of
// another one follows that code (MERC-270).
func (e *entity) extent() (value, size uint64) {
	if e.symbol == nil {
		return 0, e.size
	}
	value, size = e.symbol.Value, e.size
	if p := e.piece(); p != nil && p.owner != e && e.kind == function && value > 0 && p.places.Moved() {
		end := p.places.Offset(value + size)
		value = p.places.Offset(value)
		size = end - value
	}
	return value, size
}

// checkFunction compares the code section of function e with that of the input.
func (c *checker) checkFunction(e *entity) {
	p, s := e.piece(), &c.out.file.Sections[e.out.Section]
	key := "code." + e.name
	value, _ := e.extent()
	c.expect("symbol."+e.name+".value", value, e.out.Value)
	if p == nil || p.owner == nil {
		return
	}
	if p.owner != e && p.owner.out != nil && p.owner.out.Section != e.out.Section {
		c.report(key, "the code of "+p.owner.name, "section %s", s.Name)
	}
	if p.owner != e {
		return
	}
	c.checkRegisters(key, e, uint64(p.section.Info>>24), uint64(s.Info>>24))
	c.expect(key+".symbol", uint64(e.out.Index), uint64(s.Info&0xffffff))
	c.expect(key+".size", p.section.Size, s.Size)
	const barriers = cubin.FlagBarriers // an old object's stay, or become an attribute
	c.expect(key+".flags", uint64(p.section.Flags&^barriers), uint64(s.Flags&^barriers))
	if got := s.Flags & barriers; got != 0 && got != p.section.Flags&barriers && !c.link.Target.Profile.Info.BarriersInFlags {
		c.report(key+".barriers", fmt.Sprintf("%#x or none", uint64(p.section.Flags&barriers)), "%#x", uint64(got))
	}
	c.named(e, e.out.Section, p.section.Name)
	for _, i := range c.out.bound[e.out.Section] {
		switch s := &c.out.file.Sections[i]; s.Type {
		case cubin.SectionRel, cubin.SectionRela, cubin.SectionResolvedRela:
		default:
			c.named(e, i, s.Name[:max(0, len(s.Name)-len(e.name)-1)]+"."+e.name)
		}
	}
	c.aligned(key, 0, e.out.Section, p.section.AddrAlign)
}

// checkRegisters checks the number of registers in the section header of the code of e. Up to 11.8, the number of a
// kernel is the largest of the functions that it reaches (KIT-074).
func (c *checker) checkRegisters(key string, e *entity, own, got uint64) {
	if !c.link.Target.Profile.Reach.RaisesRegisters || !e.isKernel() {
		c.expect(key+".registers", own, got)
		return
	}
	counted := func(reach []*entity) uint64 {
		if n := registers(reach); n > e.regs {
			return uint64(n)
		}
		return own
	}
	c.within(key+".registers", counted(e.reach), got, counted(e.may))
}

// named adds a finding if a section of e has a wrong name.
func (c *checker) named(e *entity, section uint32, name string) {
	if got := c.out.file.Sections[section].Name; got != name {
		c.report("code."+e.name+".section", name, "%s", got)
	}
}

// expect adds a finding if a number differs from the wanted one.
func (c *checker) expect(key string, want, got uint64) {
	if want != got {
		c.report(key, valueText(key, want), "%s", valueText(key, got))
	}
}

// valueText returns a value of a field as readable text.
func valueText(key string, v uint64) string {
	switch {
	case strings.HasSuffix(key, ".binding"):
		return cubin.Binding(v).String()
	case strings.HasSuffix(key, ".other") && v == cubin.OtherEntry:
		return "a kernel (0x10)"
	}
	return fmt.Sprintf("%#x", v)
}

func defined(is bool) string {
	if is {
		return "defined"
	}
	return "undefined"
}
