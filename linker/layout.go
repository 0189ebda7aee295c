package linker

import "github.com/culink/culink/linker/diag"

// A laidOut program has a place for every object in its memory space.
type laidOut struct {
	*propagated
	dynamic     map[dynamicKey]uint64 // where extern __shared__ begins
	externUsers []*entry              // kernels that reach it, the first use first
	handleBanks []*section            // constant banks with slots for textures, samplers and surfaces
	handleStart uint64                // where the slots begin in them
	instances   map[*function]*symbol // -r: what stands for extern __shared__ in a kernel's code

	sectionNumbers map[*section]int // in order of creation, while relocate is traced
	symbolNumbers  map[*symbol]int
}

// layout places every object, space by space, in the order of document 001.
//
// Before: live functions and what each kernel reaches are known.
// After:  every symbol has its value, every section its size; what does not fit
// is reported.
func layout(p *propagated, log *diag.Log) *laidOut {
	l := &laidOut{propagated: p, dynamic: map[dynamicKey]uint64{}}
	defer l.addParameterBanks()
	if p.options.Relocatable {
		l.layoutCommons()
		l.layoutUserConstants(log)
		l.layoutRelocatableHandles()
		l.layoutRelocatableShared()
		l.layoutUndefined()
		l.setUserConstantsSize()
		return l
	}
	l.layoutCommons()
	l.layoutHandles()
	l.layoutReserved()
	l.layoutShared(log)
	l.layoutConstants(log)
	l.layoutUndefined()
	l.setUserConstantsSize()
	l.traceBanks()
	l.checkUnified(log)
	return l
}
