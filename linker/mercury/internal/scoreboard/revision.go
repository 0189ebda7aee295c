package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A revision assigns scoreboards twice in parallel: as in the input, and for the goal. The two assignments differ only where an
// event is pending that differs between the two schedules. Only there the rules must find the scoreboard of the input (MERC-150).
type revision struct {
	*schedule
	goal          Goal
	before, after *allocation
	moved         cfg.Set // events that have another scoreboard than before, or are pending elsewhere
	unreserved    cfg.Set // instructions of blocks of the input whose last scoreboard is no longer reserved
}

// A Goal describes how the new schedule differs from that of the input.
type Goal struct {
	FreesStack bool           // the rules of From explain the input, those of To give the new schedule
	From, To   arch.Scheduler // From explains the input, To gives the new schedule

	InsertsBarriers bool // barriers that the input does not have are inserted before EXITs (MERC-254)
	RemovesBarriers bool // barriers before EXITs are removed afterwards (MERC-902)

	CountsFences  bool // a fence before another one is counted (KIT-062)
	DropsFences   bool // a fence before another one is dropped afterwards, and not counted (KIT-983)
	CountsDoubles bool // FP64 instructions are counted (KIT-063)

	SchedulesFences bool // a fence before another one is scheduled (KIT-061)
}

// Relaxes reports whether branches wait on demand in the new schedule but not in that of the input (KIT-060).
func (g *Goal) Relaxes() bool { return g.To.Later && !g.From.Later }

// revise assigns new scoreboards to s. It refuses if the rules do not find those of the input.
func (s *schedule) revise(g Goal) (r *revision, refused *Refusal) {
	input := s
	if g.From.Later {
		s = input.onDemand(onDemand{reserves: g.From.ReservesLast}, false)
	}
	later := s
	switch {
	case g.Relaxes() || g.From.Later && (g.To.ReservesLast != g.From.ReservesLast || g.InsertsBarriers || g.CountsDoubles || g.DropsFences):
		later = input.onDemand(onDemand{reserves: g.To.ReservesLast}, true)
	case g.InsertsBarriers:
		later = s.withBarriers()
	case g.RemovesBarriers:
		later = s.withoutBarriers()
	case g.From.Early:
		later = s.withoutOrdered()
	}
	r = &revision{schedule: s, goal: g, before: s.newAllocation(), after: later.newAllocation(), moved: cfg.NewSet(len(s.events)), unreserved: cfg.NewSet(len(s.code))}
	if g.FreesStack {
		r.moved.Add(0)
		r.before.count(s.events[0], s.events[0].board)
	}
	for _, t := range s.events {
		if b, ok := r.before.liveOutBoard(t); ok && (b == t.board || g.From.Early) && !t.added() && later.counts(t) {
			r.before.setAside(t, b)
			r.after.setAside(later.events[t.number], b)
		}
	}
	r.findUnreserved()
	for _, t := range s.events {
		if r.before.board[t.number] != unassigned {
			continue
		}
		if refused := r.place(t); refused != nil {
			return nil, refused
		}
	}
	return r, nil
}

// findUnreserved finds the blocks of the input in which the last scoreboard is reserved for a load that is not live-out in the new
// schedule, because its block goes on after a WARPSYNC (KIT-975).
func (r *revision) findUnreserved() {
	for _, t := range r.events {
		if !t.long || t.board != r.before.last || t.consumer == never || t.consumer <= r.blocks.Last[t.at] {
			continue
		}
		for i := range t.pending.All {
			for k := r.blocks.First[i]; k <= r.blocks.Last[i]; k++ {
				r.unreserved.Add(k)
			}
		}
	}
}

// refuse returns the refusal of t, for which the rules choose a scoreboard other than that of the input.
func (r *revision) refuse(t *event, chosen int) *Refusal {
	return &Refusal{At: r.order[t.at], Op: r.code[t.at].Op(), Operands: t.war, Chosen: chosen, Have: t.board}
}

// affordable returns a refusal if one of the two allocations has used up its work.
func (r *revision) affordable() *Refusal {
	if r.before.work < 0 || r.after.work < 0 {
		return TooMuch
	}
	return nil
}

// place assigns t its scoreboard in both allocations. It refuses if the rules do not find that of the input.
func (r *revision) place(t *event) *Refusal {
	for _, a := range [...]*allocation{r.before, r.after} {
		for _, b := range a.enter(r.flow.First[t.at]) {
			r.compare(a.boards[b].events)
		}
	}
	b, later := t.board, r.after.events[t.number]
	if t.added() {
		r.placeAdded(later)
		return r.affordable()
	}
	if !r.after.counts(t) { // it is dropped
		r.before.count(t, t.board)
		r.compare(r.before.boards[t.board].events)
		return r.affordable()
	}
	if r.goal.From.Early {
		b = r.after.choose(later)
	} else if r.concerned(t, later) {
		if !r.goal.Relaxes() {
			if chosen := r.before.choose(t); chosen != t.board {
				return r.refuse(t, chosen)
			}
		}
		b = r.after.choose(later)
	} else if r.goal.Relaxes() && later.consumer == never {
		b = r.chooseAnew(t, later)
	}
	r.before.count(t, t.board)
	r.after.count(later, b)
	r.compare(r.before.boards[t.board].events)
	r.compare(r.after.boards[b].events)
	return r.affordable()
}

// chooseAnew returns the scoreboard that later releases choose for an event without a consumer. It returns that of the input if
// the rules do not find it.
func (r *revision) chooseAnew(t, later *event) int {
	if r.before.choose(t) != t.board {
		return t.board
	}
	return r.after.choose(later)
}

// placeAdded assigns a scoreboard to t, which the input does not count.
func (r *revision) placeAdded(t *event) {
	if !slices.Contains(r.after.defs[t.at], t) {
		return
	}
	b := r.after.choose(t)
	r.after.count(t, b)
	r.compare(r.after.boards[b].events)
}

// compare finds which of some events are moved.
func (r *revision) compare(events []*event) {
	for _, t := range events {
		n := t.number
		if !(n == 0 && r.goal.FreesStack) && r.before.board[n] == r.after.board[n] && slices.Equal(r.before.pending[n], r.after.pending[n]) {
			r.moved.Remove(n)
		} else {
			r.moved.Add(n)
		}
	}
}

// concerned reports whether the choice for t can differ in the new schedule, in which t is later. It can if t is pending at other
// instructions there, if another instruction waits for it, if the last scoreboard is reserved in the input alone, or that of t in
// the new schedule alone (KIT-980). It can also differ if an event that moved to another scoreboard is pending in the block of t or
// at the entry of a successor.
func (r *revision) concerned(t, later *event) bool {
	if later != t && (!slices.Equal(t.pending, later.pending) || t.waiter != later.waiter) {
		return true
	}
	if r.unreserved.Has(t.at) || r.after.counted.has(t.board) {
		return true
	}
	near := slices.Clone(t.pending)
	for i := r.flow.First[t.at]; i <= r.flow.Last[t.at]; i++ {
		near.Add(i)
	}
	for _, i := range r.flow.Next[r.flow.Last[t.at]] {
		near.Add(i)
	}
	for n := range r.moved.All {
		if r.before.board[n] != unassigned && r.before.pending[n].Meets(near) || r.after.board[n] != unassigned && r.after.pending[n].Meets(near) {
			return true
		}
	}
	return false
}

// maxIterations limits how often assign recomputes the waits. Two iterations are enough for nearly all code.
const maxIterations = 8

// assign returns the code with the new scoreboards and the waits that follow from them. Pending events and waits depend on each
// other, so that both are recomputed until they no longer change. ok is false if that never happens. Except for later releases,
// ok is also false if the rules do not explain a wait of the input that may change.
func (r *revision) assign() (code []machine.Instr, ok bool) {
	w := r.newWaits()
	first := w.firstPass()
	masks := make([]uint64, len(first))
	for i, x := range first {
		masks[i] = x.after
	}
	for range maxIterations {
		next, explained := w.nextPass(first, w.onBackEdges(first, masks))
		if slices.Equal(next, masks) {
			code := r.rewrite(masks)
			return code, r.stall(code) && (explained || r.goal.Relaxes() || r.goal.From.Early || r.goal.RemovesBarriers)
		}
		masks = next
	}
	return nil, false
}

// rewrite returns the code of the function with the new scoreboards and the given wait masks.
func (r *revision) rewrite(masks []uint64) []machine.Instr {
	code := slices.Clone(r.code)
	for i, mask := range masks {
		x := &code[i]
		*x = x.WithWaitMask(mask)
		for _, t := range r.defs[i] {
			switch {
			case r.after.counts(t):
			case t.war:
				*x = x.WithReadBarrier(sass.NoBarrier)
			default:
				*x = x.WithWriteBarrier(sass.NoBarrier)
			}
		}
		for _, t := range r.after.defs[i] {
			b := r.after.board[t.number]
			if b == unassigned {
				b = sass.NoBarrier
			}
			if t.war {
				*x = x.WithReadBarrier(b)
			} else {
				*x = x.WithWriteBarrier(b)
			}
		}
		if i > 0 && MakesRoom(r.code, i-1) {
			code[i-1] = code[i-1].CountingOn(x.WriteBarrier())
		}
		if awaitsFence(r.code, i) {
			b := code[i-1].ReadBarrier()
			*x = x.WithWaitMask(x.WaitMask() &^ (1 << b)).CountingOn(b)
		}
		if awaitsReduction(r.code, i) {
			*x = r.after.afterReduction(*x, code[i-1].ReadBarrier())
		}
	}
	return r.sorted(code)
}

// sorted returns code in the order of the function.
func (r *revision) sorted(code []machine.Instr) []machine.Instr {
	sorted := make([]machine.Instr, len(code))
	for k, i := range r.order {
		sorted[i] = code[k]
	}
	return sorted
}

// stall sets the stall of each instruction that counts on a scoreboard. The stall is longer if the next instruction waits for
// that scoreboard (MERC-153). ok is false if an instruction needed the longer stall before and does not need it now, because the
// stall may have another reason.
func (r *revision) stall(code []machine.Instr) (ok bool) {
	const untilCounted = 2
	for i := range len(code) - 1 {
		x := &code[i]
		stall := x.Stall()
		switch {
		case stall > untilCounted:
		case stall < untilCounted && !r.goal.Relaxes() && !r.goal.From.Early && code[i+1].WaitsOn(*x) && x.IsSlowDouble(r.sm):
			return false // the distance to the next one of FP64 shrinks by as much
		case code[i+1].WaitsOn(*x):
			*x = x.WithStall(untilCounted)
			if y := &code[i+1]; x.IsCounted(r.original[i]) && y.Op() == sass.OpRET { // which stalled for it
				*y = y.WithStall(y.Stall() - (untilCounted - stall))
			}
		case stall == untilCounted && !r.goal.Relaxes() && !r.goal.From.Early && r.original[i+1].WaitsOn(r.original[i]):
			return false
		}
	}
	return true
}
