package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Other modules call a unified function by its stub, which jumps to the function. Stubs are records of a table, so all have one
// length, that of the input.

// fillStub inserts NOPs before the last instruction of a stub, which branches to itself. They replace its padding except one NOP
// (MERC-260). Compilers before 13.1 write stubs in this form.
func (w *work) fillStub() Changes {
	last := len(w.code) - 1
	n := len(w.Text)/machine.Size - len(w.code) - 1
	if last < 0 || n <= 0 {
		return Clean
	}
	filled, ok := w.capsule.Filled(n)
	if !ok {
		return Clean
	}
	w.capsule = filled
	w.code = slices.Insert(w.code, last, slices.Repeat([]machine.Instr{machine.NOP}, n)...)
	w.steps = codemap.StepsOf(w.code)
	return Waits
}

// scheduleStub gives all instructions but the last one the schedule of unoptimized code with -g, and that of optimized code
// without. The compiler's schedule does not count. The last instruction branches to itself.
func (w *work) scheduleStub() Changes {
	before := slices.Clone(w.code)
	for i := range max(len(w.code)-1, 0) {
		w.code[i] = w.code[i].WithControlOf(stubControl(w.code[i], w.Debug))
		w.steps[i].Instr = w.code[i]
	}
	w.optimized = !w.Debug
	return did(w.Debug || !slices.Equal(before, w.code), Waits)
}

// stubControl returns an instruction with the control fields that x has in a stub.
func stubControl(x machine.Instr, debug bool) machine.Instr {
	switch {
	case debug:
		return unoptimizedNOP
	case x.Op() == sass.OpNOP:
		return scheduledNOP
	default:
		return scheduledJump
	}
}
