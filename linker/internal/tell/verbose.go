package tell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/nvinfo"
)

// -v prints what the program needs. First come the sizes of global memory and of the
// constant banks that belong to no kernel. Then follow, for each kernel, its registers,
// barriers, stack, shared memory, constant banks and local memory. The kernel whose code
// was created last comes first (INFO-040). The lines come after all checks, even if one
// failed. For a program with a Mercury half they describe the state before the finalizer:
// without banks and textures, and without the shared memory reserved by the system
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

// sort sorts banks by number.
func (b banksUsed) sort() {
	slices.SortStableFunc(b, func(x, y bankUsed) int { return cmp.Compare(x.Bank, y.Bank) })
}

// Resources writes the lines of -v. barriers is what FirstBarriers returns.
func Resources(l *layout.Placed, barriers uint32, log *diag.Log) {
	if !l.Options.Verbose {
		return
	}
	var global uint64
	var constant banksUsed
	for _, s := range l.Sections {
		switch {
		case s.Fn != nil:
		case s.Name == cubin.GlobalName || s.Name == cubin.GlobalInitName:
			global += s.Size
		case s.Bank != program.NoBank && !l.BanksComeLast():
			constant = append(constant, bankUsed{s.Bank, s.Size})
		}
	}
	constant.sort()
	log.Report(diag.MemoryUse, global, constant)
	for _, s := range slices.Backward(l.Sections) {
		e := l.EntryOf(s.Fn)
		if e == nil || !s.IsCode() {
			continue
		}
		log.Report(diag.FunctionProperties, e.Fn.Symbol.Name)
		if !l.Target.Profile.Report.CountsBarriers {
			log.Report(diag.ResourceUseUncounted, registersOf(l, e), stackOf(l, e),
				sharedOf(l, e), banksOf(l, e), localSize(e.Fn), handlesOf(l, e))
			continue
		}
		if most, said := barriersOf(l, e); said || !l.Target.Profile.Report.RepeatsBarriers {
			barriers = uint32(most)
		}
		log.Report(diag.ResourceUse, registersOf(l, e), barriers, stackOf(l, e),
			sharedOf(l, e), banksOf(l, e), localSize(e.Fn), handlesOf(l, e))
	}
}

// handlesUsed holds the numbers of texture, sampler and surface handles that the driver passes to a kernel.
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
func handlesOf(l *layout.Placed, e *reach.Entry) (h handlesUsed) {
	if l.BanksComeLast() || !slices.Contains(l.HandleBanks, e.Parameters()) {
		return h
	}
	for _, r := range e.Parameters().Relocations {
		if r.Symbol == nil {
			continue
		}
		switch r.Symbol.Type {
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

// registersOf returns the register count of a kernel; a relocatable link knows only that
// of its own code.
func registersOf(l *layout.Placed, e *reach.Entry) uint32 {
	if l.Options.Relocatable {
		return e.Fn.RegCount
	}
	return l.Needs(e).Registers
}

// stackOf returns the stack size of a kernel. It is not known before the final link. With
// recursion, only the kernel's own frame counts. From 2 GiB on it is negative (INFO-041).
func stackOf(l *layout.Placed, e *reach.Entry) int32 {
	switch stack := l.Needs(e).Stack; {
	case l.Options.Relocatable:
		return 0
	case stack == reach.StackUnknown:
		return int32(l.Stacks.Frames[e.Fn.Order])
	default:
		return int32(stack)
	}
}

// barriersOf returns the largest barrier count among the functions that give kernel e
// their attributes, or its own in a relocatable link, and whether one of them says any. Of old objects those that e
// reaches count, and its own where no attribute says it (INFO-025); with -r, where they stay what they are, up to 13.0
// alone (KIT-089).
func barriersOf(l *layout.Placed, e *reach.Entry) (most uint16, said bool) {
	reached := e.Reachable()
	if l.Options.Relocatable {
		reached = []*program.Function{e.Fn}
	}
	givers := reached
	if l.Lone == e && !l.Options.Relocatable {
		givers = l.Functions
	}
	for _, fn := range givers {
		for a := range fn.Attributes.Pushed() {
			if a.Code == nvinfo.NumBarriers && !fn.Dead {
				most, said = max(most, a.Value&0xff), true
			}
		}
	}
	attributed := said && !l.Options.Relocatable
	if l.Options.Relocatable && l.Target.Profile.Report.RepeatsBarriers {
		return most, said
	}
	for _, fn := range reached {
		if fn.Barriers > 0 && !fn.Dead && !(fn == e.Fn && attributed) {
			most, said = max(most, fn.Barriers), true
		}
	}
	return most, said
}

// sharedOf returns the shared memory size of a kernel.
func sharedOf(l *layout.Placed, e *reach.Entry) uint64 {
	s := e.Fn.Shared
	if l.ReservedComesLast() && !l.Options.Relocatable {
		return max(s.Size, l.ReservedShared()) - l.ReservedShared()
	}
	return s.Size
}

// banksOf returns the constant banks of a kernel.
func banksOf(l *layout.Placed, e *reach.Entry) banksUsed {
	if l.BanksComeLast() {
		return nil
	}
	return constantBanks(e.Fn)
}

// constantBanks returns the banks of a kernel, the lowest first.
func constantBanks(f *program.Function) banksUsed {
	var banks banksUsed
	for _, s := range f.Bound.All {
		if s.Bank != program.NoBank && s.Size > 0 {
			banks = append(banks, bankUsed{s.Bank, s.Size})
		}
	}
	slices.SortFunc(banks, func(a, b bankUsed) int {
		return cmp.Or(cmp.Compare(a.Bank, b.Bank), cmp.Compare(a.Bytes, b.Bytes)) // duplicates only in damaged files
	})
	return banks
}

// localSize returns the size of the kernel's own local memory section. Only programs
// without a stack have one.
func localSize(f *program.Function) uint64 {
	if s := f.Own(cubin.LocalPrefix); s != nil {
		return s.Size
	}
	return 0
}
