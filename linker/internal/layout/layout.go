package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
)

// A Placed program has assigned each object a place in its memory space.
type Placed struct {
	*reach.Propagated
	Kernels         []*Kernel // in order of creation
	KernelOf        map[*program.Function]*Kernel
	lone            *Kernel                               // the only kernel that the options select, if exactly one
	dynamic         map[dynamicKey]uint64                 // where extern __shared__ begins
	HandleBanks     []*program.Section                    // constant banks with slots for textures, samplers and surfaces
	SlotMoves       []SlotMove                            // slots of extensible whole programs at other places
	HandleStart     uint64                                // where the slots begin in them
	Slots           map[*program.Symbol]uint64            // of textures, samplers and surfaces, in constant bank 0
	Instances       map[*program.Function]*program.Symbol // -r: the symbol for extern __shared__ in a kernel's code
	nullOf          *Kernel                               // the first kernel with an unnamed shared variable; the null symbol has its offset
	hasExternShared bool                                  // an input declares an extern __shared__ array
	oversized       map[*program.Section]diag.Diagnostic  // the diagnostics for sections that are too large
}

// A Kernel is an entry, with those shared variables outside of kernels that it reaches.
type Kernel struct {
	*reach.Entry
	Common    []*program.SharedObject // reached by several kernels
	Localised []*program.SharedObject // reached by this kernel alone
	dynamic   []dynamicKey            // uses of extern __shared__
	arrays    []*program.Symbol       // the arrays of these uses
	nameless  bool                    // its shared memory stands as it is
}

// Memory places every object, one memory space after the other, in the order of document 001.
//
// Before the call, live functions and the functions that each kernel reaches are known. After the call, every
// symbol has its value and every section its size, and whatever does not fit is reported.
func Memory(p *reach.Propagated, log *diag.Log) *Placed {
	l := &Placed{Propagated: p, KernelOf: map[*program.Function]*Kernel{}, dynamic: map[dynamicKey]uint64{}}
	kernels := make([]Kernel, len(p.Entries)) // in one place
	for i, e := range p.Entries {
		k := &kernels[i]
		k.Entry = e
		l.Kernels = append(l.Kernels, k)
		l.KernelOf[e.Fn] = k
		k.nameless = l.consistsOfNameless(k)
		if e == p.Lone {
			l.lone = k
		}
	}
	defer l.addParameterBanks()
	l.takeSlots()
	if p.Options.Relocatable {
		l.layoutCommons()
		l.layoutUserConstants(log)
		l.bindCompilerConstants()
		l.checkFunctions()
		l.reportOversized(log)
		l.layoutRelocatableHandles()
		l.layoutRelocatableShared()
		l.layoutUndefined()
		l.setUserConstantsSize()
		return l
	}
	l.layoutCommons()
	l.layoutHandles(log)
	l.layoutReserved()
	l.layoutShared(log)
	l.layoutConstants(log)
	l.checkFunctions()
	l.checkUnified(log)
	l.reportOversized(log)
	l.layoutUndefined()
	l.setUserConstantsSize()
	l.traceBanks()
	return l
}

// addParameterBanks adds parameter banks in the order of the kernels' code, if they come last because the finalizer
// makes them (MERC-207). Banks with slots of textures have been added before.
func (m *Placed) addParameterBanks() {
	if !m.ParameterBanksLast() {
		return
	}
	for _, code := range slices.Clone(m.Sections) {
		if !code.IsCode() {
			continue
		}
		if s := code.Fn.Own(cubin.ParameterPrefix); s != nil && s.State != program.Gone && s.Group == program.GroupParameters {
			m.AddSection(s)
		}
	}
}
