package machine

import (
	"github.com/culink/culink/linker/sass"
)

// rooms are where instructions keep operands.
type rooms uint8

const (
	mostRooms rooms = iota
	matrixRooms
	doubleRooms
	halfRooms
)

// Rooms returns those of x.
func (x *Act) Rooms() rooms {
	switch x.Op() {
	case sass.OpHADD2, sass.OpHFMA2, sass.OpHMUL2, sass.OpHSETP2, sass.OpHSET2, sass.OpHMNMX2:
		return halfRooms
	}
	switch {
	case x.IsMatrixProduct():
		return matrixRooms
	case x.IsArithmeticDouble():
		return doubleRooms
	}
	return mostRooms
}

// Operand is the general register that x reads in a place, the first one of several, if its unit keeps any.
func (x *Act) Operand(place int) (register uint64, ok bool) {
	first, second, third := x.Low>>24&0xff, x.Low>>32&0xff, x.High&0xff
	kind := x.Low >> 9 & 7
	switch {
	case x.Op() == sass.OpR2UR, x.Op() == sass.OpCREDUX: // what reads general registers of the uniform datapath
		register, ok = first, place == 0
	case x.Op() >= firstCounted, x.isUniform(), x.inOrder, x.Window:
	case x.IsMatrixProduct():
		switch {
		case place == 0 && x.isEarly:
			return first, true
		case place == 1:
			return second, true
		}
	case place == 0:
		register, ok = first, !x.hasOneOperand()
	case place == 1 && (kind == 2 || kind == 3 || kind == 7): // the second is no general register, and the third takes its place
		register, ok = third, !x.secondIsThird()
	case place == 1:
		register, ok = second, kind == 1 && !x.secondIsThird()
	case kind == 1 && x.secondIsThird():
		register, ok = second, true
	default:
		register, ok = third, (kind == 1 || kind >= 4 && kind <= 6) && !x.hasTwoOperands()
	}
	return register, ok && x.Reads.Has(sass.General, uint(register))
}

// secondIsThird reports whether x has its second operand where that of a product and a sum has its third.
func (x *Act) secondIsThird() bool {
	switch x.Op() {
	case sass.OpFADD, sass.OpDSETP, sass.OpHADD2, sass.OpHSET2, sass.OpHSETP2:
		return true
	}
	return false
}

// hasOneOperand reports whether x has one operand, which stands where others have their second.
func (x *Act) hasOneOperand() bool {
	return x.Op() == sass.OpMOV || x.Op() == sass.OpIABS || x.Op() == sass.OpI2FP
}

// hasTwoOperands reports whether x has no third operand.
func (x *Act) hasTwoOperands() bool {
	switch x.Op() {
	case sass.OpSEL, sass.OpFSEL, sass.OpFMNMX, sass.OpFSETP, sass.OpISETP, sass.OpFMUL, sass.OpHMUL2, sass.OpDMUL, sass.OpIADD, sass.OpVIADD, sass.OpVIMNMX, sass.OpF2FP, sass.OpBMSK, sass.OpSGXT:
		return true
	}
	return x.hasOneOperand()
}

// Width is how many registers x reads in a place.
func (x *Act) Width(place int) uint64 {
	if x.Unit == pairs || x.IsArithmeticDouble() || x.Unit == wide && place == 2 {
		return 2
	}
	return 1
}
