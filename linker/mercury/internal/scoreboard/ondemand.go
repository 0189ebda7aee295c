package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// The compilers up to 13.0 wait at the end of each block for the events that are complete by then (MERC-134). Later compilers do
// so only before a loop; at the end of the loop's head they wait for the events of the previous iteration. Other branches wait on
// demand, that is, only for events that they depend on. A call waits for all events. The rest of the schedule follows from these
// waits (KIT-060).

// endsBlock reports whether the input has waits for the end of a block at instruction i. If the end is a WARPSYNC that ends no
// block of the new schedule, the instruction before it has them (KIT-975).
func (s *schedule) endsBlock(i int) bool {
	return s.blocks.Last[i] == i || i+1 < len(s.code) && s.blocks.Last[i+1] == i+1 && s.flow.Last[i+1] != i+1
}

// onDemand returns the schedule of the same code with on-demand waits. If adds is set, the result is the new schedule, which has
// events and dependences that the input lacks.
func (s *schedule) onDemand(p onDemand, adds bool) *schedule {
	l := s.derive(p)
	l.dropsFences = adds && s.dropsFences
	l.local, l.flush = s.newSets(), s.newSets()
	for i, x := range s.code {
		switch {
		case s.leaves(i) || x.Op() == sass.OpENDCOLLECTIVE:
			for n := range s.events {
				l.waits[i].Add(n)
			}
		case s.endsBlock(i):
			l.waits[i].Keep(s.deps[i])
			l.learned[i] = cfg.NewSet(len(s.events))
		case s.blocks.First[i] != s.flow.First[i]: // its queues may read in order what they did not in the input
			l.waits[i].RemoveAll(s.learned[i])
			l.learned[i] = cfg.NewSet(len(s.events))
		}
		if !x.AwaitsUniform() && !x.Collective() {
			continue
		}
		for n, t := range s.events {
			if t.registers.Only(sass.Uniform) != (sass.Registers{}) {
				l.exitDeps[i].Add(n)
				l.deps[i].Add(n)
				l.waits[i].Add(n)
			}
		}
	}
	if adds {
		if slices.ContainsFunc(l.code, isUncountedFlush) {
			l.counted |= 1 << boardOfBulkCopies
		}
		l.hasBarriers = true
		l.addNeeds()
	}
	l.dropOperands()
	l.dropOrdered()
	l.cycle = l.clock()
	l.followAnew()
	l.flushAtLoops()
	for _, t := range l.events {
		l.follow(t)
	}
	return l
}

// flushAtLoops finds the events that blocks before loops wait for because they are complete. Loads from memory never count as
// complete, nor do operands that may be read after the thread has ended. Operands of reads by the texture unit do (KIT-920), and those of
// asynchronous reductions (KIT-331).
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
			for _, t := range l.events {
				l.local[end].Add(t.number)
				if t.at > end || l.isBack(t, end) && (!t.war || !l.code[t.at].OutlastsLoops()) {
					l.flush[end].Add(t.number)
				}
			}
		}
	}
}

// retries reports whether a loop tries to wait for an mbarrier: its head does so and branches back to itself (KIT-144).
func (l *schedule) retries(loop cfg.Loop) bool {
	last := l.flow.Last[loop.Head]
	return slices.Contains(l.flow.Next[last], loop.Head) && slices.ContainsFunc(l.code[loop.Head:last], machine.Instr.TriesToWait)
}

// isBack reports whether, by the estimated latency, t is complete before instruction i.
func (l *schedule) isBack(t *event, i int) bool {
	if t.long {
		return false
	}
	if first := l.flow.First[i]; t.at < first {
		return t.left(first) <= l.cycle[i]-l.cycle[first]
	}
	return l.cycle[i]-l.cycle[t.at] >= t.latency
}

// endsHead reports whether instruction i, which ends the head of a loop, waits for the pending events of scoreboard b. It does
// not if one of them is a load from memory that comes before i in the code. It does if one is of the previous iteration. It also
// does if all are complete and one is a WAR event from before the loop for which nothing in the loop waits. A texture from before
// the loop for which nothing in the loop waits counts as one of the previous iteration (KIT-921).
func (a *allocation) endsHead(i, b int, pending cfg.Set) bool {
	loop, ok := a.loops[i]
	if !ok || !pending.Some() || slices.ContainsFunc(a.defs[i], func(t *event) bool { return a.board[t.number] == b }) {
		return false
	}
	ofRound, areBack, stay := false, true, false
	for n := range pending.All {
		switch t := a.events[n]; {
		case t.at > i:
			ofRound = true
		case t.long && a.code[t.at].ByTextureUnit() && t.at < loop.Head:
			ofRound = ofRound || a.loopsAround(i, b, loop)
		case t.long:
			return false
		default:
			areBack = areBack && a.isBack(t, i)
			stay = stay || t.war && t.at < loop.Head && a.loopsAround(i, b, loop)
		}
	}
	return ofRound || areBack && stay
}

// loopsAround reports whether there is a path around a loop without a wait for scoreboard b, from instruction i, which ends the
// head, to the head and through it.
func (a *allocation) loopsAround(i, b int, l cfg.Loop) bool {
	return !a.headWaits(i, b, l) && a.reachesHead(i, b, l)
}

// reachesHead reports whether there is a path from instruction i of a loop to the head without a wait for scoreboard b.
func (a *allocation) reachesHead(i, b int, l cfg.Loop) bool {
	seen := cfg.NewSet(len(a.code))
	todo := slices.Clone(a.flow.Next[i])
	on := cfg.NewSet(len(a.events))
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

// headWaits reports whether an instruction of the head of a loop, before its end i, waits for scoreboard b because of the previous
// iteration: an event of b is still outstanding then, and the instruction depends on it or is the one that counts it (KIT-953).
func (a *allocation) headWaits(i, b int, l cfg.Loop) bool {
	for k := l.Head; k < i; k++ {
		if slices.ContainsFunc(a.boards[b].events, func(t *event) bool {
			return t.at >= k && l.Has(a.flow, t.at) && !a.liveOut.Has(t.number) && (a.deps[k].Has(t.number) || t.at == k) && a.reachesHead(t.at, b, l)
		}) {
			return true
		}
	}
	return false
}
