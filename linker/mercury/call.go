package mercury

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A call waits for everything that is outstanding. The compilers up to 13.0 let the instruction
// before it wait, and the later ones the call itself; a finalizer makes what its own compiler
// would (KIT-040).

// waitAtCalls moves the waits for the sake of a call from the instruction before to the call,
// and reports whether there were any. The instruction that notes where the call returns to, which
// waits for nothing, may stand in between.
func waitAtCalls(steps []codemap.Step, sm int) (moved bool) {
	for i := range steps {
		call := &steps[i].Instr
		if !call.IsCall() || i == 0 {
			continue
		}
		before := i - 1
		if steps[before].Op() == sass.OpLEPC && before > 0 {
			before--
		}
		x := &steps[before].Instr
		if x.Displacement() != machine.None || x.Op() == sass.OpEXIT || x.IsCall() {
			continue
		}
		for board := range machine.Scoreboards {
			if x.WaitsFor(board) && !needs(steps[:before], *x, board, sm) {
				*x = x.WithWaitMask(x.WaitMask() &^ (1 << board))
				*call = call.WithWaitMask(call.WaitMask() | 1<<board)
				moved = true
			}
		}
	}
	return moved
}

// needs reports whether x, which comes after code, may depend on what is outstanding on a
// scoreboard.
func needs(code []codemap.Step, x machine.Instr, board, sm int) bool {
	writes, reads, known := machine.RegistersOf(x, sm)
	if !known {
		return true
	}
	touched := writes.Union(reads)
	for i := len(code) - 1; i >= 0; i-- {
		from := code[i].Instr
		if from.WriteBarrier() == board || from.ReadBarrier() == board {
			made, used, known := machine.RegistersOf(from, sm)
			if from.WriteBarrier() == board && comesAfter(x, from) {
				return true
			}
			if !known || from.WriteBarrier() == board && made.Overlaps(touched) || from.ReadBarrier() == board && used.Overlaps(writes) {
				return true
			}
		}
		if from.WaitsFor(board) || from.IsCall() {
			return false
		}
	}
	return false
}

// comesAfter reports whether x depends on before by memory, which a scoreboard for results tells: what an mbarrier does
// comes before other uses of shared memory, and a fence for asynchronous copies before reads, not before writes.
func comesAfter(x, before machine.Instr) bool {
	switch before.Op() {
	case sass.OpSYNCS, sass.OpSYNCSInvalidate, sass.OpSYNCSExchange:
		return readsShared(x) || x.Op() == sass.OpSTS
	case sass.OpFENCE:
		return readsShared(x) || x.Loads()
	}
	return false
}

// readsShared reports whether x reads shared memory, or reads and writes it.
func readsShared(x machine.Instr) bool {
	switch x.Op() {
	case sass.OpLDS, sass.OpLDGSTS, sass.OpATOMS, sass.OpATOMSCAS, sass.OpATOMSPOPC, sass.OpSYNCS, sass.OpSYNCSInvalidate, sass.OpSYNCSExchange:
		return true
	}
	return false
}
