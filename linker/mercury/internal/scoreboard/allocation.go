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

// maxWork limits the time of an allocation to about half a second. Code in which all events share scoreboards can reach this
// limit.
const maxWork = 1 << 26

// A holding is the events of a scoreboard.
type holding struct {
	events []*event
	counts cfg.Set // the events, by number
	busy   cfg.Set // the instructions before which one may be pending
}

const unassigned = -1

// firstForLoads is the lowest scoreboard that loads get (MERC-133.5). textureBoard is the last scoreboard: in code that uses the
// texture unit, it is reserved for that unit (MERC-133.3).
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

// liveOutBoard returns the scoreboard that is reserved for events like t, if there is one. Events of the texture unit have the
// last scoreboard. Loads that are live-out have the last of the others.
func (a *allocation) liveOutBoard(t *event) (b int, ok bool) {
	switch {
	case t.long && a.code[t.at].ByTextureUnit():
		return textureBoard, true
	case t.long && t.consumer == never && a.keeps:
		return a.last, true
	}
	return 0, false
}

// enter starts the block that begins at an instruction. Events that complete at the end of earlier blocks are waited for there.
// It returns the scoreboards whose pending events this changed.
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

// flushed returns those ends of blocks between two instructions that wait for scoreboard b because one of its events is complete.
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

// frees reports whether instruction i waits for scoreboard b, so that none of the pending events on it remains.
func (a *allocation) frees(i, b int, pending cfg.Set) bool {
	return a.waits[i].Meets(pending) || a.awaitsItself(i, b) || a.endsReduction(i, b) || i < a.begin && a.endsWith(i, b, pending)
}

// awaitsItself reports whether instruction i counts a live-out load on scoreboard b and waits for that load of the previous
// iteration, in the input too. It then waits for all events that are pending on b (MERC-267).
func (a *allocation) awaitsItself(i, b int) bool {
	return slices.ContainsFunc(a.defs[i], func(t *event) bool {
		return a.liveOut.Has(t.number) && a.board[t.number] == b && t.board != unassigned && a.waits[i].Has(t.number) && a.code[i].WaitsFor(t.board)
	})
}

// endsWith reports whether instruction i ends a block, all pending events of scoreboard b are complete there, and i itself counts
// nothing on b.
func (a *allocation) endsWith(i, b int, pending cfg.Set) bool {
	return a.flushes(i, pending) && !slices.ContainsFunc(a.defs[i], func(t *event) bool { return a.board[t.number] == b }) && !a.outlasts(i, b)
}

// outlasts reports whether an event of scoreboard b takes longer than the block that instruction end ends, by its latency. It is an
// event of an earlier block for which this one waits. Such waits take no time, so the scoreboard seems to count until then
// (MERC-960).
func (a *allocation) outlasts(end, b int) bool {
	first := a.flow.First[end]
	time := a.takes(first, end)
	for n := range a.before[first].All {
		if a.board[n] == b && a.events[n].at < first && !a.pending[n].Has(end) && a.events[n].left(first) > time {
			return true
		}
	}
	return false
}

// setAside assigns scoreboard b to t before the other events get theirs.
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

// choose returns a scoreboard for t. The first choice is a scoreboard that costs nothing: its events are waited for together with
// t, or it has only WAR events without a consumer, like t. The second choice is the first free scoreboard. The last is the one
// that loses the fewest cycles when several events are waited for at once (MERC-133.5, MERC-133.6).
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

// active returns, for each scoreboard, the events that are still pending after t.
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

// isAfter reports whether event u of scoreboard b may be pending after instruction i. Events that reach the next instruction on
// other paths do not count.
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

// alike returns a scoreboard that t can share at no cost. If t has a consumer, that consumer depends on an event of the
// scoreboard and is the first to wait for it. If t is a WAR event without a consumer, the scoreboard has only such events and no
// cycles are lost.
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

// losesNothing reports whether t, which has no consumer, loses no cycles if it shares a scoreboard with others. It loses none if
// it is complete when they are waited for. With some policies it also loses none if that wait is at the end of the block or
// later.
func (a *allocation) losesNothing(t *event, others []*event) bool {
	last := a.flow.Last[t.at]
	return a.policy.endIsFree(a, last) && a.firstWait(others, t) >= last || a.loss(t, others, false) <= 0
}

// mayShare reports whether t, a WAR event without a consumer, may share the scoreboard of other such events. At least one of them
// must be in its block.
func (a *allocation) mayShare(t *event, others []*event) bool {
	last := a.flow.Last[t.at]
	if !slices.ContainsFunc(others, func(u *event) bool { return a.flow.Last[u.at] == last }) {
		return false
	}
	return a.policy.together(a, t, others)
}

// isLiveOut reports whether a successor of the block that ends at end uses t.
func (a *allocation) isLiveOut(t *event, end int) bool {
	return slices.ContainsFunc(a.flow.Next[end], func(next int) bool { return a.firstUse(t, next) != never })
}

// firstUse returns the first instruction of the block at next that uses t. Dependences that only exist because other code follows
// do not count. Those after a WARPSYNC do, although it waits for t (KIT-972).
func (a *allocation) firstUse(t *event, next int) int {
	for i := next; i <= a.flow.Last[next]; i++ {
		a.work--
		if a.deps[i].Has(t.number) && !a.exitDeps[i].Has(t.number) && !(t.war && a.code[i].Op() == sass.OpRET) && (t.pending.Has(next) || next <= t.at) {
			return i
		}
	}
	return never
}

// cheapest returns the scoreboard on which t loses the fewest cycles.
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

// loss returns the number of cycles that are lost if t shares a scoreboard on which others are pending: a wait for one event is
// then a wait for all. If t has no consumer, the policy computes the loss (MERC-152).
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
	loss := a.lossAt(t.waiter, t, others, wait)
	if wait > t.waiter && wait <= end {
		return min(loss, a.takes(t.waiter, wait)) // that wait is for all of the others (MERC-991)
	}
	return loss
}

// takes returns the number of cycles from the issue of one instruction to the issue of another.
func (a *allocation) takes(from, to int) int {
	return a.cycle[min(to, len(a.code))] - a.cycle[min(from, len(a.code))]
}

// lossAt returns the number of cycles that the others still need at instruction needed, which waits for t. Others that complete
// before the wait do not count.
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

// needsOne reports whether instruction i exists, depends on one of the events, and waits for it.
func (a *allocation) needsOne(i int, events []*event) bool {
	return i < len(a.code) && slices.ContainsFunc(events, func(u *event) bool { return a.waits[i].Has(u.number) })
}

// firstWait returns the first instruction after t in its block that waits for one of the others.
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

// hasLiveOut reports whether a live-out load is pending in the block of instruction i, or is its last instruction.
func (a *allocation) hasLiveOut(i int) bool {
	for k := a.flow.First[i]; k <= a.flow.Last[i]; k++ {
		if a.before[k].Meets(a.liveOut) {
			return true
		}
	}
	return slices.ContainsFunc(a.defs[a.flow.Last[i]], func(t *event) bool { return a.liveOut.Has(t.number) })
}

// free returns the first scoreboard on which no event is pending in the part of the code where t must not share.
func (a *allocation) free(t *event, lowest int, reserved bool) (b int, ok bool) {
	in := a.inBlock(t)
	for b := lowest; b <= a.last; b++ {
		if a.mayHave(t, b, reserved) && !a.boards[b].busy.Meets(in) && !a.meetsAhead(t, b) {
			return b, true
		}
	}
	return 0, false
}

// freeAfterBlock returns the first scoreboard on which no event is pending after t is issued, or later while t is pending in its
// block.
func (a *allocation) freeAfterBlock(t *event, active [machine.Scoreboards][]*event, lowest int, reserved bool) (b int, ok bool) {
	here := a.inBlock(t)
	for b := lowest; b <= a.last; b++ {
		if a.mayHave(t, b, reserved) && len(active[b]) == 0 && !a.boards[b].busy.Meets(here) {
			return b, true
		}
	}
	return 0, false
}

// mayHave reports whether t may be assigned scoreboard b while no event is pending there.
func (a *allocation) mayHave(t *event, b int, reserved bool) bool {
	return !a.counted.has(b) && (b != a.last || !reserved && (!a.keeps || t.consumer != never || t.long || a.policy.isAwaited(a, t)))
}

// onlyReads reports whether all events are WAR events without a consumer.
func onlyReads(events []*event) bool {
	return !slices.ContainsFunc(events, func(u *event) bool { return !u.war || u.consumer != never })
}

// meetsAhead reports whether t and an event of scoreboard b are both pending at the entry of a next block. If t has no consumer,
// the target of a back edge counts too. Blocks without assigned scoreboards do not count.
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

// inBlock returns the instructions of t's block before which t is pending.
func (a *allocation) inBlock(t *event) cfg.Set {
	in := cfg.NewSet(len(a.code))
	for i := t.at + 1; i <= a.flow.Last[t.at]; i++ {
		if t.pending.Has(i) {
			in.Add(i)
		}
	}
	return in
}

// update recomputes where the events of scoreboard b are pending, after a change at some instructions. A wait for one event of
// the scoreboard is a wait for all.
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

// pendingWith returns, for each instruction, the events that may be pending before it with these wait masks. The waits of a
// WARPSYNC.COLLECTIVE do not count, because other threads run after it.
func (a *allocation) pendingWith(masks []uint64) []cfg.Set {
	on := a.on()
	return a.flowEvents(func(i int, p cfg.Set) { a.complete(i, masks[i], p, &on) })
}

// complete removes from p the events that are complete after instruction i, whose wait mask is mask.
func (a *allocation) complete(i int, mask uint64, p cfg.Set, on *[machine.Scoreboards]cfg.Set) {
	if a.code[i].IsBarrier() {
		a.endRound(i, p)
		a.endFence(i, p, *on)
	}
	for b := range on {
		if mask>>b&1 == 1 && a.takesEffect(i, p, on[b]) {
			p.RemoveAll(on[b])
		}
	}
}

// takesEffect reports whether a wait of instruction i for a scoreboard with some events counts afterwards. pending are the events before i.
// From 13.1 on a WARPSYNC.COLLECTIVE waits for results in uniform registers as others do; its other waits are added later (KIT-365).
func (a *allocation) takesEffect(i int, pending, events cfg.Set) bool {
	return !a.code[i].IsAside() || a.code[i].Collective() && a.waits[i].MeetsBoth(pending, events)
}

// waitsFor reports whether instruction i waits for scoreboard b, on which the events of here may be pending. It waits if one of
// them is in its waits, if they are complete at the end of a block, or if a warp begins or ends a collective operation. sure is
// false if the input waits in another way.
func (a *allocation) waitsFor(i, b int, here cfg.Set) (waits, sure bool) {
	sure = !a.learned[i].Meets(here)
	if a.waits[i].Meets(here) || a.awaitsAll(i) && here.Some() || a.endsReduction(i, b) ||
		a.countsAroundLoop(i, here, func(t *event) bool { return a.board[t.number] == b && !a.liveOut.Has(t.number) }) {
		return true, sure
	}
	return a.policy.waitsAtEnd(a, i, b, here), sure
}
