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
// handle in all kernels, so all these kernels have all slots, at one offset, behind the
// largest parameters of any kernel.
//
// In the Mercury half the slots of a kernel are a section of their own, and their
// numbers begin with 0: the finalizer puts them behind the parameters (MERC-222).

const handleSlotSize = 4

// parametersStart is where the finalizer has parameters in bank 0, and slots if there is
// no kernel.
const parametersStart = 0x380

// layoutHandles makes the slots and the relocations by which the driver fills them.
func (l *laidOut) layoutHandles() {
	if len(l.handles) == 0 {
		return
	}
	users := l.handleUsers()
	if !slices.ContainsFunc(l.functions, usesHandle) {
		return
	}
	start := l.startOfHandles()
	order := listSort(l.handlesByKind(), func(a, b *symbol) bool { return false })
	end := start + uint64(len(order))*handleSlotSize
	for i, y := range order {
		y.slot = end - uint64(i+1)*handleSlotSize
	}
	l.handleStart = start
	for _, e := range users {
		s := e.parameters()
		l.handleBanks = append(l.handleBanks, s)
		s.data = append(slices.Clip(s.data), make([]byte, end-s.size)...)
		s.owned, s.size = true, end
		if l.mercury {
			l.addHandleBank(s)
		}
		unfilled := l.unfilled(e)
		for _, y := range slices.Backward(order) {
			if y.typ == unfilled || y.section != nil && y.section != e.fn.text {
				continue
			}
			types := slotRelocation[y.typ]
			r := relocation{offset: y.slot, typ: types.plain, symbol: y, rela: l.options.ForceRela}
			if l.mercury {
				r.typ, r.rela = types.finalized, true
				inner := relocation{offset: y.slot - start, typ: types.inner, symbol: y, rela: true}
				s.copy.relocations = append(s.copy.relocations, inner)
			}
			s.relocations = append(s.relocations, r)
		}
	}
}

// startOfHandles is where the slots begin, behind the largest parameters.
func (l *laidOut) startOfHandles() uint64 {
	align, start := uint64(handleSlotSize), uint64(0)
	if l.mercury {
		align, start = 16, parametersStart
	}
	for _, e := range l.entries {
		if bank := e.parameters(); bank != nil {
			start = max(start, alignUp(bank.size, align))
		}
	}
	return start
}

// layoutRelocatableHandles gives all slots the first one's place: a relocatable file with
// a Mercury half says in its machine code where slots begin so far, and the relocations
// stay (MERC-223).
func (l *laidOut) layoutRelocatableHandles() {
	if !l.mercury {
		return
	}
	l.handleStart = l.startOfHandles()
	for _, y := range l.handles {
		y.slot = l.handleStart
	}
}

// addHandleBank adds parameter bank s, which has slots, and in the Mercury half the
// section of its slots. Other parameter banks come last (addParameterBanks).
func (l *laidOut) addHandleBank(s *section) {
	s.group = groupConstant
	l.addSection(s)
	size := s.size - l.handleStart
	s.copy = &section{
		name: copyName(s.name), typ: cubin.SectionMercBank, flags: cubin.FlagMercury | s.flags, align: handleSlotSize,
		size: size, data: make([]byte, size), bank: noBank, fn: s.fn, original: s, kept: true,
	}
	l.registerCopy(s.copy)
}

// slotRelocation has, by the type of a symbol, the types of the relocations that fill its
// slot: in a plain file, and in the halves of one with a Mercury half.
var slotRelocation = map[cubin.SymbolType]struct{ plain, finalized, inner uint32 }{
	cubin.SymTexture: {6, 6, reloc.MercuryBase + 11},   // TEX_HEADER_INDEX
	cubin.SymSampler: {7, 101, reloc.MercuryBase + 12}, // SAMP_HEADER_INDEX, SAMP_HEADER_INDEX_0
	cubin.SymSurface: {52, 52, reloc.MercuryBase + 13}, // SURF_HEADER_INDEX
}

// handlesByKind lists the symbols that get a slot: textures, samplers, surfaces, the last
// created of each kind first (LAYOUT-021). Those that are parameters of a kernel
// (.param .texref) are local symbols in its code.
func (l *laidOut) handlesByKind() []*symbol {
	var textures, samplers, surfaces []*symbol
	for _, y := range slices.Backward(l.handles) {
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

// losesHandle tells whether a kernel that is dropped has a handle among its parameters
// (LAYOUT-025).
func (m *merged) losesHandle() bool {
	return slices.ContainsFunc(m.handles, func(y *symbol) bool { return y.section != nil && y.section.dead() })
}

// handleUsers finds the kernels that reach a use of a slot, and have parameters. Beside a
// lone kernel the others do without if there is a Mercury half (LAYOUT-023).
func (l *laidOut) handleUsers() []*entry {
	var users []*entry
	for _, e := range l.entries {
		if l.mercury && l.lone != nil && e != l.lone {
			continue
		}
		if e.parameters() != nil && slices.ContainsFunc(l.reachedBy(e), usesHandle) {
			users = append(users, e)
		}
	}
	return users
}

// reachedBy lists the functions whose handles kernel e may need.
func (l *laidOut) reachedBy(e *entry) []*function {
	if e == l.lone {
		return l.functions
	}
	return e.reachable
}

// parameters is the kernel's constant bank 0.
func (e *entry) parameters() *section { return e.fn.bound[parameterPrefix+e.fn.symbol.name] }

// usesHandle tells whether code of fn reads a slot.
func usesHandle(fn *function) bool {
	return fn.text != nil && slices.ContainsFunc(fn.text.relocations, func(r relocation) bool {
		t, _ := reloc.Lookup(r.typ)
		return r.symbol != nil && isHandle(r.symbol.typ) && t.Use == reloc.Operand
	})
}

// unfilled is the type of the symbols whose slots no relocation fills for kernel e: samplers
// where it reaches nothing but textures, which may bring their samplers, and textures where
// it reaches nothing but samplers (LAYOUT-022).
func (l *laidOut) unfilled(e *entry) cubin.SymbolType {
	only := func(typ cubin.SymbolType) bool {
		return !slices.ContainsFunc(l.reachedBy(e), func(fn *function) bool {
			return fn.text != nil && slices.ContainsFunc(fn.text.relocations, func(r relocation) bool {
				return r.symbol != nil && isHandle(r.symbol.typ) && r.symbol.typ != typ
			})
		})
	}
	switch {
	case only(cubin.SymTexture):
		return cubin.SymSampler
	case only(cubin.SymSampler):
		return cubin.SymTexture
	}
	return 0
}
