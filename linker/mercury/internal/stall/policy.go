package stall

import (
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A Policy is a reason to recompute stalls. It fills b with a basic block and the code to compare it with, and reports whether
// the stalls of the block are recomputed.
type Policy func(c *Code, steps []codemap.Step, b *block) (applies bool)

// Changed is the policy for code whose instructions changed (KIT-106). The stalls follow from the instructions as they are now,
// whatever their stalls are. The policy can therefore be applied again after a later change.
func Changed(c *Code, steps []codemap.Step, b *block) (applies bool) {
	b.steps = withoutDeadLoads(steps)
	b.was, b.is = make([]machine.Operation, len(b.steps)), make([]machine.Operation, len(b.steps))
	b.rules = rules{movesAll: machine.IsConsumer(c.Input), closesDistances: c.ClosesDistances}
	units := machine.ConsumerUnits(c.Input) // also where FP64 came closer before (KIT-050)
	for i, x := range b.steps {
		before := x.Instr
		if x.Absorbs || x.Behind {
			before = c.early(x)
		} else if !x.Inserted {
			before = c.Before[x.Old]
		}
		if !x.Inserted && i+1 < len(b.steps) {
			if time, free := c.removedTime(x, b.steps[i+1]); free {
				before = before.WithBoundedStall(before.Stall() + time)
				b.freed, applies = append(b.freed, i+1), true
			}
		}
		applies = applies || before != x.Instr || x.Replaced || c.ClosesDistances && x.IsDouble()
		b.was[i], _ = c.operation(x, before, c.Input)
		b.was[i].Unit, b.was[i].Converts = before.Unit(b.was[i].Writes, units), 0
		b.is[i] = b.was[i]
		b.is[i].Instr, b.is[i].Delay = x.Instr, x.Delay
		b.is[i].Unit = x.Unit(b.was[i].Writes, units)
		if x.Differs {
			c.replace(b, i)
		}
		b.keepsProducts = b.keepsProducts || x.IsMatrixProduct()
		if b.was[i].IsTimedProduct() {
			b.was[i].Multiplies, b.is[i].Multiplies = machine.EarlyProduct, machine.LaterProduct
			if c.Later {
				b.was[i].Multiplies = machine.LaterProduct
			}
			applies = applies || b.spaces && !c.Later
			b.spaces = true
		}
	}
	return applies
}

// removedTime returns the stalls of the self-moves that were removed between x and next. free reports whether next may issue
// sooner because something was removed.
func (c *Code) removedTime(x, next *codemap.Step) (time int, free bool) {
	for k := x.Old + 1; k < next.Old && c.Before[k].IsSelfMove(); k++ {
		time, free = time+c.Before[k].Stall(), true
	}
	closer := c.ClosesDistances && next.IsMatrixProduct() && next.Old > x.Old+1 && c.Before[x.Old+1].IsDistance()
	return time, free || closer
}

// Freed is the policy for blocks from which self-moves were removed (KIT-998). What follows a self-move issues as early as possible,
// by the distances of the input.
func Freed(c *Code, steps []codemap.Step, b *block) (applies bool) {
	b.steps, b.rules = pointers(steps), rules{movesAll: true, trustsDistances: true, yieldsAnew: true}
	b.was, b.is = c.operationsBefore(b.steps), c.operations(b.steps, c.Input)
	for i, x := range b.steps[:len(b.steps)-1] {
		if time, free := c.removedTime(x, b.steps[i+1]); !x.Inserted && free {
			b.was[i].Instr = b.was[i].WithBoundedStall(b.was[i].Stall() + time)
			b.freed, applies = append(b.freed, i+1), true
		}
	}
	return applies
}

// CountedDoubles is the policy for blocks in which a scoreboard newly counts FP64 instructions (KIT-063). They take as long as
// before. An instruction that waits for one of them issues at least two cycles after it.
func CountedDoubles(c *Code, steps []codemap.Step, b *block) (applies bool) {
	b.steps, b.rules = pointers(steps), rules{movesAll: true}
	b.was, b.is = c.operationsBefore(b.steps), c.operations(b.steps, c.Input)
	for i := range b.is {
		applies = applies || b.is[i].IsArithmeticDouble() && b.is[i].HasBoard() && !b.was[i].HasBoard()
	}
	return applies
}

// Faster is the policy for a target with shorter latencies than the SM of the input (MERC-132).
func Faster(c *Code, steps []codemap.Step, b *block) (applies bool) {
	b.steps, b.rules = pointers(steps), rules{movesAll: true, trustsDistances: true, onlyMoved: true}
	b.was, b.is = c.operations(b.steps, c.Input), c.operations(b.steps, c.Target)
	return true
}

// OnDemand is the policy for code of which some waits came or went (KIT-955). An instruction no longer issues two cycles after
// the one before it if it does not wait for that one any more. Two NANOSLEEPs may come closer where something between them does not wait
// any more (KIT-362).
func OnDemand(c *Code, steps []codemap.Step, b *block) (applies bool) {
	b.steps, b.rules = pointers(steps), rules{movesAll: true, trustsDistances: true, onlyMoved: true}
	b.was, b.is = c.operationsBefore(b.steps), c.operations(b.steps, c.Input)
	sleeps := 0
	for i := range b.is {
		if b.is[i].Op() == sass.OpNANOSLEEP {
			sleeps++
		}
		applies = applies || i > 0 && b.was[i].WaitsOn(b.was[i-1].Instr) != b.is[i].WaitsOn(b.is[i-1].Instr)
	}
	return applies || sleeps > 1
}

// Early is the policy for code of a compiler before 13.0 in which NOPs were removed or inserted (MERC-108, MERC-160), or wait
// masks changed.
func Early(c *Code, steps []codemap.Step, b *block) (applies bool) {
	b.steps, b.rules = withoutDeadLoads(steps), rules{movesAll: true, trustsDistances: true}
	b.was, b.is = make([]machine.Operation, len(b.steps)), make([]machine.Operation, len(b.steps))
	for i, x := range b.steps {
		before := c.early(x)
		applies = applies || before != x.Instr
		var known bool
		b.was[i], known = c.operation(x, before, c.Input)
		b.onlyAbsorbed = b.onlyAbsorbed || !known && !before.Leaves()
		b.is[i] = b.was[i]
		b.is[i].Instr = x.Instr
		if x.Differs {
			c.replace(b, i)
		}
	}
	return applies
}

// replace makes the instruction of step i operation i of the block, which was another one before.
func (c *Code) replace(b *block, i int) {
	b.is[i], _ = c.operation(b.steps[i], b.steps[i].Instr, c.Input)
	b.replaced = append(b.replaced, i)
}

// Renewed is the policy Early for blocks in which instructions were replaced (MERC-351), before the waits are known.
func Renewed(c *Code, steps []codemap.Step, b *block) (applies bool) {
	return slices.ContainsFunc(steps, func(x codemap.Step) bool { return x.Differs }) && Early(c, steps, b)
}

// early returns x as it was in code of a compiler before 13.0, with the time of the NOP that it absorbs added. A NOP that was
// inserted after a fence had no time, or the time of the DEPBAR that it replaces.
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
	}
	return code[x.Old]
}

// Windows is the policy for blocks that make an address of shared memory: they add the shared window base, or the number of a
// block of the cluster. Their operand reuse is computed as if that instruction read no register (KIT-190, MERC-262).
func Windows(c *Code, steps []codemap.Step, b *block) (applies bool) {
	if !slices.ContainsFunc(steps, func(x codemap.Step) bool { return x.Window }) {
		return false
	}
	b.steps, b.rules = pointers(steps), rules{onlyReuse: true}
	b.was = c.operations(b.steps, c.Input)
	b.is = slices.Clone(b.was)
	for i, x := range b.steps {
		b.is[i].Window = x.Window
	}
	return true
}
