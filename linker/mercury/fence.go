package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Before a memory fence the compiler puts work-arounds for hazards between the fence and code of other functions: four (or three)
// dead loads from shared memory, and often a weaker fence. In a leaf kernel all code is known. The finalizer therefore drops
//
//   - the loads, `@!PT LDS RZ, [RZ]`, before a MEMBAR, if the kernel has no LDGSTS, the copy of cp.async (MERC-111);
//   - a MEMBAR.ALL.CTA before another MEMBAR, if the kernel does nothing with mbarriers (MERC-112). The program's own
//     fence.acq_rel.cta is the last instruction of its Mercury instruction, and is kept;
//   - a MEMBAR.SC.VC before an ERRBAR, which -G puts before EXIT, if the kernel writes to no surface (MERC-113).
//
// The remaining instructions keep all their bits but displacements: no other instruction needs a wait or scoreboard of a
// work-around (MERC-114).

// hazards holds the reasons to keep work-arounds in a leaf kernel.
type hazards struct {
	copies   bool // there is an LDGSTS
	barriers bool // there is an instruction on mbarriers
	surfaces bool // a surface is written
}

func hazardsOf(steps []codemap.Step) (h hazards) {
	for _, x := range steps {
		switch x.Op() {
		case sass.OpLDGSTS:
			h.copies = true
		case sass.OpSYNCS, sass.OpSYNCSInvalidate, sass.OpSYNCSExchange:
			h.barriers = true
		}
		h.surfaces = h.surfaces || x.WritesSurface()
	}
	return h
}

// withoutFences returns the code of a leaf kernel without the work-arounds that are not needed. f is the flow of the code. ends
// holds the last instruction of each Mercury instruction in the code of the input. In code that is not optimized all waits stay.
func withoutFences(steps []codemap.Step, f cfg.Flow, ends cfg.Set, optimized bool) []codemap.Step {
	h := hazardsOf(steps)
	var next, fence machine.Instr // the next instruction, and the one after dead loads
	kept := make([]codemap.Step, 0, len(steps))
	for i, x := range slices.Backward(steps) {
		if !x.IsDeadLoad() {
			fence = x.Instr
		}
		if ends.Has(x.Old) && x.IsWeakestFence() || !h.dispensable(x.Instr, next, fence) {
			kept = append(kept, x)
		} else if optimized && x.IsCountedFence() && (x.WaitsFor(x.ReadBarrier()) || !countsBefore(f, steps, i, x.ReadBarrier())) {
			after := &kept[len(kept)-1] // KIT-141
			after.Instr = after.WithWaitMask(after.WaitMask()&^(1<<x.ReadBarrier()) | waitForFence(steps[:i], x.Instr))
		}
		next = x.Instr
	}
	slices.Reverse(kept)
	return kept
}

// waitForFence returns the bit of x's wait mask that waits for a counted fence directly before x, the last of steps. It returns 0
// if there is no such fence.
func waitForFence(steps []codemap.Step, x machine.Instr) uint64 {
	if len(steps) == 0 || !steps[len(steps)-1].IsCountedFence() {
		return 0
	}
	return x.WaitMask() & (1 << steps[len(steps)-1].ReadBarrier())
}

// padAfterFences returns steps with a NOP after each MEMBAR.ALL.CTA of the program. The NOP waits for all scoreboards, as in code
// of later compilers (MERC-160). Early compilers put nothing there or, at the end of a block, a DEPBAR that waits for the
// scoreboard of the fence. The NOP gets that part of the fence's stall that exceeds the time of the fence itself.
func padAfterFences(c *capsule.Capsule, steps []codemap.Step) (out []codemap.Step, found bool) {
	ends, ofProgram := c.Ends(), c.Alone()
	out = make([]codemap.Step, 0, len(steps))
	for _, x := range steps {
		if n := len(out); n > 0 && out[n-1].Behind && x.Op() == sass.OpDEPBAR && !ofProgram.Has(x.Old) {
			continue
		}
		if !x.IsWeakestFence() || !ends.Has(x.Old) {
			out = append(out, x)
			continue
		}
		wait := machine.NOP.WithStall(1).WithYield(false).WithWaitMask(machine.EveryBoard)
		if stall := x.Stall(); stall > fenceStall {
			wait = wait.WithBoundedStall(stall - fenceStall).YieldingIfLong()
			x.Instr = x.StallsOn(fenceStall)
		}
		out = append(out, x, codemap.Step{Instr: wait, Old: x.Old, Inserted: true, Behind: true})
		found = true
	}
	return out, found
}

// countsBefore reports whether an event may be pending on a scoreboard before instruction i of a leaf kernel. The functions that
// it calls are inside of it, and return without events (MERC-752). It returns true if the control flow
// is not known.
func countsBefore(f cfg.Flow, steps []codemap.Step, i, board int) bool {
	if f.Next == nil {
		return true
	}
	before := make([][]int, len(steps))
	for k, next := range f.Next {
		for _, n := range next {
			before[n] = append(before[n], k)
		}
	}
	seen, todo := cfg.NewSet(len(steps)), slices.Clone(before[i])
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x := steps[k]
		switch {
		case k == i || seen.Has(k):
		case x.ReadBarrier() == board || x.WriteBarrier() == board:
			return true
		case !x.WaitsFor(int(board)):
			seen.Add(k)
			todo = append(todo, before[k]...)
		}
	}
	return false
}

// dispensable reports whether the finalizer drops x. next is the instruction after x. fence is the first instruction from x on
// that is not a dead load.
func (h hazards) dispensable(x, next, fence machine.Instr) bool {
	if x.IsDeadLoad() {
		return !h.copies && fence.Op() == sass.OpMEMBAR
	}
	if x.Op() != sass.OpMEMBAR {
		return false
	}
	switch x.Scope() {
	case machine.ScopeAllCTA:
		return !h.barriers && next.Op() == sass.OpMEMBAR
	case machine.ScopeSCVC:
		return !h.surfaces && next.Op() == sass.OpERRBAR
	}
	return false
}

// fenceStall is the stall of a fence before another one, in later releases (KIT-061).
const fenceStall = 6

// stallFences sets the stall of each fence that precedes another one, and reports whether any changed.
func stallFences(steps []codemap.Step) (changed bool) {
	for i := range max(len(steps), 1) - 1 {
		if x := &steps[i].Instr; isUnscheduledFence(*x) && steps[i+1].Op() == sass.OpMEMBAR {
			*x = x.StallsOn(fenceStall)
			changed = true
		}
	}
	return changed
}

func isUnscheduledFence(x machine.Instr) bool { return x.Op() == sass.OpMEMBAR && x.Stall() == 0 }

// scheduleFences gives each fence that precedes another one the control fields of that one, as in unoptimized code. It reports
// whether any changed.
func scheduleFences(steps []codemap.Step) (changed bool) {
	for i := len(steps) - 2; i >= 0; i-- {
		x, next := &steps[i].Instr, steps[i+1].Instr
		if isUnscheduledFence(*x) && next.Op() == sass.OpMEMBAR && !isUnscheduledFence(next) {
			*x = x.WithControlOf(next)
			changed = true
		}
	}
	return changed
}
