package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A link for debuggers inserts barriers before each EXIT (MERC-123), and the finalizer assigns scoreboards after that (MERC-254).
// The barriers take time, so that more events are complete at the EXIT. ERRBAR waits for the guard of the EXIT. It also waits for
// a preceding fence, for which the EXIT of the input waits.

// An exit is an EXIT and the barriers before it, as numbers of instructions.
type exit struct{ first, errbar, at int }

// exitsOf returns the exits of code with barriers before them.
func exitsOf(code []machine.Instr) (exits []exit) {
	const guard = 0xf000
	for i, x := range code {
		is := func(k int, op sass.Op) bool { return k >= 0 && code[k].Op() == op && code[k].Low&guard == x.Low&guard }
		if x.Op() != sass.OpEXIT || !is(i-1, sass.OpERRBAR) || !is(i-2, sass.OpERRBAR) {
			continue
		}
		e := exit{first: i - 2, errbar: i - 2, at: i}
		if is(i-3, sass.OpMEMBAR) && code[i-3].Stall() == 0 {
			e.first--
		}
		exits = append(exits, e)
	}
	return exits
}

// exitFrom returns the exit at instruction i, or the next one after it. Exits are in the order of the code.
func (s *schedule) exitFrom(i int) (e exit, found bool) {
	n, _ := slices.BinarySearchFunc(s.exits, i, func(e exit, i int) int { return e.at - i })
	if n == len(s.exits) {
		return exit{}, false
	}
	return s.exits[n], true
}

// barrierAt returns the exit of instruction i if that is a barrier before an EXIT.
func (s *schedule) barrierAt(i int) (e exit, inserted bool) {
	e, found := s.exitFrom(i)
	return e, found && e.first <= i && i < e.at
}

// barrierStalls is the stall of the last barrier before an EXIT, and a cycle for the others together.
const barrierStalls = 6 + 1

// afterBarrier returns when the instruction after a barrier i before EXIT e begins, and when it would begin if nothing waited. begins
// and stalled hold both for i and for earlier instructions. In a schedule that has these barriers, each but the last takes a cycle.
// The last stalls too, but while its block waits, that stall passes. The EXIT begins when both the waits and all stalls of its block
// have passed. In a schedule that does not have these barriers, none takes any time.
func (s *schedule) afterBarrier(i int, e exit, begins, stalled []int) (begin, unwaited int) {
	begin, unwaited = begins[i], stalled[i]
	switch {
	case i+1 == e.at:
		if s.hasBarriers {
			unwaited += barrierStalls
		}
		first := s.flow.First[i]
		begin = max(begin, begins[first]+unwaited-stalled[first])
	case s.hasBarriers:
		begin++
	}
	return begin, unwaited
}

// precedesERRBAR reports whether instruction i comes directly before the ERRBAR of inserted barriers, and is not an inserted
// barrier itself.
func (s *schedule) precedesERRBAR(i int) bool {
	e, found := s.exitFrom(i)
	return found && e.first == e.errbar && i == e.errbar-1
}

// isAtExit reports whether instruction i is an inserted barrier or the EXIT after such barriers.
func (s *schedule) isAtExit(i int) bool {
	e, found := s.exitFrom(i)
	return found && e.first <= i
}

// dependAtBarriers changes the dependences for the schedule of the input. Of barriers that it has, ERRBAR alone depends on
// something. If it has none, an EXIT depends on a fence before it, and the barriers before the EXIT depend on nothing. The
// dependences of an ERRBAR are saved for the new schedule.
func (s *schedule) dependAtBarriers() {
	for _, e := range s.exits {
		for i := e.first; i < e.at; i++ {
			if i == e.errbar && s.hasBarriers {
				continue
			}
			if i == e.errbar {
				s.added[i].AddAll(s.deps[i])
			}
			s.deps[i].Clear()
		}
		if s.hasBarriers {
			continue
		}
		if e.first == e.errbar && s.isFence(e.first-1) {
			for _, t := range s.defs[e.first-1] {
				s.deps[e.at].Add(t.number)
			}
		}
	}
}

// withBarriers returns a schedule of the same code in which the barriers before EXITs take time and wait.
func (s *schedule) withBarriers() *schedule {
	l := s.derive(s.policy)
	l.hasBarriers = true
	l.addNeeds()
	l.retime(s)
	return l
}

// withoutBarriers returns a schedule of the same code in which the barriers before EXITs take no time and wait for nothing (MERC-902).
// Fewer events are complete at a conditional EXIT then. An ERRBAR after a fence still waits for it.
func (s *schedule) withoutBarriers() *schedule {
	l := s.derive(s.policy)
	l.hasBarriers = false
	for _, e := range s.exits {
		if !s.isFence(e.first - 1) {
			l.deps[e.errbar].Clear()
			l.waits[e.errbar].Clear()
		}
	}
	l.retime(s)
	return l
}

// isFence reports whether instruction i is a fence.
func (s *schedule) isFence(i int) bool { return i >= 0 && s.code[i].Op() == sass.OpMEMBAR }

// retime computes the issue cycles of a schedule that differs from schedule s in the barriers before EXITs, and what depends on
// them. A conditional EXIT waits for the events that are complete there.
func (l *schedule) retime(s *schedule) {
	l.cycle = l.clock()
	l.flush = s.newSets()
	for i := range s.flush {
		l.flush[i].AddAll(s.flush[i])
	}
	for _, e := range s.exits {
		if s.code[e.at].Conditional() {
			l.flushAt(e.at, s)
		}
	}
	l.followAnew()
}

// flushAt adds those events that are complete at the end of a block in this schedule, but not in schedule s, and removes those of
// which the opposite holds.
func (l *schedule) flushAt(end int, s *schedule) {
	for n := range l.local[end].All {
		t := l.events[n]
		was, is := s.cycle[end]-s.cycle[t.at] >= t.latency, l.cycle[end]-l.cycle[t.at] >= t.latency
		switch {
		case is && !was:
			l.flush[end].Add(n)
		case was && !is:
			l.flush[end].Remove(n)
		}
	}
}

// derive returns a copy of the schedule for another policy, with its own events. Both schedules share the waits; a schedule
// replaces a whole set to change it.
func (s *schedule) derive(p policy) *schedule {
	l := *s
	l.policy = p
	l.learned = slices.Clone(s.learned)
	l.waits, l.exitDeps, l.deps = s.newSets(), s.newSets(), s.newSets()
	for i := range s.code {
		l.waits[i].AddAll(s.waits[i])
		l.exitDeps[i].AddAll(s.exitDeps[i])
		l.deps[i].AddAll(s.deps[i])
	}
	l.needed = nil
	l.events, l.defs = nil, make([][]*event, len(s.code))
	for _, t := range s.events {
		c := *t
		l.events = append(l.events, &c)
		l.defs[t.at] = append(l.defs[t.at], &c)
	}
	return &l
}

// addNeeds adds the events that only the new schedule waits for.
func (l *schedule) addNeeds() {
	for i, added := range l.added {
		if added.Some() {
			l.deps[i].AddAll(added)
			l.waits[i].AddAll(added)
		}
	}
}
