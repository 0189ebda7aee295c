package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
)

// A Placed program has a place for every object in its memory space.
type Placed struct {
	*reach.Propagated
	Dynamic     map[reach.DynamicKey]uint64           // where extern __shared__ begins
	externUsers []*reach.Entry                        // kernels that reach it, the first use first
	HandleBanks []*program.Section                    // constant banks with slots for textures, samplers and surfaces
	HandleStart uint64                                // where the slots begin in them
	Instances   map[*program.Function]*program.Symbol // -r: what stands for extern __shared__ in a kernel's code

	SectionNumbers map[*program.Section]int // in order of creation, while relocate is traced
	SymbolNumbers  map[*program.Symbol]int
}

// Memory places every object, space by space, in the order of document 001.
//
// Before: live functions and what each kernel reaches are known.
// After:  every symbol has its value, every section its size; what does not fit
// is reported.
func Memory(p *reach.Propagated, log *diag.Log) *Placed {
	l := &Placed{Propagated: p, Dynamic: map[reach.DynamicKey]uint64{}}
	defer l.addParameterBanks()
	if p.Options.Relocatable {
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

// addParameterBanks adds the parameter banks of kernels without slots in the order of their
// code, when all that both halves have is there.
func (m *Placed) addParameterBanks() {
	if !m.Mercury {
		return
	}
	for _, code := range slices.Clone(m.Sections) {
		if !code.IsCode() {
			continue
		}
		if s := code.Fn.Bound[cubin.ParameterPrefix+code.Fn.Symbol.Name]; s != nil && !s.Gone && s.Group == program.GroupParameters {
			m.AddSection(s)
		}
	}
}
