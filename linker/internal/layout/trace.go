package layout

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// tracePlace traces where a variable is placed, the rule that determines the order of such variables, and the
// numbers by which that rule sorts them.
func (l *Placed) tracePlace(y *program.Symbol, rule string, align, size uint64) {
	if l.Options.Trace == nil { // without it the arguments would still be made
		return
	}
	l.Options.TraceStep(trace.VariablePlaced, y.Name, y.Value)
	l.Options.TraceStep(trace.OrderedBy, rule, align, size)
}

// traceBanks traces the kernels' local memory, their parameters, and the offsets of the user's constants.
func (l *Placed) traceBanks() {
	if l.Options.Trace == nil {
		return
	}
	for _, e := range l.Kernels {
		if local := e.Fn.Own(cubin.LocalPrefix); local != nil {
			l.Options.TraceStep(trace.LocalEntry, local.Name)
		}
	}
	for _, e := range l.Kernels {
		if bank := e.Parameters(); bank != nil {
			l.Options.TraceStep(trace.ConstantEntry, bank.Name)
		}
	}
	user := l.ByName[cubin.UserConstantName]
	for _, y := range l.Locals {
		if user != nil && y.Section == user && !y.IsSection {
			l.Options.TraceStep(trace.LocalConstantPlaced, y.Name, y.Value)
		}
	}
	for _, y := range l.Globals {
		if user != nil && y.Section == user {
			l.Options.TraceStep(trace.ConstantPlaced, y.Name, y.Value)
		}
	}
}

// traceExternShared traces where the extern __shared__ arrays of each function begin.
func (l *Placed) traceExternShared() {
	if l.Options.Trace == nil || len(l.dynamic) == 0 {
		return
	}
	l.Options.TraceStep(trace.ExternShared)
	l.traceOverlaps()
	for _, fn := range l.Functions {
		for _, y := range fn.Uses {
			if at, ok := l.dynamic[l.dynamicKey(fn, y)]; ok && y.Shared.Extern && !fn.Dead {
				l.Options.TraceStep(trace.ExternSharedPlaced, y.Name, at)
			}
		}
	}
}

// traceOverlaps traces which uses of extern __shared__ arrays share a start because one kernel reaches both. Uses
// are numbered in the order in which kernels reach them.
func (l *Placed) traceOverlaps() {
	var keys []dynamicKey
	users := map[dynamicKey][]*Kernel{}
	for _, e := range l.Kernels {
		for _, key := range e.dynamic {
			if len(users[key]) == 0 {
				keys = append(keys, key)
			}
			users[key] = append(users[key], e)
		}
	}
	for i, key := range keys {
		mine := map[*Kernel]bool{}
		mark(users[key], mine)
		for k := i + 1; k < len(keys); k++ {
			if anyIn(users[keys[k]], mine) {
				l.Options.TraceStep(trace.ExternSharedOverlaps, i, k)
			}
		}
	}
}
