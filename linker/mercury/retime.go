package mercury

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
	"github.com/culink/culink/linker/sass"
)

// Where code takes other instructions, or waits at other places, than its compiler knew of, the stalls
// of its block are others too (KIT-106).

// A timing tells when the instructions of a block begin.
type timing struct {
	acts  []machine.Act
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
	for k := i - 1; k >= 0 && begin-t.begin[k] <= machine.UntilGuard; k-- {
		distance := t.acts[i].After(&t.acts[k])
		if t.enough != nil {
			distance = min(distance, t.enough.begin[i]-t.enough.begin[k])
			if t.acts[i].WaitsOn(t.acts[k].Instr) {
				distance = max(distance, machine.UntilCounted)
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
		if from := &t.acts[k]; from.IsMatrixProduct() && !x.IsMatrixProduct() && (from.Writes.Overlaps(x.Reads) || from.Writes.Overlaps(x.Writes)) {
			begin = max(begin, t.begin[k]+min(t.old.begin[i]-t.old.begin[k], from.Results()))
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

// retime gives steps, which m maps and code was, the stalls that follow from what they are now. A stall that
// is not explained gets no shorter.
func (m Map) retime(steps []step, code []machine.Instr, f Function) (changed bool) {
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
func (m Map) paceDoubles(steps []step, code []machine.Instr, f Function) (changed bool) {
	for block := range m.blocks(steps, f) {
		was, is := actsOf(block, code, f.Input), make([]machine.Act, len(block))
		found := false
		for i, x := range block {
			is[i], _ = machine.NewAct(x.Instr, f.Input)
			found = found || is[i].IsArithmeticDouble() && is[i].HasBoard() && !was[i].HasBoard()
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
		was, is := make([]machine.Act, len(block)), make([]machine.Act, len(block))
		for i, x := range block {
			was[i], _ = machine.NewAct(x.Instr, f.Input)
			is[i], _ = machine.NewAct(x.Instr, f.Target)
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
func (m Map) retimeEarly(steps []step, code []machine.Instr, f Function) (changed bool) {
	for block := range m.blocks(steps, f) {
		if retimeEarlyBlock(block, code, f.Input) {
			changed = true
		}
	}
	return changed
}

// retimeEarlyBlock does so with one block of code for an SM.
func retimeEarlyBlock(block []step, code []machine.Instr, sm int) (changed bool) {
	steps := withoutDummies(block)
	was, is := make([]machine.Act, len(steps)), make([]machine.Act, len(steps))
	allKnown := true
	for i, x := range steps {
		before := x.before(code)
		changed = changed || before != x.Instr
		var known bool
		was[i], known = machine.NewAct(before, sm)
		allKnown = allKnown && (known || before.Leaves())
		is[i] = was[i]
		is[i].Instr = x.Instr
	}
	switch {
	case !changed:
		return false
	case !allKnown:
		for i, x := range steps {
			if x.absorbs { // what needs the time of the NOP is not known
				x.Instr = x.WithBoundedStall(was[i].Stall())
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
func (x step) before(code []machine.Instr) machine.Instr {
	switch {
	case x.behind && x.old+1 < len(code) && code[x.old+1].Op() == sass.OpDEPBAR:
		return x.WithBoundedStall(code[x.old+1].Stall())
	case x.behind:
		return x.WithBoundedStall(0)
	case x.inserted:
		return x.Instr
	case x.absorbs:
		return code[x.old].WithBoundedStall(code[x.old].Stall() + code[x.old+1].Stall())
	case x.Op() == sass.OpNOP: // MERC-109
		return x.Instr
	}
	return code[x.old]
}

// blocks yields the parts of steps, which m maps, that run from begin to end.
func (m Map) blocks(steps []step, f Function) iter.Seq[[]step] {
	return func(yield func([]step) bool) {
		flow := m.flow(steps, f.Targets)
		for first := 0; first < len(steps); {
			last := len(steps) - 1
			if flow.Last != nil {
				last = flow.Last[first]
			}
			if i := slices.IndexFunc(steps[first:last], func(x step) bool { return x.Leaves() || x.Branches() }); i >= 0 {
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
func (m Map) flow(steps []step, targets map[uint64][]uint64) cfg.Flow {
	list, err := m.instructions(steps, Place{})
	if err != nil {
		return cfg.Flow{}
	}
	f, _ := cfg.FlowOf(list, scoreboard.ByInstruction(m.targets(targets)))
	return f
}

// withoutDummies returns the steps of a block but the loads before fences that are never done, which take no time: they come
// when all else is done.
func withoutDummies(block []step) (steps []*step) {
	for i := range block {
		if !block[i].IsDummy() {
			steps = append(steps, &block[i])
		}
	}
	return steps
}

// retimeBlock does so with one block.
func retimeBlock(block []step, code []machine.Instr, f Function) (changed bool) {
	steps := withoutDummies(block)
	was, is := make([]machine.Act, len(steps)), make([]machine.Act, len(steps))
	var freed []int
	for i, x := range steps {
		before := x.Instr
		if x.absorbs || x.behind {
			before = x.before(code)
		} else if !x.inserted {
			before = code[x.old]
		}
		if !x.inserted {
			if i+1 < len(steps) { // what stood between went
				for k := x.old + 1; k < steps[i+1].old && code[k].IsSelfMove(); k++ {
					before = before.WithBoundedStall(before.Stall() + code[k].Stall())
					freed, changed = append(freed, i+1), true
				}
				if next := steps[i+1]; f.ClosesDistances && next.IsMatrixProduct() && next.old > x.old+1 && code[x.old+1].IsDistance() {
					freed, changed = append(freed, i+1), true
				}
			}
		}
		if before != x.Instr || x.replaced || f.ClosesDistances && x.IsDouble() {
			changed = true
		}
		was[i], _ = machine.NewAct(before, f.Input)
		units := max(f.Input, machine.FirstTwoAdd) // also where double precision comes closer before (KIT-050)
		was[i].Unit, was[i].Converts = before.Unit(was[i].Writes, units), 0
		is[i] = was[i]
		is[i].Instr = x.Instr
		is[i].Unit = x.Unit(was[i].Writes, units)
	}
	if !changed {
		return false
	}
	old, now := newTiming(was), newTiming(is)
	now.freed = freed
	if slices.ContainsFunc(is, func(x machine.Act) bool { return x.IsMatrixProduct() }) {
		now.old = old
	}
	now.follow(old, f.Input >= machine.FirstTwoAdd, f.ClosesDistances)
	setStalls(is, was, now)
	setReuse(is, was)
	for i := range steps {
		steps[i].High = is[i].High
	}
	return true
}

// setStalls gives is, which was the other block, the stalls of a timing, and says where other warps may go on,
// where the rule explains what was said (KIT-107).
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

// follow lets the instructions begin as early as they may where they did in old, and elsewhere no earlier
// after the one before than that stalls. Where threads come together the compiler of 13.0 ended a block. An access behind
// an instruction of double precision that came closer keeps its own time from the one before that.
func (t *timing) follow(old *timing, allMayMove, closesDistances bool) {
	for i := 1; i < len(t.acts); i++ {
		kept, early := t.begin[i-1]+t.acts[i-1].Stall(), t.earliest(i)
		switch {
		case !closesDistances && t.acts[i].IsDouble() && t.acts[i-1].IsDistance():
			t.begin[i] = max(t.begin[i-1]+1, early, t.sinceDouble(old, i))
			t.share(i)
		case allMayMove && (old.earliest(i) == old.begin[i] || t.enough == nil && t.acts[i].Op() == sass.OpWARPSYNC && !t.acts[i].Collective()), closesDistances && t.acts[i].IsDouble(), slices.Contains(t.freed, i):
			t.begin[i] = early
		case old.earliest(i) < old.begin[i], closesDistances && !allMayMove && t.acts[i-1].IsDouble() && t.acts[i].Accesses():
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

// stallLess takes from the stalls of steps the second cycle of what the next instruction, as code
// has both, waited for at once and waits for no more (KIT-103), and reports whether there was any; uncounted: only
// of what is counted no more.
func stallLess(steps []step, code []machine.Instr, uncounted bool) (changed bool) {
	const untilCounted = 2
	for i := range len(steps) - 1 {
		x, next := &steps[i], steps[i+1]
		if next.old != x.old+1 || x.inserted || next.inserted {
			continue
		}
		waited := code[next.old].WaitsOn(code[x.old])
		if waited && !next.WaitsOn(x.Instr) && (!uncounted || !x.HasBoard()) && x.Stall() == untilCounted {
			x.Instr = x.WithStall(x.Stall() - 1)
			changed = true
		}
	}
	return changed
}
