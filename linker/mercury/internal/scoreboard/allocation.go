package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// An allocation assigns scoreboards in the order of the code.
type allocation struct {
	*schedule
	board   []int // by event; unassigned if it has none
	boards  [machine.Scoreboards]holding
	pending []cfg.Set // by event, the instructions before which it may be pending
	before  []cfg.Set // by instruction, the events that may be pending before it
	now     cfg.Set   // scratch: the events that arrive somewhere
	some    cfg.Set   // scratch: the events of one scoreboard before an instruction
	preds   [][]int   // by instruction, its predecessors that come earlier in the code
	last    int       // the last scoreboard but that of the texture unit
	keeps   bool      // the last scoreboard is kept for loads; some are not of the texture unit
	liveOut cfg.Set   // the loads that are live-out of their block
	begin   int       // of the block whose events are assigned
	work    int       // the work that is left, in words of sets
}

// maxWork bounds an allocation at about half a second, for code in which all events share scoreboards.
const maxWork = 1 << 26

// A holding is the events of a scoreboard.
type holding struct {
	events []*event
	counts cfg.Set // the events, by number
	busy   cfg.Set // the instructions before which one may be pending
}

const unassigned = -1

// firstForLoads is the first scoreboard of loads (MERC-133.5). textureBoard, the last one, is that of the texture unit in code that uses
// it (MERC-133.3).
const firstForLoads, textureBoard = 2, machine.Scoreboards - 1

// newAllocation returns an allocation without assignments.
func (s *schedule) newAllocation() *allocation {
	a := &allocation{
		schedule: s, work: maxWork, board: make([]int, len(s.events)), pending: cfg.NewSets(len(s.events), len(s.code)), last: textureBoard,
		liveOut: cfg.NewSet(len(s.events)), preds: s.flow.Predecessors(), before: s.newSets(), now: cfg.NewSet(len(s.events)), some: cfg.NewSet(len(s.events)),
	}
	if slices.ContainsFunc(s.code, machine.Instr.ByTextureUnit) {
		a.last--
	}
	a.keeps = slices.ContainsFunc(s.events, func(t *event) bool {
		return t.long && !s.code[t.at].ByTextureUnit() && t.registers != (sass.Registers{})
	})
	for b := range a.boards {
		a.boards[b].busy, a.boards[b].counts = cfg.NewSet(len(s.code)), cfg.NewSet(len(s.events))
	}
	for i := range s.events {
		a.board[i] = unassigned
	}
	return a
}

// liveOutBoard returns the scoreboard that t has in any case, if there is one: that of the texture unit, or the last of the others for a
// load that is live-out.
func (a *allocation) liveOutBoard(t *event) (b int, ok bool) {
	switch {
	case t.long && a.code[t.at].ByTextureUnit():
		return textureBoard, true
	case t.long && t.consumer == never && a.keeps:
		return a.last, true
	}
	return 0, false
}

// enter starts the block that begins at an instruction. Events that complete at the end of earlier blocks are waited for there. It returns
// the scoreboards that this changed.
func (a *allocation) enter(begin int) (changed []int) {
	last := a.begin
	a.begin = begin
	for b := range a.boards {
		if ends := a.flushed(b, last, begin); len(ends) > 0 {
			a.update(b, ends...)
			changed = append(changed, b)
		}
	}
	return changed
}

// flushed returns the block ends, from one instruction up to another, that wait for scoreboard b because an event there is complete.
func (a *allocation) flushed(b, from, to int) (ends []int) {
	for end := a.flow.Last[from]; end < to; end = a.flow.Last[end+1] {
		if slices.ContainsFunc(a.boards[b].events, func(t *event) bool {
			return a.flush[end].Has(t.number) && (a.pending[t.number].Has(end) || a.flow.Last[t.at] == end)
		}) {
			ends = append(ends, end)
		}
	}
	return ends
}

// frees reports whether instruction i waits for scoreboard b, on which these events may be pending.
func (a *allocation) frees(i, b int, pending cfg.Set) bool {
	return a.waits[i].Meets(pending) || i < a.begin && a.endsWith(i, b, pending)
}

// endsWith reports whether i ends a block at which all of these events of scoreboard b are complete, and counts nothing on b itself.
func (a *allocation) endsWith(i, b int, pending cfg.Set) bool {
	return a.flushes(i, pending) && !slices.ContainsFunc(a.defs[i], func(t *event) bool { return a.board[t.number] == b })
}

// setAside assigns scoreboard b to t in any case, before all others.
func (a *allocation) setAside(t *event, b int) {
	if b == a.last {
		a.liveOut.Add(t.number)
	}
	a.count(t, b)
}

// count assigns scoreboard b to t.
func (a *allocation) count(t *event, b int) {
	a.board[t.number] = b
	a.boards[b].events = append(a.boards[b].events, t)
	a.boards[b].counts.Add(t.number)
	a.update(b, t.at)
}

// choose returns a scoreboard for t: one whose events are waited for together with t, or that has only such operands; else the first free
// one; else the one that loses the fewest cycles when several events are waited for at once (MERC-133.5, MERC-133.6).
func (a *allocation) choose(t *event) int {
	lowest := 0
	if t.long {
		lowest = firstForLoads
	}
	for a.counted.has(lowest) {
		lowest++
	}
	reserved := a.hasLiveOut(t.at)
	active := a.active(t)
	if b, ok := a.alike(t, active, reserved); ok {
		return b
	}
	b, ok := a.free(t, lowest, reserved)
	if !ok && t.consumer == never {
		b, ok = a.freeAfterBlock(t, active, lowest, reserved)
	}
	if ok && !a.policy.leavesFree(a, t, active, b) {
		return b
	}
	return a.cheapest(t, active, lowest, reserved)
}

// active returns the events of each scoreboard that are pending after t.
func (a *allocation) active(t *event) (active [machine.Scoreboards][]*event) {
	a.work -= t.number + a.flow.Last[t.at] - t.at
	if t.at+1 == len(a.code) {
		return active
	}
	for b := range active {
		for _, u := range a.boards[b].events {
			if a.isAfter(u, b, t.at) {
				active[b] = append(active[b], u)
			}
		}
	}
	return active
}

// isAfter reports whether event u of scoreboard b may be pending after instruction i, whatever reaches the next instruction from elsewhere.
func (a *allocation) isAfter(u *event, b, i int) bool {
	if a.flow.Last[i] != i {
		return a.pending[u.number].Has(i + 1)
	}
	if u.at == i {
		return true
	}
	a.some.Take(a.before[i], a.boards[b].counts)
	return a.some.Has(u.number) && !a.frees(i, b, a.some)
}

// alike returns a scoreboard that the consumer of t waits for in any case, and depends on; or, for operands without a consumer, one that
// has only such operands, if nothing is lost.
func (a *allocation) alike(t *event, active [machine.Scoreboards][]*event, reserved bool) (b int, ok bool) {
	for b, others := range active[:a.last+1] {
		switch {
		case len(others) == 0:
		case t.consumer == never:
			if a.policy.joins(a, t, others) {
				return b, true
			}
			if t.war && onlyReads(others) && a.losesNothing(t, others) && a.mayShare(t, others) {
				return b, true
			}
		case (b != a.last || !reserved) && a.firstWait(others, t) == t.consumer &&
			slices.ContainsFunc(others, func(u *event) bool { return a.deps[t.consumer].Has(u.number) }):
			return b, true
		}
	}
	return 0, false
}

// losesNothing reports whether t, which has no consumer, loses nothing with others: t is complete when they are waited for, or, by some
// policies, that is at the end of the block or after it.
func (a *allocation) losesNothing(t *event, others []*event) bool {
	last := a.flow.Last[t.at]
	return a.policy.endIsFree(a.code[last]) && a.firstWait(others, t) >= last || a.loss(t, others, false) <= 0
}

// mayShare reports whether t, operands without a consumer, may share the scoreboard of others like it, at least one of
// which is in its block.
func (a *allocation) mayShare(t *event, others []*event) bool {
	last := a.flow.Last[t.at]
	if !slices.ContainsFunc(others, func(u *event) bool { return a.flow.Last[u.at] == last }) {
		return false
	}
	return a.policy.together(a, others, last)
}

// isLiveOut reports whether a successor of the block with this end uses t.
func (a *allocation) isLiveOut(t *event, end int) bool {
	return slices.ContainsFunc(a.flow.Next[end], func(next int) bool { return a.firstUse(t, next) != never })
}

// firstUse returns the first instruction of the block at next that uses t, not only because other code follows.
func (a *allocation) firstUse(t *event, next int) int {
	for i := next; i <= a.flow.Last[next]; i++ {
		a.work--
		if a.deps[i].Has(t.number) && !a.exitDeps[i].Has(t.number) && !(t.war && a.code[i].Op() == sass.OpRET) && (t.pending.Has(i) || next <= t.at) {
			return i
		}
	}
	return never
}

// cheapest returns the scoreboard that loses the fewest cycles.
func (a *allocation) cheapest(t *event, active [machine.Scoreboards][]*event, lowest int, reserved bool) (best int) {
	best, least := lowest, never+1
	for b := lowest; b <= a.last; b++ {
		if a.counted.has(b) {
			continue
		}
		if loss := a.loss(t, active[b], b == a.last && reserved); loss < least {
			best, least = b, loss
		}
	}
	return best
}

// loss is how many cycles are lost when t is waited for together with others, the pending events of a scoreboard. If t has no consumer, the
// policy computes it (MERC-152).
func (a *allocation) loss(t *event, others []*event, reserved bool) int {
	switch {
	case len(others) == 0:
		return never
	case reserved:
		return never - 1
	}
	wait, end := a.firstWait(others, t), a.flow.Last[t.at]
	isAfterBlock := wait > end || wait == end && !a.needsOne(wait, others)
	switch {
	case t.consumer == never:
		return a.policy.loss(a, t, others, wait, isAfterBlock)
	case t.waiter > wait, t.waiter == wait && a.needsOne(wait, others):
		return t.latency - a.takes(t.at, wait)
	}
	return a.lossAt(t.waiter, t, others, wait)
}

// takes is how many cycles pass from one instruction to another.
func (a *allocation) takes(from, to int) int {
	return a.cycle[min(to, len(a.code))] - a.cycle[min(from, len(a.code))]
}

// lossAt is how many cycles others still take at instruction needed, which waits for t. Events that complete before the wait do not count.
func (a *allocation) lossAt(needed int, t *event, others []*event, wait int) int {
	loss, first := -never, a.flow.First[t.at]
	for _, u := range others {
		if u.at >= first {
			loss = max(loss, u.latency-a.takes(u.at, needed))
		} else if left := a.leftNeeded(u, first); left > 0 { // waits for it take no time
			loss = max(loss, min(left-a.takes(first, needed), a.takes(needed, wait)))
		}
	}
	return loss
}

// needsOne reports whether instruction i, if there is one, waits for one of the events because it depends on it.
func (a *allocation) needsOne(i int, events []*event) bool {
	return i < len(a.code) && slices.ContainsFunc(events, func(u *event) bool { return a.waits[i].Has(u.number) })
}

// firstWait is the first instruction after t, in its block, that waits for one of others.
func (a *allocation) firstWait(others []*event, t *event) int {
	first := never
	a.work -= len(others)
	for _, u := range others {
		if a.flow.Last[u.at] == a.flow.Last[t.at] && u.at < t.at {
			first = min(first, u.waiter)
			continue
		}
		for i := t.at + 1; i <= a.flow.Last[t.at] && a.pending[u.number].Has(i); i++ {
			a.work--
			if a.waits[i].Has(u.number) || a.flush[i].Has(u.number) {
				first = min(first, i)
				break
			}
		}
	}
	return first
}

// hasLiveOut reports whether a live-out load is pending in the block of instruction i.
func (a *allocation) hasLiveOut(i int) bool {
	for k := a.flow.First[i]; k <= a.flow.Last[i]; k++ {
		if a.before[k].Meets(a.liveOut) {
			return true
		}
	}
	return false
}

// free returns the first scoreboard on which no event is pending where t must not share.
func (a *allocation) free(t *event, lowest int, reserved bool) (b int, ok bool) {
	in := a.inBlock(t)
	for b := lowest; b <= a.last; b++ {
		if a.mayHave(t, b, reserved) && !a.boards[b].busy.Meets(in) && !a.meetsAhead(t, b) {
			return b, true
		}
	}
	return 0, false
}

// freeAfterBlock returns the first scoreboard on which no event is pending after t, in its block or when t is issued.
func (a *allocation) freeAfterBlock(t *event, active [machine.Scoreboards][]*event, lowest int, reserved bool) (b int, ok bool) {
	here := a.inBlock(t)
	for b := lowest; b <= a.last; b++ {
		if a.mayHave(t, b, reserved) && len(active[b]) == 0 && !a.boards[b].busy.Meets(here) {
			return b, true
		}
	}
	return 0, false
}

// mayHave reports whether t may have scoreboard b if it is free.
func (a *allocation) mayHave(t *event, b int, reserved bool) bool {
	return !a.counted.has(b) && (b != a.last || !reserved && (!a.keeps || t.consumer != never || t.long))
}

// onlyReads reports whether all events are operands without a consumer.
func onlyReads(events []*event) bool {
	return !slices.ContainsFunc(events, func(u *event) bool { return !u.war || u.consumer != never })
}

// meetsAhead reports whether t is pending together with an event of scoreboard b at the entry of the next blocks; if t has no consumer,
// also at the target of a back edge. Blocks without assignments do not count.
func (a *allocation) meetsAhead(t *event, b int) bool {
	last := a.flow.Last[t.at]
	return slices.ContainsFunc(a.flow.Next[last], func(next int) bool {
		return (t.pending.Has(next) || next <= t.at && t.consumer == never) &&
			slices.ContainsFunc(a.preds[next], func(p int) bool { return p <= last && a.passes(p, b) })
	})
}

// passes reports whether an event of scoreboard b is pending after instruction i.
func (a *allocation) passes(i, b int) bool {
	return a.some.Take(a.before[i], a.boards[b].counts) && !a.frees(i, b, a.some) ||
		slices.ContainsFunc(a.defs[i], func(t *event) bool { return a.board[t.number] == b })
}

// inBlock returns the instructions of its block before which t is pending.
func (a *allocation) inBlock(t *event) cfg.Set {
	in := cfg.NewSet(len(a.code))
	for i := t.at + 1; i <= a.flow.Last[t.at]; i++ {
		if t.pending.Has(i) {
			in.Add(i)
		}
	}
	return in
}

// update recomputes where the events of scoreboard b are pending after a change at some instructions: a wait for one is a wait for all.
func (a *allocation) update(b int, changed ...int) {
	h, todo := &a.boards[b], cfg.NewSet(len(a.code))
	ahead := func(i int) {
		for next := range a.flow.Ahead(i) {
			todo.Add(next)
		}
	}
	for _, i := range changed {
		ahead(i)
	}
	for i, ok := todo.First(); ok && a.work >= 0; i, ok = todo.First() {
		todo.Remove(i)
		now := a.arriving(b, i)
		a.work -= len(todo) + len(now)
		a.some.Take(a.before[i], h.counts)
		if slices.Equal(now, a.some) {
			continue
		}
		for n := range a.some.All {
			a.pending[n].Remove(i)
		}
		h.busy.Remove(i)
		for n := range now.All {
			a.pending[n].Add(i)
			h.busy.Add(i)
		}
		a.before[i].RemoveAll(h.counts)
		a.before[i].AddAll(now)
		ahead(i)
	}
}

// arriving returns the events of scoreboard b that may be pending before instruction i.
func (a *allocation) arriving(b, i int) cfg.Set {
	now := a.now
	now.Clear()
	for _, p := range a.preds[i] {
		a.work -= 8 + len(now)
		if a.some.Take(a.before[p], a.boards[b].counts) && !a.frees(p, b, a.some) {
			now.AddAll(a.some)
		}
		for _, t := range a.defs[p] {
			if a.board[t.number] == b {
				now.Add(t.number)
			}
		}
	}
	return now
}

// on returns the events of each scoreboard.
func (a *allocation) on() [machine.Scoreboards]cfg.Set {
	return a.schedule.boards(func(t *event) int { return a.board[t.number] })
}

// pendingWith returns the events that may be pending before each instruction with these wait masks. Waits of a WARPSYNC.COLLECTIVE do not
// count, as other threads run then.
func (a *allocation) pendingWith(masks []uint64) []cfg.Set {
	on := a.on()
	return a.flowEvents(func(i int, p cfg.Set) { a.complete(i, masks[i], p, &on) })
}

// complete removes from p the events that are complete after instruction i, which has this wait mask.
func (a *allocation) complete(i int, mask uint64, p cfg.Set, on *[machine.Scoreboards]cfg.Set) {
	if a.code[i].IsBarrier() {
		a.endRound(i, p)
		a.endFence(i, p, *on)
	}
	for b := range on {
		if mask>>b&1 == 1 && !a.code[i].IsAside() {
			p.RemoveAll(on[b])
		}
	}
}

// waitsFor reports whether instruction i waits for scoreboard b, on which these events may be pending: for one of the waits, for events
// that are complete at the end of a block, or for all where a warp begins or ends a collective operation. It is not sure where the input
// waits otherwise, or some events may be complete or not.
func (a *allocation) waitsFor(i, b int, here cfg.Set) (waits, sure bool) {
	sure = !a.learned[i].Meets(here)
	if a.waits[i].Meets(here) || a.code[i].AwaitsAll() && here.Some() ||
		a.countsAroundLoop(i, here, func(t *event) bool { return a.board[t.number] == b && !a.liveOut.Has(t.number) }) {
		return true, sure
	}
	waits, known := a.policy.waitsAtEnd(a, i, b, here)
	return waits, sure && known
}
