package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// LoadStack is `LDC R1, c[0x0][0x37c]`, with which a function gets its stack pointer.
const LoadStack = 0xff017b82

// LoadsStack reports whether code loads the stack pointer at its begin, and something waits
// for it.
func LoadsStack(code []machine.Instr) bool {
	return len(code) > 0 && code[0].Low&0xffffffff == LoadStack &&
		code[0].WriteBarrier() != sass.NoBarrier && code[0].ReadBarrier() == sass.NoBarrier
}

// StackPointerUnused reports whether the finalizer hands out the scoreboards of a closed kernel
// anew: it loads the stack pointer, waits for it, and makes no use of it (MERC-120).
//
// A kernel that uses its stack makes room on it, so it is enough to look for writes to
// R1. Code that was compiled without optimisation gives the load a read scoreboard
// too, and is left alone.
func StackPointerUnused(code []machine.Instr) bool { return LoadsStack(code) && FreeStack(code) }

// FreeStack reports whether code that loads the stack pointer makes no use of it.
func FreeStack(code []machine.Instr) bool {
	for _, x := range code[1:] {
		switch x.Op() {
		case sass.OpIADD3, sass.OpVIADD, sass.OpIMAD:
			if x.Destination() == 1 {
				return false
			}
		}
	}
	return true
}
