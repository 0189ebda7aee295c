package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// A policy describes where the compilers of some releases wait at the end of blocks, and which cost they assume
// if an event without a consumer shares a scoreboard.
type policy interface {
	// waitsAtEnd reports whether instruction i, if it ends a block, waits for scoreboard b, on which these events are pending,
	// because they are complete or of the iteration before; known: the rules decide it.
	waitsAtEnd(a *allocation, i, b int, here cfg.Set) (waits, known bool)
	// loss returns the number of cycles that are lost if t shares a scoreboard with others. The first instruction
	// that waits for one of the others is wait. If isAfterBlock is set, nothing in the block depends on the others.
	loss(a *allocation, t *event, others []*event, wait int, isAfterBlock bool) int
	// endIsFree reports whether t loses nothing if the first wait for the others is at x, the end of its block, or later.
	endIsFree(x machine.Instr) bool
	// together reports whether operands may share the scoreboard of other operands, in a block with this end.
	together(a *allocation, others []*event, end int) bool
	// joins reports whether result t shares the scoreboard of others at any loss.
	joins(a *allocation, t *event, others []*event) bool
	// leavesFree reports whether t reserves a free scoreboard for others.
	leavesFree(a *allocation, t *event, active [machine.Scoreboards][]*event, free int) bool
}

// blockEnds is the policy of the compilers up to 13.0. The end of a block waits for the completed events
// (MERC-134). Sharing costs an event nothing after its block, or at an end that waits for it, and never gains
// cycles.
type blockEnds struct{}

func (blockEnds) waitsAtEnd(a *allocation, i, b int, here cfg.Set) (waits, known bool) {
	if a.endsIteration(i, here) {
		return a.waitsInIteration(i, here)
	}
	return a.endsWith(i, b, here), true
}

func (blockEnds) loss(a *allocation, t *event, _ []*event, wait int, isAfterBlock bool) int {
	if isAfterBlock {
		return 0
	}
	return max(0, t.latency-a.takes(t.at, wait))
}

func (blockEnds) endIsFree(x machine.Instr) bool           { return x.Leaves() }
func (blockEnds) together(*allocation, []*event, int) bool { return true }
func (blockEnds) joins(*allocation, *event, []*event) bool { return false }
func (blockEnds) leavesFree(*allocation, *event, [machine.Scoreboards][]*event, int) bool {
	return false
}

// onDemand is the policy of the later compilers. Branches wait on demand; blocks before and in loops also wait
// for other events (KIT-060).
type onDemand struct {
	reserves bool // operands reserve the last free scoreboard for others (KIT-178)
}

func (onDemand) waitsAtEnd(a *allocation, i, b int, here cfg.Set) (waits, known bool) {
	return a.endsWith(i, b, here) || a.endsHead(i, b, here), true
}

func (onDemand) loss(a *allocation, t *event, others []*event, wait int, isAfterBlock bool) int {
	if t.war {
		return a.lossOfOperands(t, others, wait, isAfterBlock)
	}
	return a.lossOfResult(t, others, wait, isAfterBlock)
}

func (onDemand) endIsFree(machine.Instr) bool { return true }

// together: no successor uses the others (KIT-060).
func (onDemand) together(a *allocation, others []*event, end int) bool {
	return !slices.ContainsFunc(others, func(u *event) bool { return a.isLiveOut(u, end) })
}

// joins: the first instruction that waits for t depends on it, and its wait is the first for one of the others too.
func (onDemand) joins(a *allocation, t *event, others []*event) bool {
	return !t.war && t.waiter != never && a.deps[t.waiter].Has(t.number) && a.firstWait(others, t) == t.waiter && a.needsOne(t.waiter, others)
}

// leavesFree: t is operands without a consumer, the scoreboard is the last free one, nothing in the block waits for the events on the
// others before its end, and the instruction of t does not free it by a wait.
func (p onDemand) leavesFree(a *allocation, t *event, active [machine.Scoreboards][]*event, free int) bool {
	if !p.reserves || !t.war || t.consumer != never || a.some.Take(a.before[t.at], a.boards[free].counts) {
		return false
	}
	for b, others := range active {
		if b != free && !a.isTaken(others, t) {
			return false
		}
	}
	return true
}

// lossOfOperands is the loss (MERC-152) when t, operands without a consumer, is waited for together with others, the first wait for which
// is at an instruction; isAfterBlock: nothing in the block depends on them. The end of the block counts as the wait for t. If t is not
// live-out, it loses nothing with others that are complete when it is (KIT-060).
func (a *allocation) lossOfOperands(t *event, others []*event, wait int, isAfterBlock bool) int {
	end := a.flow.Last[t.at]
	loss, late := t.latency-a.takes(t.at, wait), 0
	if isAfterBlock {
		loss, late = a.lossAt(end, t, others, wait), max(0, t.latency-a.takes(t.at, end))
	}
	if a.isLiveOut(t, end) {
		return loss
	}
	return max(loss-late, 0)
}

// isTaken reports whether events hold their scoreboard for the rest of the block of t: some are of the block and nothing in it waits for
// them, or are live-out loads.
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

// lossOfResult is the loss (MERC-152) when t, a result without a consumer, is waited for together with others, the first wait for which is
// at an instruction; isAfterBlock: nothing in the block depends on them (KIT-060). If the end of the block waits for t because it is
// complete, it counts as the consumer. Else t loses nothing after the block, unless the next block uses the others. If t is live-out, won
// cycles count too.
func (a *allocation) lossOfResult(t *event, others []*event, wait int, isAfterBlock bool) int {
	end := a.flow.Last[t.at]
	isLiveOut := a.isLiveOut(t, end)
	switch {
	case t.waiter != never && a.code[t.waiter].AwaitsAll():
		return max(0, t.latency-a.takes(t.at, min(wait, t.waiter)))
	case t.waiter != never:
		loss := a.lossAt(t.waiter, t, others, wait)
		if t.waiter > wait {
			loss = t.latency - a.takes(t.at, wait)
		}
		if isLiveOut {
			return loss
		}
		return max(0, loss)
	case !isAfterBlock:
		return max(0, t.latency-a.takes(t.at, wait))
	case isLiveOut:
		return a.lossAt(end+1, t, others, wait)
	case t.latency <= a.takes(t.at, end):
		return max(0, a.lossAt(end+1, t, others, wait))
	case a.usedAfter(others, end):
		return t.latency - a.takes(t.at, end)
	}
	return 0
}

// usedAfter reports whether control falls through to the block after one with this end, and that block uses one of the events.
func (a *allocation) usedAfter(events []*event, end int) bool {
	return slices.Contains(a.flow.Next[end], end+1) &&
		slices.ContainsFunc(events, func(u *event) bool { return a.firstUse(u, end+1) != never })
}
