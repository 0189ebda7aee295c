package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
	"github.com/culink/culink/linker/sass"
)

// isLeaf reports whether the code of a kernel calls nothing, so that no other code runs while it does. A device function is
// never closed, because it returns to unknown code (MERC-110).
func isLeaf(code []machine.Instr) bool { return !slices.ContainsFunc(code, machine.Instr.IsCall) }

// callsOutside reports whether the code of an extensible whole program calls code that is not inside of it.
func callsOutside(code []machine.Instr) bool {
	return slices.ContainsFunc(code, func(x machine.Instr) bool { return x.Op() == sass.OpCALLAbs })
}

// IsClosed reports whether the finalizer would change the machine code of a kernel if other code ran beside it: it has fences
// without work-arounds, or calls that do not wait for the stack pointer.
func IsClosed(text []byte, sm int) bool {
	code := machine.Body(text)
	workaround := false // dead loads precede the fences so far
	for i, x := range code {
		if x.Op() != sass.OpMEMBAR {
			continue
		}
		if i == 0 || code[i-1].Op() != sass.OpMEMBAR {
			workaround = i > 0 && code[i-1].IsDeadLoad()
		}
		if !workaround && !isBeforeExit(code, i) {
			return true
		}
	}
	return FreeStack(text, sm) && !isUnoptimized(code) && !isLeaf(code)
}

// isBeforeExit reports whether the fence at i stands before an ERRBAR at an exit, where it needs no work-around.
func isBeforeExit(code []machine.Instr, i int) bool {
	return i+1 < len(code) && code[i].Scope() == machine.ScopeSCVC && code[i+1].Op() == sass.OpERRBAR
}

// FreeStack reports whether machine code loads the stack pointer at its beginning, does not wait for the load
// there, and does not use it. An earlier link may have reassigned the scoreboards of such code.
func FreeStack(text []byte, sm int) bool {
	code := machine.Body(text)
	return len(code) > 0 && code[0].Low&0xffffffff == scoreboard.LoadStack && code[0].WriteBarrier() == sass.NoBarrier && scoreboard.FreeStack(code, sm)
}
