package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// LoadStack is `LDC R1, c[0x0][0x37c]`, which loads the stack pointer.
const LoadStack = 0xff017b82

// LoadsStack reports whether code begins with the load of the stack pointer and some instruction waits for
// that load.
func LoadsStack(code []machine.Instr) bool {
	return len(code) > 0 && code[0].Low&0xffffffff == LoadStack &&
		code[0].WriteBarrier() != sass.NoBarrier && code[0].ReadBarrier() == sass.NoBarrier
}

// StackPointerUnused reports whether the finalizer reassigns the scoreboards of a leaf kernel. It does if the
// kernel loads the stack pointer, waits for it, and does not use it (MERC-120). A kernel that uses its stack
// allocates a frame, so that only writes of R1 count as a use. In unoptimized code the load also has a read
// barrier, and the code keeps its scoreboards.
func StackPointerUnused(code []machine.Instr, sm int) bool {
	return LoadsStack(code) && FreeStack(code, sm)
}

// FreeStack reports whether code that loads the stack pointer does not use it. Nothing returns after a trap, so that the code
// before one may use the register of the stack pointer for something else (MERC-985).
func FreeStack(code []machine.Instr, sm int) bool {
	for _, x := range code[1:] {
		if writes, _, _ := sass.Uses(x.Instruction, sm); writes.Has(sass.General, 1) {
			return false
		}
	}
	return true
}
