package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// waits finds the wait masks of a revision. The compiler goes through the code once, in its order, and ignores the events that
// back edges carry. It then adds the waits for those events, and removes no wait (MERC-155).
type waits struct {
	*revision
	given    []uint64                     // by instruction a bit for each scoreboard that the input waits for with a reason
	had, has [machine.Scoreboards]cfg.Set // the events on each, before and after
	changed  cfg.Set                      // the events on another one, before and after
	was      [machine.Scoreboards]cfg.Set // the pending events of had
	is       cfg.Set
	after    cfg.Set // the events that are pending after an instruction
}

// A wait is the wait mask of one instruction.
type wait struct {
	before  uint64 // in the input, by the rules
	after   uint64 // in the revision
	carried uint64 // in the input, where the same is pending on a scoreboard of the revision
	round   uint64 // in the revision, for the next iteration of a loop
	had     uint64 // of before, for the next iteration of a loop
	unsure  uint64 // of after, the scoreboards for which the rules do not decide
}

func (r *revision) newWaits() *waits {
	n := len(r.events)
	w := &waits{revision: r, given: make([]uint64, len(r.code)), had: r.before.on(), has: r.after.on(), changed: cfg.NewSet(n), is: cfg.NewSet(n), after: cfg.NewSet(n)}
	for i, x := range r.code {
		w.given[i] = x.WaitMask() &^ r.needless[i]
	}
	for b := range w.was {
		w.was[b] = cfg.NewSet(n)
	}
	for t := range n {
		if r.before.board[t] != r.after.board[t] {
			w.changed.Add(t)
		}
	}
	return w
}

// firstPass finds the wait masks for all events but those that back edges carry.
func (w *waits) firstPass() []wait {
	list := make([]wait, len(w.code))
	before, after := w.newSets(), w.newSets()
	for i, given := range w.given {
		rules := w.look(i, before[i])
		if w.isSame(i, before[i], after[i]) {
			list[i] = wait{before: rules, after: given & rules, carried: machine.EveryBoard}
		} else {
			list[i] = w.at(i, after[i], rules, given&rules)
		}
		list[i].had = w.propagate(i, before[i], given&list[i].before, w.revision.before, &w.had, before)
		list[i].round = w.propagate(i, after[i], list[i].after, w.revision.after, &w.has, after)
	}
	return list
}

// propagate carries pending events to the successors of instruction i that come later in the code. These are the events pending
// before i that its wait mask does not wait for, and those of i itself. round has the waits of the mask that are for the next
// iteration of a loop.
func (w *waits) propagate(i int, pending cfg.Set, mask uint64, a *allocation, on *[machine.Scoreboards]cfg.Set, to []cfg.Set) (round uint64) {
	if w.code[i].IsBarrier() {
		w.endFence(i, pending, *on)
	}
	for b := range on {
		switch {
		case mask>>b&1 == 0 || !a.takesEffect(i, pending, on[b]):
		case a.waitsForIteration(i, b, pending, on[b]):
			round |= 1 << b
		default:
			pending.RemoveAll(on[b])
		}
	}
	for _, t := range a.defs[i] {
		pending.Add(t.number)
	}
	for _, next := range w.flow.Next[i] {
		if next > i {
			to[next].AddAll(pending)
		}
	}
	return round
}

// waitsForIteration reports whether a wait of instruction i for scoreboard b is only for the next iteration of a loop. i ends the
// head of the loop and depends on no event pending on b, and the events are not all complete before a following loop. The
// compiler adds such waits to those of its first pass (MERC-155).
func (a *allocation) waitsForIteration(i, b int, pending, events cfg.Set) bool {
	if _, ok := a.loops[i]; !ok || a.awaitsAll(i) {
		return false
	}
	here := cfg.NewSet(len(a.events))
	here.Take(pending, events)
	return !a.waits[i].Meets(here) && !a.endsWith(i, b, here)
}

// onBackEdges returns the events that back edges carry to their targets, with these wait masks. The waits of the first pass for
// the next iteration of a loop do not count: they are added later, with the other waits for back edges (KIT-144).
func (w *waits) onBackEdges(first []wait, masks []uint64) []cfg.Set {
	masks = slices.Clone(masks)
	for i, x := range first {
		masks[i] &^= x.round
	}
	return w.carriedBack(w.revision.after, &w.has, masks)
}

// inInput returns, for each instruction, the events that may be pending before it in the input. The waits for the next iteration
// of a loop do not count on back edges here either, if a later compiler made the input (KIT-144.3).
func (w *waits) inInput(first []wait) []cfg.Set {
	if !w.goal.From.Later {
		return w.pending
	}
	masks := slices.Clone(w.given)
	for i, x := range first {
		masks[i] &^= x.had
	}
	pending := w.carriedBack(w.revision.before, &w.had, masks)
	for i, mask := range w.given {
		w.pass(w.revision.before, &w.had, i, mask, pending)
	}
	return pending
}

// carriedBack returns the events that back edges carry to their targets, with an assignment and these wait masks.
func (w *waits) carriedBack(a *allocation, on *[machine.Scoreboards]cfg.Set, masks []uint64) []cfg.Set {
	pending, left := a.pendingWith(masks), w.newSets()
	for i := range w.code {
		for _, next := range w.flow.Next[i] {
			if next <= i {
				left[next].AddAll(w.leftBy(a, on, i, masks[i], pending[i]))
			}
		}
	}
	return left
}

// nextPass adds the waits for events that back edges carry to the wait masks of the first pass, in the order of the code.
// explained is false if the rules do not also find the waits of the input.
func (w *waits) nextPass(first []wait, after []cfg.Set) (masks []uint64, explained bool) {
	masks, explained = make([]uint64, len(w.code)), true
	before := w.inInput(first)
	for i, given := range w.given {
		if first[i].carried == machine.EveryBoard && w.isSame(i, before[i], after[i]) {
			masks[i] = first[i].after | given
			w.pass(w.revision.after, &w.has, i, masks[i], after)
			continue
		}
		rules := w.look(i, before[i])
		x := w.at(i, after[i], rules, given&^(first[i].before&^rules)) // a wait that the first pass explains is not for the previous iteration
		masks[i] = first[i].after | x.after
		w.pass(w.revision.after, &w.has, i, masks[i], after)
		unlike := (first[i].before | x.before) ^ given
		explained = explained && x.unsure&^first[i].after == 0 && unlike&^(first[i].carried&x.carried) == 0
	}
	return masks, explained
}

// pass carries the events that may be pending after instruction i to later instructions. mask is the wait mask of i.
func (w *waits) pass(a *allocation, on *[machine.Scoreboards]cfg.Set, i int, mask uint64, pending []cfg.Set) {
	behind := w.leftBy(a, on, i, mask, pending[i])
	for next := range w.flow.Ahead(i) {
		pending[next].AddAll(behind)
	}
}

// leftBy returns the events that may be pending after instruction i. mask is its wait mask, pending the events before it.
func (w *waits) leftBy(a *allocation, on *[machine.Scoreboards]cfg.Set, i int, mask uint64, pending cfg.Set) cfg.Set {
	copy(w.after, pending)
	a.complete(i, mask, w.after, on)
	for _, t := range a.defs[i] {
		w.after.Add(t.number)
	}
	return w.after
}

// isSame reports whether instruction i has the same pending events and counts the same events, on the same scoreboards as in the
// input. If so, its wait mask is that of the input, as in the method at.
func (w *waits) isSame(i int, before, after cfg.Set) bool {
	return w.code[i].IsBarrier() || !w.isNew(i) && !w.isEarlyEnd(i) && slices.Equal(before, after) && !w.changed.Meets(after) &&
		!slices.ContainsFunc(w.revision.after.defs[i], func(t *event) bool { return w.changed.Has(t.number) })
}

// isNew reports whether the waits of instruction i follow from the rules and not from its waits in the input.
func (w *waits) isNew(i int) bool {
	return w.renewed(i) || w.schedule.isAtExit(i) ||
		w.goal.Relaxes() && (w.endsBlock(i) || w.code[i].AwaitsUniform() || awaitsReduction(w.code, i) || w.isFirstFence(i)) ||
		w.goal.DropsFences && (w.isSuperfluous(i) || i > 0 && w.isSuperfluous(i-1))
}

// look finds the events that are pending on each scoreboard of the input before instruction i. It returns the wait mask that the
// rules find for i from them.
func (w *waits) look(i int, before cfg.Set) (rules uint64) {
	for b := range w.was {
		if w.was[b].Take(before, w.had[b]) {
			if waits, _ := w.revision.before.waitsFor(i, b, w.was[b]); waits {
				rules |= 1 << b
			}
		}
	}
	return rules
}

// at finds the wait mask of instruction i with the pending events after. Where a scoreboard has the same events as in the input,
// the wait is that of given, the input's wait mask. So is a wait for a scoreboard without events (MERC-920). Elsewhere the rules
// decide. rules is the wait mask that they find for the input.
func (w *waits) at(i int, after cfg.Set, rules, given uint64) wait {
	x := wait{before: rules}
	for b := range machine.Scoreboards {
		if w.counted.has(b) {
			x.carried |= 1 << b
			x.after |= given & (1 << b)
			continue
		}
		some := w.is.Take(after, w.has[b])
		if from, ok := w.carried(i, b); ok && !(given>>from&1 == 1 && w.endsEarly(i, w.is)) {
			x.carried |= 1 << from
			x.after |= given >> from & 1 << b
			continue
		}
		if some {
			waits, sure := w.revision.after.waitsFor(i, b, w.is)
			if waits && !w.doesWithout(i, b, given) {
				x.after |= 1 << b
			}
			if !sure {
				x.unsure |= 1 << b
			}
		}
	}
	return x
}

// doesWithout reports whether instruction i, which ends a block, needs an event that is pending on scoreboard b, but does not wait for it
// in the input, where the same is pending. Something before it waits then, and does so in the revision too (KIT-976).
func (w *waits) doesWithout(i, b int, given uint64) bool {
	if !w.goal.Relaxes() || !w.endsBlock(i) || w.code[i].AwaitsUniform() || w.revision.after.awaitsAll(i) || w.revision.after.policy.waitsAtEnd(w.revision.after, i, b, w.is) {
		return false
	}
	from := slices.IndexFunc(w.was[:], func(was cfg.Set) bool { return slices.Equal(was, w.is) })
	return from >= 0 && given>>from&1 == 0 && w.schedule.waits[i].Meets(w.is)
}

// isEarlyEnd reports whether instruction i ends a block in code of an early compiler.
func (w *waits) isEarlyEnd(i int) bool { return w.early && w.flow.Last[i] == i }

// endsEarly reports whether instruction i ends a block in code of an early compiler and needs none of the pending events of a
// scoreboard, nor does an iteration end there. The rules then decide whether it waits, whatever the input does: early compilers wait
// for more there (MERC-961).
func (w *waits) endsEarly(i int, pending cfg.Set) bool {
	return w.isEarlyEnd(i) && !w.revision.after.waits[i].Meets(pending) && !w.endsIteration(i, pending)
}

// carried returns the scoreboard of the input that has the same pending events as b in the revision. Instruction i must also
// count the same events on both.
func (w *waits) carried(i, b int) (from int, ok bool) {
	if w.isNew(i) {
		return -1, false
	}
	if from = b; !slices.Equal(w.was[b], w.is) {
		from = slices.IndexFunc(w.was[:], func(was cfg.Set) bool { return slices.Equal(was, w.is) })
	}
	return from, from >= 0 && (w.is.Some() || from == b) && !slices.ContainsFunc(w.revision.after.defs[i], func(t *event) bool {
		return (t.board == from) != (w.revision.after.board[t.number] == b)
	})
}
