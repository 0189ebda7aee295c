package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// The compilers up to 13.0 rely on the fixed latency of some events. Later finalizers count these on a scoreboard: up to sm_110 a
// memory fence that precedes another one (KIT-062), and on sm_100 the results of FP64 instructions and of integer matrix
// products. The operands of such an instruction are counted too if they are overwritten before its results are used (KIT-063).

// added reports whether only the new schedule counts t.
func (t *event) added() bool { return t.board == unassigned }

// remove makes t an event that is pending nowhere.
func (t *event) remove(instructions int) {
	t.consumer, t.waiter, t.pending = never, never, cfg.NewSet(instructions)
}

// addEvents adds the events of instruction i that only the new schedule counts. reads and writes are the registers of the
// instruction.
func (s *schedule) addEvents(i int, reads, writes sass.Registers, g Goal) {
	switch x := s.code[i]; {
	case g.CountsDoubles && isUncountedDouble(x):
		if reads.Remove(&writes); reads != (sass.Registers{}) {
			s.newEvent(i, true, unassigned, reads)
		}
		s.newEvent(i, false, unassigned, writes)
	case isUncountedFlush(x):
		s.newEvent(i, true, unassigned, sass.Registers{})
	case x.Op() == sass.OpMEMBAR && x.ReadBarrier() == sass.NoBarrier:
		if g.CountsFences && s.fenceFollows(i) || !machine.IsConsumer(s.sm) && s.precedesERRBAR(i) {
			s.newEvent(i, true, unassigned, sass.Registers{})
		}
	}
}

// HasUncountedDoubles reports whether code has an instruction that its compiler does not count, and later finalizers do on sm_100
// (KIT-710).
func HasUncountedDoubles(code []machine.Instr) bool {
	return slices.ContainsFunc(code, isUncountedDouble)
}

func isUncountedDouble(x machine.Instr) bool {
	switch x.Op() {
	case sass.OpDADD, sass.OpDMUL, sass.OpDFMA, sass.OpDSETP, sass.OpIMMA:
		return x.WriteBarrier() == sass.NoBarrier && x.ReadBarrier() == sass.NoBarrier
	}
	return false
}

// isUncountedFlush reports whether x is an UTMACMDFLUSH that the finalizer adds to a fence, and that has no scoreboard yet
// (KIT-980).
func isUncountedFlush(x machine.Instr) bool {
	return x.Op() == sass.OpUTMACMDFLUSH && x.ReadBarrier() == sass.NoBarrier
}

// fenceFollows reports whether the instruction after i is a memory fence.
func (s *schedule) fenceFollows(i int) bool {
	return i+1 < len(s.code) && s.code[i+1].Op() == sass.OpMEMBAR
}

// isFirstFence reports whether instruction i is a memory fence that only the new schedule has: its compiler did not schedule it, because
// another one follows.
func (s *schedule) isFirstFence(i int) bool {
	return s.schedulesFences && s.code[i].Op() == sass.OpMEMBAR && s.fenceFollows(i)
}

// setAdded moves the dependences on events that only the new schedule counts from deps to added. A fence that only the new schedule
// has depends on the counted fence before it, and on what the fence after it depends on (KIT-360).
func (s *schedule) setAdded() {
	for i := range s.code {
		if s.isFirstFence(i) {
			s.added[i].AddAll(s.deps[i+1])
			s.added[i].AddAll(s.deps[i])
		}
	}
	for _, t := range s.events {
		if !t.added() {
			continue
		}
		if isUncountedFlush(s.code[t.at]) || s.code[t.at].Op() == sass.OpMEMBAR {
			s.added[t.at+1].Add(t.number)
		}
		for i := range s.deps {
			if s.deps[i].Has(t.number) {
				s.deps[i].Remove(t.number)
				s.added[i].Add(t.number)
			}
		}
	}
}

// dropOperands removes WAR events that the new schedule need not count. The first kind belongs to an FP64 instruction whose
// result is used in the block before anything overwrites its operands. The second kind belongs to an instruction whose result the
// next instruction reads (KIT-184). The third kind belongs to an instruction whose block ended earlier in the input (KIT-975). The
// fourth kind belongs to a bulk copy before another one (KIT-981), the fifth to a fence that is dropped (KIT-983).
func (l *schedule) dropOperands() {
	for _, t := range l.events {
		if t.war && (l.needsResultsAtOnce(t) || l.isReadBefore(t) || l.isFollowed(t) || l.isAddedInVain(t) || l.isOfDroppedFence(t)) {
			l.drop(t)
		}
	}
}

// drop removes t, an event that the new schedule does not count.
func (l *schedule) drop(t *event) {
	l.defs[t.at] = slices.DeleteFunc(l.defs[t.at], func(u *event) bool { return u == t })
	for i := range l.deps {
		l.waits[i].Remove(t.number)
		if !l.deps[i].Has(t.number) {
			continue
		}
		l.deps[i].Remove(t.number)
		if !t.added() && !l.deps[i].Meets(l.on[t.board]) { // it waited for nothing else on the scoreboard
			l.waits[i].RemoveAll(l.on[t.board])
		}
	}
}

// counts reports whether t, an event of another schedule of the same code, is counted in this one.
func (l *schedule) counts(t *event) bool {
	return slices.ContainsFunc(l.defs[t.at], func(u *event) bool { return u.number == t.number })
}

// dependsOn reports whether instruction i depends on an event of an earlier instruction for which is holds.
func (l *schedule) dependsOn(i int, is func(u *event) bool) bool {
	for n := range l.deps[i].All {
		if u := l.events[n]; u.at < i && is(u) {
			return true
		}
	}
	return false
}

// isAddedInVain reports whether t, a WAR event, belongs to an FP64 instruction that only the new schedule counts, and need not be
// counted. In the list, the RAW event of an instruction follows its WAR event.
func (l *schedule) isAddedInVain(t *event) bool {
	return t.added() && isUncountedDouble(l.code[t.at]) && l.isNeededInBlock(l.events[t.number+1]) && !l.overwrites(t, l.events[t.number+1])
}

// isOfDroppedFence reports whether t belongs to a fence that is dropped.
func (l *schedule) isOfDroppedFence(t *event) bool { return l.dropsFences && l.isSuperfluous(t.at) }

// isSuperfluous reports whether instruction i is a counted fence before another one. In a leaf kernel it is dropped after the
// scoreboards are assigned (KIT-983).
func (s *schedule) isSuperfluous(i int) bool {
	return s.code[i].IsCountedFence() && s.code[i].IsWeakestFence() && s.fenceFollows(i)
}

// isFollowed reports whether t, a WAR event, belongs to an instruction of an asynchronous queue, and the block waits for a later
// instruction of that queue before anything depends on t. The queue reads operands in order.
func (l *schedule) isFollowed(t *event) bool {
	if !l.code[t.at].QueuesBehind(l.code[t.at]) { // of no such queue
		return false
	}
	for i := t.at + 1; i <= l.flow.Last[t.at]; i++ {
		if l.awaitsBehind(i, t) {
			return true
		}
		if l.deps[i].Has(t.number) && !l.code[i].QueuesBehind(l.code[t.at]) {
			return false
		}
	}
	return false
}

// awaitsBehind reports whether instruction i depends on a WAR event after t in the asynchronous queue of t and in its block.
func (l *schedule) awaitsBehind(i int, t *event) bool {
	return l.dependsOn(i, func(u *event) bool { return u.war && u.at > t.at && l.code[u.at].QueuesBehind(l.code[t.at]) })
}

// isReadBefore reports whether the block of the input that has t, a WAR event, ends before that of the new schedule, and a wait
// in the latter makes t superfluous. Such a wait is for the result of t's instruction, or for a later instruction of the queue,
// which reads operands in order. It comes before an instruction that overwrites the operands, unless that is of the queue too.
func (l *schedule) isReadBefore(t *event) bool {
	last := l.flow.Last[t.at]
	if l.blocks.Last[t.at] == last || t.added() {
		return false
	}
	for i := t.at + 1; i <= last && !l.leaves(i); i++ {
		if l.dependsOn(i, func(u *event) bool {
			return u != t && !l.exitDeps[i].Has(u.number) && (u.at == t.at || l.inOrder(t.at, u.at) && (u.war || l.code[u.at].WritesInOrder()))
		}) {
			return true
		}
		if l.deps[i].Has(t.number) && !l.inOrder(t.at, i) {
			return false
		}
	}
	return false
}

// needsResultsAtOnce reports whether the instruction after that of t, a WAR event, reads the result of t's instruction.
func (l *schedule) needsResultsAtOnce(t *event) bool {
	return t.at < l.flow.Last[t.at] && slices.ContainsFunc(l.defs[t.at], func(u *event) bool { return !u.war && l.deps[t.at+1].Has(u.number) && l.reads(t.at+1, u) })
}

// isNeededInBlock reports whether a later instruction of the block of t depends on it.
func (l *schedule) isNeededInBlock(t *event) bool {
	for i := t.at + 1; i <= l.flow.Last[t.at]; i++ {
		if l.deps[i].Has(t.number) && !l.exitDeps[i].Has(t.number) {
			return true
		}
	}
	return false
}

// reads reports whether instruction i reads a register that t writes.
func (l *schedule) reads(i int, t *event) bool {
	_, reads, _ := sass.Uses(l.code[i].Instruction, l.sm)
	return reads.Overlaps(t.registers)
}

// overwrites reports whether, before anything reads the results, an instruction overwrites the operands or the function returns.
func (l *schedule) overwrites(operands, results *event) bool {
	seen := cfg.NewSet(len(l.code))
	todo := slices.Clone(l.flow.Next[operands.at])
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case l.leaves(i):
			return true
		case seen.Has(i) || l.deps[i].Has(results.number) && l.reads(i, results):
		case l.deps[i].Has(operands.number):
			return true
		default:
			seen.Add(i)
			todo = append(todo, l.flow.Next[i]...)
		}
	}
	return false
}
