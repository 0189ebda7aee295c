package mercury

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// Before a memory fence the compiler puts code that works around hazards between the
// fence and what other functions may do: four (or three) loads from shared memory that
// are never done, and often a weaker fence. In a closed kernel it is known what is
// done, and the finalizer drops
//
//   - the loads, `@!PT LDS RZ, [RZ]`, before a MEMBAR, when the kernel has no LDGSTS,
//     the copy of cp.async (MERC-111);
//   - a MEMBAR.ALL.CTA before another MEMBAR, when the kernel does nothing with
//     mbarriers (MERC-112). The program's own fence.acq_rel.cta is the last of its Mercury
//     instruction, and stays;
//   - a MEMBAR.SC.VC before an ERRBAR, which -G puts before EXIT, when the kernel writes
//     to no surface (MERC-113).
//
// The instructions that stay keep all their bits but displacements: what was dropped
// never held a wait or a scoreboard that others need (MERC-114).

// Scopes of MEMBAR, from bit 72.
const (
	membarSCVC   = 0x50
	membarAllCTA = 0x80
)

// isDummy reports whether x is one of the loads that are never done.
func (x instruction) isDummy() bool { return x.Low == 0xfffff984 }

// isWeakestFence reports whether x is one that may stand before another for a hazard alone.
func (x instruction) isWeakestFence() bool {
	return x.Op() == sass.OpMEMBAR && x.High>>8&0xff == membarAllCTA
}

// writesSurface reports whether x writes to a surface.
func (x instruction) writesSurface() bool {
	return x.Op() == sass.OpSUST || x.Op() == sass.OpSUSTP || x.Op() == sass.OpSURED
}

// readsLate reports whether an EXIT after x waits until its operands are read.
func (x instruction) readsLate() bool { return x.writesSurface() || x.isAsynchronous() }

// isAsynchronous reports whether another unit does x when it comes to it, with operands in uniform registers: bulk copies and those of
// tensors, what tensor memory is about, and what an mbarrier begins with.
func (x instruction) isAsynchronous() bool {
	switch x.Op() {
	case sass.OpUTMALDG, sass.OpUTMASTG, sass.OpUTMAREDG, sass.OpUTMAPF, sass.OpUTMACCTL, sass.OpUBLKCP, sass.OpUBLKRED, sass.OpUBLKPF, sass.OpUTCCP, sass.OpUTCBAR, sass.OpUTCMMA, sass.OpSYNCSExchange:
		return true
	}
	return false
}

// hazards are the reasons for which work-arounds stay in a closed kernel.
type hazards struct {
	copies   bool // there is an LDGSTS
	barriers bool // there is an instruction on mbarriers
	surfaces bool // a surface is written
}

func hazardsOf(steps []step) (h hazards) {
	for _, x := range steps {
		switch x.Op() {
		case sass.OpLDGSTS:
			h.copies = true
		case sass.OpSYNCS, sass.OpSYNCSInvalidate, sass.OpSYNCSExchange, sass.OpARRIVES:
			h.barriers = true
		}
		h.surfaces = h.surfaces || x.writesSurface()
	}
	return h
}

// ends returns which machine instructions are the last of their Mercury instruction: what that is for.
func (c *Capsule) ends() set {
	last := newSet(c.Machine())
	for _, m := range c.Instructions() {
		if m.Count > 0 {
			last.add(m.First + m.Count - 1)
		}
	}
	return last
}

// withoutFences returns the code of a closed kernel, of which f is the flow, without what is dropped. ends are
// those of the Mercury instructions in the input's code.
func withoutFences(steps []step, f flow, ends set) []step {
	h := hazardsOf(steps)
	var next, fence instruction // what follows, and what follows dummy loads
	kept := make([]step, 0, len(steps))
	for i, x := range slices.Backward(steps) {
		if !x.isDummy() {
			fence = x.instruction
		}
		if ends.has(x.old) && x.isWeakestFence() || !h.dispensable(x.instruction, next, fence) {
			kept = append(kept, x)
		} else if x.isCountedFence() && (x.WaitsFor(x.ReadBarrier()) || !f.countsBefore(steps, i, x.ReadBarrier())) {
			after := &kept[len(kept)-1] // KIT-141
			after.instruction = after.WithWaitMask(after.WaitMask() &^ (1 << x.ReadBarrier()))
		}
		next = x.instruction
	}
	slices.Reverse(kept)
	return kept
}

// behindFences returns steps with what later compilers put behind each MEMBAR.ALL.CTA of the program, where early ones
// put nothing, or at the end of a block a DEPBAR that waits for the scoreboard of the fence: a NOP that waits for all
// scoreboards (MERC-160), and takes over what the fence stalls beyond its own time.
func (c *Capsule) behindFences(steps []step) (out []step, found bool) {
	ends, ofProgram := c.ends(), c.alone()
	out = make([]step, 0, len(steps))
	for _, x := range steps {
		if n := len(out); n > 0 && out[n-1].behind && x.Op() == sass.OpDEPBAR && !ofProgram.has(x.old) {
			continue
		}
		if !x.isWeakestFence() || !ends.has(x.old) {
			out = append(out, x)
			continue
		}
		wait := nop.WithStall(1).WithYield(false).WithWaitMask(everyBoard)
		if stall := x.Stall(); stall > fenceStall {
			wait = wait.withBoundedStall(stall - fenceStall).yieldingIfLong()
			x.instruction = x.stallsOn(fenceStall)
		}
		out = append(out, x, step{instruction: wait, old: x.old, inserted: true, behind: true})
		found = true
	}
	return out, found
}

// isCountedFence reports whether x is a fence that a scoreboard counts.
func (x instruction) isCountedFence() bool {
	return x.Op() == sass.OpMEMBAR && x.ReadBarrier() != sass.NoBarrier
}

// countsBefore reports whether something may be under way on a scoreboard where instruction i begins. Where
// the flow is not known it may.
func (f flow) countsBefore(steps []step, i, board int) bool {
	if f.next == nil {
		return true
	}
	before := make([][]int, len(steps))
	for k, next := range f.next {
		for _, n := range next {
			before[n] = append(before[n], k)
		}
	}
	seen, todo := newSet(len(steps)), slices.Clone(before[i])
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x := steps[k]
		switch {
		case k == i || seen.has(k):
		case x.ReadBarrier() == board || x.WriteBarrier() == board || x.isCall():
			return true
		case !x.WaitsFor(int(board)):
			seen.add(k)
			todo = append(todo, before[k]...)
		}
	}
	return false
}

// dispensable reports whether the finalizer drops x. next is the instruction after x,
// fence the first from x on that is no dummy load.
func (h hazards) dispensable(x, next, fence instruction) bool {
	if x.isDummy() {
		return !h.copies && fence.Op() == sass.OpMEMBAR
	}
	if x.Op() != sass.OpMEMBAR {
		return false
	}
	switch x.High >> 8 & 0xff { // scope
	case membarAllCTA:
		return !h.barriers && next.Op() == sass.OpMEMBAR
	case membarSCVC:
		return !h.surfaces && next.Op() == sass.OpERRBAR
	}
	return false
}

// fenceStall is how long a fence takes before the next one, in later releases (KIT-061).
const fenceStall = 6

// stallFences lets a fence stall before another one, and reports whether any did not.
func stallFences(steps []step) (changed bool) {
	for i := range max(len(steps), 1) - 1 {
		if x := &steps[i].instruction; x.isUnscheduledFence() && steps[i+1].Op() == sass.OpMEMBAR {
			*x = x.stallsOn(fenceStall)
			changed = true
		}
	}
	return changed
}

func (x instruction) isUnscheduledFence() bool { return x.Op() == sass.OpMEMBAR && x.Stall() == 0 }

// scheduleFences gives a fence before another one the schedule of that one, as code has it that was compiled without
// optimisation, and reports whether that is new to any.
func scheduleFences(steps []step) (changed bool) {
	for i := len(steps) - 2; i >= 0; i-- {
		x, next := &steps[i].instruction, steps[i+1].instruction
		if x.isUnscheduledFence() && next.Op() == sass.OpMEMBAR && !next.isUnscheduledFence() {
			*x = x.WithControlOf(next)
			changed = true
		}
	}
	return changed
}
