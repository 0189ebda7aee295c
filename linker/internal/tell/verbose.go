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

// -v prints what the program needs. The first lines have the sizes of global memory and of the constant banks that
// belong to no kernel. The lines of each kernel have its registers, barriers, stack, shared memory, constant banks and
// local memory. The kernel whose code was created last comes first (INFO-040). The lines are printed after all checks,
// even if one failed. For a program with a Mercury half they describe the state before the finalizer runs: without
// banks and textures, and without the shared memory that is reserved for the system (MERC-221).

// banksUsed is the part of a line that lists constant banks, as ", 8 bytes cmem[3]".
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

// Resources writes the lines of -v. barriers is the result of FirstBarriers.
func Resources(l *layout.Placed, barriers uint32, log *diag.Log) {
	if !l.Options.Verbose {
		return
	}
	var global uint64
	banks := banksByName{}
	for _, s := range l.Sections {
		switch {
		case s.Name == cubin.GlobalName || s.Name == cubin.GlobalInitName:
			global += s.Size
		case strings.HasPrefix(s.Name, cubin.ConstantPrefix) && !l.BanksComeLast():
			banks[s.Name] += s.Size
		}
	}
	log.Report(diag.MemoryUse, global, banks.ofModule())
	registers := registerAttributes(l)
	for _, s := range slices.Backward(l.Sections) {
		e := l.EntryOf(s.Fn)
		if e == nil || !s.IsCode() || s.Size == 0 {
			continue
		}
		log.Report(diag.FunctionProperties, e.Fn.Symbol.Name)
		if !l.Target.Profile.Report.CountsBarriers {
			log.Report(diag.ResourceUseUncounted, registersTold(l, e, registers[e.Fn]), stackOf(l, e),
				sharedOf(l, e), banks.ofKernel(e.Fn.Symbol.Name), localSize(e.Fn), handlesOf(l, e))
			continue
		}
		if most, said := barriersOf(l, e); said || !l.Target.Profile.Report.RepeatsBarriers {
			barriers = uint32(most)
		}
		log.Report(diag.ResourceUse, registersTold(l, e, registers[e.Fn]), barriers, stackOf(l, e),
			sharedOf(l, e), banks.ofKernel(e.Fn.Symbol.Name), localSize(e.Fn), handlesOf(l, e))
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

// handlesOf counts, by kind, the slots of a kernel that the driver fills. Those that the compiler placed differ if their
// relocations have addends: samplers do not count, and a release may join textures (INFO-880).
func handlesOf(l *layout.Placed, e *reach.Entry) (h handlesUsed) {
	if l.BanksComeLast() || !slices.Contains(l.HandleBanks, e.Parameters()) {
		return h
	}
	joined := map[*program.Symbol]bool{} // textures whose slots count as one
	for _, r := range e.Parameters().Relocations {
		placed := r.Rela && !r.Added && !r.Forced
		switch {
		case r.Symbol == nil, placed && joined[r.Symbol]:
		case r.Symbol.Type == cubin.SymTexture:
			h.Textures++
			joined[r.Symbol] = joined[r.Symbol] || placed && l.Target.Profile.Report.JoinsTextures
		case r.Symbol.Type == cubin.SymSampler && !placed:
			h.Samplers++
		case r.Symbol.Type == cubin.SymSurface:
			h.Surfaces++
		}
	}
	return h
}

// registersSaid is the register count in the first attribute of a function, and the number of its attributes with one.
type registersSaid struct {
	first uint32
	times int
}

// registerAttributes returns what attributes say of the registers of each function.
func registerAttributes(l *layout.Placed) map[*program.Function]registersSaid {
	said := map[*program.Function]registersSaid{}
	for _, a := range l.Attributes {
		if a.Owner == nil || a.Code != nvinfo.RegCount {
			continue
		}
		s := said[a.Owner]
		if s.times++; s.times == 1 {
			s.first = a.Word(1)
		}
		said[a.Owner] = s
	}
	return said
}

// registersOf returns the register count of a kernel. A relocatable link only knows the count of the kernel's own
// code.
func registersOf(l *layout.Placed, e *reach.Entry) uint32 {
	switch {
	case !l.Options.Relocatable:
		return l.Needs(e).Registers
	case e.Fn.Counted:
		return e.Fn.RegCount
	}
	return e.Fn.RegInfo
}

// registersTold returns the register count of a kernel for -v. Of several attributes the first prevails, and no callee
// raises it (INFO-976).
func registersTold(l *layout.Placed, e *reach.Entry, said registersSaid) uint32 {
	if said.times > 1 && !l.Target.Profile.Report.LastRegisters {
		return said.first
	}
	return registersOf(l, e)
}

// stackOf returns the stack size of a kernel. It is not known before the final link. If the kernel is recursive, only
// its own frame counts. From 2 GiB on the size is negative (INFO-041).
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

// barriersOf returns the largest barrier count among the functions whose attributes kernel e gets. In a relocatable
// link it returns the count of e alone. said reports whether any of these functions has a count. For old objects, the
// functions that e reaches count, and e itself if no attribute has its count (INFO-025). With -r, where old objects
// keep their form, this holds only up to 13.0 (KIT-089).
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

// banksByName has the sizes of the sections that are named like a constant bank. For -v the name alone tells whose bank
// a section is (DIAG-740). Those of static kernels of one name count together: nvlink makes one section of them.
type banksByName map[string]uint64

// ofModule returns the banks of the module: 1, and 3 to 6.
func (b banksByName) ofModule() banksUsed { return b.used(isBankOfModule, "") }

// ofKernel returns the banks of a kernel: all others.
func (b banksByName) ofKernel(name string) banksUsed {
	return b.used(func(bank int) bool { return !isBankOfModule(bank) }, "."+name)
}

func isBankOfModule(bank int) bool { return bank == 1 || 3 <= bank && bank <= 6 }

// used returns the banks of a kind that have bytes, in ascending order. suffix follows the number in their names.
func (b banksByName) used(isOf func(bank int) bool, suffix string) (banks banksUsed) {
	for bank := range cubin.ConstantBanks {
		if size := b[fmt.Sprint(cubin.ConstantPrefix, bank, suffix)]; isOf(bank) && size > 0 {
			banks = append(banks, bankUsed{bank, size})
		}
	}
	return banks
}

// constantBanks returns the constant banks of a kernel in ascending order.
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

// localSize returns the size of the kernel's own section of local memory. Only programs without a stack have such a
// section.
func localSize(f *program.Function) uint64 {
	if s := f.Own(cubin.LocalPrefix); s != nil {
		return s.Size
	}
	return 0
}
