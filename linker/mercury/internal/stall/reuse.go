package stall

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// An instruction may leave a general register in an operand-reuse slot. A later instruction that reads the register as the same
// operand then takes it from there. Each operand has one slot for even registers and one for odd ones. An operand of two
// registers takes both slots, and sets reuse if both registers are read again. Matrix products, FP64 and half-precision
// instructions have their own slots (KIT-108).

const operandPlaces = 3

// reuses reports whether instruction i of a block sets reuse for the operand at place. It does if every register of the operand
// is read as the same operand again.
func reuses(block []machine.Operation, i, place int) bool {
	register, ok := block[i].Operand(place)
	if !ok {
		return false
	}
	for r := range block[i].Width(place) {
		if !isReadAgain(block, i, place, register+r) {
			return false
		}
	}
	return true
}

// isReadAgain reports whether a later instruction of a block reads a register as the same operand as instruction i does. A yield,
// a write of the register, or another use of the slot ends the search.
func isReadAgain(block []machine.Operation, i, place int, register uint64) bool {
	reuseSlots := block[i].ReuseSlots()
	for k := i; k < len(block)-1; k++ {
		if block[k].Yields() || block[k].Writes.Has(sass.General, uint(register)) {
			return false
		}
		next := &block[k+1]
		other, ok := next.Operand(place)
		if !ok || next.ReuseSlots() != reuseSlots {
			continue
		}
		for r := other; r < other+next.Width(place); r++ {
			if r%2 == register%2 {
				return r == register
			}
		}
	}
	return false
}

// setReuse sets the operand reuse of is, which are the instructions was after the change.
func setReuse(is, was []machine.Operation) {
	for i := range is {
		is[i].Instr = reuse(is[i].Instr, is, i, was, i)
	}
}

// reuse returns x with its operand reuse. x is instruction i of block is, and instruction k of the old block was. An operand
// changes only if the rule explains its reuse in was.
func reuse(x machine.Instr, is []machine.Operation, i int, was []machine.Operation, k int) machine.Instr {
	for place := range operandPlaces {
		if reuses(was, k, place) == was[k].Reuses(place) {
			x = x.WithReuse(place, reuses(is, i, place))
		}
	}
	return x
}
