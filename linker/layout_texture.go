package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// Textures, samplers and surfaces that a program names by symbol (.texref) are
// found through constant bank 0: the driver writes their handles into four-byte
// slots behind the parameters of every kernel that reaches one, and code reads the
// slot (seed 001 phase 2; LAYOUT-020). One function has one slot number for a
// handle in all kernels, so all these kernels have all slots, at one offset, behind the largest parameters of
// any kernel.

const handleSlotSize = 4

// layoutHandles makes the slots and the relocations by which the driver fills them.
func (l *laidOut) layoutHandles() {
	handles := l.handles()
	if len(handles) == 0 {
		return
	}
	users := l.handleUsers()
	if !slices.ContainsFunc(l.functions, usesHandle) {
		return
	}
	l.handleBanks = users
	var start uint64
	for _, e := range l.entries {
		if bank := e.parameters(); bank != nil {
			start = max(start, alignUp(bank.size, handleSlotSize))
		}
	}
	order := listSort(handles, func(a, b *symbol) bool { return false })
	end := start + uint64(len(order))*handleSlotSize
	for i, y := range order {
		y.slot = end - uint64(i+1)*handleSlotSize
	}
	for _, s := range users {
		s.data = append(slices.Clip(s.data), make([]byte, end-s.size)...)
		s.owned, s.size = true, end
		for _, y := range slices.Backward(order) {
			if y.typ == cubin.SymSampler && l.usesUnified(s) {
				continue
			}
			s.relocations = append(s.relocations, relocation{offset: y.slot, typ: slotRelocation[y.typ], symbol: y, rela: l.options.ForceRela})
		}
	}
}

// slotRelocation is the type of the relocation that fills a slot.
var slotRelocation = map[cubin.SymbolType]uint32{
	cubin.SymTexture: 6,  // R_CUDA_TEX_HEADER_INDEX
	cubin.SymSampler: 7,  // R_CUDA_SAMP_HEADER_INDEX
	cubin.SymSurface: 52, // R_CUDA_SURF_HEADER_INDEX
}

// handles lists the symbols that get a slot: textures, samplers, surfaces, the last
// created of each kind first (LAYOUT-021).
func (l *laidOut) handles() []*symbol {
	var textures, samplers, surfaces []*symbol
	for _, y := range slices.Backward(l.globals) {
		switch y.typ {
		case cubin.SymTexture:
			textures = append(textures, y)
		case cubin.SymSampler:
			samplers = append(samplers, y)
		case cubin.SymSurface:
			surfaces = append(surfaces, y)
		}
	}
	return slices.Concat(textures, samplers, surfaces)
}

// handleUsers finds the parameter banks of the kernels that reach a use of a slot.
func (l *laidOut) handleUsers() []*section {
	var banks []*section
	if len(l.entries) == 1 && slices.ContainsFunc(l.functions, usesHandle) { // INFO-207
		if bank := l.entries[0].parameters(); bank != nil {
			return []*section{bank}
		}
	}
	for _, e := range l.entries {
		if bank := e.parameters(); bank != nil && slices.ContainsFunc(e.reachable, usesHandle) {
			banks = append(banks, bank)
		}
	}
	return banks
}

// parameters is the kernel's constant bank 0.
func (e *entry) parameters() *section { return e.fn.bound[parameterPrefix+e.fn.symbol.name] }

// usesHandle tells whether code of fn reads a slot.
func usesHandle(fn *function) bool {
	return fn.text != nil && slices.ContainsFunc(fn.text.relocations, func(r relocation) bool {
		t, _ := reloc.Lookup(r.typ)
		return r.symbol != nil && slotRelocation[r.symbol.typ] != 0 && t.Use == reloc.Operand
	})
}

// usesUnified tells whether the kernel whose parameters are in bank reads textures and
// no samplers: then the texture brings its sampler, and no relocation fills the slots
// of samplers (LAYOUT-022).
func (l *laidOut) usesUnified(bank *section) bool {
	reached := l.entryOf[bank.fn].reachable
	if len(l.entries) == 1 {
		reached = l.functions
	}
	uses := func(typ cubin.SymbolType) bool {
		return slices.ContainsFunc(reached, func(fn *function) bool {
			return fn.text != nil && slices.ContainsFunc(fn.text.relocations, func(r relocation) bool {
				return r.symbol != nil && r.symbol.typ == typ
			})
		})
	}
	return uses(cubin.SymTexture) && !uses(cubin.SymSampler)
}
