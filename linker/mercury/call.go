package mercury

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A call waits for all outstanding events. In code of the compilers up to 13.0 these waits are at the
// instruction before the call, in code of later compilers at the call itself. A finalizer changes code to the
// form of its own compiler (KIT-040).

// waitAtCalls moves the waits for a call from the instruction before it to the call, and reports whether it
// moved any. An instruction that stores the return address may stand between the two; it waits for nothing.
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

// needs reports whether x, the instruction after code, may depend on an outstanding event of a scoreboard.
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

// comesAfter reports whether x depends on before through memory. An mbarrier operation must complete before
// other uses of shared memory. A fence for asynchronous copies must complete before reads, but not before
// writes.
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
