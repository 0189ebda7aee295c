package machine

import (
	"github.com/culink/culink/linker/sass"
)

// The cycles from a matrix product to the next one of the block, from sm_120 on (KIT-890).
const (
	EarlyProduct = 16 // in code of compilers before 13.1
	LaterProduct = 11
)

// IsTimedProduct reports whether x is a matrix product of fixed latency from sm_120 on.
func (x *Operation) IsTimedProduct() bool { return x.IsMatrixProduct() && x.hasResults() && !x.isEarly }

// Results returns the latency of x, a matrix product, from sm_120 on. Another product reads the results a cycle later.
func (x *Operation) Results() int {
	const integers, others = 26, 28
	if x.Op() == sass.OpIMMA {
		return integers
	}
	return others
}

// LongestStall is the longest stall that the control field holds.
const LongestStall = 15

// MayYield reports whether x yields if it has this stall. since is the number of cycles since the
// last yield.
func (x *Operation) MayYield(stall int, since int) bool {
	const always, long, seldom = 12, 3, 10
	switch {
	case stall == 0, stall >= always: // with 0 it is not scheduled
		return true
	case x.hasVariableLatency() && x.Op() != sass.OpNOP, x.Multiplies > 0, x.inOrder, x.HasBoard() && !x.IsArithmeticDouble():
		return false
	case stall == long-1:
		return since >= seldom
	}
	return stall >= long
}

// YieldingIfLong returns x with a yield if its stall is so long that it always yields.
func (x Instr) YieldingIfLong() Instr {
	if (&Operation{Instr: x}).MayYield(x.Stall(), 0) {
		x = x.WithYield(true)
	}
	return x
}

// HasBoard reports whether x has a read or write barrier.
func (x Instr) HasBoard() bool {
	return x.WriteBarrier() != sass.NoBarrier || x.ReadBarrier() != sass.NoBarrier
}

// HasBoardsOf reports whether x has the read and write barriers of y.
func (x Instr) HasBoardsOf(y Instr) bool {
	return x.WriteBarrier() == y.WriteBarrier() && x.ReadBarrier() == y.ReadBarrier()
}

// SinceYield returns how many cycles after the last yield the instruction after x issues. since is
// the same number for x.
func (x Instr) SinceYield(since int) int {
	if x.Yields() {
		return 0
	}
	return since + x.Stall()
}

// StallsOn returns x with a stall and without a yield.
func (x Instr) StallsOn(cycles int) Instr {
	return x.WithStall(cycles).WithYield(false)
}

// WithBoundedStall returns x with a stall of at most LongestStall.
func (x Instr) WithBoundedStall(cycles int) Instr {
	return x.WithStall(min(cycles, LongestStall))
}
