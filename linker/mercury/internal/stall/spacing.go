package stall

import (
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// longestQuietStall is the longest stall without a yield. From twelve cycles on, an instruction between matrix products yields.
const longestQuietStall = 11

// Space returns the steps of code with matrix products. Until the products are complete, it distributes the time of each
// instruction and the NOPs after it in another way: first to the instruction, then to empty additions (KIT-109). It returns nil
// if nothing changes.
func (c *Code) Space() (spaced []codemap.Step) {
	if !slices.ContainsFunc(c.Steps, func(x codemap.Step) bool { return x.IsMatrixProduct() }) {
		return nil
	}
	changed := false
	for block := range c.blocks() {
		was := c.operationsBefore(pointers(block))
		next := c.padBlock(block)
		if next == nil {
			next = block
		} else {
			changed = true
			shorten(next, c.Before, false, c.Input)
			c.keepReuse(next, block, was)
		}
		spaced = append(spaced, next...)
	}
	if !changed {
		return nil
	}
	return spaced
}

// keepReuse sets the operand reuse of the spaced steps, where the rule explains the reuse in the block. was holds the old
// instructions of the block.
func (c *Code) keepReuse(spaced, block []codemap.Step, was []machine.Operation) {
	is, i := c.operations(pointers(spaced), c.Input), 0
	for k := range block {
		if block[k].Inserted || was[k].IsSpace() {
			continue
		}
		for spaced[i].Old != block[k].Old || spaced[i].Inserted {
			i++
		}
		if took := block[k].Stall() + block[k].Delay; was[k].IsTimedProduct() && took > longestQuietStall && took <= 2*longestQuietStall {
			continue // it yielded before the additions took a part of its time
		}
		spaced[i].Instr = reuse(spaced[i].Instr, is, i, was, k)
	}
}

// padBlock is Space for one block. Additions that would follow the last branch are put before it.
func (c *Code) padBlock(block []codemap.Step) (spaced []codemap.Step) {
	products := 0 // that follow
	for _, x := range block {
		if x.ProductTime(c.Input) > 0 {
			products++
		}
	}
	if products == 0 {
		return nil
	}
	changed := false
	left := 0 // cycles until the products so far are done
	for i := 0; i < len(block); {
		x, end := block[i], i+1 // of the NOPs after x
		after := 0
		for ; end < len(block) && c.isSpace(block[end]); end++ {
			after += block[end].Stall()
		}
		took, nops, next := x.Stall()+x.Delay+after, block[i+1:end], block[end-1].Old+1
		if time := x.ProductTime(c.Input); time > 0 {
			left, products = max(left, time), products-1
		}
		areOutstanding := left > 0 || products > 0
		before := 0 // the next one, if that is a branch
		if areOutstanding && end < len(block) && block[end].Op() == sass.OpBRA {
			before = max(block[end].Stall()-longestQuietStall, 0)
		}
		switch {
		case areOutstanding && x.Op() != sass.OpBRA && x.Stall() > longestQuietStall:
			x.Instr = x.StallsOn(longestQuietStall)
			spaced = appendEmptyAdditions(append(spaced, x), took-longestQuietStall, nops, next)
			spaced = appendEmptyAdditions(spaced, before, nil, next)
			changed = true
		case before > 0:
			spaced = appendEmptyAdditions(append(spaced, x), after+before, nops, next)
			changed = true
		default:
			spaced = append(spaced, x)
			for _, nop := range nops {
				if nop.Stall() > 0 {
					spaced = append(spaced, nop)
				} else {
					changed = true
				}
			}
		}
		if before > 0 {
			block[end].Instr = block[end].StallsOn(longestQuietStall)
			took += before
		}
		left = max(left-took, 0)
		i = end
	}
	if !changed {
		return nil
	}
	return spaced
}

// appendEmptyAdditions appends empty additions that take the given number of cycles. The first ones take the places of nops, the
// others are inserted before old instruction next.
func appendEmptyAdditions(steps []codemap.Step, cycles int, nops []codemap.Step, next int) []codemap.Step {
	for ; cycles > 0; cycles -= longestQuietStall {
		x := codemap.Step{Old: next, Inserted: true, Spacing: true}
		if len(nops) > 0 {
			x, nops = nops[0], nops[1:]
		}
		x.Instr = machine.Instr{Instruction: sass.EmptyAddition}.StallsOn(min(cycles, longestQuietStall))
		steps = append(steps, x)
	}
	return steps
}
