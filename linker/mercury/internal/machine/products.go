package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Code waits for fixed times between matrix products and before their consumers. Earlier releases have a NOP or a long stall there, later
// ones an empty addition that never executes (KIT-109). From sm_120 on these choose other times too, by a rule that is not known (KIT-055).

// ProductTime is how long a matrix product takes, 0 for other instructions. A counted FP64 product is taken for one of fixed latency.
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

// IsSelfMove reports whether x moves a register to itself and is not counted.
func (x Instr) IsSelfMove() bool {
	const move, registers = 0x202, 0xff
	return (x.Low&0xfff == move || x.Low&0xfff == uniformMove) && !x.Conditional() && x.Low>>16&registers == x.Low>>32&registers &&
		x.WriteBarrier() == sass.NoBarrier && x.ReadBarrier() == sass.NoBarrier
}
