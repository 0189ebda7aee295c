package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/machine"
)

// Up to 13.0 the compiler puts a DEPBAR after an asynchronous reduction. It waits for the scoreboard of the operands, and has no bit
// of its wait mask for that. The compiler knows that the scoreboard is free then, but not that the operands are read: they have no
// consumer, and may be pending until something overwrites them (MERC-330). Later compilers have no such DEPBAR (KIT-330).

// awaitsReduction reports whether instruction i is such a DEPBAR.
func awaitsReduction(code []machine.Instr, i int) bool {
	return i > 0 && code[i].AwaitsReduction(code[i-1])
}

// withDEPBARWaits returns code in which the wait masks of these DEPBARs, and of those for fences (MERC-255), have the scoreboards
// that they wait for.
func withDEPBARWaits(code []machine.Instr) []machine.Instr {
	marked := slices.Clone(code)
	for i, x := range code {
		if awaitsReduction(code, i) || awaitsFence(code, i) {
			marked[i] = x.WithWaitMask(x.WaitMask() | 1<<x.CountsOn())
		}
	}
	return marked
}

// endsReduction reports whether instruction i waits for scoreboard b because it is such a DEPBAR.
func (a *allocation) endsReduction(i, b int) bool {
	return a.policy.awaitsReductions() && awaitsReduction(a.code, i) && a.board[a.defs[i-1][0].number] == b
}

// afterReduction returns x, such a DEPBAR, as it is after its reduction counts on scoreboard b. If it is removed later, it is a NOP
// until then: the new schedule must be safe without it.
func (a *allocation) afterReduction(x machine.Instr, b int) machine.Instr {
	if !a.policy.awaitsReductions() {
		return machine.NOP.WithControlOf(x)
	}
	return x.WithWaitMask(x.WaitMask() &^ (1 << b)).CountingOn(b)
}
