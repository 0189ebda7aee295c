package machine

import (
	"github.com/culink/culink/linker/sass"
)

// MayStay reports whether a branch may go on after itself: it has a guard or a condition.
func (x Instr) MayStay() bool {
	const always = 7
	return x.Low&0xfff != sass.OpBRA|4<<9 || x.Conditional() || x.Low>>32&3 != 0 || x.High>>(87-64)&0xf != always
}

// AwaitsUniform reports whether x waits for loads into uniform registers (KIT-144): where threads meet, or part.
func (x Instr) AwaitsUniform() bool {
	return x.Op() == sass.OpBSYNC || x.Op() == sass.OpBRX || x.Op() == sass.OpWARPSYNC && !x.Collective()
}

// Branches reports whether x goes to another place of the function, or ends it, or may.
func (x Instr) Branches() bool {
	switch x.Op() {
	case sass.OpBRA, sass.OpBRX, sass.OpBRXU, sass.OpBSYNC, sass.OpEXIT:
		return true
	}
	return false
}

// IsCounted reports whether x is counted, and was, as before, not.
func (x Instr) IsCounted(before Instr) bool {
	return x.WriteBarrier() != sass.NoBarrier && before.WriteBarrier() == sass.NoBarrier
}

// WaitsOn reports whether x waits for a scoreboard on which y counts.
func (x Instr) WaitsOn(y Instr) bool {
	return y.WriteBarrier() < Scoreboards && x.WaitsFor(y.WriteBarrier()) || y.ReadBarrier() < Scoreboards && x.WaitsFor(y.ReadBarrier())
}
