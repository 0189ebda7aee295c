package machine

import (
	"github.com/culink/culink/linker/sass"
)

// An Act is an instruction with what its time depends on.
type Act struct {
	Instr
	Unit          unit
	Converts      int  // for so many cycles
	isEarly       bool // it is code for a target before sm_120
	Writes, Reads sass.Registers
	inOrder       bool // its results come in order: double precision where it is slow
	Window        bool // it keeps nothing, and keeps nothing from others (KIT-190)
}

// NewAct returns x with what its time on an SM depends on; known: its registers are.
func NewAct(x Instr, sm int) (a Act, known bool) {
	a.Instr = x
	a.Writes, a.Reads, known = RegistersOf(x, sm)
	a.Unit, a.inOrder = x.Unit(a.Writes, sm), a.IsArithmeticDouble() && x.IsSlowDouble(sm)
	if sm < FirstTwoAdd {
		a.Converts = x.Converts(sm)
		a.isEarly = true
	}
	return a, known
}

// firstCounted is the first operation of the kinds that take no fixed time, and whatever is done besides.
const firstCounted = 0x100

// IsArithmeticDouble reports whether x adds, multiplies or compares numbers of double precision.
func (x *Act) IsArithmeticDouble() bool { return x.Op() >= sass.OpDMUL && x.Op() <= sass.OpDFMA }

// Unit is what does x on an SM, which writes these registers.
func (x Instr) Unit(writes sass.Registers, sm int) unit {
	if sm < FirstTwoAdd {
		return x.EarlyUnit(sm)
	}
	switch x.Op() {
	case sass.OpMOV, sass.OpSEL, sass.OpIADD, sass.OpIMNMX:
		if n := 0; writes.R != [4]uint64{} {
			for range writes.Only(sass.General).All {
				n++
			}
			if n > 1 {
				return pairs
			}
		}
	case sass.OpISETP:
		if x.High>>(80-64)&1 == 1 { // of 64 bits
			return pairs
		}
	}
	return opcodes[x.Op()].unit
}

// EarlyUnit is what does x before sm_120: one unit all of logic, with comparisons of halves on sm_103 (MERC-132).
func (x Instr) EarlyUnit(sm int) unit {
	if op := x.Op(); op < sass.OpFMUL || op == sass.OpHSETP2 && sm == 103 {
		return narrow
	}
	return opcodes[x.Op()].early
}

// Converts is how many cycles x takes the unit of conversions on an SM; 0 if another unit does it.
// That of sm_103 is faster with powers of two, and counts no bits (MERC-132).
func (x Instr) Converts(sm int) int {
	const most, powersOfTwo = 8, 4
	switch {
	case !x.is(converts) || x.Op() == sass.OpPOPC && sm == 103:
		return 0
	case x.isPowerOfTwo() && sm == 103:
		return powersOfTwo
	}
	return most
}

// isPowerOfTwo reports whether x is MUFU.EX2.
func (x Instr) isPowerOfTwo() bool {
	const functionAt, powerOfTwo = 74 - 64, 2
	return x.Op() == sass.OpMUFU && x.High>>functionAt&0x3f == powerOfTwo
}
