package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// waits finds what the instructions of a revision wait for. The compiler goes through the code
// once, in its order, without what rounds of a loop leave for the next one; what these need comes
// on top, and nothing that was waited for is taken back (MERC-155).
type waits struct {
	*revision
	given    []uint64                     // by instruction a bit for each scoreboard that the input waits for
	had, has [machine.Scoreboards]cfg.Set // the tokens on each, before and after
	changed  cfg.Set                      // the tokens on another one, before and after
	was      [machine.Scoreboards]cfg.Set // of had, what is pending
	is       cfg.Set
	behind   cfg.Set // what is pending behind an instruction
}

// A wait is what one instruction waits for, a bit for each scoreboard.
type wait struct {
	before  uint64 // in the input, by the rules
	after   uint64 // in the revision
	carried uint64 // in the input, where the same is pending on a scoreboard of the revision
	sure    bool
}

func (r *revision) newWaits() *waits {
	n := len(r.tokens)
	w := &waits{revision: r, given: make([]uint64, len(r.code)), had: r.before.on(), has: r.after.on(), changed: cfg.NewSet(n), is: cfg.NewSet(n), behind: cfg.NewSet(n)}
	for i, x := range r.code {
		w.given[i] = x.WaitMask()
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

// firstPass finds the waits without what rounds of loops leave.
func (w *waits) firstPass() []wait {
	list := make([]wait, len(w.code))
	before, after := w.newSets(), w.newSets()
	for i, given := range w.given {
		rules := w.look(i, before[i])
		if w.isSame(i, before[i], after[i]) {
			list[i] = wait{before: rules, after: given & rules, carried: machine.EveryBoard, sure: true}
		} else {
			list[i] = w.at(i, after[i], rules, given&rules)
		}
		w.goOn(i, before[i], given&list[i].before, w.revision.before, &w.had, before)
		w.goOn(i, after[i], list[i].after, w.revision.after, &w.has, after)
	}
	return list
}

// goOn takes what is pending before instruction i, which waits for some scoreboards and makes some
// tokens, to the instructions that come later in the code.
func (w *waits) goOn(i int, pending cfg.Set, mask uint64, a *allocation, on *[machine.Scoreboards]cfg.Set, to []cfg.Set) {
	if w.code[i].IsBarrier() {
		w.endFence(i, pending, *on)
	}
	for b := range on {
		if mask>>b&1 == 1 && !w.code[i].IsAside() && !a.waitsForRound(i, b, pending, on[b]) {
			pending.RemoveAll(on[b])
		}
	}
	for _, t := range a.made[i] {
		pending.Add(t.number)
	}
	for _, next := range w.flow.Next[i] {
		if next > i {
			to[next].AddAll(pending)
		}
	}
}

// waitsForRound reports whether instruction i, if it waits for scoreboard b with some of these tokens, does so for the
// next round of a loop: it ends the first block of one, needs none of what is pending there, and that is not all back before
// another loop that begins behind. Such waits come on top (MERC-155).
func (a *allocation) waitsForRound(i, b int, pending, tokens cfg.Set) bool {
	if _, ok := a.loops[i]; !ok || a.code[i].AwaitsAll() {
		return false
	}
	here := cfg.NewSet(len(a.tokens))
	here.Take(pending, tokens)
	return !a.waits[i].Meets(here) && !a.endsWith(i, b, here)
}

// ofRounds returns what may be pending before the instructions that a round of a loop goes back to, from
// that round, when the instructions wait for these scoreboards.
func (w *waits) ofRounds(masks []uint64) []cfg.Set {
	pending, left := w.revision.after.pendingWith(masks), w.newSets()
	for i := range w.code {
		for _, next := range w.flow.Next[i] {
			if next <= i {
				left[next].AddAll(w.leftBy(i, masks[i], pending[i]))
			}
		}
	}
	return left
}

// nextPass finds the waits, in the order of the code, when these tokens come from rounds of loops, on top of
// those of the first pass. All is explained when the rules also say what the input waits for.
func (w *waits) nextPass(first []wait, after []cfg.Set) (masks []uint64, explained bool) {
	masks, explained = make([]uint64, len(w.code)), true
	before := w.pending
	for i, given := range w.given {
		if first[i].carried == machine.EveryBoard && w.isSame(i, before[i], after[i]) {
			masks[i] = first[i].after | given
			w.pass(i, masks[i], after)
			continue
		}
		rules := w.look(i, before[i])
		x := w.at(i, after[i], rules, given&^(first[i].before&^rules)) // what the first pass explains is no wait for a round
		masks[i] = first[i].after | x.after
		w.pass(i, masks[i], after)
		unlike := (first[i].before | x.before) ^ given
		explained = explained && x.sure && unlike&^(first[i].carried&x.carried) == 0
	}
	return masks, explained
}

// pass takes what may be pending before instruction i, which waits for some scoreboards, to those that come later.
func (w *waits) pass(i int, mask uint64, pending []cfg.Set) {
	behind := w.leftBy(i, mask, pending[i])
	for next := range w.flow.Ahead(i) {
		pending[next].AddAll(behind)
	}
}

// leftBy returns what may be pending behind instruction i, which waits for some scoreboards, where this is before it.
func (w *waits) leftBy(i int, mask uint64, pending cfg.Set) cfg.Set {
	copy(w.behind, pending)
	w.revision.after.leave(i, mask, w.behind, &w.has)
	for _, t := range w.revision.after.made[i] {
		w.behind.Add(t.number)
	}
	return w.behind
}

// isSame reports whether at instruction i the revision is as the input: the same is pending there, and
// counted, on the same scoreboards. Then all is carried, as at finds.
func (w *waits) isSame(i int, before, after cfg.Set) bool {
	return w.code[i].IsBarrier() || !w.isNew(i) && slices.Equal(before, after) && !w.changed.Meets(after) &&
		!slices.ContainsFunc(w.revision.after.made[i], func(t *token) bool { return w.changed.Has(t.number) })
}

// isNew reports whether instruction i waits by rules of its own in the revision.
func (w *waits) isNew(i int) bool {
	return w.renewed(i) || w.goal.Relaxes() && w.flow.Last[i] == i || w.schedule.isAtExit(i)
}

// look finds what is pending on which scoreboard of the input, and returns what instruction i
// waits for then, as the rules say.
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

// at finds what instruction i, which waits for rules in the input, waits for when these tokens may
// be pending: what it did, which is given, where on a scoreboard there are the same as before,
// else what the rules say.
func (w *waits) at(i int, after cfg.Set, rules, given uint64) wait {
	x := wait{before: rules, sure: true}
	for b := range machine.Scoreboards {
		some := w.is.Take(after, w.has[b])
		if from, ok := w.carried(i, b); ok {
			x.carried |= 1 << from
			x.after |= given >> from & 1 << b
			continue
		}
		if some {
			waits, sure := w.revision.after.waitsFor(i, b, w.is)
			if waits {
				x.after |= 1 << b
			}
			x.sure = x.sure && sure
		}
	}
	return x
}

// carried returns the scoreboard of the input on which the same is pending as on b of the
// revision, and on which instruction i counts the same.
func (w *waits) carried(i, b int) (from int, ok bool) {
	if w.isNew(i) {
		return -1, false
	}
	if from = b; !slices.Equal(w.was[b], w.is) {
		from = slices.IndexFunc(w.was[:], func(was cfg.Set) bool { return slices.Equal(was, w.is) })
	}
	return from, from >= 0 && (w.is.Some() || from == b) && !slices.ContainsFunc(w.revision.after.made[i], func(t *token) bool {
		return (t.board == from) != (w.revision.after.board[t.number] == b)
	})
}
