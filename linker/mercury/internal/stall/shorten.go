package stall

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Shorten removes the second cycle of a stall if the next instruction waited for the scoreboard of x before, and no longer does
// (KIT-103). It reports whether it removed any. If unmoved is set, x keeps the cycle where it is counted on another scoreboard
// now. It also keeps it if the guard of the next instruction would be read too early (KIT-901).
func (c *Code) Shorten(unmoved bool) bool { return shorten(c.Steps, c.Before, unmoved, c.Input) }

func shorten(steps []codemap.Step, code []machine.Instr, unmoved bool, sm int) (changed bool) {
	const untilCounted = 2
	for i := range len(steps) - 1 {
		x, next := &steps[i], steps[i+1]
		if next.Old != x.Old+1 || x.Inserted || next.Inserted {
			continue
		}
		before := code[x.Old]
		waited := code[next.Old].WaitsOn(before)
		if waited && !next.WaitsOn(x.Instr) && !(unmoved && x.HasBoard() && !x.HasBoardsOf(before)) && x.Stall() == untilCounted && !awaitsGuard(steps, i, sm) {
			x.Instr = x.WithStall(x.Stall() - 1)
			changed = true
		}
	}
	return changed
}

// awaitsGuard reports whether the instruction after step i needs all cycles of the stall of i, because an earlier instruction of
// its block sets its guard.
func awaitsGuard(steps []codemap.Step, i, sm int) bool {
	next := steps[i+1]
	if !next.Conditional() {
		return false
	}
	guard := next.Low >> 12 & 7
	for cycles := 0; i >= 0 && cycles < machine.UntilGuard && !steps[i].Branches() && !steps[i].Leaves(); i-- {
		cycles += steps[i].Stall()
		if writes, _, known := sass.Uses(steps[i].Instruction, sm); known && writes.P>>guard&1 == 1 {
			return steps[i].WriteBarrier() == sass.NoBarrier && cycles <= machine.UntilGuard
		}
	}
	return false
}
