package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Results is how many cycles the results of x, a product of matrices from sm_120 on, take.
func (x *Act) Results() int {
	const integers, others = 27, 28
	if x.Op() == sass.OpIMMA {
		return integers
	}
	return others
}

// LongestStall is the longest one that an instruction can say.
const LongestStall = 15

// MayYield reports whether other warps may go on while x stalls, which was last so some cycles before it.
func (x *Act) MayYield(stall int, since int) bool {
	const always, long, seldom = 12, 3, 10
	switch {
	case stall >= always:
		return true
	case x.Op() >= firstCounted && x.Op() != sass.OpNOP, x.HasBoard() && !(x.IsArithmeticDouble() && !x.inOrder):
		return false
	case stall == long-1:
		return since >= seldom
	}
	return stall >= long
}

// YieldingIfLong returns x, which lets other warps go on if it stalls long enough whatever they did before.
func (x Instr) YieldingIfLong() Instr {
	if (&Act{Instr: x}).MayYield(x.Stall(), 0) {
		x = x.WithYield(true)
	}
	return x
}

// HasBoard reports whether x counts on a scoreboard.
func (x Instr) HasBoard() bool {
	return x.WriteBarrier() != sass.NoBarrier || x.ReadBarrier() != sass.NoBarrier
}

// SinceYield is how many cycles after the last such stall the instruction after x begins.
func (x Instr) SinceYield(since int) int {
	if x.Yields() {
		return 0
	}
	return since + x.Stall()
}

// StallsOn returns x with a stall during which other warps do not go on.
func (x Instr) StallsOn(cycles int) Instr {
	return x.WithStall(cycles).WithYield(false)
}

// WithBoundedStall returns x with a stall, as far as there are such.
func (x Instr) WithBoundedStall(cycles int) Instr {
	return x.WithStall(min(cycles, LongestStall))
}
