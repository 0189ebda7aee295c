package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// A policy is how the compilers of some releases let the ends of blocks wait, and what they take to be lost where an event that
// nothing in its block depends on shares a scoreboard with others.
type policy interface {
	// waitsAtEnd reports whether instruction i, if it ends a block, waits for scoreboard b, on which these events are pending,
	// because they are complete by then or a loop goes round; known: whether the rules tell.
	waitsAtEnd(a *allocation, i, b int, here cfg.Set) (waits, known bool)
	// loss is how many cycles are lost when t is waited for together with others, which are first waited for at an instruction;
	// isBehind: not because something in the block depends on them.
	loss(a *allocation, t *token, others []*token, wait int, isBehind bool) int
	// endIsFree reports whether t loses nothing where x, which ends its block, or what follows waits for the others first.
	endIsFree(x machine.Instr) bool
	// together reports whether operands may share the scoreboard of others like them, of a block with this end.
	together(a *allocation, others []*token, end int) bool
	// joins reports whether result t shares the scoreboard of others whatever is lost.
	joins(a *allocation, t *token, others []*token) bool
	// leavesFree reports whether t leaves a free scoreboard to others.
	leavesFree(a *allocation, t *token, active [machine.Scoreboards][]*token, free int) bool
}

// blockEnds is the policy of the compilers up to 13.0: the end of a block waits for what is complete by then (MERC-134). An event
// can lose nothing after its block, nor where its end waits for what is complete, and nothing can be won.
type blockEnds struct{}

func (blockEnds) waitsAtEnd(a *allocation, i, b int, here cfg.Set) (waits, known bool) {
	if a.endsInRound(i, here) {
		return a.waitsInRound(i, here)
	}
	return a.endsWith(i, b, here), true
}

func (blockEnds) loss(a *allocation, t *token, _ []*token, wait int, isBehind bool) int {
	if isBehind {
		return 0
	}
	return max(0, t.latency-a.takes(t.at, wait))
}

func (blockEnds) endIsFree(x machine.Instr) bool           { return x.Leaves() }
func (blockEnds) together(*allocation, []*token, int) bool { return true }
func (blockEnds) joins(*allocation, *token, []*token) bool { return false }
func (blockEnds) leavesFree(*allocation, *token, [machine.Scoreboards][]*token, int) bool {
	return false
}

// onDemand is the policy of the later compilers: branches wait for what they need alone, and blocks before and in loops for some
// more (KIT-060).
type onDemand struct {
	spares bool // operands leave the last free scoreboard to others (KIT-178)
}

func (onDemand) waitsAtEnd(a *allocation, i, b int, here cfg.Set) (waits, known bool) {
	return a.endsWith(i, b, here) || a.endsHead(i, b, here), true
}

func (onDemand) loss(a *allocation, t *token, others []*token, wait int, isBehind bool) int {
	if t.reads {
		return a.lossOfOperands(t, others, wait, isBehind)
	}
	return a.lossOfResult(t, others, wait, isBehind)
}

func (onDemand) endIsFree(machine.Instr) bool { return true }

// together: if nothing in the next blocks needs the others (KIT-060).
func (onDemand) together(a *allocation, others []*token, end int) bool {
	return !slices.ContainsFunc(others, func(u *token) bool { return a.goesOn(u, end) })
}

// joins: where the instruction that waits for t first, and needs it, waits for one of the others first as well.
func (onDemand) joins(a *allocation, t *token, others []*token) bool {
	return !t.reads && t.waiter != never && a.needs[t.waiter].Has(t.number) && a.firstWait(others, t) == t.waiter && a.needsOne(t.waiter, others)
}

// leavesFree: t is operands that nothing in their block depends on, the scoreboard is the last free one, nothing in the block waits
// for what is on the others before its end, and it is not free because the instruction of t waits for it.
func (p onDemand) leavesFree(a *allocation, t *token, active [machine.Scoreboards][]*token, free int) bool {
	if !p.spares || !t.reads || t.consumer != never || a.some.Take(a.before[t.at], a.boards[free].counts) {
		return false
	}
	for b, others := range active {
		if b != free && !a.isTaken(others, t) {
			return false
		}
	}
	return true
}

// lossOfOperands is what is lost (MERC-152) when t, operands that nothing in their block depends on, is waited for together
// with others, which are first waited for at an instruction; isBehind: not because something in the block depends on
// them. It is as if the end of the block waited for t. What the next blocks do not need either loses nothing where others are back
// when it is (KIT-060).
func (a *allocation) lossOfOperands(t *token, others []*token, wait int, isBehind bool) int {
	end := a.flow.Last[t.at]
	loss, late := t.latency-a.takes(t.at, wait), 0
	if isBehind {
		loss, late = a.lossAt(end, t, others, wait), max(0, t.latency-a.takes(t.at, end))
	}
	if a.goesOn(t, end) {
		return loss
	}
	return max(loss-late, 0)
}

// isTaken reports whether tokens of one scoreboard have it for the rest of the block of t: some are of it, which nothing in
// it waits for, or loads that go on into another one.
func (a *allocation) isTaken(tokens []*token, t *token) (taken bool) {
	first := a.flow.First[t.at]
	for _, u := range tokens {
		if u.at >= first && u.waiter != never && a.waits[u.waiter].Has(u.number) {
			return false
		}
		taken = taken || u.at >= first || a.far.Has(u.number)
	}
	return taken
}

// lossOfResult is what is lost (MERC-152) when t, a result that nothing in its block depends on, is waited for together
// with others, which are first waited for at an instruction; isBehind: not because something in the block depends on
// them (KIT-060). Where the end of the block waits for t because it is back, t counts as needed there; else it loses nothing
// behind the block, unless something in the one behind it needs the others. Where something in the next blocks needs t, what
// is won counts too.
func (a *allocation) lossOfResult(t *token, others []*token, wait int, isBehind bool) int {
	end := a.flow.Last[t.at]
	goesOn := a.goesOn(t, end)
	switch {
	case t.waiter != never && a.code[t.waiter].AwaitsAll():
		return max(0, t.latency-a.takes(t.at, min(wait, t.waiter)))
	case t.waiter != never:
		loss := a.lossAt(t.waiter, t, others, wait)
		if t.waiter > wait {
			loss = t.latency - a.takes(t.at, wait)
		}
		if goesOn {
			return loss
		}
		return max(0, loss)
	case !isBehind:
		return max(0, t.latency-a.takes(t.at, wait))
	case goesOn:
		return a.lossAt(end+1, t, others, wait)
	case t.latency <= a.takes(t.at, end):
		return max(0, a.lossAt(end+1, t, others, wait))
	case a.neededBehind(others, end):
		return t.latency - a.takes(t.at, end)
	}
	return 0
}

// neededBehind reports whether the block behind one with this end, if it goes on there, needs one of some tokens.
func (a *allocation) neededBehind(tokens []*token, end int) bool {
	return slices.Contains(a.flow.Next[end], end+1) &&
		slices.ContainsFunc(tokens, func(u *token) bool { return a.needer(u, end+1) != never })
}
