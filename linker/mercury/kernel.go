package mercury

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
	"github.com/culink/culink/linker/sass"
)

// closed reports if no other code runs while the kernel runs, because it calls nothing. Only kernels are
// closed; a device function returns to unknown code (MERC-110).
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

// FreeStack reports if machine code loads the stack pointer at its beginning, does not use it and does not wait
// for it there. The scoreboards of such code may have been reassigned in a link.
func FreeStack(text []byte) bool {
	code := machine.Body(text)
	return len(code) > 0 && code[0].Low&0xffffffff == scoreboard.LoadStack && code[0].WriteBarrier() == sass.NoBarrier && scoreboard.FreeStack(code)
}
