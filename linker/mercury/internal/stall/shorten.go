package stall

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// Shorten removes the second cycle of a stall if the next instruction waited for the scoreboard of x before, and no longer does
// (KIT-103). It reports whether it removed any. If unmoved is set, x keeps the cycle where it is counted on another scoreboard
// now.
func (c *Code) Shorten(unmoved bool) bool { return shorten(c.Steps, c.Before, unmoved) }

func shorten(steps []codemap.Step, code []machine.Instr, unmoved bool) (changed bool) {
	const untilCounted = 2
	for i := range len(steps) - 1 {
		x, next := &steps[i], steps[i+1]
		if next.Old != x.Old+1 || x.Inserted || next.Inserted {
			continue
		}
		before := code[x.Old]
		waited := code[next.Old].WaitsOn(before)
		if waited && !next.WaitsOn(x.Instr) && !(unmoved && x.HasBoard() && !x.HasBoardsOf(before)) && x.Stall() == untilCounted {
			x.Instr = x.WithStall(x.Stall() - 1)
			changed = true
		}
	}
	return changed
}
