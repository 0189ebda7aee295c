package machine

import (
	"github.com/culink/culink/linker/sass"
)

// An Operation is an instruction with everything that its timing depends on.
type Operation struct {
	Instr
	Unit          unit
	Converts      int  // cycles in the conversion unit
	Multiplies    int  // cycles until the next matrix product, of one of fixed latency (KIT-890); 0 if that is not modelled
	Delay         int  // cycles after its stall
	isEarly       bool // the target is before sm_120
	Writes, Reads sass.Registers
	inOrder       bool // double precision where it is slow: its results are written in order
	Window        bool // it sets no reuse bits and does not end those of others (KIT-190)
	OfProgram     bool // a NOP that the program has
}

// NewOperation returns x with all that its timing on an SM depends on. known is false if its registers are
// not known.
func NewOperation(x Instr, sm int) (a Operation, known bool) {
	a.Instr = x
	a.Writes, a.Reads, known = RegistersOf(x, sm)
	a.Unit, a.inOrder = x.Unit(a.Writes, sm), !HasFastDoubles(sm) && (x.IsDoubleProduct() || a.IsArithmeticDouble())
	if !IsConsumer(sm) {
		a.Converts = x.Converts(sm)
		a.isEarly = true
	}
	return a, known
}

// IsSpace reports whether x is only a delay: an empty addition, or a NOP that the program does not have (KIT-361).
func (x *Operation) IsSpace() bool { return !x.OfProgram && x.Instr.IsSpace() }

// firstCounted is the first opcode of variable latency, in the order of the table.
const firstCounted = 0x100

// hasVariableLatency reports whether the latency of x is variable. It is so for the loads, stores and transpositions of matrices, whose
// opcodes stand among those of fixed latency (KIT-363).
func (x *Operation) hasVariableLatency() bool {
	return x.Op() >= firstCounted || x.Op() == sass.OpLDSM || x.Op() == sass.OpSTSM || x.Op() == sass.OpMOVM
}

// IsArithmeticDouble reports whether x is an FP64 addition, product or comparison.
func (x *Operation) IsArithmeticDouble() bool { return x.Op() >= sass.OpDMUL && x.Op() <= sass.OpDFMA }

// Unit returns the unit of x on an SM. writes holds the registers that x writes.
func (x Instr) Unit(writes sass.Registers, sm int) unit {
	if !IsConsumer(sm) {
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

// EarlyUnit returns the unit of x on an SM before sm_120. All logic operations use one unit. On sm_103
// comparisons of half-precision numbers use it too (MERC-132).
func (x Instr) EarlyUnit(sm int) unit {
	if op := x.Op(); op < sass.OpFMUL || op == sass.OpHSETP2 && IsUltra(sm) {
		return narrow
	}
	return opcodes[x.Op()].early
}

// Converts returns the number of cycles that x occupies the conversion unit of an SM, or 0 if x uses another
// unit. On sm_103 powers of two are faster, and POPC uses another unit (MERC-132).
func (x Instr) Converts(sm int) int {
	const most, powersOfTwo = 8, 4
	switch {
	case !x.is(converts) || x.Op() == sass.OpPOPC && IsUltra(sm):
		return 0
	case x.isPowerOfTwo() && IsUltra(sm):
		return powersOfTwo
	}
	return most
}

// isPowerOfTwo reports whether x is MUFU.EX2.
func (x Instr) isPowerOfTwo() bool {
	const functionAt, powerOfTwo = 74 - 64, 2
	return x.Op() == sass.OpMUFU && x.High>>functionAt&0x3f == powerOfTwo
}
