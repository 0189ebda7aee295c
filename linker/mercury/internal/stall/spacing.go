package stall

import (
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// longestSpace is how long an instruction stalls at most between products of matrices: from twelve cycles on other warps issue.
const longestSpace = 11

// Space returns the steps, if they are code with products of matrices, with the time that an instruction and the NOPs after it
// take spent otherwise in each block, until its products are done: as far as it may on the instruction, then on additions of
// nothing (KIT-109). It returns nil where that changes nothing.
func (c *Code) Space() (spaced []codemap.Step) {
	if !slices.ContainsFunc(c.Steps, func(x codemap.Step) bool { return x.IsMatrixProduct() }) {
		return nil
	}
	changed := false
	for block := range c.blocks() {
		was := actsOf(block, c.Before, c.Input)
		next := spaceBlock(block, c.Input)
		if next == nil {
			next = block
		} else {
			changed = true
			shorten(next, c.Before, false)
			keepOperands(next, block, was, c.Input)
		}
		spaced = append(spaced, next...)
	}
	if !changed {
		return nil
	}
	return spaced
}

// keepOperands sets the operand reuse of the spaced steps, where the rule explains that of the block, whose instructions were was.
func keepOperands(spaced, block []codemap.Step, was []machine.Act, sm int) {
	is := make([]machine.Act, len(spaced))
	for i, x := range spaced {
		is[i], _ = machine.NewAct(x.Instr, sm)
	}
	i := 0
	for k := range block {
		if block[k].Inserted || was[k].IsDistance() {
			continue
		}
		for spaced[i].Old != block[k].Old || spaced[i].Inserted {
			i++
		}
		for place := range operandPlaces {
			if reuses(was, k, place) == was[k].Reuses(place) {
				spaced[i].Instr = spaced[i].WithReuse(place, reuses(is, i, place))
			}
		}
	}
}

// spaceBlock is Space for one block. The branch at its end, which has nothing after it, has the additions before it.
func spaceBlock(block []codemap.Step, sm int) (spaced []codemap.Step) {
	products := 0 // that are to come
	for _, x := range block {
		if x.ProductTime(sm) > 0 {
			products++
		}
	}
	if products == 0 {
		return nil
	}
	changed := false
	left := 0 // time until those before are done
	for i := 0; i < len(block); {
		x, end := block[i], i+1 // of the NOPs behind x
		behind := 0
		for ; end < len(block) && block[end].IsDistance(); end++ {
			behind += block[end].Stall()
		}
		took, nops, next := x.Stall()+behind, block[i+1:end], block[end-1].Old+1
		if time := x.ProductTime(sm); time > 0 {
			left, products = max(left, time), products-1
		}
		areUnderWay := left > 0 || products > 0
		before := 0 // the next one, if that is a branch
		if areUnderWay && end < len(block) && block[end].Op() == sass.OpBRA {
			before = max(block[end].Stall()-longestSpace, 0)
		}
		switch {
		case areUnderWay && x.Op() != sass.OpBRA && x.Stall() > longestSpace:
			x.Instr = x.StallsOn(longestSpace)
			spaced = appendSpace(append(spaced, x), took-longestSpace, nops, next)
			spaced = appendSpace(spaced, before, nil, next)
			changed = true
		case before > 0:
			spaced = appendSpace(append(spaced, x), behind+before, nops, next)
			changed = true
		default:
			spaced = append(append(spaced, x), nops...)
		}
		if before > 0 {
			block[end].Instr = block[end].StallsOn(longestSpace)
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

// appendSpace appends additions of nothing that take cycles: in the places of nops, as far as there are such, and
// then before old instruction next.
func appendSpace(steps []codemap.Step, cycles int, nops []codemap.Step, next int) []codemap.Step {
	for ; cycles > 0; cycles -= longestSpace {
		x := codemap.Step{Old: next, Inserted: true, Spacing: true}
		if len(nops) > 0 {
			x, nops = nops[0], nops[1:]
		}
		x.Instr = machine.Instr{Instruction: sass.EmptyAddition}.StallsOn(min(cycles, longestSpace))
		steps = append(steps, x)
	}
	return steps
}
