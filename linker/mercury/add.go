package mercury

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// What IADD3 says of the third number, of the second predicate that it writes and of the second one that it carries
// when there is none; IADD has zeros there. The rest stays: that it carries a predicate, which one, and which it writes.
const (
	thirdOfThree = 0x7<<(84-64) | 0xf<<(77-64) | 0xff
	otherOfThree = 1<<(73-64) | 1<<(75-64) | 1<<(76-64) // what else there may be of the numbers
	carries      = 1 << (74 - 64)
	carriedNone  = 0xf << (87 - 64)
)

// addsTwo reports whether x, an addition of three numbers, adds but two.
func addsTwo(x machine.Instr) bool {
	return x.Op() == sass.OpIADD3 && x.High&(thirdOfThree|otherOfThree) == thirdOfThree && (x.High&carries != 0 || x.High&carriedNone == carriedNone)
}

// withTwoAdds takes IADD where it does, and reports whether that is anywhere.
func withTwoAdds(steps []step) (changed bool) {
	for i := range steps {
		if x := &steps[i]; addsTwo(x.Instr) {
			x.replaced, changed = true, true
			x.Low = x.Low&^0x1ff | sass.OpIADD
			x.High &^= thirdOfThree
		}
	}
	return changed
}

// addRecord is the Mercury form of IADD: it refers to the machine instruction for its operands.
func addRecord(x machine.Instr) []byte {
	const constant, uniform = 4, 6 // what the second number is
	kind, carried := x.Low>>9&7, x.High&carries != 0
	switch {
	case carried && kind == constant:
		return []byte{0x42, 0x0c, 0x32, 0x06}
	case carried && kind == uniform:
		return []byte{0x42, 0x0c, 0x34, 0x14}
	case carried:
		return []byte{0x42, 0x0c, 0x30, 0x14}
	case kind == constant:
		return []byte{0x42, 0x0c, 0x42, 0x06}
	case kind == uniform:
		return []byte{0x41, 0x0c, 0x44, 0x04}
	}
	return []byte{0x41, 0x0c, 0x40, 0x04}
}
