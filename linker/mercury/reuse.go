package mercury

import (
	"bytes"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// An instruction may keep a general register that it reads, for one that reads it in the same place. For
// each place of an operand there is room for a register of an even number and one of an odd number; what reads pairs
// reads both, and keeps them if both are read again. Products of matrices, double precision and halves have rooms of their own (KIT-108).

const operandPlaces = 3

// rooms are where instructions keep operands.
type rooms uint8

const (
	mostRooms rooms = iota
	matrixRooms
	doubleRooms
	halfRooms
)

// rooms returns those of x.
func (x *act) rooms() rooms {
	switch x.Op() {
	case sass.OpHADD2, sass.OpHFMA2, sass.OpHMUL2, sass.OpHSETP2, sass.OpHSET2, sass.OpHMNMX2:
		return halfRooms
	}
	switch {
	case x.isMatrixProduct():
		return matrixRooms
	case x.isArithmeticDouble():
		return doubleRooms
	}
	return mostRooms
}

// operand is the general register that x reads in a place, the first one of several, if its unit keeps any.
func (x *act) operand(place int) (register uint64, ok bool) {
	first, second, third := x.Low>>24&0xff, x.Low>>32&0xff, x.High&0xff
	kind := x.Low >> 9 & 7
	switch {
	case x.Op() == sass.OpR2UR, x.Op() == sass.OpCREDUX: // what reads general registers of the uniform datapath
		register, ok = first, place == 0
	case x.Op() >= firstCounted, x.isUniform(), x.inOrder, x.window:
	case x.isMatrixProduct():
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
	return register, ok && x.reads.Has(sass.General, uint(register))
}

// secondIsThird reports whether x has its second operand where that of a product and a sum has its third.
func (x *act) secondIsThird() bool {
	switch x.Op() {
	case sass.OpFADD, sass.OpDSETP, sass.OpHADD2, sass.OpHSET2, sass.OpHSETP2:
		return true
	}
	return false
}

// hasOneOperand reports whether x has one operand, which stands where others have their second.
func (x *act) hasOneOperand() bool {
	return x.Op() == sass.OpMOV || x.Op() == sass.OpIABS || x.Op() == sass.OpI2FP
}

// hasTwoOperands reports whether x has no third operand.
func (x *act) hasTwoOperands() bool {
	switch x.Op() {
	case sass.OpSEL, sass.OpFSEL, sass.OpFMNMX, sass.OpFSETP, sass.OpISETP, sass.OpFMUL, sass.OpHMUL2, sass.OpDMUL, sass.OpIADD, sass.OpVIADD, sass.OpVIMNMX, sass.OpF2FP, sass.OpBMSK, sass.OpSGXT:
		return true
	}
	return x.hasOneOperand()
}

// width is how many registers x reads in a place.
func (x *act) width(place int) uint64 {
	if x.unit == pairs || x.isArithmeticDouble() || x.unit == wide && place == 2 {
		return 2
	}
	return 1
}

// reuses reports whether instruction i of a block keeps what it reads in a place: all of it is read there again.
func reuses(block []act, i, place int) bool {
	register, ok := block[i].operand(place)
	if !ok {
		return false
	}
	for r := range block[i].width(place) {
		if !isReadAgain(block, i, place, register+r) {
			return false
		}
	}
	return true
}

// isReadAgain reports whether another instruction of a block reads a register in the place in which instruction i does,
// before other warps may go on, the register is written, or the room is taken.
func isReadAgain(block []act, i, place int, register uint64) bool {
	rooms := block[i].rooms()
	for k := i; k < len(block)-1; k++ {
		if block[k].Yields() || block[k].writes.Has(sass.General, uint(register)) {
			return false
		}
		next := &block[k+1]
		other, ok := next.operand(place)
		if !ok || next.rooms() != rooms {
			continue
		}
		for r := other; r < other+next.width(place); r++ {
			if r%2 == register%2 {
				return r == register
			}
		}
	}
	return false
}

// setReuse says of is, which was the other block, what it keeps, where the rule explains what that kept.
func setReuse(is, was []act) {
	for i := range is {
		for place := range operandPlaces {
			if reuses(was, i, place) == was[i].Reuses(place) {
				is[i].instruction = is[i].WithReuse(place, reuses(is, i, place))
			}
		}
	}
}

// windowForm is how the record of what adds the window of shared memory to an address begins, but for the bit that says that
// its operands are those of the machine code.
var windowForm = []byte{0x01, 0x00, 0x00, 0x0a}

// markWindows marks what adds the window of shared memory among steps, and reports whether there is any.
func (c *Capsule) markWindows(steps []step) (found bool) {
	const short = 0x40
	windows := newSet(c.Machine())
	for _, m := range c.Instructions() {
		if m.Count == 1 && len(m.Record) >= len(windowForm) && m.Record[0]&^short == windowForm[0] && bytes.Equal(m.Record[1:len(windowForm)], windowForm[1:]) {
			windows.add(m.First)
		}
	}
	for i := range steps {
		if x := &steps[i]; !x.inserted && windows.has(x.old) {
			x.window, found = true, true
		}
	}
	return found
}

// passWindows says of the blocks of steps, which m maps, with what adds the window of shared memory what they keep, as if that
// kept nothing and took no room, where the rule explains what was kept (KIT-190).
func (m Map) passWindows(steps []step, f Function) (changed bool) {
	for block := range m.blocks(steps, f) {
		if !slices.ContainsFunc(block, func(x step) bool { return x.window }) {
			continue
		}
		was, is := make([]act, len(block)), make([]act, len(block))
		for i, x := range block {
			was[i], _ = newAct(x.instruction, f.Input)
			is[i] = was[i]
			is[i].window = x.window
		}
		setReuse(is, was)
		for i := range block {
			changed = changed || block[i].High != is[i].High
			block[i].High = is[i].High
		}
	}
	return changed
}
