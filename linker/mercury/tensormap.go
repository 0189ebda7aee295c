package mercury

import (
	"slices"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A fence that acquires a tensor map is one Mercury instruction: a DEPBAR for all scoreboards, a CCTL and an UTMACCTL.IV, which
// removes the map from the cache of the unit for bulk copies. The compilers from 13.1 on add an UTMACMDFLUSH and a NOP that waits
// for it. Later finalizers add both to code of earlier compilers (KIT-980).

// These instructions are added to optimized code. The scoreboard of the flush is assigned later.
var (
	flushCopies = machine.Word(0x9b7|7<<12, 0x000fe40000000000)
	awaitFlush  = scheduledNOP
)

// flushTensorMaps returns the steps with an UTMACMDFLUSH and a NOP after each UTMACCTL.IV that ends its Mercury instruction. The
// time until the next instruction stays the same. In unoptimized code the flush has the schedule of the UTMACCTL.
func (w *work) flushTensorMaps() []codemap.Step {
	return changeEach(w.capsule, w.steps, func(_ capsule.Mercury, own []codemap.Step) []codemap.Step {
		if len(own) == 0 || !own[len(own)-1].InvalidatesTensorMap() {
			return own
		}
		own = slices.Clone(own)
		last := &own[len(own)-1]
		flush, wait := flushCopies, awaitFlush
		if w.optimized {
			wait = wait.WithStall(max(1, last.Stall()-1-flush.Stall())).YieldingIfLong()
			last.Instr = last.WithStall(1).WithYield(false)
		} else {
			flush, wait = flush.WithControlOf(last.Instr), unoptimizedNOP
		}
		old := last.Old
		for _, x := range [...]machine.Instr{flush, wait} {
			own = append(own, codemap.Step{Instr: x, Old: old, Inserted: true, Behind: true})
		}
		return own
	})
}

// awaitFlushes counts each flush that was added on the first scoreboard, for which the NOP waits. It does so where the scoreboards
// of the input are kept.
func (w *work) awaitFlushes() (changed bool) {
	for i := range len(w.steps) - 1 {
		flush, wait := &w.steps[i], &w.steps[i+1]
		if flush.Inserted && flush.Op() == sass.OpUTMACMDFLUSH && w.optimized {
			flush.Instr = flush.WithReadBarrier(0)
			wait.Instr = wait.WithWaitMask(wait.WaitMask() | 1)
			changed = true
		}
	}
	return changed
}
