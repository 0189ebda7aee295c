package machine

import (
	"github.com/culink/culink/linker/sass"
)

// CountsOn returns the scoreboard on which x, a DEPBAR, waits for a count.
func (x Instr) CountsOn() int { return int(x.Low >> 44 & 7) }

// CountingOn returns x, a DEPBAR, with another scoreboard.
func (x Instr) CountingOn(b int) Instr {
	x.Low = x.Low&^(7<<44) | uint64(b)<<44
	return x
}

// MayComeInOrder reports whether a DEPBAR may wait until only a given number of events like those of x are outstanding. The
// texture unit has such events, and so have asynchronous copies other than LDGSTS.
func (x Instr) MayComeInOrder() bool {
	return x.ByTextureUnit() || x.Op() > sass.OpLDGDEPBAR && x.Op() != sass.OpS2UR && x.Op() != sass.OpREDUX
}

// KeepsDistance reports whether NOPs before x may be there to separate it from an FP64 instruction.
func (x Instr) KeepsDistance() bool { return x.IsDouble() || x.IsMatrixProduct() }

// Approach shortens the stall of x, on whose result the following FP64 instruction waits. The stall then covers only the cycles
// until the scoreboard of x is set.
func (x *Instr) Approach(double Instr) {
	const untilSet = 2
	if board := x.WriteBarrier(); board != sass.NoBarrier && double.ComputesDoubles() && double.WaitsFor(int(board)) && x.Stall() > untilSet {
		*x = x.StallsOn(untilSet)
	}
}

// ComputesDoubles reports whether x is FP64, products of matrices included.
func (x Instr) ComputesDoubles() bool { return x.IsDouble() || x.IsDoubleProduct() }

// IsDouble reports whether x is FP64 and keeps an issue distance.
func (x Instr) IsDouble() bool { return x.is(fp64) }

// IsDoubleProduct reports whether x multiplies matrices of FP64.
func (x Instr) IsDoubleProduct() bool { return x.Op() == sass.OpDMMA }

// IsMatrixProduct reports whether x multiplies matrices.
func (x Instr) IsMatrixProduct() bool { return x.is(matrix) }
