package machine

import (
	"github.com/culink/culink/linker/sass"
)

// reuseSlots identifies the operand-reuse slots that a group of instructions shares.
type reuseSlots uint8

const (
	mostSlots reuseSlots = iota
	matrixSlots
	doubleSlots
	halfSlots
)

// ReuseSlots returns the slots of x.
func (x *Operation) ReuseSlots() reuseSlots {
	switch x.Op() {
	case sass.OpHADD2, sass.OpHFMA2, sass.OpHMUL2, sass.OpHSETP2, sass.OpHSET2, sass.OpHMNMX2:
		return halfSlots
	}
	switch {
	case x.IsMatrixProduct():
		return matrixSlots
	case x.IsArithmeticDouble():
		return doubleSlots
	}
	return mostSlots
}

// Operand returns the general register that x reads as the operand at place. If the operand is several
// registers, it is the first of them. ok is false if the unit of x has no reuse slots.
func (x *Operation) Operand(place int) (register uint64, ok bool) {
	first, second, third := x.Low>>24&0xff, x.Low>>32&0xff, x.High&0xff
	kind := x.Low >> 9 & 7
	switch {
	case x.Op() == sass.OpR2UR, x.Op() == sass.OpCREDUX: // what reads general registers of the uniform datapath
		register, ok = first, place == 0
	case x.hasVariableLatency(), x.isUniform(), x.inOrder, x.Window:
	case x.IsMatrixProduct():
		switch {
		case place == 0 && x.isEarly:
			return first, true
		case place == 1:
			return second, true
		}
	case place == 0:
		register, ok = first, !x.is(oneOperand)
	case place == 1 && (kind == 2 || kind == 3 || kind == 7): // the second is no general register, and the third takes its place
		register, ok = third, !x.is(thirdPlace)
	case place == 1:
		register, ok = second, kind == 1 && !x.is(thirdPlace)
	case kind == 1 && x.is(thirdPlace):
		register, ok = second, true
	default:
		register, ok = third, (kind == 1 || kind >= 4 && kind <= 6) && !x.is(oneOperand|twoOperands)
	}
	return register, ok && x.Reads.Has(sass.General, uint(register))
}

// Width is how many registers an operand of x has.
func (x *Operation) Width(place int) uint64 {
	if x.Unit == pairs || x.IsArithmeticDouble() || x.Unit == wide && place == 2 {
		return 2
	}
	return 1
}
