package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A link for debuggers waits for memory errors before each EXIT, so that an error is reported with its place in the
// code. The finalizer inserts MEMBAR.SC.VC, ERRBAR and CGAERRBAR there. Code compiled with -G has them already. A link
// that is not for debuggers removes them if an earlier link inserted them (MERC-123). After a fence the finalizer
// inserts no MEMBAR.SC.VC (MERC-254).

// unoptimized is the stall of each instruction in unoptimized code, in which each instruction waits for the one before.
const unoptimized = 15

// barriersBefore returns the barriers to insert before exit. They have the same guard as exit.
func barriersBefore(exit machine.Instr) []machine.Instr {
	guard := exit.Low & 0xf000
	errbar := sass.Instruction{Low: 0x9ab | guard, High: 0x000fc00000000000}
	cluster := sass.Instruction{Low: 0x5ab | guard, High: 0x000fec0000000000}
	if exit.Stall() == unoptimized {
		errbar = errbar.WithWaitMask(exit.WaitMask())
		cluster = cluster.WithControlOf(exit.Instruction)
	}
	return []machine.Instr{
		machine.Word(0x992|guard, 0x000fc00000000000|machine.ScopeSCVC<<8),
		{Instruction: errbar},
		{Instruction: cluster},
	}
}

// atExits returns the steps of code with barriers before each EXIT if wanted is set, as in a link for debuggers.
// Otherwise it returns them without these barriers. c is the capsule of code.
func atExits(c *capsule.Capsule, code []machine.Instr, wanted bool) []codemap.Step {
	steps := make([]codemap.Step, 0, len(code))
	for _, m := range c.Instructions() {
		own := code[min(m.First, len(code)):min(m.First+m.Count, len(code))]
		exit := m.Count > 0 && len(own) == m.Count && own[len(own)-1].Op() == sass.OpEXIT
		switch {
		case exit && wanted && m.Count == 1:
			restall(steps, stallBeforeExit, stallBeforeBarrier)
			barriers := barriersBefore(own[0])
			if isFence(steps) {
				barriers = barriers[1:]
			}
			for _, x := range barriers {
				steps = append(steps, codemap.Step{Instr: x, Old: m.First, Inserted: true})
			}
			if own[0].Stall() != unoptimized {
				steps = append(steps, codemap.Step{Instr: own[0].StallsOn(stallOfExit), Old: m.First})
				continue
			}
		case exit && !wanted && own[0].Op() != sass.OpEXIT:
			restall(steps, stallBeforeBarrier, stallBeforeExit)
			last := m.Count - 1
			steps = append(steps, codemap.Step{Instr: withoutBarriers(steps, own), Old: m.First + last})
			continue
		}
		for i, x := range own {
			steps = append(steps, codemap.Step{Instr: x, Old: m.First + i})
		}
	}
	return steps
}

// awaitGuards moves the waits for the guard of an EXIT, and for a counted fence before it, to the inserted ERRBAR, which has the same
// guard. It does so where the scoreboards of the input are kept (MERC-947). New ones have these waits already (MERC-254).
func (w *work) awaitGuards() (moved bool) {
	for i := range w.steps {
		errbar := &w.steps[i]
		if i+2 >= len(w.steps) || !errbar.Inserted || errbar.Op() != sass.OpERRBAR || w.steps[i+2].Op() != sass.OpEXIT {
			continue
		}
		exit := &w.steps[i+2]
		boards := w.guardBoards(i + 2)
		if i > 0 && w.steps[i-1].IsCountedFence() {
			boards |= 1 << w.steps[i-1].ReadBarrier()
		}
		if mask := exit.WaitMask() & boards; mask != 0 {
			errbar.Instr = errbar.WithWaitMask(errbar.WaitMask() | mask)
			exit.Instr = exit.WithWaitMask(exit.WaitMask() &^ mask)
			moved = true
		}
	}
	return moved
}

// guardBoards returns the scoreboards that count writes of the guard of the EXIT at step exit, as a wait mask.
func (w *work) guardBoards(exit int) (mask uint64) {
	x := w.steps[exit].Instr
	if !x.Conditional() || x.WaitMask() == 0 {
		return 0
	}
	_, guard, _ := sass.Uses(x.Instruction, w.Input)
	writers := w.steps
	if last := w.lastWrite(guard, exit); last >= 0 {
		writers = w.steps[last:exit]
	}
	for _, x := range writers {
		if x.WriteBarrier() == sass.NoBarrier {
			continue
		}
		if writes, _, _ := sass.Uses(x.Instruction, w.Input); writes.Overlaps(guard) {
			mask |= 1 << x.WriteBarrier()
		}
	}
	return mask
}

// lastWrite returns the last step before end that writes guard unconditionally and is followed by no branch, or -1.
func (w *work) lastWrite(guard sass.Registers, end int) int {
	for i, x := range slices.Backward(w.steps[:end]) {
		if x.Branches() || x.Leaves() {
			break
		}
		if writes, _, _ := sass.Uses(x.Instruction, w.Input); writes.Overlaps(guard) && !x.Conditional() {
			return i
		}
	}
	return -1
}

// isFence reports whether the last of steps is a fence. After a fence no MEMBAR.SC.VC is inserted.
func isFence(steps []codemap.Step) bool {
	if len(steps) == 0 {
		return false
	}
	last := steps[len(steps)-1]
	return last.Op() == sass.OpMEMBAR && !last.Conditional()
}

// withoutBarriers returns the EXIT that ends own, the instructions of one Mercury instruction, without the barriers
// before it. A conditional EXIT gets the waits of the barriers. If the EXIT is not conditional, a fence before it,
// which is the last of steps, is no longer counted.
func withoutBarriers(steps []codemap.Step, own []machine.Instr) machine.Instr {
	last := len(own) - 1
	exit := own[last]
	for _, x := range own[:last] {
		if exit.Conditional() {
			exit = exit.WithWaitMask(exit.WaitMask() | x.WaitMask())
		} else if len(steps) > 0 {
			if before := &steps[len(steps)-1]; before.IsCountedFence() && x.WaitsFor(before.ReadBarrier()) {
				before.Instr = before.WithReadBarrier(sass.NoBarrier)
			}
		}
	}
	return exit
}

// stallOfExit is the stall of an EXIT after barriers. Without barriers the compiler uses a longer stall after a store
// or a fence.
const stallOfExit = 5

// The number of cycles from a write to a surface to the next instruction, if that is an EXIT or a barrier.
const stallBeforeExit, stallBeforeBarrier = 2, 1

// restall changes the stall of the last step if it writes to a surface.
func restall(steps []codemap.Step, from, to int) {
	if len(steps) == 0 {
		return
	}
	x := &steps[len(steps)-1].Instr
	if x.WritesSurface() && x.Stall() == from {
		*x = x.WithStall(to)
	}
}

// WaitsAtExit reports whether machine code has barriers before an EXIT. records is its capsule. Damaged code has none.
func WaitsAtExit(text, records []byte) bool {
	code := machine.Body(text)
	if !slices.ContainsFunc(code, func(x machine.Instr) bool { return x.Op() == sass.OpERRBAR }) {
		return false
	}
	c, err := capsule.Open(records, capsule.Place{})
	return err == nil && waitsAtExit(c, code)
}

// waitsAtExit reports whether code has barriers before an EXIT. c is its capsule.
func waitsAtExit(c *capsule.Capsule, code []machine.Instr) bool {
	for _, m := range c.Instructions() {
		if last := m.First + m.Count - 1; m.Count > 1 && last < len(code) && code[last].Op() == sass.OpEXIT {
			return true
		}
	}
	return false
}

// LetsNextStart reports whether machine code has a PREEXIT, which lets the next kernel start before this one ends.
func LetsNextStart(text []byte) bool {
	for ; len(text) >= machine.Size; text = text[machine.Size:] {
		if machine.Decode(text).Op() == sass.OpPREEXIT {
			return true
		}
	}
	return false
}
