package mercury

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// The bits of IADD3 for a missing third number, second written predicate and second predicate for the carry-in.
// They are zero in IADD. The other bits do not change: whether there is a carry-in, from which predicate, and
// which predicate is written.
const (
	thirdOfThree = 0x7<<(84-64) | 0xf<<(77-64) | 0xff
	otherOfThree = 1<<(73-64) | 1<<(75-64) | 1<<(76-64) // further bits of the numbers
	carriedNone  = 0xf << (87 - 64)
)

// addsTwo reports if x, an addition of three numbers, has only two.
func addsTwo(x machine.Instr) bool {
	return x.Op() == sass.OpIADD3 && x.High&(thirdOfThree|otherOfThree) == thirdOfThree && (x.CarriesIn() || x.High&carriedNone == carriedNone)
}

// withTwoAdds replaces IADD3 by IADD where it can, and reports if anything changed.
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
