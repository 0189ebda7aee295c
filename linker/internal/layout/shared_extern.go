package layout

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
)

// extern __shared__ arrays have no size: their memory is what a launch asks for, after
// the static variables of a kernel. Code has one address for an array too, so that all
// kernels that reach it must agree where they end.

// They begin at a multiple of this many bytes.
const ExternSharedAlign = 16

func (l *Placed) DynamicKey(fn *program.Function, array *program.Symbol) reach.DynamicKey {
	if l.Options.DebugSymbols() || array.Shared.Late {
		return reach.DynamicKey{Array: array}
	}
	return reach.DynamicKey{Fn: fn}
}

// placeExternShared says where extern arrays begin. The kernels that reach them have a
// section, also those that the options do not choose (LAYOUT-055).
func (l *Placed) placeExternShared() {
	for _, e := range l.externUsers {
		l.AddShared(e.Fn)
	}
	l.joinDynamic()
	l.traceExternShared()
}

// joinDynamic lets kernels that share a key agree on where extern __shared__
// begins: at the largest of their ends (LAYOUT-033). With -g an array that no kernel
// reaches begins where nothing is before it (LAYOUT-408).
func (l *Placed) joinDynamic() {
	if l.Options.DebugSymbols() {
		for _, o := range l.SharedInOrder {
			if o.Extern {
				l.Dynamic[l.DynamicKey(nil, o.Symbol)] = cubin.AlignUp(l.sharedStart(), ExternSharedAlign)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, e := range l.Entries {
			start := e.Fn.Shared.Size
			for _, key := range e.Dynamic {
				start = max(start, l.Dynamic[key])
			}
			if len(e.Dynamic) > 0 && start > e.Fn.Shared.Size {
				e.Fn.Shared.Size = start
				changed = true
			}
			for _, key := range e.Dynamic {
				if at, ok := l.Dynamic[key]; !ok || at < start {
					l.Dynamic[key] = start
					changed = true
				}
			}
		}
	}
}
