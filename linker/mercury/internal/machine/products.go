package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Code waits for fixed times between matrix products, and before the instructions that use their results. Earlier releases use a
// NOP or a long stall for this. Later ones use an empty addition that never executes (KIT-109). From sm_120 on the later ones
// also choose other times, by a rule that is not known (KIT-055).

// ProductTime returns how long a matrix product takes, and 0 for other instructions. An FP64 product counted on a scoreboard is
// treated as one of fixed latency.
func (x Instr) ProductTime(sm int) int {
	isConsumer := IsConsumer(sm)
	switch {
	case !x.IsMatrixProduct():
		return 0
	case x.Op() == sass.OpIMMA && IsUltra(sm):
		return 64
	case x.Op() == sass.OpIMMA && isConsumer:
		return 27
	case isConsumer:
		return 29
	}
	return 20
}

// uniformMove is UMOV from a uniform register.
const uniformMove = 0xc82

// IsSelfMove reports whether x moves a register to itself and no scoreboard counts it.
func (x Instr) IsSelfMove() bool {
	const move, registers = 0x202, 0xff
	return (x.Low&0xfff == move || x.Low&0xfff == uniformMove) && !x.Conditional() && x.Low>>16&registers == x.Low>>32&registers &&
		x.WriteBarrier() == sass.NoBarrier && x.ReadBarrier() == sass.NoBarrier
}
