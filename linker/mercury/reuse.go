package mercury

import "github.com/culink/culink/linker/sass"

// An instruction may keep a general register that it reads, for one that reads it in the same place. For
// each place of an operand there is room for a register of an even number and one of an odd number (KIT-108).

const operandPlaces = 3

// operand is the general register that x reads in a place, if its unit keeps any.
func (x *act) operand(place int) (register uint64, ok bool) {
	if x.op() >= firstCounted || x.isUniform() || x.isArithmeticDouble() {
		return 0, false
	}
	first, second, third := x.low>>24&0xff, x.low>>32&0xff, x.high&0xff
	if x.isMatrixProduct() {
		switch {
		case place == 0 && x.isEarly:
			return first, true
		case place == 1:
			return second, true
		}
		return 0, false
	}
	kind := x.low >> 9 & 7
	switch place {
	case 0:
		register, ok = first, x.op() != opMOV
	case 1:
		register, ok = second, kind == 1 && !x.addsFloats()
		if kind == 2 || kind == 3 || kind == 7 { // the second is no general register, and the third takes its place
			register, ok = third, true
		}
	case 2:
		register, ok = third, (kind == 1 || kind >= 4 && kind <= 6) && !x.hasTwoOperands()
		if kind == 1 && x.addsFloats() {
			register, ok = second, true
		}
	}
	return register, ok && x.reads.Has(sass.General, uint(register))
}

// addsFloats reports whether x is the sum of two floats, whose second operand stands where that of a product
// and a sum has its third.
func (x *act) addsFloats() bool { return x.op() == opFADD || x.op() == opHADD2 }

// hasTwoOperands reports whether x has no third operand.
func (x *act) hasTwoOperands() bool {
	switch x.op() {
	case opMOV, opSEL, opFSEL, opFMNMX, opFSETP, opISETP, opFMUL, opIADD, opVIMNMX:
		return true
	}
	return false
}

// reuses reports whether instruction i of a block keeps what it reads in a place: another one reads it there
// before other warps may go on, the register is written, or the room is taken.
func reuses(block []act, i, place int) bool {
	register, ok := block[i].operand(place)
	if !ok {
		return false
	}
	for k := i; k < len(block)-1; k++ {
		if block[k].yields() || block[k].writes.Has(sass.General, uint(register)) {
			return false
		}
		next := &block[k+1]
		switch other, ok := next.operand(place); {
		case !ok || next.isMatrixProduct() != block[i].isMatrixProduct():
		case other == register:
			return (next.unit == pairs) == (block[i].unit == pairs)
		case next.unit == pairs || other%2 == register%2:
			return false
		}
	}
	return false
}

// setReuse says of is, which was the other block, what it keeps, where the rule explains what that kept.
func setReuse(is, was []act) {
	for i := range is {
		for place := range operandPlaces {
			bit := uint64(1) << reuseStart << place
			if reuses(was, i, place) != (was[i].high&bit != 0) {
				continue
			}
			is[i].high &^= bit
			if reuses(is, i, place) {
				is[i].high |= bit
			}
		}
	}
}
