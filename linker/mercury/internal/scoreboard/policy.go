package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// A policy describes where the compilers of some releases wait at the end of blocks. It also describes the cost that they assume
// if an event without a consumer shares a scoreboard.
type policy interface {
	// waitsAtEnd reports whether instruction i, if it ends a block, waits for scoreboard b because the events pending there are
	// complete or are of the previous iteration.
	waitsAtEnd(a *allocation, i, b int, here cfg.Set) bool
	// countsBarrier reports whether the stall of a BAR before a branch takes time (KIT-987).
	countsBarrier() bool
	// countsFence reports whether the stalls of a fence take time (MERC-254).
	countsFence() bool
	// awaitsReductions reports whether a DEPBAR waits for the operands of each asynchronous reduction (MERC-330).
	awaitsReductions() bool
	// endsOperands reports whether an EXIT in the block of t is its consumer, if it waits for t because other code follows
	// (KIT-982).
	endsOperands(s *schedule, t *event) bool
	// loss returns the number of cycles that are lost if t shares a scoreboard with others. The first instruction
	// that waits for one of the others is wait. If isAfterBlock is set, nothing in the block depends on the others.
	loss(a *allocation, t *event, others []*event, wait int, isAfterBlock bool) int
	// endIsFree reports whether t loses no cycles if the first wait for the others is at end, the end of its block, or later.
	endIsFree(a *allocation, end int) bool
	// together reports whether t, a WAR event without a consumer, may share the scoreboard of others, which are such events too.
	together(a *allocation, t *event, others []*event) bool
	// joins reports whether t, a RAW event, shares the scoreboard of the others whatever the loss is.
	joins(a *allocation, t *event, others []*event) bool
	// isAwaited reports whether an instruction of the block of t, which has no consumer there, waits for t: then t may have the
	// scoreboard that is kept for loads (KIT-390).
	isAwaited(a *allocation, t *event) bool
	// leavesFree reports whether t does not take the free scoreboard, because it is reserved for other events.
	leavesFree(a *allocation, t *event, active [machine.Scoreboards][]*event, free int) bool
}

// blockEnds is the policy of the compilers up to 13.0. The end of a block waits for the completed events (MERC-134). An event
// loses no cycles by a shared wait that comes after its block, or at a block end that waits for it anyway. Sharing never gains
// cycles.
type blockEnds struct{}

func (blockEnds) waitsAtEnd(a *allocation, i, b int, here cfg.Set) bool {
	if a.endsIteration(i, here) {
		return a.waitsInIteration(i, here)
	}
	return a.endsWith(i, b, here)
}

func (blockEnds) loss(a *allocation, t *event, _ []*event, wait int, isAfterBlock bool) int {
	if isAfterBlock {
		return 0
	}
	return max(0, t.latency-a.takes(t.at, wait))
}

func (blockEnds) countsBarrier() bool                         { return true }
func (blockEnds) countsFence() bool                           { return false }
func (blockEnds) awaitsReductions() bool                      { return true }
func (blockEnds) endsOperands(*schedule, *event) bool         { return false }
func (blockEnds) endIsFree(a *allocation, end int) bool       { return a.leaves(end) }
func (blockEnds) together(*allocation, *event, []*event) bool { return true }
func (blockEnds) joins(*allocation, *event, []*event) bool    { return false }
func (blockEnds) isAwaited(*allocation, *event) bool          { return false }
func (blockEnds) leavesFree(*allocation, *event, [machine.Scoreboards][]*event, int) bool {
	return false
}

// onDemand is the policy of the later compilers. Branches wait on demand. Blocks before loops and in loops also wait for other
// events (KIT-060).
type onDemand struct {
	reserves bool // operands reserve the last free scoreboard for others (KIT-178)
}

func (onDemand) waitsAtEnd(a *allocation, i, b int, here cfg.Set) bool {
	return a.endsWith(i, b, here) || a.endsHead(i, b, here)
}

func (onDemand) loss(a *allocation, t *event, others []*event, wait int, isAfterBlock bool) int {
	if t.war {
		return a.lossOfOperands(t, others, wait, isAfterBlock)
	}
	return a.lossOfResult(t, others, wait, isAfterBlock)
}

func (onDemand) endIsFree(*allocation, int) bool { return true }

func (onDemand) countsBarrier() bool { return false }

func (onDemand) countsFence() bool { return true }

func (onDemand) awaitsReductions() bool { return false }

// endsOperands reports whether t is for the operands of an asynchronous instruction.
func (onDemand) endsOperands(s *schedule, t *event) bool {
	return t.war && s.code[t.at].IsAsynchronous()
}

// together reports whether neither a successor uses the others (KIT-060), nor an instruction after t in its block waits for them
// because it depends on one of them, which is of an earlier block then (KIT-973).
func (onDemand) together(a *allocation, t *event, others []*event) bool {
	end, wait := a.flow.Last[t.at], a.firstWait(others, t)
	return (wait >= end || !a.needsOne(wait, others)) && !slices.ContainsFunc(others, func(u *event) bool { return a.isLiveOut(u, end) })
}

// joins reports whether the first instruction that waits for t depends on t, and is also the first that waits for one of the
// others because it depends on it.
func (p onDemand) joins(a *allocation, t *event, others []*event) bool {
	return p.isAwaited(a, t) && a.firstWait(others, t) == t.waiter && a.needsOne(t.waiter, others)
}

// isAwaited reports whether t is a result and the first instruction of its block that waits for t depends on it.
func (onDemand) isAwaited(a *allocation, t *event) bool {
	return !t.war && t.waiter != never && a.deps[t.waiter].Has(t.number)
}

// leavesFree reports whether all of the following hold. t is a WAR event without a consumer. The scoreboard is the last free one,
// even if it is free only because the instruction of t waits for it. Nothing in the block waits for the events on the other
// scoreboards. The one that the block reserves for live-out loads is not free, whatever is pending there (KIT-974).
func (p onDemand) leavesFree(a *allocation, t *event, active [machine.Scoreboards][]*event, free int) bool {
	if !p.reserves || !t.war || t.consumer != never {
		return false
	}
	reserved := a.hasLiveOut(t.at)
	for b, others := range active {
		if b != free && !(b == a.last && reserved) && !a.isTaken(others, t) {
			return false
		}
	}
	return true
}

// lossOfOperands returns the loss (MERC-152) if t, a WAR event without a consumer, shares a scoreboard with others. wait is the
// first instruction that waits for one of them. isAfterBlock means that nothing in the block depends on them. If t is not
// live-out, it then loses no cycles; otherwise the end of the block counts as the wait for t (KIT-060).
func (a *allocation) lossOfOperands(t *event, others []*event, wait int, isAfterBlock bool) int {
	end := a.flow.Last[t.at]
	isLiveOut := a.isLiveOut(t, end)
	switch {
	case isAfterBlock && isLiveOut:
		return a.lossAt(end, t, others, wait)
	case isAfterBlock:
		return 0
	case isLiveOut:
		return t.latency - a.takes(t.at, wait)
	}
	return max(0, t.latency-a.takes(t.at, wait))
}

// isTaken reports whether the events keep their scoreboard for the rest of t's block. They do if nothing in the block waits for
// them, and one of them is of the block or is a live-out load.
func (a *allocation) isTaken(events []*event, t *event) (taken bool) {
	first := a.flow.First[t.at]
	for _, u := range events {
		if u.at >= first && u.waiter != never && a.waits[u.waiter].Has(u.number) {
			return false
		}
		taken = taken || u.at >= first || a.liveOut.Has(u.number)
	}
	return taken
}

// lossOfResult returns the loss (MERC-152) if t, a RAW event without a consumer, shares a scoreboard with others. wait is the
// first instruction that waits for one of them. isAfterBlock means that nothing in the block depends on them (KIT-060). If the
// end of the block waits for t because it is complete, that end counts as the consumer. Otherwise t loses no cycles after the
// block, unless the next block uses the others and begins before t is complete. If t is live-out, the loss can be negative. An end
// that waits only because events are complete does not wait if others are not: it is no wait for them, and costs nothing (KIT-971).
func (a *allocation) lossOfResult(t *event, others []*event, wait int, isAfterBlock bool) int {
	end := a.flow.Last[t.at]
	isLiveOut := a.isLiveOut(t, end)
	switch {
	case t.waiter != never && a.awaitsAll(t.waiter):
		return max(0, t.latency-a.takes(t.at, min(wait, t.waiter)))
	case t.waiter != never && !isLiveOut && isAfterBlock && !a.waits[t.waiter].Has(t.number):
		return 0
	case t.waiter != never:
		loss := a.lossAt(t.waiter, t, others, wait)
		if t.waiter > wait || t.waiter == wait && a.needsOne(wait, others) {
			loss = t.latency - a.takes(t.at, wait)
		}
		if isLiveOut {
			return loss
		}
		return max(0, loss)
	case !isAfterBlock && isLiveOut:
		return t.latency - a.takes(t.at, wait)
	case !isAfterBlock:
		return max(0, t.latency-a.takes(t.at, wait))
	case isLiveOut:
		return a.lossAt(end+1, t, others, never)
	case t.latency <= a.takes(t.at, end):
		return max(0, a.lossAt(end+1, t, others, never))
	case a.usedAfter(others, end):
		return max(0, t.latency-a.takes(t.at, end+1))
	}
	return 0
}

// usedAfter reports whether control falls through from the block that ends at end to the next one, and that block uses one of the
// events.
func (a *allocation) usedAfter(events []*event, end int) bool {
	return slices.Contains(a.flow.Next[end], end+1) &&
		slices.ContainsFunc(events, func(u *event) bool { return a.firstUse(u, end+1) != never })
}
