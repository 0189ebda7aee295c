package mercury

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A revision hands out scoreboards twice, side by side: as the input has them, and as they are
// when the stack pointer, its first token, has none. Where nothing that differs between the two
// is pending, both are the same, whatever the rules are; elsewhere these must find what the
// input has (MERC-150).
type revision struct {
	*schedule
	goal          goal
	before, after *allocation
	moved         set // tokens that are on other scoreboards, or pending elsewhere, than before
}

// A goal says in what a new schedule differs from that of the input.
type goal struct {
	freesStack bool // the stack pointer, the first token, has no scoreboard
	lean       bool // branches wait for what they need alone (KIT-060)
	wasLean    bool // they did in the input already
	spares     bool // one scoreboard is left free (KIT-178)
	spared     bool // it was in the input already
	early      bool // a compiler before 13.0 made the input, whose scoreboards say nothing (MERC-161)

	countsFences  bool // a fence before another one is counted (KIT-062)
	countsDoubles bool // instructions of double precision are counted (KIT-063)
}

// revise assigns the scoreboards of s anew. It refuses where the rules do not find those of the input.
func (s *schedule) revise(g goal) (r *revision, refused *refusal) {
	input := s
	if g.wasLean {
		s = input.lean(g.spared)
	}
	later := s
	if g.lean || g.wasLean && g.spares != g.spared {
		later = input.lean(g.spares)
	}
	r = &revision{schedule: s, goal: g, before: s.newAllocation(), after: later.newAllocation(), moved: newSet(len(s.tokens))}
	if g.freesStack {
		r.moved.add(0)
		r.before.count(s.tokens[0], s.tokens[0].board)
	}
	for _, t := range s.tokens {
		if b, ok := r.before.farBoard(t); ok && (b == t.board || g.early) && !t.added() {
			r.before.setAside(t, b)
			r.after.setAside(later.tokens[t.number], b)
		}
	}
	for _, t := range s.tokens {
		if r.before.board[t.number] != unassigned {
			continue
		}
		if refused := r.place(t); refused != nil {
			return nil, refused
		}
	}
	return r, nil
}

// refuse returns the refusal of t, for which the rules choose a scoreboard.
func (r *revision) refuse(t *token, chosen int) *refusal {
	return &refusal{at: r.order[t.at], op: r.code[t.at].Op(), operands: t.reads, chosen: chosen, have: t.board}
}

// affordable returns no refusal while the allocations have work left that they may do.
func (r *revision) affordable() *refusal {
	if r.before.work < 0 || r.after.work < 0 {
		return tooMuch
	}
	return nil
}

// place assigns the scoreboards of t. It refuses where the rules do not find that of the input.
func (r *revision) place(t *token) *refusal {
	for _, a := range [...]*allocation{r.before, r.after} {
		for _, b := range a.enter(r.flow.first[t.at]) {
			r.compare(a.boards[b].tokens)
		}
	}
	b, later := t.board, r.after.tokens[t.number]
	if t.added() {
		r.placeAdded(later)
		return r.affordable()
	}
	if !slices.Contains(r.after.made[t.at], later) { // it is dropped
		r.before.count(t, t.board)
		r.compare(r.before.boards[t.board].tokens)
		return r.affordable()
	}
	if r.goal.early {
		b = r.after.choose(later)
	} else if r.concerned(t, later) {
		if !r.goal.lean {
			if chosen := r.before.choose(t); chosen != t.board {
				return r.refuse(t, chosen)
			}
		}
		b = r.after.choose(later)
	} else if r.goal.lean && later.consumer == never {
		b = r.chooseAnew(t, later)
	}
	r.before.count(t, t.board)
	r.after.count(later, b)
	r.compare(r.before.boards[t.board].tokens)
	r.compare(r.after.boards[b].tokens)
	return r.affordable()
}

// chooseAnew returns the scoreboard that later releases choose for a token that nothing in its block
// depends on, where the rules find that of the input; else that of the input.
func (r *revision) chooseAnew(t, later *token) int {
	if r.before.choose(t) != t.board {
		return t.board
	}
	return r.after.choose(later)
}

// placeAdded hands out a scoreboard of t, which the input does not count.
func (r *revision) placeAdded(t *token) {
	if !slices.Contains(r.after.made[t.at], t) {
		return
	}
	b := r.after.choose(t)
	r.after.count(t, b)
	r.compare(r.after.boards[b].tokens)
}

// compare finds which of some tokens are moved.
func (r *revision) compare(tokens []*token) {
	for _, t := range tokens {
		n := t.number
		if !(n == 0 && r.goal.freesStack) && r.before.board[n] == r.after.board[n] && slices.Equal(r.before.pending[n], r.after.pending[n]) {
			r.moved.remove(n)
		} else {
			r.moved.add(n)
		}
	}
}

// concerned reports whether something moved is pending where the choice for t looks: where t
// is, in its block, and where the next ones begin. later is t in the new schedule.
func (r *revision) concerned(t, later *token) bool {
	if later != t && (!slices.Equal(t.pending, later.pending) || t.waiter != later.waiter) {
		return true
	}
	near := slices.Clone(t.pending)
	for i := r.flow.first[t.at]; i <= r.flow.last[t.at]; i++ {
		near.add(i)
	}
	for _, i := range r.flow.next[r.flow.last[t.at]] {
		near.add(i)
	}
	for n := range r.moved.all {
		if r.before.board[n] != unassigned && r.before.pending[n].meets(near) || r.after.board[n] != unassigned && r.after.pending[n].meets(near) {
			return true
		}
	}
	return false
}

// maxRounds bounds how often colour finds the waits anew. Two are enough for nearly all code.
const maxRounds = 8

// colour returns the code with the new scoreboards, and waits that follow: what is pending
// says what is waited for, and that what is pending. It is not ok where that comes to no end,
// or, but for later releases, the rules do not explain a wait of the input that may be another one now.
func (r *revision) colour() (code []instruction, ok bool) {
	w := r.newWaits()
	first := w.firstPass()
	masks := make([]uint64, len(first))
	for i, x := range first {
		masks[i] = x.after
	}
	for range maxRounds {
		next, explained := w.nextPass(first, w.ofRounds(masks))
		if slices.Equal(next, masks) {
			code := r.rewrite(masks)
			return code, r.stall(code) && (explained || r.goal.lean || r.goal.early)
		}
		masks = next
	}
	return nil, false
}

// rewrite returns the code of the function with the new scoreboards and these waits.
func (r *revision) rewrite(masks []uint64) []instruction {
	code := slices.Clone(r.code)
	for i, mask := range masks {
		x := &code[i]
		*x = x.WithWaitMask(mask)
		for _, t := range r.made[i] {
			if t.reads && !slices.Contains(r.after.made[i], r.after.tokens[t.number]) { // it is dropped
				*x = x.WithReadBarrier(sass.NoBarrier)
			}
		}
		for _, t := range r.after.made[i] {
			b := r.after.board[t.number]
			if b == unassigned {
				b = sass.NoBarrier
			}
			if t.reads {
				*x = x.WithReadBarrier(b)
			} else {
				*x = x.WithWriteBarrier(b)
			}
		}
		if i > 0 && makesRoom(r.code, i-1) {
			code[i-1] = code[i-1].countingOn(x.WriteBarrier())
		}
	}
	return r.sorted(code)
}

// sorted returns code in the order of the function.
func (r *revision) sorted(code []instruction) []instruction {
	sorted := make([]instruction, len(code))
	for k, i := range r.order {
		sorted[i] = code[k]
	}
	return sorted
}

// stall lets each instruction that counts on a scoreboard stall as long as it must where the next
// one waits for that (MERC-153). It is not ok where it needs to no more, but did: it may for
// something else.
func (r *revision) stall(code []instruction) (ok bool) {
	const untilCounted = 2
	for i := range len(code) - 1 {
		x := &code[i]
		stall := x.Stall()
		switch {
		case stall > untilCounted:
		case stall < untilCounted && !r.goal.lean && !r.goal.early && code[i+1].waitsOn(*x) && x.isSlowDouble(r.sm):
			return false // the distance to the next one of double precision shrinks by as much
		case code[i+1].waitsOn(*x):
			*x = x.WithStall(untilCounted)
			if y := &code[i+1]; x.isCounted(r.original[i]) && y.Op() == sass.OpRET { // which stalled for it
				*y = y.WithStall(y.Stall() - (untilCounted - stall))
			}
		case stall == untilCounted && !r.goal.lean && !r.goal.early && r.original[i+1].waitsOn(r.original[i]):
			return false
		}
	}
	return true
}

// isCounted reports whether x is counted, and was, as before, not.
func (x instruction) isCounted(before instruction) bool {
	return x.WriteBarrier() != sass.NoBarrier && before.WriteBarrier() == sass.NoBarrier
}

// waitsOn reports whether x waits for a scoreboard on which y counts.
func (x instruction) waitsOn(y instruction) bool {
	return y.WriteBarrier() < scoreboards && x.WaitsFor(y.WriteBarrier()) || y.ReadBarrier() < scoreboards && x.WaitsFor(y.ReadBarrier())
}
