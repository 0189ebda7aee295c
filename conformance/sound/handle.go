package sound

import (
	"fmt"
	"iter"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// Code reads the handle of a texture, sampler or surface from a slot after the parameters
// of its kernel, which the driver fills.

// surfaceDescriptor is the relocation by which the driver fills a slot with all of a surface, where
// slots have room for it.
const surfaceDescriptor = 8

// headerTypes are the relocations by which the driver fills the slots of textures, samplers
// and surfaces.
var headerTypes = map[uint32]cubin.SymbolType{6: cubin.SymTexture, 7: cubin.SymSampler, 52: cubin.SymSurface, 101: cubin.SymSampler}

// fillsSlot reports whether l, in a parameter bank, lets the driver fill the slot of what it
// names, and nothing adds to that.
func (c *checker) fillsSlot(bank uint32, l *leftOver) bool {
	typ, ok := headerTypes[l.Type]
	if l.Type == surfaceDescriptor && c.link.Target.SurfaceSlot() != 0 {
		typ, ok = cubin.SymSurface, true
	}
	if !ok || int(l.Symbol) >= len(c.out.symbols) || c.out.symbols[l.Symbol].Type != typ {
		return false
	}
	if l.rela {
		return l.Addend == 0
	}
	return zero(c.out.span(bank, l.Offset, c.slotSize(typ)))
}

// slotSize is the size of a slot for what a symbol of a type names.
func (c *checker) slotSize(typ cubin.SymbolType) uint64 {
	if size := c.link.Target.SurfaceSlot(); typ == cubin.SymSurface && size != 0 {
		return size // KIT-082
	}
	return slotSize
}

// slotSize is the size of most slots in bytes.
const slotSize = 4

// checkHandles looks for the slot of each texture, sampler and surface that a kernel can
// get to: in its parameter bank, after the parameters, filled by the driver.
func (c *checker) checkHandles() {
	for _, k := range c.kernels {
		bank := c.out.boundTo(k.out.Section, ".nv.constant0.")
		for _, f := range k.reach {
			p := f.piece()
			if p == nil {
				continue
			}
			for _, r := range p.relocations {
				e := f.object.entities[r.Symbol]
				t := p.lookup(r)
				if e != nil && e.kind == handle && t.Disposition(reloc.Handle, c.mode()) == reloc.Resolve && !c.hasSlot(bank, e) {
					c.report("slot."+e.name, "one in the parameter bank of "+k.name, "none")
				}
			}
		}
		c.claimSlots(k, bank)
		c.checkInnerSlots(k)
	}
}

// hasSlot reports whether the driver fills the slot of e in a bank.
func (c *checker) hasSlot(bank uint32, e *entity) bool {
	for _, l := range c.out.relocations[bank] {
		if bank != 0 && e.known && l.Offset == e.value && c.fillsSlot(bank, l) && e.out != nil && l.Symbol == e.out.Index {
			return true
		}
	}
	return false
}

// isDistance reports whether code adds what t writes to the place of the first slot, which
// the instruction that reads the slot has (MERC-250, E-380).
func isDistance(t *reloc.Type, target reloc.Target) bool {
	return target == reloc.Handle && t.Number == reloc.Abs16At32
}

// learnSlot takes the slot of e from what lets the driver fill it.
func (c *checker) learnSlot(e *entity, at operand) bool {
	for bank, l := range c.slotFills() {
		if e != nil && e.out != nil && l.Symbol == e.out.Index && c.fillsSlot(bank, l) {
			at.slot.value, at.slot.known = l.Offset-at.delta, true
			return true
		}
	}
	return false
}

// firstSlot is where the slots of the kernels begin.
func (c *checker) firstSlot() uint64 {
	first := ^uint64(0)
	for bank, l := range c.slotFills() {
		if c.fillsSlot(bank, l) {
			first = min(first, l.Offset)
		}
	}
	return first
}

// slotFills visits the relocations of the parameter banks of kernels.
func (c *checker) slotFills() iter.Seq2[uint32, *leftOver] {
	return func(yield func(uint32, *leftOver) bool) {
		for _, k := range c.kernels {
			bank := c.out.boundTo(k.out.Section, ".nv.constant0.")
			for _, l := range c.out.relocations[bank] {
				if bank != 0 && !yield(bank, l) {
					return
				}
			}
		}
	}
}

// claimSlots accepts the slots of a kernel's bank that lie after its parameters, one
// after the other.
func (c *checker) claimSlots(k *entity, bank uint32) {
	if bank == 0 {
		return
	}
	var end uint64
	if in := k.bankPiece(0); in != nil {
		end = in.section.Size
	}
	taken := map[uint64]bool{}
	for _, l := range c.out.relocations[bank] {
		if !l.claimed && !c.fillsSlot(bank, l) && l.Offset >= end {
			c.report("slot."+c.symbolName(l.Symbol), "what lets the driver fill a slot", "type %d at %#x", l.Type, l.Offset)
		}
		if l.claimed || !c.fillsSlot(bank, l) {
			continue
		}
		size := c.slotSize(c.out.symbols[l.Symbol].Type)
		if l.Offset < end || l.Offset%slotSize != 0 || l.Offset+size > c.out.file.Sections[bank].Size || taken[l.Offset] {
			c.report("slot."+c.symbolName(l.Symbol), fmt.Sprintf("a word of its own from %#x on", end), "%#x", l.Offset)
		}
		l.claimed, taken[l.Offset] = true, true
	}
}

// checkInnerSlots looks at the table of slots of a kernel in the Mercury half: each is a word of its
// own for a texture, sampler or surface.
func (c *checker) checkInnerSlots(k *entity) {
	table := c.out.boundTo(c.out.copyOf(k.out.Section), slotTable)
	if table == 0 {
		return
	}
	s, taken := &c.out.file.Sections[table], map[uint64]bool{}
	for _, l := range c.out.relocations[table] {
		typ := map[uint32]cubin.SymbolType{
			reloc.MercuryTexHeaderIndex: cubin.SymTexture, reloc.MercurySampHeaderIndex: cubin.SymSampler, reloc.MercurySurfHeaderIndex: cubin.SymSurface,
		}[l.Type]
		isHandle := typ != 0 && int(l.Symbol) < len(c.out.symbols) && c.out.symbols[l.Symbol].Type == typ
		if !isHandle || l.Addend != 0 || l.Offset%slotSize != 0 || l.Offset+slotSize > s.Size || taken[l.Offset] {
			c.report("mercury.slot."+c.symbolName(l.Symbol), "a word of its own in "+s.Name, "type %#x at %#x", l.Type, l.Offset)
		}
		taken[l.Offset] = true
	}
}

// bankPiece finds the constants of function f in a bank.
func (f *entity) bankPiece(bank int) *piece {
	for _, p := range f.object.pieces {
		if n, ok := p.section.ConstantBank(); ok && n == bank && p.owner == f {
			return p
		}
	}
	return nil
}
