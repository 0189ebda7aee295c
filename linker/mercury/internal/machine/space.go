package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Between the products of matrices, and before what reads them, code waits for fixed times. Later releases let an
// addition of nothing, that never is done, take that time where earlier ones have a NOP or a long stall
// (KIT-109). From sm_120 on they also choose other times, by a rule that is not known (KIT-055).

// ProductTime is how long the product that x is is under way, 0 for what is none. One of double precision, which is counted,
// is taken for one that is not.
func (x Instr) ProductTime(sm int) int {
	isLate := sm >= FirstTwoAdd
	switch {
	case !x.IsMatrixProduct():
		return 0
	case x.Op() == sass.OpIMMA && sm == 103:
		return 64
	case x.Op() == sass.OpIMMA && isLate:
		return 27
	case isLate:
		return 29
	}
	return 20
}

// uniformMove is UMOV from a uniform register.
const uniformMove = 0xc82

// IsSelfMove reports whether x moves a register to itself, and nothing counts it.
func (x Instr) IsSelfMove() bool {
	const move, registers = 0x202, 0xff
	return (x.Low&0xfff == move || x.Low&0xfff == uniformMove) && !x.Conditional() && x.Low>>16&registers == x.Low>>32&registers &&
		x.WriteBarrier() == sass.NoBarrier && x.ReadBarrier() == sass.NoBarrier
}
