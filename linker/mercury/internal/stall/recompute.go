package stall

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Recompute sets the stalls that follow from the instructions as they are now (KIT-106), and reports whether any block changed.
func (c *Code) Recompute() (changed bool) {
	for block := range c.blocks() {
		changed = c.recompute(block) || changed
	}
	return changed
}

// recompute is Recompute for one block.
func (c *Code) recompute(block []codemap.Step) bool {
	steps := withoutDeadLoads(block)
	was, is := make([]machine.Operation, len(steps)), make([]machine.Operation, len(steps))
	p := policy{movesAll: c.Input >= machine.FirstTwoAdd, closesDistances: c.ClosesDistances}
	changed := false
	for i, x := range steps {
		before := x.Instr
		if x.Absorbs || x.Behind {
			before = c.early(x)
		} else if !x.Inserted {
			before = c.Before[x.Old]
		}
		if !x.Inserted && i+1 < len(steps) {
			if time, free := c.removedTime(x, steps[i+1]); free {
				before = before.WithBoundedStall(before.Stall() + time)
				p.freed, changed = append(p.freed, i+1), true
			}
		}
		if before != x.Instr || x.Replaced || c.ClosesDistances && x.IsDouble() {
			changed = true
		}
		was[i], _ = machine.NewOperation(before, c.Input)
		units := max(c.Input, machine.FirstTwoAdd) // also where FP64 came closer before (KIT-050)
		was[i].Unit, was[i].Converts = before.Unit(was[i].Writes, units), 0
		is[i] = was[i]
		is[i].Instr = x.Instr
		is[i].Unit = x.Unit(was[i].Writes, units)
		p.keepsProducts = p.keepsProducts || x.IsMatrixProduct()
	}
	return changed && reschedule(steps, is, was, p)
}

// removedTime returns the time of the self-moves that were removed between x and next; free: next may issue sooner because of a removal.
func (c *Code) removedTime(x, next *codemap.Step) (time int, free bool) {
	for k := x.Old + 1; k < next.Old && c.Before[k].IsSelfMove(); k++ {
		time, free = time+c.Before[k].Stall(), true
	}
	closer := c.ClosesDistances && next.IsMatrixProduct() && next.Old > x.Old+1 && c.Before[x.Old+1].IsDistance()
	return time, free || closer
}

// StallDoubles sets the stalls of FP64 instructions that are counted now (KIT-063). They take as long as before, and an instruction that
// waits for them issues two cycles after them at least. It reports whether any block changed.
func (c *Code) StallDoubles() (changed bool) {
	for block := range c.blocks() {
		was, is := operationsOf(block, c.Before, c.Input), make([]machine.Operation, len(block))
		counted := false
		for i, x := range block {
			is[i], _ = machine.NewOperation(x.Instr, c.Input)
			counted = counted || is[i].IsArithmeticDouble() && is[i].HasBoard() && !was[i].HasBoard()
		}
		if counted {
			changed = reschedule(pointers(block), is, was, policy{movesAll: true}) || changed
		}
	}
	return changed
}

// Retarget sets the stalls of a target with shorter latencies than the SM of the input (MERC-132), and reports whether any block changed.
func (c *Code) Retarget() (changed bool) {
	for block := range c.blocks() {
		was, is := make([]machine.Operation, len(block)), make([]machine.Operation, len(block))
		for i, x := range block {
			was[i], _ = machine.NewOperation(x.Instr, c.Input)
			is[i], _ = machine.NewOperation(x.Instr, c.Target)
		}
		changed = reschedule(pointers(block), is, was, policy{movesAll: true, trustsDistances: true, onlyMoved: true}) || changed
	}
	return changed
}

// RecomputeEarly sets the stalls of code of a compiler before 13.0 where NOPs were removed or inserted (MERC-108, MERC-160), or wait masks
// changed. It reports whether any block changed.
func (c *Code) RecomputeEarly() (changed bool) {
	for block := range c.blocks() {
		changed = c.recomputeEarly(block) || changed
	}
	return changed
}

// recomputeEarly is RecomputeEarly for one block.
func (c *Code) recomputeEarly(block []codemap.Step) (changed bool) {
	steps := withoutDeadLoads(block)
	was, is := make([]machine.Operation, len(steps)), make([]machine.Operation, len(steps))
	allKnown := true
	for i, x := range steps {
		before := c.early(x)
		changed = changed || before != x.Instr
		var known bool
		was[i], known = machine.NewOperation(before, c.Input)
		allKnown = allKnown && (known || before.Leaves())
		is[i] = was[i]
		is[i].Instr = x.Instr
	}
	switch {
	case !changed:
		return false
	case allKnown:
		return reschedule(steps, is, was, policy{movesAll: true, trustsDistances: true})
	}
	for i, x := range steps {
		if x.Absorbs { // the consumer of the time of the NOP is not known
			x.Instr = x.WithBoundedStall(was[i].Stall())
		}
	}
	return true
}

// early returns x as it stood in code of a compiler before 13.0, with the time of the NOP that it absorbs. An inserted NOP after a fence
// had no time, or that of the DEPBAR that it replaces.
func (c *Code) early(x *codemap.Step) machine.Instr {
	code := c.Before
	switch {
	case x.Behind && x.Old+1 < len(code) && code[x.Old+1].Op() == sass.OpDEPBAR:
		return x.WithBoundedStall(code[x.Old+1].Stall())
	case x.Behind:
		return x.WithBoundedStall(0)
	case x.Inserted:
		return x.Instr
	case x.Absorbs:
		return code[x.Old].WithBoundedStall(code[x.Old].Stall() + code[x.Old+1].Stall())
	case x.Op() == sass.OpNOP: // MERC-109
		return x.Instr
	}
	return code[x.Old]
}

// Shorten removes the second cycle of a stall if the next instruction waited for the scoreboard of x, and does not now (KIT-103). It
// reports whether there was any. uncounted: only if x counts nothing now.
func (c *Code) Shorten(uncounted bool) bool { return shorten(c.Steps, c.Before, uncounted) }

func shorten(steps []codemap.Step, code []machine.Instr, uncounted bool) (changed bool) {
	const untilCounted = 2
	for i := range len(steps) - 1 {
		x, next := &steps[i], steps[i+1]
		if next.Old != x.Old+1 || x.Inserted || next.Inserted {
			continue
		}
		waited := code[next.Old].WaitsOn(code[x.Old])
		if waited && !next.WaitsOn(x.Instr) && (!uncounted || !x.HasBoard()) && x.Stall() == untilCounted {
			x.Instr = x.WithStall(x.Stall() - 1)
			changed = true
		}
	}
	return changed
}
