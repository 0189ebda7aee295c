package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// An allocation hands out scoreboards, in the order of the code.
type allocation struct {
	*schedule
	board   []int // by token; none when it has none
	boards  [machine.Scoreboards]holding
	pending []cfg.Set // by token, the instructions before which it may be pending
	before  []cfg.Set // by instruction, the tokens that may be pending before it
	now     cfg.Set   // the latest set of tokens that arrive somewhere
	some    cfg.Set   // of one scoreboard, the latest set of tokens before an instruction
	behind  [][]int   // by instruction, those before it in the code after which it may be done
	last    int       // the last scoreboard that is not the texture unit's
	keeps   bool      // the last scoreboard for loads, of which there are some beside those of textures
	far     cfg.Set   // the loads that go on into another block
	begin   int       // of the block whose tokens get scoreboards
	work    int       // what may still be done, in words of sets
}

// maxWork bounds an allocation, so that code in which everything shares scoreboards does
// not take long; about half a second.
const maxWork = 1 << 26

// A holding is what a scoreboard counts.
type holding struct {
	tokens []*token
	counts cfg.Set // the tokens, by number
	busy   cfg.Set // the instructions before which one may be pending
}

const unassigned = -1

// firstForLoads is the first scoreboard of loads; textureBoard, the last one, is that of the
// texture unit in code that uses it.
const firstForLoads, textureBoard = 2, machine.Scoreboards - 1

// newAllocation returns an allocation that has handed out nothing yet.
func (s *schedule) newAllocation() *allocation {
	a := &allocation{
		schedule: s, work: maxWork, board: make([]int, len(s.tokens)), pending: cfg.NewSets(len(s.tokens), len(s.code)), last: textureBoard,
		far: cfg.NewSet(len(s.tokens)), behind: s.flow.Behind(), before: s.newSets(), now: cfg.NewSet(len(s.tokens)), some: cfg.NewSet(len(s.tokens)),
	}
	if slices.ContainsFunc(s.code, machine.Instr.ByTextureUnit) {
		a.last--
	}
	a.keeps = slices.ContainsFunc(s.tokens, func(t *token) bool {
		return t.long && !s.code[t.at].ByTextureUnit() && t.registers != (sass.Registers{})
	})
	for b := range a.boards {
		a.boards[b].busy, a.boards[b].counts = cfg.NewSet(len(s.code)), cfg.NewSet(len(s.tokens))
	}
	for i := range s.tokens {
		a.board[i] = unassigned
	}
	return a
}

// farBoard returns the scoreboard that t has whatever else there is, if any: the texture
// unit's, or the last one of all others for a load that goes on into another block.
func (a *allocation) farBoard(t *token) (b int, ok bool) {
	switch {
	case t.long && a.code[t.at].ByTextureUnit():
		return textureBoard, true
	case t.long && t.consumer == never && a.keeps:
		return a.last, true
	}
	return 0, false
}

// enter goes on to the block that begins at an instruction: what is back at the ends of the
// blocks before is waited for there. It yields the scoreboards where that changes something.
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

// flushed returns the ends of blocks, from one instruction up to another, at which a token of
// scoreboard b is waited for because it is back.
func (a *allocation) flushed(b, from, to int) (ends []int) {
	for end := a.flow.Last[from]; end < to; end = a.flow.Last[end+1] {
		if slices.ContainsFunc(a.boards[b].tokens, func(t *token) bool {
			return a.flush[end].Has(t.number) && (a.pending[t.number].Has(end) || a.flow.Last[t.at] == end)
		}) {
			ends = append(ends, end)
		}
	}
	return ends
}

// frees reports whether instruction i waits for scoreboard b, on which these tokens may be
// pending.
func (a *allocation) frees(i, b int, pending cfg.Set) bool {
	return a.waits[i].Meets(pending) || i < a.begin && a.endsWith(i, b, pending)
}

// endsWith reports whether i ends a block in which all of these tokens, on scoreboard b, are back by
// then; what i itself counts there is not.
func (a *allocation) endsWith(i, b int, pending cfg.Set) bool {
	return a.flushes(i, pending) && !slices.ContainsFunc(a.made[i], func(t *token) bool { return a.board[t.number] == b })
}

// setAside puts t on the scoreboard that it has whatever else there is, before all others.
func (a *allocation) setAside(t *token, b int) {
	if b == a.last {
		a.far.Add(t.number)
	}
	a.count(t, b)
}

// count puts t on scoreboard b, with what is there.
func (a *allocation) count(t *token, b int) {
	a.board[t.number] = b
	a.boards[b].tokens = append(a.boards[b].tokens, t)
	a.boards[b].counts.Add(t.number)
	a.update(b, t.at)
}

// choose finds a scoreboard for t: one that is waited for where t will be, or that counts
// such operands too that nothing in the block waits for; the first free one; or, if none
// is, that where the least is lost by waiting for several at once.
func (a *allocation) choose(t *token) int {
	lowest := 0
	if t.long {
		lowest = firstForLoads
	}
	for a.counted.has(lowest) {
		lowest++
	}
	reserved := a.isFar(t.at)
	active := a.active(t)
	if b, ok := a.alike(t, active, reserved); ok {
		return b
	}
	b, ok := a.free(t, lowest, reserved)
	if !ok && t.consumer == never {
		b, ok = a.freeBehind(t, active, lowest, reserved)
	}
	if ok && !a.policy.leavesFree(a, t, active, b) {
		return b
	}
	return a.cheapest(t, active, lowest, reserved)
}

// active returns, by scoreboard, what is pending after t.
func (a *allocation) active(t *token) (active [machine.Scoreboards][]*token) {
	a.work -= t.number + a.flow.Last[t.at] - t.at
	if t.at+1 == len(a.code) {
		return active
	}
	for b := range active {
		for _, u := range a.boards[b].tokens {
			if a.isAfter(u, b, t.at) {
				active[b] = append(active[b], u)
			}
		}
	}
	return active
}

// isAfter reports whether token u of scoreboard b may be pending when instruction i is done, whatever
// comes to the next one from elsewhere.
func (a *allocation) isAfter(u *token, b, i int) bool {
	if a.flow.Last[i] != i {
		return a.pending[u.number].Has(i + 1)
	}
	if u.at == i {
		return true
	}
	a.some.Take(a.before[i], a.boards[b].counts)
	return a.some.Has(u.number) && !a.frees(i, b, a.some)
}

// alike returns a scoreboard that is waited for where t will be, by what depends on both; or,
// for operands that nothing in the block depends on, one with nothing but such, where that loses
// nothing.
func (a *allocation) alike(t *token, active [machine.Scoreboards][]*token, reserved bool) (b int, ok bool) {
	for b, others := range active[:a.last+1] {
		switch {
		case len(others) == 0:
		case t.consumer == never:
			if a.policy.joins(a, t, others) {
				return b, true
			}
			if t.reads && onlyReads(others) && a.losesNothing(t, others) && a.goTogether(t, others) {
				return b, true
			}
		case (b != a.last || !reserved) && a.firstWait(others, t) == t.consumer &&
			slices.ContainsFunc(others, func(u *token) bool { return a.needs[t.consumer].Has(u.number) }):
			return b, true
		}
	}
	return 0, false
}

// losesNothing reports whether t, which nothing in its block depends on, loses nothing with others: t is complete when they are
// waited for, or, by some policies, that is at the end of the block or after it.
func (a *allocation) losesNothing(t *token, others []*token) bool {
	last := a.flow.Last[t.at]
	return a.policy.endIsFree(a.code[last]) && a.firstWait(others, t) >= last || a.loss(t, others, false) <= 0
}

// goTogether reports whether t, operands that nothing in their block depends on, may share the scoreboard of
// others like it, of which some are of that block.
func (a *allocation) goTogether(t *token, others []*token) bool {
	last := a.flow.Last[t.at]
	if !slices.ContainsFunc(others, func(u *token) bool { return a.flow.Last[u.at] == last }) {
		return false
	}
	return a.policy.together(a, others, last)
}

// goesOn reports whether something needs t in the blocks that follow one with this end.
func (a *allocation) goesOn(t *token, end int) bool {
	return slices.ContainsFunc(a.flow.Next[end], func(next int) bool { return a.needer(t, next) != never })
}

// needer is the first instruction of the block that begins at next that needs t, not only because other code follows.
func (a *allocation) needer(t *token, next int) int {
	for i := next; i <= a.flow.Last[next]; i++ {
		a.work--
		if a.needs[i].Has(t.number) && !a.ends[i].Has(t.number) && !(t.reads && a.code[i].Op() == sass.OpRET) && (t.pending.Has(i) || next <= t.at) {
			return i
		}
	}
	return never
}

// cheapest returns the scoreboard where the least is lost.
func (a *allocation) cheapest(t *token, active [machine.Scoreboards][]*token, lowest int, reserved bool) (best int) {
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

// loss is how many cycles are lost when t is waited for together with others, the pending
// ones of a scoreboard. Where nothing in the block depends on t, the policy says what is lost (MERC-152).
func (a *allocation) loss(t *token, others []*token, reserved bool) int {
	switch {
	case len(others) == 0:
		return never
	case reserved:
		return never - 1
	}
	wait, end := a.firstWait(others, t), a.flow.Last[t.at]
	isBehind := wait > end || wait == end && !a.needsOne(wait, others)
	switch {
	case t.consumer == never:
		return a.policy.loss(a, t, others, wait, isBehind)
	case t.waiter > wait, t.waiter == wait && a.needsOne(wait, others):
		return t.latency - a.takes(t.at, wait)
	}
	return a.lossAt(t.waiter, t, others, wait)
}

// takes is how many cycles pass from one instruction to another.
func (a *allocation) takes(from, to int) int {
	return a.cycle[min(to, len(a.code))] - a.cycle[min(from, len(a.code))]
}

// lossAt is how many cycles others still take where instruction needed waits for t, but for what comes back
// before something waits for them.
func (a *allocation) lossAt(needed int, t *token, others []*token, wait int) int {
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

// needsOne reports whether instruction i, if it is one, waits for one of tokens because it needs it.
func (a *allocation) needsOne(i int, tokens []*token) bool {
	return i < len(a.code) && slices.ContainsFunc(tokens, func(u *token) bool { return a.waits[i].Has(u.number) })
}

// firstWait is the first instruction after t, in its block, that waits for one of others.
func (a *allocation) firstWait(others []*token, t *token) int {
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

// isFar reports whether a load that goes on into another block is pending in the block of
// instruction i.
func (a *allocation) isFar(i int) bool {
	for k := a.flow.First[i]; k <= a.flow.Last[i]; k++ {
		if a.before[k].Meets(a.far) {
			return true
		}
	}
	return false
}

// free returns the first scoreboard on which nothing is pending where t must not meet others.
func (a *allocation) free(t *token, lowest int, reserved bool) (b int, ok bool) {
	in := a.inBlock(t)
	for b := lowest; b <= a.last; b++ {
		if a.mayHave(t, b, reserved) && !a.boards[b].busy.Meets(in) && !a.meetsAhead(t, b) {
			return b, true
		}
	}
	return 0, false
}

// freeBehind returns the first scoreboard on which nothing is pending behind t in its block, nor when
// t is done.
func (a *allocation) freeBehind(t *token, active [machine.Scoreboards][]*token, lowest int, reserved bool) (b int, ok bool) {
	here := a.inBlock(t)
	for b := lowest; b <= a.last; b++ {
		if a.mayHave(t, b, reserved) && len(active[b]) == 0 && !a.boards[b].busy.Meets(here) {
			return b, true
		}
	}
	return 0, false
}

// mayHave reports whether t may have scoreboard b if it is free.
func (a *allocation) mayHave(t *token, b int, reserved bool) bool {
	return !a.counted.has(b) && (b != a.last || !reserved && (!a.keeps || t.consumer != never || t.long))
}

// onlyReads reports whether tokens are operands that nothing in their blocks depends on.
func onlyReads(tokens []*token) bool {
	return !slices.ContainsFunc(tokens, func(u *token) bool { return !u.reads || u.consumer != never })
}

// meetsAhead reports whether t meets a token of scoreboard b where the next blocks begin, also where
// its block goes back to if nothing in it depends on t. What comes there from blocks that have no
// scoreboards yet does not count.
func (a *allocation) meetsAhead(t *token, b int) bool {
	last := a.flow.Last[t.at]
	return slices.ContainsFunc(a.flow.Next[last], func(next int) bool {
		return (t.pending.Has(next) || next <= t.at && t.consumer == never) &&
			slices.ContainsFunc(a.behind[next], func(p int) bool { return p <= last && a.passes(p, b) })
	})
}

// passes reports whether a token of scoreboard b is pending behind instruction i.
func (a *allocation) passes(i, b int) bool {
	return a.some.Take(a.before[i], a.boards[b].counts) && !a.frees(i, b, a.some) ||
		slices.ContainsFunc(a.made[i], func(t *token) bool { return a.board[t.number] == b })
}

// inBlock is where t is pending in its block.
func (a *allocation) inBlock(t *token) cfg.Set {
	in := cfg.NewSet(len(a.code))
	for i := t.at + 1; i <= a.flow.Last[t.at]; i++ {
		if t.pending.Has(i) {
			in.Add(i)
		}
	}
	return in
}

// update finds anew where the tokens of scoreboard b are pending when something changed at some
// instructions: to wait for one is to wait for all.
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

// arriving returns the tokens of scoreboard b that may be pending before instruction i.
func (a *allocation) arriving(b, i int) cfg.Set {
	now := a.now
	now.Clear()
	for _, p := range a.behind[i] {
		a.work -= 8 + len(now)
		if a.some.Take(a.before[p], a.boards[b].counts) && !a.frees(p, b, a.some) {
			now.AddAll(a.some)
		}
		for _, t := range a.made[p] {
			if a.board[t.number] == b {
				now.Add(t.number)
			}
		}
	}
	return now
}

// on returns the tokens on each scoreboard.
func (a *allocation) on() [machine.Scoreboards]cfg.Set {
	return a.schedule.boards(func(t *token) int { return a.board[t.number] })
}

// pendingWith returns for each instruction the tokens that may be pending before it when the
// instructions wait for these scoreboards. For what a warp does together it is of no use to
// wait: what other threads do then does not count.
func (a *allocation) pendingWith(masks []uint64) []cfg.Set {
	on := a.on()
	return a.flowTokens(func(i int, p cfg.Set) { a.leave(i, masks[i], p, &on) })
}

// leave takes out of p what is back behind instruction i, which waits for these scoreboards with these tokens.
func (a *allocation) leave(i int, mask uint64, p cfg.Set, on *[machine.Scoreboards]cfg.Set) {
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

// waitsFor reports whether instruction i waits for scoreboard b, on which these tokens may be
// pending: for one that it waits for, for what is back at the end of a block, or for all where
// a warp begins or ends to do something together. It is not sure where the input waits
// otherwise, nor where some of what pends may be back or not.
func (a *allocation) waitsFor(i, b int, here cfg.Set) (waits, sure bool) {
	sure = !a.learned[i].Meets(here)
	if a.waits[i].Meets(here) || a.code[i].AwaitsAll() && here.Some() ||
		a.again(i, here, func(t *token) bool { return a.board[t.number] == b && !a.far.Has(t.number) }) {
		return true, sure
	}
	waits, known := a.policy.waitsAtEnd(a, i, b, here)
	return waits, sure && known
}
