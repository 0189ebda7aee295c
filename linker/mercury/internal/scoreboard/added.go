package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Later finalizers count on scoreboards what the compilers before took for done in a fixed time: a
// memory fence before another one, up to sm_110 (KIT-062), and on sm_100 the results of double
// precision and of products of integer matrices, and their other operands where something writes these before it needs the results (KIT-063).

// added reports whether only the new schedule counts t.
func (t *token) added() bool { return t.board == unassigned }

// vanish makes t one that is pending nowhere.
func (t *token) vanish(instructions int) {
	t.consumer, t.waiter, t.pending = never, never, cfg.NewSet(instructions)
}

// addTokens adds what instruction i, with these registers, counts in the new schedule.
func (s *schedule) addTokens(i int, reads, writes sass.Registers, g Goal) {
	x := s.code[i]
	switch x.Op() {
	case sass.OpDADD, sass.OpDMUL, sass.OpDFMA, sass.OpDSETP, sass.OpIMMA:
		if g.CountsDoubles && x.WriteBarrier() == sass.NoBarrier && x.ReadBarrier() == sass.NoBarrier {
			if reads.Remove(&writes); reads != (sass.Registers{}) {
				s.newToken(i, true, unassigned, reads)
			}
			s.newToken(i, false, unassigned, writes)
		}
	case sass.OpMEMBAR:
		if x.ReadBarrier() == sass.NoBarrier && (g.CountsFences && s.fenceFollows(i) || s.sm < machine.FirstTwoAdd && s.precedesERRBAR(i)) {
			s.newToken(i, true, unassigned, sass.Registers{})
		}
	}
}

// fenceFollows reports whether the instruction after i is a memory fence.
func (s *schedule) fenceFollows(i int) bool {
	return i+1 < len(s.code) && s.code[i+1].Op() == sass.OpMEMBAR
}

// setAdded sets apart what instructions need of tokens that only the new schedule counts.
func (s *schedule) setAdded() {
	for _, t := range s.tokens {
		if !t.added() {
			continue
		}
		if s.code[t.at].Op() == sass.OpMEMBAR {
			s.added[t.at+1].Add(t.number)
		}
		for i := range s.needs {
			if s.needs[i].Has(t.number) {
				s.needs[i].Remove(t.number)
				s.added[i].Add(t.number)
			}
		}
	}
}

// dropOperands drops the operands of double precision whose results, which stand behind them in the list, something in the
// block needs, where nothing writes the operands before it needs the results; and those of what is waited for at once for the sake of
// its results (KIT-184).
func (l *schedule) dropOperands() {
	for n, t := range l.tokens {
		if !t.reads || !l.needsResultsAtOnce(t) && (!t.added() || l.code[t.at].Op() == sass.OpMEMBAR || !l.isNeededInBlock(l.tokens[n+1]) || l.overwrites(t, l.tokens[n+1])) {
			continue
		}
		l.made[t.at] = slices.DeleteFunc(l.made[t.at], func(u *token) bool { return u == t })
		for i := range l.needs {
			l.needs[i].Remove(n)
			l.waits[i].Remove(n)
		}
	}
}

// needsResultsAtOnce reports whether the instruction behind that of t, operands, reads registers that it writes.
func (l *schedule) needsResultsAtOnce(t *token) bool {
	return t.at < l.flow.Last[t.at] && slices.ContainsFunc(l.made[t.at], func(u *token) bool { return !u.reads && l.needs[t.at+1].Has(u.number) && l.reads(t.at+1, u) })
}

// isNeededInBlock reports whether something later in the block of t needs it.
func (l *schedule) isNeededInBlock(t *token) bool {
	for i := t.at + 1; i <= l.flow.Last[t.at]; i++ {
		if l.needs[i].Has(t.number) && !l.ends[i].Has(t.number) {
			return true
		}
	}
	return false
}

// reads reports whether instruction i reads what t writes.
func (l *schedule) reads(i int, t *token) bool {
	_, reads, _ := sass.Uses(l.code[i].Instruction, l.sm)
	return reads.Overlaps(t.registers)
}

// overwrites reports whether something needs operands to be read, or the function returns, where
// nothing has read the results yet.
func (l *schedule) overwrites(operands, results *token) bool {
	seen := cfg.NewSet(len(l.code))
	todo := slices.Clone(l.flow.Next[operands.at])
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case l.code[i].Leaves():
			return true
		case seen.Has(i) || l.needs[i].Has(results.number) && l.reads(i, results):
		case l.needs[i].Has(operands.number):
			return true
		default:
			seen.Add(i)
			todo = append(todo, l.flow.Next[i]...)
		}
	}
	return false
}
