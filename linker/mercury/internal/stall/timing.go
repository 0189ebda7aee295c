package stall

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A timing holds the issue cycles of the instructions of a block.
type timing struct {
	ops   []machine.Operation
	begin []int // cycles since the start of the block

	before *timing // of the code before the change
	rules
}

// longestProduct is the longest time from a matrix product to a reader of its results.
const longestProduct = 29

// earliest returns the earliest cycle at which instruction i can issue after the instructions before it.
func (t *timing) earliest(i int) int {
	last, longest := i-1, machine.UntilGuard
	if t.spaces {
		longest = longestProduct
	}
	if t.ops[i].Multiplies > 0 {
		last = t.filled(i)
	}
	begin := t.begin[last] + 1
	for k := last; k >= 0 && begin-t.begin[k] <= longest; k-- {
		distance := t.ops[i].After(&t.ops[k])
		if t.trustsDistances {
			if !slices.Contains(t.replaced, i) && !slices.Contains(t.replaced, k) {
				distance = min(distance, t.before.begin[i]-t.before.begin[k])
			}
			if t.ops[i].WaitsOn(t.ops[k].Instr) {
				distance = max(distance, machine.UntilCounted)
			}
		}
		begin = max(begin, t.begin[k]+distance)
	}
	return max(begin, t.afterProducts(i))
}

// afterProducts returns the earliest issue cycle of instruction i, which is no matrix product, after the matrix products whose
// results it uses. It is as long after them as before the change, but no longer than their latency (KIT-055).
func (t *timing) afterProducts(i int) (begin int) {
	if !t.keepsProducts {
		return 0
	}
	x := &t.ops[i]
	for k := range t.ops[:i] {
		if from := &t.ops[k]; from.IsMatrixProduct() && !x.IsMatrixProduct() && (from.Writes.Overlaps(x.Reads) || from.Writes.Overlaps(x.Writes)) {
			begin = max(begin, t.begin[k]+min(t.before.begin[i]-t.before.begin[k], from.Results()))
		}
	}
	return begin
}

// afterSleep returns the earliest issue cycle of instruction i, if it is a NANOSLEEP, after the last one before it (KIT-362). In the input
// it may issue sooner, by its stalls alone: something between the two may wait there.
func (t *timing) afterSleep(i int) int {
	if t.ops[i].Op() != sass.OpNANOSLEEP {
		return 0
	}
	for k := i - 1; k >= 0; k-- {
		if from := &t.ops[k]; from.Op() == sass.OpNANOSLEEP {
			return t.begin[k] + t.ops[i].After(from)
		}
	}
	return 0
}

// end is the earliest end of the block.
func (t *timing) end() (end int) {
	for k := range t.ops {
		end = max(end, t.begin[k]+t.ops[k].Lasts())
	}
	return end
}

// newTiming returns the issue cycles that follow from the stalls.
func newTiming(ops []machine.Operation) *timing {
	t := &timing{ops: ops, begin: make([]int, len(ops)+1)}
	for i, x := range ops {
		t.begin[i+1] = t.begin[i] + x.Stall()
	}
	return t
}

// follow sets the issue cycles by the rules. A stall that the rules do not explain does not get shorter. For the compiler of 13.0
// a block ended at a reconvergence point. An access to memory keeps its distance from an FP64 instruction that now issues
// earlier.
func (t *timing) follow() {
	old := t.before
	product := -1 // the last matrix product of FP64 before i
	for i := 1; i < len(t.ops); i++ {
		if t.ops[i-1].IsDoubleProduct() {
			product = i - 1
		}
		kept, early := t.begin[i-1]+t.ops[i-1].Stall()+t.ops[i-1].Delay, t.earliest(i)
		switch {
		case t.fills(i):
			t.begin[i] = t.begin[i-1]
			continue
		case t.ops[i].Multiplies > 0 && t.ops[i-1].IsSpace():
			t.begin[i] = early
			if !t.beginsEarly(i) {
				t.begin[i] = max(early, t.begin[i-1]+old.begin[i]-old.begin[t.filled(i)])
			}
			for k := t.filled(i) + 1; k < i; k++ {
				t.begin[k] = t.begin[i]
			}
		case !t.closesDistances && t.ops[i].IsDouble() && t.ops[i-1].IsDistance() && product < 0:
			t.begin[i] = max(t.begin[i-1]+1, early, t.sinceDouble(i))
			t.share(i)
		case t.closesDistances && t.ops[i].ComputesDoubles() && t.ops[i-1].IsSpace() && product >= 0:
			t.begin[i] = max(early, t.begin[product]+min(old.begin[i]-old.begin[product], untilDouble))
			t.pullSpaces(i)
		case t.beginsEarly(i):
			t.begin[i] = early
		case old.earliest(i) < old.begin[i], t.closesDistances && !t.movesAll && t.ops[i-1].ComputesDoubles() && t.ops[i].Accesses():
			t.begin[i] = max(kept, early)
		default:
			t.begin[i] = max(kept, t.afterProducts(i))
		}
		t.begin[i] = max(t.begin[i], t.afterSleep(i))
		t.delay(i)
	}
	last := len(t.ops) - 1
	t.begin[last+1] = t.end()
	switch kept, was := t.begin[last]+t.ops[last].Stall(), old.end(); {
	case t.movesAll && was == old.begin[last+1]:
	case t.movesAll && was < old.begin[last+1]:
		t.begin[last+1] = max(kept, t.begin[last+1])
	default:
		t.begin[last+1] = kept
	}
	t.delay(last + 1)
}

// fills reports whether instruction i is a NOP or an empty addition that only keeps a matrix product at its distance
// (KIT-890). It takes no time, and is left out later (KIT-109).
func (t *timing) fills(i int) bool {
	next := i
	for next < len(t.ops) && t.ops[next].IsSpace() {
		next++
	}
	return next > i && next < len(t.ops) && t.ops[next].Multiplies > 0
}

// filled returns the instruction before matrix product i that is no NOP.
func (t *timing) filled(i int) int {
	for i--; i > 0 && t.ops[i].IsSpace(); {
		i--
	}
	return i
}

// beginsEarly reports whether instruction i issues as early as possible. It does if it did so before, or if instructions before
// it were removed.
func (t *timing) beginsEarly(i int) bool {
	x := &t.ops[i]
	endedBlock := !t.trustsDistances && x.Op() == sass.OpWARPSYNC && !x.Collective()
	return t.movesAll && (endedBlock || t.before.earliest(i) == t.before.begin[i]) || t.closesUp(i) || slices.Contains(t.freed, i) || slices.Contains(t.replaced, i)
}

// untilDouble is the number of cycles from a matrix product of slow double precision to the next double-precision instruction (KIT-491).
const untilDouble = 584

// closesUp reports whether instruction i is FP64 and nothing keeps a distance between it and the FP64 instructions before it.
func (t *timing) closesUp(i int) bool {
	x := &t.ops[i]
	return t.closesDistances && !t.ops[i-1].IsSpace() && (x.IsDouble() || x.IsDoubleProduct() && t.followsDouble(i))
}

// followsDouble reports whether an FP64 instruction stands before instruction i in the block, with no matrix product between.
func (t *timing) followsDouble(i int) bool {
	for k := i - 1; k >= 0 && !t.ops[k].IsMatrixProduct(); k-- {
		if t.ops[k].IsDouble() {
			return true
		}
	}
	return false
}

// sinceDouble returns the issue cycle at which FP64 instruction i keeps its distance from the previous FP64 instruction, or from
// the start of the block.
func (t *timing) sinceDouble(i int) int {
	old := t.before
	for k := i - 1; k > 0; k-- {
		if t.ops[k].IsDouble() {
			return t.begin[k] + old.begin[i] - old.begin[k]
		}
	}
	return old.begin[i]
}

// share moves the NOPs before instruction i to later cycles if the stall of the last one would be too long.
func (t *timing) share(i int) {
	for k := i - 1; k > 0 && t.ops[k].IsDistance() && t.begin[k+1]-t.begin[k] > machine.LongestStall; k-- {
		t.begin[k] = t.begin[k+1] - machine.LongestStall
	}
}

// pullSpaces moves the NOPs and empty additions before instruction i to earlier cycles if they would issue after it.
func (t *timing) pullSpaces(i int) {
	for k := i - 1; t.ops[k].IsSpace() && t.begin[k] > t.begin[i]; k-- {
		t.begin[k] = t.begin[i]
	}
}

// delay moves instructions before i to later cycles if their stalls would be too long for the field. i may be the end of the
// block.
func (t *timing) delay(i int) {
	if t.spaces {
		return
	}
	for k := i - 1; k >= 0 && t.begin[k+1]-t.begin[k] > machine.LongestStall; k-- {
		t.begin[k] = t.begin[k+1] - machine.LongestStall
	}
}

// setStalls sets the stalls of is to those of a timing. It sets the yields where the rule explains those of was, the same
// instructions before the change (KIT-107).
func setStalls(is, was []machine.Operation, t *timing) {
	sinceOld, sinceNow := 0, 0
	for i := range is {
		x := &is[i]
		isExplained := (t.yieldsAnew || was[i].MayYield(was[i].Stall(), sinceOld) == was[i].Yields()) && (x.Op() != sass.OpNOP || x.OfProgram)
		stall := t.begin[i+1] - t.begin[i]
		x.Delay = max(stall-machine.LongestStall, 0)
		x.Instr = x.WithBoundedStall(stall)
		if isExplained || x.Multiplies > 0 {
			x.Instr = x.WithYield(x.MayYield(stall, sinceNow))
		}
		sinceOld, sinceNow = was[i].SinceYield(sinceOld), x.SinceYield(sinceNow)
	}
}
