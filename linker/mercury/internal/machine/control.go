package machine

import (
	"github.com/culink/culink/linker/sass"
)

// MayStay reports whether control may fall through the branch x, because x has a guard or a condition.
func (x Instr) MayStay() bool {
	const always = 7
	return x.Low&0xfff != sass.OpBRA|4<<9 || x.Conditional() || x.Low>>32&3 != 0 || x.High>>(87-64)&0xf != always
}

// AwaitsUniform reports whether x waits for outstanding results in uniform registers (KIT-144). Reconvergence points and branches
// at which threads diverge do, traps (KIT-985), YIELD (KIT-996), NANOSLEEP (KIT-979), and EXIT (KIT-970).
func (x Instr) AwaitsUniform() bool {
	switch x.Op() {
	case sass.OpBSYNC, sass.OpBRX, sass.OpBPT, sass.OpYIELD, sass.OpNANOSLEEP, sass.OpEXIT:
		return true
	case sass.OpWARPSYNC:
		return !x.Collective()
	}
	return false
}

// Branches reports whether x is a branch or an exit from the function, or can be one.
func (x Instr) Branches() bool {
	switch x.Op() {
	case sass.OpBRA, sass.OpBRX, sass.OpBRXU, sass.OpBSYNC, sass.OpEXIT:
		return true
	}
	return false
}

// IsCounted reports whether x has a write barrier that it did not have originally. before is the same instruction in the
// original code.
func (x Instr) IsCounted(before Instr) bool {
	return x.WriteBarrier() != sass.NoBarrier && before.WriteBarrier() == sass.NoBarrier
}

// WaitsOn reports whether x waits for a scoreboard of y.
func (x Instr) WaitsOn(y Instr) bool {
	return y.WriteBarrier() < Scoreboards && x.WaitsFor(y.WriteBarrier()) || y.ReadBarrier() < Scoreboards && x.WaitsFor(y.ReadBarrier())
}
