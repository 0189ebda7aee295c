package layout

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// extern __shared__ arrays have no size: their memory is what a launch asks for, after
// the static variables of a kernel. Code has one address for an array too, so that all
// kernels that reach it must agree where they end.

// They begin at a multiple of this many bytes.
const ExternSharedAlign = 16

// A dynamicKey is what has one value for the start of extern __shared__: a
// function that uses such an array, or with -g, where each array has a symbol, the
// array. An array that got a size later has a key that no kernel gives a start.
type dynamicKey struct {
	fn    *program.Function
	array *program.Symbol
}

func (l *Placed) dynamicKey(fn *program.Function, array *program.Symbol) dynamicKey {
	if l.Options.DebugSymbols() || array.Shared.Late {
		return dynamicKey{array: array}
	}
	return dynamicKey{fn: fn}
}

// placeExternShared says where extern arrays begin. The kernels that reach them, users, have a
// section, also those that the options do not choose (LAYOUT-055).
func (l *Placed) placeExternShared(users []*Kernel) {
	if len(users) > 0 && !l.Options.DebugSymbols() {
		l.Mention(cubin.ExternInstance)
	}
	for _, e := range users {
		l.AddShared(e.Fn)
	}
	l.joinDynamic()
	l.traceExternShared()
}

// alignOfArrays is the alignment of the start of extern arrays: also the largest of their own
// ones, for releases that know them (KIT-017).
func (l *Placed) alignOfArrays(arrays []*program.Symbol) uint64 {
	align := uint64(ExternSharedAlign)
	if l.Target.Profile.Layout.AlignsExternShared {
		for _, y := range arrays {
			align = max(align, y.Shared.Align)
		}
	}
	return align
}

// joinDynamic lets kernels that share a key agree on where extern __shared__
// begins: at the largest of their ends (LAYOUT-033). With -g an array that no kernel
// reaches begins where nothing is before it (LAYOUT-408).
func (l *Placed) joinDynamic() {
	if l.Options.DebugSymbols() {
		for _, o := range l.SharedInOrder {
			if o.Extern {
				l.dynamic[l.dynamicKey(nil, o.Symbol)] = cubin.AlignUp(l.sharedStart(), ExternSharedAlign)
			}
		}
		l.alignEnds()
	}
	for changed := true; changed; {
		changed = false
		for _, e := range l.Kernels {
			start := e.Fn.Shared.Size
			for _, key := range e.dynamic {
				start = max(start, l.dynamic[key])
			}
			if l.Options.DebugSymbols() && l.Target.Profile.Layout.AlignsExternShared {
				start = cubin.AlignUp(start, e.Fn.Shared.Align)
			}
			if len(e.dynamic) > 0 && start > e.Fn.Shared.Size {
				e.Fn.Shared.Size = start
				changed = true
			}
			for _, key := range e.dynamic {
				if at, ok := l.dynamic[key]; !ok || at < start {
					l.dynamic[key] = start
					changed = true
				}
			}
		}
	}
	l.alignEnds()
}

// alignEnds makes the sections of kernels that reach extern arrays as long as a multiple of their
// alignment, for releases that know the arrays' own. With -g the arrays begin there (KIT-017).
func (l *Placed) alignEnds() {
	if !l.Target.Profile.Layout.AlignsExternShared {
		return
	}
	for _, e := range l.Kernels {
		if len(e.dynamic) > 0 {
			e.Fn.Shared.Size = cubin.AlignUp(e.Fn.Shared.Size, e.Fn.Shared.Align)
		}
	}
}

// StartOfExtern returns where extern __shared__ array y begins for the code of fn. With -g
// the array has one start for all code. ok is false where no kernel reaches.
func (l *Placed) StartOfExtern(fn *program.Function, y *program.Symbol) (start uint64, ok bool) {
	start, ok = l.dynamic[l.dynamicKey(fn, y)]
	return start, ok
}
