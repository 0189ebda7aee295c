package mercury

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// These bits of IADD3 hold what a sum of two numbers does not have: a third number, a second predicate to
// write, and a second predicate for the carry-in. In IADD the same bits are zero. IADD3 and IADD agree in the
// other bits: whether there is a carry-in, from which predicate, and which predicate is written.
const (
	thirdOfThree = 0x7<<(84-64) | 0xf<<(77-64) | 0xff
	otherOfThree = 1<<(73-64) | 1<<(75-64) | 1<<(76-64) // further bits of the numbers
	carriedNone  = 0xf << (87 - 64)
)

// addsTwo reports whether x, an IADD3, adds only two numbers.
func addsTwo(x machine.Instr) bool {
	return x.Op() == sass.OpIADD3 && x.High&(thirdOfThree|otherOfThree) == thirdOfThree && (x.CarriesIn() || x.High&carriedNone == carriedNone)
}

// withTwoAdds replaces each IADD3 of two numbers by IADD, and reports whether anything changed.
func withTwoAdds(steps []codemap.Step) (changed bool) {
	for i := range steps {
		if x := &steps[i]; addsTwo(x.Instr) {
			x.Replaced, changed = true, true
			x.Low = x.Low&^0x1ff | sass.OpIADD
			x.High &^= thirdOfThree
		}
	}
	return changed
}
