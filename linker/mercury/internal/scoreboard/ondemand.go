package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/sass"
)

// The compilers up to 13.0 let the end of a block wait for what is back by then (MERC-134). Later
// ones do so only where a loop begins, and where one goes round for what was pending before it;
// other branches wait for what they need alone, and a call for all. The rest of the schedule
// follows from that (KIT-060).

// onDemand returns the schedule of the same code with on-demand waits, as the later compilers make it. adds: it is the new schedule, which
// counts more.
func (s *schedule) onDemand(p onDemand, adds bool) *schedule {
	l := s.derive(p)
	l.own, l.flush = s.newSets(), s.newSets()
	for i, x := range s.code {
		switch {
		case x.Leaves() || x.Op() == sass.OpENDCOLLECTIVE:
			l.waits[i] = cfg.NewSet(len(s.tokens))
			for n := range s.tokens {
				l.waits[i].Add(n)
			}
		case s.flow.Last[i] == i:
			l.waits[i] = slices.Clone(s.waits[i])
			l.waits[i].Keep(s.needs[i])
			l.learned[i] = cfg.NewSet(len(s.tokens))
		}
		if !x.AwaitsUniform() {
			continue
		}
		for n, t := range s.tokens {
			if !t.reads && s.code[t.at].Op() == sass.OpLDCU {
				l.ends[i].Add(n)
				l.needs[i].Add(n)
				l.waits[i].Add(n)
			}
		}
	}
	if adds {
		l.hasBarriers = true
		l.addNeeds()
	}
	l.dropOperands()
	l.cycle = l.clock()
	for _, t := range l.tokens {
		l.follow(t)
		t.late = nil
	}
	l.findLate()
	l.flushAtLoops()
	for _, t := range l.tokens {
		l.follow(t)
	}
	return l
}

// flushAtLoops finds what the blocks before loops wait for because it is back by then. Loads from memory, and what
// outlasts the threads, never are.
func (l *schedule) flushAtLoops() {
	l.loops = map[int]cfg.Loop{}
	for _, loop := range l.flow.Loops() {
		l.loops[l.flow.Last[loop.Head]] = loop
		if l.retries(loop) {
			continue
		}
		for _, end := range l.flow.Ends(loop.Head) {
			if loop.Has(l.flow, end) {
				continue
			}
			for _, t := range l.tokens {
				l.own[end].Add(t.number)
				if t.at > end || l.isBack(t, end) && !(t.reads && l.code[t.at].ReadsLate()) {
					l.flush[end].Add(t.number)
				}
			}
		}
	}
}

// retries reports whether a loop asks an mbarrier again and again: its first block goes back to itself where that says so.
func (l *schedule) retries(loop cfg.Loop) bool {
	last := l.flow.Last[loop.Head]
	return slices.Contains(l.flow.Next[last], loop.Head) && slices.ContainsFunc(l.tokens, func(t *token) bool {
		return t.at >= loop.Head && t.at < last && !t.reads && l.code[t.at].Op() == sass.OpSYNCS && l.needs[last].Has(t.number) && l.pending[last].Has(t.number)
	})
}

// isBack reports whether t is taken for back where instruction i begins.
func (l *schedule) isBack(t *token, i int) bool {
	first := l.flow.First[i]
	if t.at < first {
		return !t.long && t.left(first) <= l.cycle[i]-l.cycle[first]
	}
	return !t.long && l.cycle[i]-l.cycle[t.at] >= t.latency
}

// endsHead reports whether instruction i, which ends the first block of a loop, waits for these tokens of
// scoreboard b: none is a load from memory, and one is of the round before; or all are back by then, and one is operands from
// before the loop that nothing in it waits for.
func (a *allocation) endsHead(i, b int, pending cfg.Set) bool {
	loop, ok := a.loops[i]
	if !ok || !pending.Some() || slices.ContainsFunc(a.made[i], func(t *token) bool { return a.board[t.number] == b }) {
		return false
	}
	ofRound, areBack, stay := false, true, false
	for n := range pending.All {
		switch t := a.tokens[n]; {
		case t.at > i:
			ofRound = true
		case t.long:
			return false
		default:
			areBack = areBack && a.isBack(t, i)
			stay = stay || t.reads && t.at < loop.Head && a.goesRound(i, b, loop)
		}
	}
	return ofRound || areBack && stay
}

// goesRound reports whether on some way from instruction i back to the head of a loop nothing waits for
// scoreboard b.
func (a *allocation) goesRound(i, b int, l cfg.Loop) bool {
	seen := cfg.NewSet(len(a.code))
	todo := slices.Clone(a.flow.Next[i])
	on := cfg.NewSet(len(a.tokens))
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case k == l.Head:
			return true
		case seen.Has(k) || !l.Has(a.flow, k):
			continue
		}
		seen.Add(k)
		if on.Take(a.before[k], a.boards[b].counts) && a.frees(k, b, on) {
			continue
		}
		todo = append(todo, a.flow.Next[k]...)
	}
	return false
}
