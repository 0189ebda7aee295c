package sound

import (
	"fmt"
	"iter"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// Each texture, sampler and surface has a slot after the parameters of a kernel. The driver writes a handle to the slot,
// and code reads the handle.

// surfaceDescriptor is the type of the relocation for the slot of a surface on targets whose slots hold a whole surface
// descriptor.
const surfaceDescriptor = 8

// headerTypes maps the types of the relocations for slots to the types of their symbols: textures, samplers or surfaces.
var headerTypes = map[uint32]cubin.SymbolType{6: cubin.SymTexture, 7: cubin.SymSampler, 52: cubin.SymSurface, 101: cubin.SymSampler}

// fillsSlot reports whether l, in a parameter bank, is a relocation with which the driver fills the slot of the symbol
// that l refers to. It must have no addend.
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

// slotSize returns the size of the slot for a symbol of a type, in bytes.
func (c *checker) slotSize(typ cubin.SymbolType) uint64 {
	if size := c.link.Target.SurfaceSlot(); typ == cubin.SymSurface && size != 0 {
		return size // KIT-082
	}
	return slotSize
}

// slotSize is the size of most slots in bytes.
const slotSize = 4

// checkHandles checks that each texture, sampler and surface that a kernel can reach has a slot: in the kernel's
// parameter bank, after the parameters, and filled by the driver.
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

// isDistance reports whether the operand of t is a distance from the first slot. The instruction that reads the slot has
// the place of the first slot and adds the distance (MERC-250, E-380).
func isDistance(t *reloc.Type, target reloc.Target) bool {
	return target == reloc.Handle && t.Number == reloc.Abs16At32
}

// learnSlot sets the place of e's slot from the relocation with which the driver fills the slot. It reports whether
// there is one.
func (c *checker) learnSlot(e *entity, at operand) bool {
	for bank, l := range c.slotFills() {
		if e != nil && e.out != nil && l.Symbol == e.out.Index && c.fillsSlot(bank, l) {
			at.slot.value, at.slot.known = l.Offset-at.delta, true
			return true
		}
	}
	return false
}

// firstSlot returns the lowest offset of a slot in a parameter bank.
func (c *checker) firstSlot() uint64 {
	first := ^uint64(0)
	for bank, l := range c.slotFills() {
		if c.fillsSlot(bank, l) {
			first = min(first, l.Offset)
		}
	}
	return first
}

// slotFills yields the relocations of the kernels' parameter banks.
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

// claimSlots accepts the slots in a kernel's parameter bank. Each must lie after the parameters and have its own place.
func (c *checker) claimSlots(k *entity, bank uint32) {
	if bank == 0 {
		return
	}
	var end uint64
	if in := k.bankPiece(0); in != nil {
		end = in.section.Size
	}
	type fill struct {
		offset uint64
		symbol uint32
	}
	taken, filled := map[uint64]bool{}, map[fill]bool{}
	for _, l := range c.out.relocations[bank] {
		if l.claimed && c.fillsSlot(bank, l) {
			filled[fill{l.Offset, l.Symbol}] = true
		}
	}
	for _, l := range c.out.relocations[bank] {
		if filled[fill{l.Offset, l.Symbol}] && c.fillsSlot(bank, l) {
			l.claimed = true // a copy of a relocation of the input, from a discarded definition (LAYOUT-840), changes nothing
		}
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

// checkInnerSlots checks the slot table of a kernel in the Mercury half. Each texture, sampler and surface must have its
// own word.
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
