package machine

import (
	"github.com/culink/culink/linker/sass"
)

// CountsOn is the scoreboard on which x, a DEPBAR, waits for a count.
func (x Instr) CountsOn() int { return int(x.Low >> 44 & 7) }

// CountingOn returns x, a DEPBAR, with another scoreboard.
func (x Instr) CountingOn(b int) Instr {
	x.Low = x.Low&^(7<<44) | uint64(b)<<44
	return x
}

// MayComeInOrder reports if DEPBAR may wait for a count of the events of x: those of the texture unit, and
// copies other than LDGSTS.
func (x Instr) MayComeInOrder() bool {
	return x.ByTextureUnit() || x.Op() > sass.OpLDGDEPBAR && x.Op() != sass.OpS2UR && x.Op() != sass.OpREDUX
}

// KeepsDistance reports if there may be NOPs before x that keep it apart from a double-precision instruction.
func (x Instr) KeepsDistance() bool { return x.IsDouble() || x.IsMatrixProduct() }

// Approach shortens the stall of x, on whose result the FP64 instruction after it waits, to the cycles until its scoreboard is set.
func (x *Instr) Approach(double Instr) {
	const untilSet = 2
	if board := x.WriteBarrier(); board != sass.NoBarrier && double.IsDouble() && double.WaitsFor(int(board)) && x.Stall() > untilSet {
		*x = x.StallsOn(untilSet)
	}
}

// IsDouble reports whether x is FP64 and keeps an issue distance.
func (x Instr) IsDouble() bool { return x.is(fp64) }

// IsMatrixProduct reports whether x multiplies matrices.
func (x Instr) IsMatrixProduct() bool { return x.is(matrix) }
