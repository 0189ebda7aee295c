package layout

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// extern __shared__ arrays have no size. Their memory is requested at launch, and follows the
// kernel's static variables. Code has one address for an array. All kernels that reach the code must
// therefore have the end of their static variables at the same offset.

// ExternSharedAlign is the alignment, in bytes, of the start of extern arrays.
const ExternSharedAlign = 16

// A dynamicKey identifies one start of extern __shared__ arrays. It has the function that uses such
// arrays. With -g it has the array itself, because each array then has a symbol. If an array got its
// size later, no kernel sets a start for its key.
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

// placeExternShared determines where extern arrays begin. users are the kernels that reach them. All
// of these get a section, even those that the options do not select (LAYOUT-055).
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

// alignOfArrays returns the alignment of the start of extern arrays. In releases that use the arrays'
// own alignments, it is at least the largest of these (KIT-017).
func (l *Placed) alignOfArrays(arrays []*program.Symbol) uint64 {
	align := uint64(ExternSharedAlign)
	if l.Target.Profile.Layout.AlignsExternShared {
		for _, y := range arrays {
			align = max(align, y.Shared.Align)
		}
	}
	return align
}

// alignForArrays raises the section of a kernel with extern arrays to the alignment of these, and its end to where they begin.
func (l *Placed) alignForArrays(e *Kernel) {
	if len(e.dynamic) == 0 {
		return
	}
	s := e.Fn.Shared
	s.Align = max(s.Align, l.alignOfArrays(e.arrays))
	s.Size = cubin.AlignUp(s.Size, l.alignOfArrays(e.arrays[:1]))
}

// joinDynamic computes a common start of extern __shared__ arrays for kernels that share a key. It is
// the largest end of their static variables (LAYOUT-033). With -g an array that no kernel reaches
// begins at the start of shared memory (LAYOUT-408).
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

// alignEnds rounds the sections of kernels that reach extern arrays up to the section's alignment, in
// releases that use the arrays' own alignments. With -g the arrays begin there (KIT-017).
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

// StartOfExtern returns where the extern __shared__ array y begins for the code of fn. With -g the
// array has one start for all code. ok is false if no kernel reaches the code.
func (l *Placed) StartOfExtern(fn *program.Function, y *program.Symbol) (start uint64, ok bool) {
	start, ok = l.dynamic[l.dynamicKey(fn, y)]
	return start, ok
}
