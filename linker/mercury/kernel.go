package mercury

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
	"github.com/culink/culink/linker/sass"
)

// closed reports whether code is a leaf kernel: it calls nothing, so that no other code runs while it does. A
// device function is never closed, because it returns to unknown code (MERC-110).
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

// FreeStack reports whether machine code loads the stack pointer at its beginning, does not wait for the load
// there, and does not use it. An earlier link may have reassigned the scoreboards of such code.
func FreeStack(text []byte) bool {
	code := machine.Body(text)
	return len(code) > 0 && code[0].Low&0xffffffff == scoreboard.LoadStack && code[0].WriteBarrier() == sass.NoBarrier && scoreboard.FreeStack(code)
}
