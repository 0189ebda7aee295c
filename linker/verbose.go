package linker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// -v prints what the program needs: the sizes of global memory and of the
// constant banks that belong to no kernel, then for each kernel, that of the last
// created code first, its registers, barriers, stack, shared memory, constant banks
// and local memory (INFO-040). The lines come after all checks, and also when one
// failed. Of a program with a Mercury half they tell what it is before the finalizer:
// without banks and textures, and without the shared memory that the system reserves
// (MERC-221).

// banksUsed is the part of a line that lists constant banks: ", 8 bytes cmem[3]".
type banksUsed []bankUsed

type bankUsed struct {
	Bank  int    `json:"bank"`
	Bytes uint64 `json:"bytes"`
}

func (b banksUsed) String() string {
	var text strings.Builder
	for _, u := range b {
		fmt.Fprintf(&text, ", %d bytes cmem[%d]", u.Bytes, u.Bank)
	}
	return text.String()
}

// reportResources writes the lines of -v.
func reportResources(l *laidOut, log *diag.Log) {
	if !l.options.Verbose {
		return
	}
	var global uint64
	var constant banksUsed
	for _, s := range l.sections {
		switch {
		case s.fn != nil:
		case s.name == globalName || s.name == globalInitName:
			global += s.size
		case s.bank != noBank && !l.mercury:
			constant = append(constant, bankUsed{s.bank, s.size})
		}
	}
	log.Report(diag.MemoryUse, global, constant)
	for _, s := range slices.Backward(l.sections) {
		e := l.entryOf[s.fn]
		if e == nil || !s.isCode() {
			continue
		}
		log.Report(diag.FunctionProperties, e.fn.symbol.name)
		log.Report(diag.ResourceUse, l.registersOf(e), l.barriersOf(e), l.stackOf(e),
			l.sharedOf(e), l.banksOf(e), e.fn.localSize(), l.handlesOf(e))
	}
}

// handlesUsed are the textures, samplers and surfaces that the driver gives a kernel.
type handlesUsed struct {
	Textures int `json:"textures"`
	Samplers int `json:"samplers"`
	Surfaces int `json:"surfaces"`
}

func (h handlesUsed) String() string {
	var b strings.Builder
	for _, kind := range []struct {
		n    int
		name string
	}{{h.Textures, "textures"}, {h.Surfaces, "surfaces"}, {h.Samplers, "samplers"}} {
		if kind.n > 0 {
			fmt.Fprintf(&b, ", %d %s", kind.n, kind.name)
		}
	}
	return b.String()
}

// handlesOf counts the slots of a kernel that the driver fills, by kind.
func (l *laidOut) handlesOf(e *entry) (h handlesUsed) {
	if l.mercury || !slices.Contains(l.handleBanks, e.parameters()) {
		return h
	}
	for _, r := range e.parameters().relocations {
		if r.symbol == nil {
			continue
		}
		switch r.symbol.typ {
		case cubin.SymTexture:
			h.Textures++
		case cubin.SymSampler:
			h.Samplers++
		case cubin.SymSurface:
			h.Surfaces++
		}
	}
	return h
}

// registersOf gives the registers of a kernel; a relocatable link knows only those
// of its own code.
func (l *laidOut) registersOf(e *entry) uint32 {
	if l.options.Relocatable {
		return e.fn.regCount
	}
	return l.needs[e].registers
}

// stackOf gives the stack of a kernel: nothing is known of it before the last
// link, and of a recursion only the kernel's own frame counts (INFO-041).
func (l *laidOut) stackOf(e *entry) uint32 {
	switch stack := l.needs[e].stack; {
	case l.options.Relocatable:
		return 0
	case stack == stackUnknown:
		return l.stacks.frames[e.fn.order]
	default:
		return uint32(stack)
	}
}

// barriersOf gives the largest barrier count among the functions that give kernel e
// their attributes, or its own in a relocatable link.
func (l *laidOut) barriersOf(e *entry) uint16 {
	givers := e.reachable
	switch {
	case l.options.Relocatable:
		givers = []*function{e.fn}
	case l.lone == e:
		givers = l.functions
	}
	var most uint16
	for _, fn := range givers {
		for _, a := range fn.attributes {
			if a.Code == nvinfo.NumBarriers && !fn.dead {
				most = max(most, a.Value&0xff)
			}
		}
	}
	return most
}

// sharedOf gives the shared memory of a kernel.
func (l *laidOut) sharedOf(e *entry) uint64 {
	s := e.fn.shared
	if l.mercury && !l.options.Relocatable {
		return max(s.size, l.reservedShared()) - l.reservedShared()
	}
	return s.size
}

// banksOf gives the constant banks of a kernel.
func (l *laidOut) banksOf(e *entry) banksUsed {
	if l.mercury {
		return nil
	}
	return e.fn.constantBanks()
}

// constantBanks gives the banks of a kernel, the lowest first.
func (f *function) constantBanks() banksUsed {
	var banks banksUsed
	for _, s := range f.bound {
		if s.bank != noBank && s.size > 0 {
			banks = append(banks, bankUsed{s.bank, s.size})
		}
	}
	slices.SortFunc(banks, func(a, b bankUsed) int {
		return cmp.Or(cmp.Compare(a.Bank, b.Bank), cmp.Compare(a.Bytes, b.Bytes)) // two of a kind in damaged files only
	})
	return banks
}

const (
	globalInitName = ".nv.global.init"
	localPrefix    = ".nv.local."
)

// localSize is the size of the kernel's own local memory section, which only
// programs without a stack have.
func (f *function) localSize() uint64 {
	if s := f.bound[localPrefix+f.symbol.name]; s != nil {
		return s.size
	}
	return 0
}
