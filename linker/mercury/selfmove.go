package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
)

// A copy of a register pair is one Mercury instruction and two moves. Later finalizers drop one of these
// moves if it moves a register to itself (KIT-143).

// withoutSelfMoves returns steps without these moves. Their waits and stalls are added to the neighbouring
// instructions.
func withoutSelfMoves(c *capsule.Capsule, steps []codemap.Step) []codemap.Step {
	var drops []int // numbers of machine instructions, in ascending order
	for _, m := range c.Instructions() {
		if m.Count != 2 || m.Record == nil {
			continue
		}
		pair := slices.IndexFunc(steps, func(x codemap.Step) bool { return x.Old == m.First && !x.Inserted })
		if pair < 0 || pair+1 >= len(steps) || steps[pair+1].Old != m.First+1 {
			continue
		}
		first, second := steps[pair].IsSelfMove(), steps[pair+1].IsSelfMove()
		switch {
		case first == second:
		case first:
			drops = append(drops, pair)
		case second:
			drops = append(drops, pair+1)
		}
	}
	if drops == nil {
		return steps
	}
	kept := make([]codemap.Step, 0, len(steps))
	var wait uint64
	for i, x := range steps {
		if len(drops) > 0 && drops[0] == i {
			drops = drops[1:]
			wait |= x.WaitMask()
			if len(kept) > 0 {
				before := &kept[len(kept)-1].Instr
				*before = before.WithBoundedStall(before.Stall() + x.Stall())
			}
			continue
		}
		x.Instr = x.WithWaitMask(x.WaitMask() | wait)
		wait = 0
		kept = append(kept, x)
	}
	return kept
}
