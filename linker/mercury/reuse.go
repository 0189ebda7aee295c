package mercury

import (
	"bytes"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// An instruction may keep a general register that it reads, for one that reads it in the same place. For
// each place of an operand there is room for a register of an even number and one of an odd number (KIT-108).

const operandPlaces = 3

// operand is the general register that x reads in a place, if its unit keeps any.
func (x *act) operand(place int) (register uint64, ok bool) {
	if x.op() >= firstCounted || x.isUniform() && x.op() != opR2UR || x.isArithmeticDouble() && x.inOrder || x.window {
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
		register, ok = first, x.op() != opMOV && x.op() != opIABS
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

// addsFloats reports whether x adds or compares two floats, of which the second stands where that of a product
// and a sum has its third.
func (x *act) addsFloats() bool {
	switch x.op() {
	case opFADD, opDADD, opDSETP, opHADD2, opHSET2, opHSETP2:
		return true
	}
	return false
}

// hasTwoOperands reports whether x has no third operand.
func (x *act) hasTwoOperands() bool {
	switch x.op() {
	case opDMUL, opR2UR, opMOV, opSEL, opFSEL, opFMNMX, opFSETP, opISETP, opFMUL, opIADD, opVIADD, opVIMNMX:
		return true
	}
	return false
}

// room tells the rooms apart: products of matrices have their own, and so have halves and doubles.
func (x *act) room() unit {
	switch op := x.op(); {
	case x.isMatrixProduct():
		return products
	case op >= opHADD2 && op <= opHSETP2, op == opHMNMX2:
		return halves
	case x.isArithmeticDouble():
		return pairs
	}
	return anyUnit
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
		case !ok || next.room() != block[i].room():
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

// windowForm is how the record of what adds the window of shared memory to an address begins, but for the bit that says that
// its operands are those of the machine code.
var windowForm = []byte{0x01, 0x00, 0x00, 0x0a}

// markWindows marks what adds the window of shared memory among steps, and reports whether there is any.
func (c *Capsule) markWindows(steps []step) (found bool) {
	const short = 0x40
	for _, m := range c.Instructions() {
		if m.Count != 1 || len(m.Record) < len(windowForm) || m.Record[0]&^short != windowForm[0] || !bytes.Equal(m.Record[1:len(windowForm)], windowForm[1:]) {
			continue
		}
		for i := range steps {
			if x := &steps[i]; x.old == m.First && !x.inserted {
				x.window, found = true, true
			}
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
			changed = changed || block[i].high != is[i].high
			block[i].high = is[i].high
		}
	}
	return changed
}
