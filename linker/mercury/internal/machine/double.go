package machine

import (
	"github.com/culink/culink/linker/sass"
)

// CountsOn is the scoreboard of which x, a DEPBAR, waits for a count.
func (x Instr) CountsOn() int { return int(x.Low >> 44 & 7) }

// CountingOn returns x, a DEPBAR, with another one.
func (x Instr) CountingOn(b int) Instr {
	x.Low = x.Low&^(7<<44) | uint64(b)<<44
	return x
}

// MayComeInOrder reports whether DEPBAR may wait for a count of what x counts: what the texture unit does, and
// copies of other kinds than LDGSTS.
func (x Instr) MayComeInOrder() bool {
	return x.ByTextureUnit() || x.Op() > sass.OpLDGDEPBAR && x.Op() != sass.OpS2UR && x.Op() != sass.OpREDUX
}

// IsKeptApart reports whether NOPs may stand before x to keep it from an instruction of double precision.
func (x Instr) IsKeptApart() bool { return x.IsDouble() || x.IsMatrixProduct() }

// ComeClose lets x, whose result a following instruction of double precision waits for on a
// scoreboard, stall no longer than until that is set.
func (x *Instr) ComeClose(double Instr) {
	const untilSet = 2
	if board := x.WriteBarrier(); board != sass.NoBarrier && double.IsDouble() && double.WaitsFor(int(board)) && x.Stall() > untilSet {
		*x = x.StallsOn(untilSet)
	}
}

// IsDouble reports whether x is one of the instructions that are kept apart.
func (x Instr) IsDouble() bool { return x.is(fp64) }

// IsMatrixProduct reports whether x multiplies matrices.
func (x Instr) IsMatrixProduct() bool { return x.is(matrix) }
