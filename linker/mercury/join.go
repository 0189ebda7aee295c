package mercury

import (
	"slices"
	"sort"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Threads that took different ways meet at a BSYNC.RECONVERGENT or, where some may break away, a BSYNC.RELIABLE. Later finalizers put a NOP
// before each (KIT-041): branches go to the NOP, and the BSSY that announces where threads meet
// names the BSYNC itself, but one of another barrier as branches do. They also schedule nothing in code that was compiled without
// optimisation: its instructions wait for nothing (KIT-042).

// What marks a BSYNC at which the threads of a BSSY.RECONVERGENT or a BSSY.RELIABLE meet, and the third byte of
// its Mercury form.
const (
	reliable     = 1 << (72 - 64)
	reconvergent = 1 << (73 - 64)

	reliableRecord     = 4
	reconvergentRecord = 2
)

// unoptimizedNOP is a NOP of code that was compiled without optimisation.
var unoptimizedNOP = machine.Word(0x7918, 0x003fde0000000000)

// atJoins returns steps with a NOP before each BSYNC at which threads meet, if it has none: one that is
// part of its Mercury instruction. In code that was compiled without optimisation the NOP is of the
// longest stall, and waits for two scoreboards (KIT-041).
func (c *Capsule) atJoins(steps []step, optimized bool) []step {
	const scheduled = 0x000fe20000000000
	padded := map[int]bool{} // by number of the old instruction
	for _, m := range c.Instructions() {
		if m.Count == 2 && m.Record != nil {
			padded[m.First+1] = true
		}
	}
	out := make([]step, 0, len(steps))
	for _, x := range steps {
		if x.Op() == sass.OpBSYNC && x.High&(reconvergent|reliable) != 0 && !padded[x.old] {
			pad := machine.NOP
			if pad.High = scheduled; !optimized {
				pad = unoptimizedNOP
			}
			out = append(out, step{Instr: pad, old: x.old, inserted: true})
		}
		out = append(out, x)
	}
	return out
}

// withoutPads returns steps without these NOPs, and those after a BREAK, which finalizers before KIT-041 remove from
// code that has them.
func (c *Capsule) withoutPads(steps []step) []step {
	return c.changeEach(steps, func(m Mercury, own []step) []step {
		if len(own) == 2 && m.Record != nil {
			return withoutPad(own)
		}
		return own
	})
}

// withoutPad returns the two steps of one Mercury instruction without the NOP, if they are a BSYNC or a BREAK with one. What
// the NOP waits for, the BSYNC waits for.
func withoutPad(pair []step) []step {
	switch first, second := pair[0].Op(), pair[1].Op(); {
	case first == sass.OpNOP && second == sass.OpBSYNC:
		pair[1].Instr = pair[1].WithWaitMask(pair[1].WaitMask() | pair[0].WaitMask())
		return pair[1:]
	case first == sass.OpBREAK && second == sass.OpNOP && pair[1].WaitMask() == 0:
		return pair[:1]
	}
	return pair
}

// joinsAt reports whether old instruction number is the BSYNC of a BSSY: one of its barrier.
func joinsAt(steps []step, number int, announces machine.Instr) bool {
	i := sort.Search(len(steps), func(i int) bool { return steps[i].old >= number })
	return slices.ContainsFunc(steps[i:min(i+2, len(steps))], func(x step) bool {
		return x.old == number && x.Op() == sass.OpBSYNC && barrier(x.Instr) == barrier(announces)
	})
}

// barrier is the number of the barrier of a BSSY or a BSYNC.
func barrier(x machine.Instr) uint64 { return x.Low >> 16 & 0xf }

// joinRecord is the Mercury form of a BSYNC, which stands in a capsule when it becomes two
// machine instructions: its guard, and the number of its barrier.
func joinRecord(join machine.Instr) []byte {
	record := make([]byte, 16)
	copy(record, []byte{0x01, 0x09, reconvergentRecord, 0x0a})
	if join.High&reliable != 0 {
		record[2] = reliableRecord
	}
	record[4] = guardByte(join)
	record[6] = byte(join.High >> (73 - 64) & 1)
	record[10] = byte(barrier(join)) * 2
	return record
}

// isUnoptimized reports whether code was compiled without optimisation: each instruction stalls as long as it
// can, but for those that work around hazards before a fence, or, from 13.3 on, has no schedule (KIT-042).
func isUnoptimized(code []machine.Instr) bool {
	for _, x := range code {
		if !x.IsDummy() && !isWeakestFence(x) {
			return x.Stall() == unoptimized || x.Instruction == x.WithControlOf(machine.NOP).Instruction
		}
	}
	return false
}

// unschedule takes the schedule of all instructions away, but for the loads that are never done.
func unschedule(steps []step) {
	for i := range steps {
		if x := &steps[i].Instr; !x.IsDummy() {
			*x = x.WithControlOf(machine.NOP)
		}
	}
}
