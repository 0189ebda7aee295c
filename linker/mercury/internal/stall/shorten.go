package stall

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

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
