package mercury

import (
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// What IADD3 says of the third number, of the second predicate that it writes and of the second one that it carries
// when there is none; IADD has zeros there. The rest stays: that it carries a predicate, which one, and which it writes.
const (
	thirdOfThree = 0x7<<(84-64) | 0xf<<(77-64) | 0xff
	otherOfThree = 1<<(73-64) | 1<<(75-64) | 1<<(76-64) // what else there may be of the numbers
	carriedNone  = 0xf << (87 - 64)
)

// addsTwo reports whether x, an addition of three numbers, adds but two.
func addsTwo(x machine.Instr) bool {
	return x.Op() == sass.OpIADD3 && x.High&(thirdOfThree|otherOfThree) == thirdOfThree && (x.CarriesIn() || x.High&carriedNone == carriedNone)
}

// withTwoAdds takes IADD where it does, and reports whether that is anywhere.
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
