package layout

import (
	"iter"
	"slices"
	"sync"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// The kernels that reach a shared variable determine its place. If one kernel reaches a variable, it becomes
// that kernel's own. If several do, it has the same offset in all of them. If no code uses a variable, it is
// dropped. Kernels without a section get one in the order in which variables are assigned to kernels
// (LAYOUT-055).

// usersOfShared returns the kernels that use each shared variable, directly or through the functions that
// they reach. They are in the order of the relocations of the code, and for the same code the last created
// kernel comes first. A variable that only unreached code uses has an empty list.
func (l *Placed) usersOfShared(uses iter.Seq[sharedUse]) map[*program.Symbol][]*Kernel {
	users := make(map[*program.Symbol][]*Kernel, len(l.SharedInOrder))
	var last sharedUse
	known, round := make([]int32, len(l.Functions)), int32(0) // by order of kernel, the last round in which it was met
	for use := range uses {
		list := users[use.variable]
		if use.by == nil { // no kernel reaches this code
			users[use.variable] = list
			continue
		}
		if use.variable != last.variable || use.in != last.in {
			round++
			for _, e := range list {
				known[e.Fn.Order] = round
			}
		}
		if last = use; known[use.by.Fn.Order] != round {
			known[use.by.Fn.Order] = round
			users[use.variable] = append(list, use.by)
		}
	}
	return users
}

// usersOfExtern returns the kernels that reach extern __shared__ arrays, in the order of their first use. It
// also records in each kernel which uses the kernel reaches.
func (l *Placed) usersOfExtern(uses iter.Seq[sharedUse]) (users []*Kernel) {
	for use := range uses {
		if use.by == nil || !use.variable.Shared.IsDynamic() {
			continue
		}
		if len(use.by.dynamic) == 0 {
			users = append(users, use.by)
		}
		use.by.dynamic = append(use.by.dynamic, l.dynamicKey(use.in, use.variable))
		use.by.arrays = append(use.by.arrays, use.variable)
	}
	return users
}

// A sharedUse is code that uses a shared variable, with a kernel that reaches the code. by is nil if no
// kernel does.
type sharedUse struct {
	variable *program.Symbol
	in       *program.Function
	by       *Kernel
}

// sharedUses yields the uses of shared variables in the order of the code's relocations. For
// each use it yields the kernels that reach the code, the last created first.
func (l *Placed) sharedUses() iter.Seq[sharedUse] {
	reaching := make([][]*Kernel, len(l.Functions)) // by order of function
	for _, e := range slices.Backward(l.Kernels) {
		for _, fn := range e.Reachable() {
			if len(fn.Uses) > 0 && (!fn.Entry || fn == e.Fn) { // LAYOUT-415
				reaching[fn.Order] = append(reaching[fn.Order], e)
			}
		}
	}
	return func(yield func(sharedUse) bool) {
		for _, fn := range l.SharedUsers {
			for _, y := range fn.Uses {
				if len(reaching[fn.Order]) == 0 && !yield(sharedUse{y, fn, nil}) {
					return
				}
				for _, e := range reaching[fn.Order] {
					if !yield(sharedUse{y, fn, e}) {
						return
					}
				}
			}
		}
	}
}

// splitShared finds the kernels that reach each variable. If one kernel reaches it, the variable becomes
// local to that kernel. The others stay common, the largest first (LAYOUT-030). A variable that no code uses
// is dropped. A kernel of an extensible whole program cannot reach variables from outside through a function (LAYOUT-054).
func (l *Placed) splitShared(users map[*program.Symbol][]*Kernel, log *diag.Log) (common []*program.SharedObject) {
	for _, o := range l.SharedInOrder {
		if o.Owner != nil && o.Owner.Dead {
			o.Symbol.Value = ^uint64(0) // only debug information still names it (LAYOUT-049)
		}
	}
	through := sync.OnceValue(l.throughFunctions)
	bySize := listSort(l.outsideKernels(), func(a, b *program.SharedObject) bool { return a.Size > b.Size })
	for _, o := range bySize {
		kernels, named := users[o.Symbol]
		if !o.Extern && slices.ContainsFunc(kernels, func(e *Kernel) bool { return e.Fn.Extensible }) {
			for _, e := range through()[o.Symbol] {
				log.Report(diag.SharedOfWholeProgram, o.Symbol.Name, e.Fn.Symbol.Name)
			}
		}
		switch {
		case o.Extern:
		case len(kernels) == 1:
			e := kernels[0]
			e.Localised, o.Sole = append(e.Localised, o), e.Fn
			if l.Target.Profile.Layout.DemotedIsLocal {
				o.Symbol.Bind = cubin.BindLocal
			}
			if l.Options.DebugSymbols() && l.Target.Profile.Layout.HidesDemoted { // it is then as without -g
				o.Symbol.Other |= cubin.OtherInternal
				o.Symbol.Hidden = !l.Options.PreserveRelocs
			}
			l.AddShared(e.Fn)
			l.Options.TraceStep(trace.SharedOfOneEntry, o.Symbol.Name, e.Fn.Order)
		case named:
			common = append(common, o)
		default:
			o.Symbol.Hidden, o.Symbol.Unnamed = true, true
			l.LosesNull = l.LosesNull || o.Nameless && !l.HasMercury() && l.namesShared()
			l.Options.TraceStep(trace.SharedUnused, o.Symbol.Name)
		}
	}
	for _, o := range common {
		for _, e := range users[o.Symbol] {
			e.Common = append(e.Common, o)
			l.AddShared(e.Fn)
		}
	}
	return common
}

// namesShared reports whether a shared variable outside of kernels has a name. Without one, nvlink leaves such memory as it is
// (LAYOUT-986).
func (l *Placed) namesShared() bool {
	return slices.ContainsFunc(l.SharedInOrder, func(o *program.SharedObject) bool { return !o.Nameless })
}

// throughFunctions returns, for each variable, the kernels of extensible whole programs that reach it through other functions.
// nvlink repeats its message about a kernel for each relocation of these functions (LAYOUT-054).
func (l *Placed) throughFunctions() map[*program.Symbol][]*Kernel {
	type place struct {
		variable *program.Symbol
		in       *program.Function
	}
	reaching := map[place][]*Kernel{}
	for use := range l.sharedUses() {
		if use.by != nil && use.in != use.by.Fn && use.by.Fn.Extensible {
			at := place{use.variable, use.in}
			reaching[at] = append(reaching[at], use.by)
		}
	}
	kernels := map[*program.Symbol][]*Kernel{}
	for _, fn := range l.SharedUsers {
		for _, r := range fn.Text.Relocations {
			if found := reaching[place{r.Symbol, fn}]; found != nil {
				kernels[r.Symbol] = append(kernels[r.Symbol], found...)
			}
		}
	}
	return kernels
}

// outsideKernels returns the variables outside of kernels in the order in which they were first mentioned.
// The list includes extern arrays. They are placed elsewhere, but affect how the sort orders equal variables
// (LAYOUT-404).
func (l *Placed) outsideKernels() []*program.SharedObject {
	return slices.DeleteFunc(slices.Clone(l.SharedInOrder), func(o *program.SharedObject) bool {
		return o.Owner != nil || o.Section == nil && !o.Extern
	})
}
