package stall

import (
	"slices"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A timing tells when the instructions of a block begin.
type timing struct {
	acts  []machine.Act
	begin []int // in cycles, since the begin of the block

	before *timing // of the code of before, which policy compares with
	policy
}

// A policy says how the stalls of a block follow from those of the code of before.
type policy struct {
	movesAll        bool  // whatever began as early as it might does so again; else the rest begins as long after the one before as it did
	closesDistances bool  // FP64 instructions and what is freed begin as early as they may
	trustsDistances bool  // the distances of before are enough, whatever the latencies
	keepsProducts   bool  // what reads a product of matrices begins no sooner than before (KIT-055)
	onlyMoved       bool  // a block in which nothing begins at another time stays
	freed           []int // instructions before which others went
}

// reschedule gives steps, which are the instructions of is and were those of was, the stalls and the operand reuse that follow by a policy,
// and reports whether it did.
func reschedule(steps []*codemap.Step, is, was []machine.Act, p policy) (changed bool) {
	before, now := newTiming(was), newTiming(is)
	now.before, now.policy = before, p
	now.follow()
	if p.onlyMoved && slices.Equal(now.begin, before.begin) {
		return false
	}
	setStalls(is, was, now)
	setReuse(is, was)
	for i, x := range steps {
		x.High = is[i].High
	}
	return true
}

// earliest is when instruction i may begin, if those before begin when they do.
func (t *timing) earliest(i int) int {
	begin := t.begin[i-1] + 1
	for k := i - 1; k >= 0 && begin-t.begin[k] <= machine.UntilGuard; k-- {
		distance := t.acts[i].After(&t.acts[k])
		if t.trustsDistances {
			distance = min(distance, t.before.begin[i]-t.before.begin[k])
			if t.acts[i].WaitsOn(t.acts[k].Instr) {
				distance = max(distance, machine.UntilCounted)
			}
		}
		begin = max(begin, t.begin[k]+distance)
	}
	if t.keepsProducts {
		begin = max(begin, t.afterProducts(i))
	}
	return begin
}

// afterProducts is when instruction i, which is no product of matrices, may begin for the sake of those whose results it needs:
// no sooner than it did, but for what is longer than they take (KIT-055).
func (t *timing) afterProducts(i int) (begin int) {
	x := &t.acts[i]
	for k := range t.acts[:i] {
		if from := &t.acts[k]; from.IsMatrixProduct() && !x.IsMatrixProduct() && (from.Writes.Overlaps(x.Reads) || from.Writes.Overlaps(x.Writes)) {
			begin = max(begin, t.begin[k]+min(t.before.begin[i]-t.before.begin[k], from.Results()))
		}
	}
	return begin
}

// end is when the block may end.
func (t *timing) end() (end int) {
	for k := range t.acts {
		end = max(end, t.begin[k]+t.acts[k].Lasts())
	}
	return end
}

// newTiming returns when the instructions begin by their stalls.
func newTiming(acts []machine.Act) *timing {
	t := &timing{acts: acts, begin: make([]int, len(acts)+1)}
	for i, x := range acts {
		t.begin[i+1] = t.begin[i] + x.Stall()
	}
	return t
}

// follow sets the begins by the policy. A stall that the rules do not explain gets no shorter. Where threads reconverge the
// compiler of 13.0 ended a block. An access after an FP64 instruction that came closer keeps its own distance from that.
func (t *timing) follow() {
	old := t.before
	for i := 1; i < len(t.acts); i++ {
		kept, early := t.begin[i-1]+t.acts[i-1].Stall(), t.earliest(i)
		switch {
		case !t.closesDistances && t.acts[i].IsDouble() && t.acts[i-1].IsDistance():
			t.begin[i] = max(t.begin[i-1]+1, early, t.sinceDouble(i))
			t.share(i)
		case t.beginsEarly(i):
			t.begin[i] = early
		case old.earliest(i) < old.begin[i], t.closesDistances && !t.movesAll && t.acts[i-1].IsDouble() && t.acts[i].Accesses():
			t.begin[i] = max(kept, early)
		default:
			t.begin[i] = kept
		}
		t.delay(i)
	}
	last := len(t.acts) - 1
	t.begin[last+1] = t.end()
	switch kept, was := t.begin[last]+t.acts[last].Stall(), old.end(); {
	case t.movesAll && was == old.begin[last+1]:
	case t.movesAll && was < old.begin[last+1]:
		t.begin[last+1] = max(kept, t.begin[last+1])
	default:
		t.begin[last+1] = kept
	}
	t.delay(last + 1)
}

// beginsEarly reports whether instruction i begins as early as it may, because it did so before or is free to.
func (t *timing) beginsEarly(i int) bool {
	x := &t.acts[i]
	endedBlock := !t.trustsDistances && x.Op() == sass.OpWARPSYNC && !x.Collective()
	return t.movesAll && (endedBlock || t.before.earliest(i) == t.before.begin[i]) || t.closesDistances && x.IsDouble() || slices.Contains(t.freed, i)
}

// sinceDouble is when FP64 instruction i begins, if it keeps its distance from the one
// before in old, or from the begin of the block where there is none.
func (t *timing) sinceDouble(i int) int {
	old := t.before
	for k := i - 1; k > 0; k-- {
		if t.acts[k].IsDouble() {
			return t.begin[k] + old.begin[i] - old.begin[k]
		}
	}
	return old.begin[i]
}

// share lets the NOPs before instruction i begin later where the last one would stall for longer than there is.
func (t *timing) share(i int) {
	for k := i - 1; k > 0 && t.acts[k].IsDistance() && t.begin[k+1]-t.begin[k] > machine.LongestStall; k-- {
		t.begin[k] = t.begin[k+1] - machine.LongestStall
	}
}

// delay lets the instructions before i, or before the end of the block, begin later where one would stall for longer than it
// can say.
func (t *timing) delay(i int) {
	for k := i - 1; k >= 0 && t.begin[k+1]-t.begin[k] > machine.LongestStall; k-- {
		t.begin[k] = t.begin[k+1] - machine.LongestStall
	}
}

// setStalls sets the stalls of is, which was the block was, to those of a timing, and where other warps may issue, where the rule
// explains that of was (KIT-107).
func setStalls(is, was []machine.Act, t *timing) {
	sinceOld, sinceNow := 0, 0
	for i := range is {
		x := &is[i]
		isExplained := was[i].MayYield(was[i].Stall(), sinceOld) == was[i].Yields() && x.Op() != sass.OpNOP
		stall := t.begin[i+1] - t.begin[i]
		x.Instr = x.WithStall(stall)
		if isExplained {
			x.Instr = x.WithYield(x.MayYield(stall, sinceNow))
		}
		sinceOld, sinceNow = was[i].SinceYield(sinceOld), x.SinceYield(sinceNow)
	}
}
