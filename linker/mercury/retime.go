package mercury

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// Where code takes other instructions, or waits at other places, than its compiler knew of, the stalls
// of its block are others too (KIT-106).

// A timing tells when the instructions of a block begin.
type timing struct {
	acts  []act
	begin []int // in cycles, since the begin of the block
	freed []int // instructions before which others went

	// enough, if there is one, is a timing of the same instructions whose distances are all enough.
	enough *timing

	// old, where there are products of matrices, is a timing of the same instructions whose distances are enough for these.
	old *timing
}

// earliest is when instruction i may begin, if those before begin when they do.
func (t *timing) earliest(i int) int {
	begin := t.begin[i-1] + 1
	for k := i - 1; k >= 0 && begin-t.begin[k] <= untilGuard; k-- {
		distance := t.acts[i].after(&t.acts[k])
		if t.enough != nil {
			distance = min(distance, t.enough.begin[i]-t.enough.begin[k])
			if t.acts[i].waitsOn(t.acts[k].instruction) {
				distance = max(distance, untilCounted)
			}
		}
		begin = max(begin, t.begin[k]+distance)
	}
	if t.old != nil {
		begin = max(begin, t.afterProducts(i))
	}
	return begin
}

// afterProducts is when instruction i, which is no product of matrices, may begin for the sake of those whose results it needs:
// no sooner than it did, but for what is longer than they take (KIT-055).
func (t *timing) afterProducts(i int) (begin int) {
	x := &t.acts[i]
	for k := range t.acts[:i] {
		if from := &t.acts[k]; from.isMatrixProduct() && !x.isMatrixProduct() && (from.writes.Overlaps(x.reads) || from.writes.Overlaps(x.writes)) {
			begin = max(begin, t.begin[k]+min(t.old.begin[i]-t.old.begin[k], from.results()))
		}
	}
	return begin
}

// results is how many cycles the results of x, a product of matrices from sm_120 on, take.
func (x *act) results() int {
	const integers, others = 27, 28
	if x.Op() == sass.OpIMMA {
		return integers
	}
	return others
}

// end is when the block may end.
func (t *timing) end() (end int) {
	for k := range t.acts {
		end = max(end, t.begin[k]+t.acts[k].lasts())
	}
	return end
}

// newTiming returns when the instructions begin by their stalls.
func newTiming(acts []act) *timing {
	t := &timing{acts: acts, begin: make([]int, len(acts)+1)}
	for i, x := range acts {
		t.begin[i+1] = t.begin[i] + x.Stall()
	}
	return t
}

// longestStall is the longest one that an instruction can say.
const longestStall = 15

// retime gives steps, which m maps and code was, the stalls that follow from what they are now. A stall that
// is not explained gets no shorter.
func (m Map) retime(steps []step, code []instruction, f Function) (changed bool) {
	for block := range m.blocks(steps, f) {
		if retimeBlock(block, code, f) {
			changed = true
		}
	}
	return changed
}

// paceDoubles gives steps, which m maps and code was, the stalls that follow where double precision is counted that was not
// (KIT-063): it takes as long as before, and what waits for it begins two cycles after it at least. A stall that is not explained
// stays.
func (m Map) paceDoubles(steps []step, code []instruction, f Function) (changed bool) {
	for block := range m.blocks(steps, f) {
		was, is := actsOf(block, code, f.Input), make([]act, len(block))
		found := false
		for i, x := range block {
			is[i], _ = newAct(x.instruction, f.Input)
			found = found || is[i].isArithmeticDouble() && is[i].hasBoard() && !was[i].hasBoard()
		}
		if !found {
			continue
		}
		changed = true
		old, now := newTiming(was), newTiming(is)
		now.follow(old, true, false)
		setStalls(is, was, now)
		setReuse(is, was)
		for i := range block {
			block[i].High = is[i].High
		}
	}
	return changed
}

// hurry gives steps, which m maps, the stalls of a target where something takes less time than on the SM that
// they were compiled for (MERC-132). A stall that is not explained stays.
func (m Map) hurry(steps []step, f Function) (changed bool) {
	for block := range m.blocks(steps, f) {
		was, is := make([]act, len(block)), make([]act, len(block))
		for i, x := range block {
			was[i], _ = newAct(x.instruction, f.Input)
			is[i], _ = newAct(x.instruction, f.Target)
		}
		old, now := newTiming(was), newTiming(is)
		now.enough = old
		now.follow(old, true, false)
		if slices.Equal(now.begin, old.begin) {
			continue
		}
		changed = true
		setStalls(is, was, now)
		setReuse(is, was)
		for i := range block {
			block[i].High = is[i].High
		}
	}
	return changed
}

// retimeEarly gives steps, which m maps and code of an early compiler was, the stalls that follow where NOPs went or came
// (MERC-108, MERC-160), or something waits for other scoreboards.
func (m Map) retimeEarly(steps []step, code []instruction, f Function) (changed bool) {
	for block := range m.blocks(steps, f) {
		if retimeEarlyBlock(block, code, f.Input) {
			changed = true
		}
	}
	return changed
}

// retimeEarlyBlock does so with one block of code for an SM.
func retimeEarlyBlock(block []step, code []instruction, sm int) (changed bool) {
	steps := withoutDummies(block)
	was, is := make([]act, len(steps)), make([]act, len(steps))
	allKnown := true
	for i, x := range steps {
		before := x.before(code)
		changed = changed || before != x.instruction
		var known bool
		was[i], known = newAct(before, sm)
		allKnown = allKnown && (known || before.leaves())
		is[i] = was[i]
		is[i].instruction = x.instruction
	}
	switch {
	case !changed:
		return false
	case !allKnown:
		for i, x := range steps {
			if x.absorbs { // what needs the time of the NOP is not known
				x.instruction = x.withBoundedStall(was[i].Stall())
			}
		}
		return true
	}
	old, now := newTiming(was), newTiming(is)
	now.enough = old
	now.follow(old, true, false)
	setStalls(is, was, now)
	setReuse(is, was)
	for i, x := range steps {
		x.High = is[i].High
	}
	return true
}

// before returns x as it stood in code, of an early compiler, with the time of the NOP that it absorbs. A NOP behind a fence
// took none, or that of the DEPBAR in its place.
func (x step) before(code []instruction) instruction {
	switch {
	case x.behind && x.old+1 < len(code) && code[x.old+1].Op() == sass.OpDEPBAR:
		return x.withBoundedStall(code[x.old+1].Stall())
	case x.behind:
		return x.withBoundedStall(0)
	case x.inserted:
		return x.instruction
	case x.absorbs:
		return code[x.old].withBoundedStall(code[x.old].Stall() + code[x.old+1].Stall())
	case x.Op() == sass.OpNOP: // MERC-109
		return x.instruction
	}
	return code[x.old]
}

// blocks yields the parts of steps, which m maps, that run from begin to end.
func (m Map) blocks(steps []step, f Function) iter.Seq[[]step] {
	return func(yield func([]step) bool) {
		flow := m.flow(steps, f.Targets)
		for first := 0; first < len(steps); {
			last := len(steps) - 1
			if flow.last != nil {
				last = flow.last[first]
			}
			if i := slices.IndexFunc(steps[first:last], func(x step) bool { return x.leaves() || x.branches() }); i >= 0 {
				last = first + i
			}
			if !yield(steps[first : last+1]) {
				return
			}
			first = last + 1
		}
	}
}

// flow returns the flow of steps, which m maps; the zero flow if it is not known.
func (m Map) flow(steps []step, targets map[uint64][]uint64) flow {
	list, err := m.instructions(steps, Place{})
	if err != nil {
		return flow{}
	}
	f, _ := flowOf(list, byInstruction(m.targets(targets)))
	return f
}

// withoutDummies returns the steps of a block but the loads before fences that are never done, which take no time: they come
// when all else is done.
func withoutDummies(block []step) (steps []*step) {
	for i := range block {
		if !block[i].isDummy() {
			steps = append(steps, &block[i])
		}
	}
	return steps
}

// retimeBlock does so with one block.
func retimeBlock(block []step, code []instruction, f Function) (changed bool) {
	steps := withoutDummies(block)
	was, is := make([]act, len(steps)), make([]act, len(steps))
	var freed []int
	for i, x := range steps {
		before := x.instruction
		if x.absorbs || x.behind {
			before = x.before(code)
		} else if !x.inserted {
			before = code[x.old]
		}
		if !x.inserted {
			if i+1 < len(steps) { // what stood between went
				for k := x.old + 1; k < steps[i+1].old && code[k].isSelfMove(); k++ {
					before = before.withBoundedStall(before.Stall() + code[k].Stall())
					freed, changed = append(freed, i+1), true
				}
				if next := steps[i+1]; f.ClosesDistances && next.isMatrixProduct() && next.old > x.old+1 && code[x.old+1].isDistance() {
					freed, changed = append(freed, i+1), true
				}
			}
		}
		if before != x.instruction || x.replaced || f.ClosesDistances && x.isDouble() {
			changed = true
		}
		was[i], _ = newAct(before, f.Input)
		units := max(f.Input, firstTwoAdd) // also where double precision comes closer before (KIT-050)
		was[i].unit, was[i].converts = before.unit(was[i].writes, units), 0
		is[i] = was[i]
		is[i].instruction = x.instruction
		is[i].unit = x.unit(was[i].writes, units)
	}
	if !changed {
		return false
	}
	old, now := newTiming(was), newTiming(is)
	now.freed = freed
	if slices.ContainsFunc(is, func(x act) bool { return x.isMatrixProduct() }) {
		now.old = old
	}
	now.follow(old, f.Input >= firstTwoAdd, f.ClosesDistances)
	setStalls(is, was, now)
	setReuse(is, was)
	for i := range steps {
		steps[i].High = is[i].High
	}
	return true
}

// setStalls gives is, which was the other block, the stalls of a timing, and says where other warps may go on,
// where the rule explains what was said (KIT-107).
func setStalls(is, was []act, t *timing) {
	sinceOld, sinceNow := 0, 0
	for i := range is {
		x := &is[i]
		isExplained := was[i].mayYield(was[i].Stall(), sinceOld) == was[i].Yields() && x.Op() != sass.OpNOP
		stall := t.begin[i+1] - t.begin[i]
		x.instruction = x.WithStall(stall)
		if isExplained {
			x.instruction = x.WithYield(x.mayYield(stall, sinceNow))
		}
		sinceOld, sinceNow = was[i].sinceYield(sinceOld), x.sinceYield(sinceNow)
	}
}

// follow lets the instructions begin as early as they may where they did in old, and elsewhere no earlier
// after the one before than that stalls. Where threads come together the compiler of 13.0 ended a block. An access behind
// an instruction of double precision that came closer keeps its own time from the one before that.
func (t *timing) follow(old *timing, allMayMove, closesDistances bool) {
	for i := 1; i < len(t.acts); i++ {
		kept, early := t.begin[i-1]+t.acts[i-1].Stall(), t.earliest(i)
		switch {
		case !closesDistances && t.acts[i].isDouble() && t.acts[i-1].isDistance():
			t.begin[i] = max(t.begin[i-1]+1, early, t.sinceDouble(old, i))
			t.share(i)
		case allMayMove && (old.earliest(i) == old.begin[i] || t.enough == nil && t.acts[i].Op() == sass.OpWARPSYNC && !t.acts[i].collective()), closesDistances && t.acts[i].isDouble(), slices.Contains(t.freed, i):
			t.begin[i] = early
		case old.earliest(i) < old.begin[i], closesDistances && !allMayMove && t.acts[i-1].isDouble() && t.acts[i].accesses():
			t.begin[i] = max(kept, early)
		default:
			t.begin[i] = kept
		}
		t.delay(i)
	}
	last := len(t.acts) - 1
	t.begin[last+1] = t.end()
	switch kept, was := t.begin[last]+t.acts[last].Stall(), old.end(); {
	case allMayMove && was == old.begin[last+1]:
	case allMayMove && was < old.begin[last+1]:
		t.begin[last+1] = max(kept, t.begin[last+1])
	default:
		t.begin[last+1] = kept
	}
	t.delay(last + 1)
}

// sinceDouble is when instruction i begins, which is of double precision, if it keeps its distance from the one
// before in old, or from the begin of the block where there is none.
func (t *timing) sinceDouble(old *timing, i int) int {
	for k := i - 1; k > 0; k-- {
		if t.acts[k].isDouble() {
			return t.begin[k] + old.begin[i] - old.begin[k]
		}
	}
	return old.begin[i]
}

// share lets the NOPs before instruction i begin later where the last one would stall for longer than there is.
func (t *timing) share(i int) {
	for k := i - 1; k > 0 && t.acts[k].isDistance() && t.begin[k+1]-t.begin[k] > longestStall; k-- {
		t.begin[k] = t.begin[k+1] - longestStall
	}
}

// delay lets the instructions before i, or before the end of the block, begin later where one would stall for longer than it
// can say.
func (t *timing) delay(i int) {
	for k := i - 1; k >= 0 && t.begin[k+1]-t.begin[k] > longestStall; k-- {
		t.begin[k] = t.begin[k+1] - longestStall
	}
}

// mayYield reports whether other warps may go on while x stalls, which was last so some cycles before it.
func (x *act) mayYield(stall int, since int) bool {
	const always, long, seldom = 12, 3, 10
	switch {
	case stall >= always:
		return true
	case x.Op() >= firstCounted && x.Op() != sass.OpNOP, x.hasBoard() && !(x.isArithmeticDouble() && !x.inOrder):
		return false
	case stall == long-1:
		return since >= seldom
	}
	return stall >= long
}

// yieldingIfLong returns x, which lets other warps go on if it stalls long enough whatever they did before.
func (x instruction) yieldingIfLong() instruction {
	if (&act{instruction: x}).mayYield(x.Stall(), 0) {
		x = x.WithYield(true)
	}
	return x
}

// hasBoard reports whether x counts on a scoreboard.
func (x instruction) hasBoard() bool {
	return x.WriteBarrier() != sass.NoBarrier || x.ReadBarrier() != sass.NoBarrier
}

// sinceYield is how many cycles after the last such stall the instruction after x begins.
func (x instruction) sinceYield(since int) int {
	if x.Yields() {
		return 0
	}
	return since + x.Stall()
}
