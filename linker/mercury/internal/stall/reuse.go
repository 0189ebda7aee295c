package stall

import (
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// An instruction may keep a general register that it reads, for one that reads it in the same place. For
// each place of an operand there is room for a register of an even number and one of an odd number; what reads pairs
// reads both, and keeps them if both are read again. Products of matrices, double precision and halves have rooms of their own (KIT-108).

const operandPlaces = 3

// reuses reports whether instruction i of a block keeps what it reads in a place: all of it is read there again.
func reuses(block []machine.Act, i, place int) bool {
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

// isReadAgain reports whether another instruction of a block reads a register in the place in which instruction i does,
// before other warps may go on, the register is written, or the room is taken.
func isReadAgain(block []machine.Act, i, place int, register uint64) bool {
	rooms := block[i].Rooms()
	for k := i; k < len(block)-1; k++ {
		if block[k].Yields() || block[k].Writes.Has(sass.General, uint(register)) {
			return false
		}
		next := &block[k+1]
		other, ok := next.Operand(place)
		if !ok || next.Rooms() != rooms {
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

// setReuse says of is, which was the other block, what it keeps, where the rule explains what that kept.
func setReuse(is, was []machine.Act) {
	for i := range is {
		for place := range operandPlaces {
			if reuses(was, i, place) == was[i].Reuses(place) {
				is[i].Instr = is[i].WithReuse(place, reuses(is, i, place))
			}
		}
	}
}

// PassWindows sets the operand reuse of the blocks that add the base of a shared window, as if that read no register,
// where the rule explains what was reused (KIT-190), and reports whether any block changed.
func (c *Code) PassWindows() (changed bool) {
	for block := range c.blocks() {
		if !slices.ContainsFunc(block, func(x codemap.Step) bool { return x.Window }) {
			continue
		}
		was, is := make([]machine.Act, len(block)), make([]machine.Act, len(block))
		for i, x := range block {
			was[i], _ = machine.NewAct(x.Instr, c.Input)
			is[i] = was[i]
			is[i].Window = x.Window
		}
		setReuse(is, was)
		for i := range block {
			changed = changed || block[i].High != is[i].High
			block[i].High = is[i].High
		}
	}
	return changed
}
