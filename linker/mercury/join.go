package mercury

import (
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Divergent threads reconverge at a BSYNC.RECONVERGENT or, where some may break, at a BSYNC.RELIABLE. Later finalizers insert a
// NOP before each such BSYNC (KIT-041). Branches then lead to the NOP. A BSSY of the same barrier refers to the BSYNC, and one of
// another barrier to the NOP. These finalizers also remove the schedule of unoptimized code, so that its instructions wait for
// nothing (KIT-042).

// These NOPs are inserted before a BSYNC. The one for unoptimized code has the longest stall and waits for two scoreboards.
var (
	scheduledNOP   = machine.Word(machine.NOP.Low, 0x000fe20000000000)
	unoptimizedNOP = machine.Word(machine.NOP.Low, 0x003fde0000000000)
)

// scheduledJump has the control fields of a jump in optimized code that waits for nothing.
var scheduledJump = machine.Word(machine.NOP.Low, 0x000fea0000000000)

// atJoins returns steps with a NOP before each BSYNC at which threads reconverge. A BSYNC that has such a NOP in its Mercury
// instruction already gets none (KIT-041).
func atJoins(c *capsule.Capsule, steps []codemap.Step, optimized bool) []codemap.Step {
	pad := scheduledNOP
	if !optimized {
		pad = unoptimizedNOP
	}
	padded := map[int]bool{} // by number of the instruction in the old code
	for _, m := range c.Instructions() {
		if m.Count == 2 && m.Record != nil {
			padded[m.First+1] = true
		}
	}
	out := make([]codemap.Step, 0, len(steps))
	for _, x := range steps {
		if x.Reconverges() && !padded[x.Old] {
			out = append(out, codemap.Step{Instr: pad, Old: x.Old, Inserted: true})
		}
		out = append(out, x)
	}
	return out
}

// withoutPads returns steps without the NOPs before a BSYNC and without those after a BREAK. Finalizers before KIT-041 remove
// both from code that has them.
func withoutPads(c *capsule.Capsule, steps []codemap.Step) []codemap.Step {
	return changeEach(c, steps, func(m capsule.Mercury, own []codemap.Step) []codemap.Step {
		if len(own) == 2 && m.Record != nil {
			return withoutPad(own)
		}
		return own
	})
}

// withoutPad removes the NOP from a Mercury instruction that is a BSYNC or a BREAK with a NOP. A BSYNC gets the waits of its NOP.
// Other pairs are returned unchanged.
func withoutPad(pair []codemap.Step) []codemap.Step {
	switch first, second := pair[0].Op(), pair[1].Op(); {
	case first == sass.OpNOP && second == sass.OpBSYNC:
		pair[1].Instr = pair[1].WithWaitMask(pair[1].WaitMask() | pair[0].WaitMask())
		return pair[1:]
	case first == sass.OpBREAK && second == sass.OpNOP && pair[1].WaitMask() == 0:
		return pair[:1]
	}
	return pair
}

// isUnoptimized reports whether code was compiled without optimisation. In such code each instruction has the longest stall,
// except work-arounds for hazards before a fence. From 13.3 on such code has no schedule (KIT-042).
func isUnoptimized(code []machine.Instr) bool {
	for _, x := range code {
		if !x.IsDeadLoad() && !x.IsWeakestFence() {
			return x.Stall() == unoptimized || x.Instruction == x.WithControlOf(machine.NOP).Instruction
		}
	}
	return false
}

// unschedule removes the schedule of all instructions except dead loads.
func unschedule(steps []codemap.Step) {
	for i := range steps {
		if x := &steps[i].Instr; !x.IsDeadLoad() {
			*x = x.WithControlOf(machine.NOP)
		}
	}
}
