package mercury

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
	"github.com/culink/culink/linker/sass"
)

// closed reports whether code is all that runs when the kernel does: it calls nothing.
// Only kernels are closed; a device function returns into code that is not known
// (MERC-110).
func closed(code []machine.Instr, entry bool) bool {
	if !entry {
		return false
	}
	for _, x := range code {
		if x.IsCall() {
			return false
		}
	}
	return true
}

// FreeStack reports whether machine code loads the stack pointer at its begin, makes no use
// of it and waits for nothing there: after a link its scoreboards may be assigned anew.
func FreeStack(text []byte) bool {
	code := machine.Body(text)
	return len(code) > 0 && code[0].Low&0xffffffff == scoreboard.LoadStack && code[0].WriteBarrier() == sass.NoBarrier && scoreboard.FreeStack(code)
}
