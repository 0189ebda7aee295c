package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/sass"
)

// Of what earlier blocks made the finalizer knows, where a block begins, how long it still takes, if
// something there or later depends on it (MERC-158).

// A late says how many cycles a token still takes where a block begins.
type late struct{ begin, cycles int }

// left is how many cycles t still takes where a later block begins.
func (t *token) left(begin int) int {
	for _, l := range t.late {
		if l.begin == begin {
			return l.cycles
		}
	}
	return 0
}

// findLate finds the blocks that begin before tokens of others are back. Where several lead to
// a block, the one after which a token takes longest counts; what a loop goes back with does not.
func (s *schedule) findLate() {
	if s.flow.Last[0] == len(s.code)-1 {
		return
	}
	under := make([][]*token, len(s.code)) // by first instruction of a block
	for first := 0; first < len(s.code); first = s.flow.Last[first] + 1 {
		last := s.flow.Last[first]
		for i := first; i <= last; i++ {
			under[first] = append(under[first], s.made[i]...)
		}
		for _, t := range under[first] {
			left := t.latency - (s.cycle[last+1] - s.cycle[t.at])
			if t.at < first {
				left = t.left(first) - (s.cycle[last+1] - s.cycle[first])
			}
			if left <= 0 {
				continue
			}
			for next := range s.flow.Ahead(last) {
				if t.pending.Has(next) && t.isLate(next, left) {
					under[next] = append(under[next], t)
				}
			}
		}
	}
}

// leftNeeded is the same, but none where nothing there or later depends on t.
func (s *schedule) leftNeeded(t *token, begin int) int {
	if left := t.left(begin); left > 0 && (s.staysNeeded(t) || s.neededFrom(begin).Has(t.number)) {
		return left
	}
	return 0
}

// staysNeeded reports whether t counts though nothing depends on it: nothing can where it has no
// registers, and the stack pointer is needed to the end.
func (s *schedule) staysNeeded(t *token) bool {
	return t.registers == (sass.Registers{}) || t.at == 0 && s.free
}

// isLate notes that t still takes some cycles where a block begins, and reports whether that is new.
func (t *token) isLate(begin, cycles int) bool {
	for i, l := range t.late {
		if l.begin == begin {
			t.late[i].cycles = max(l.cycles, cycles)
			return false
		}
	}
	t.late = append(t.late, late{begin, cycles})
	return true
}

// neededFrom returns the tokens that something depends on from a block on, in the order of the code.
func (s *schedule) neededFrom(begin int) cfg.Set {
	if s.needed == nil {
		s.needed = s.findNeeded()
	}
	return s.needed[begin]
}

// findNeeded finds them, by first instruction of a block.
func (s *schedule) findNeeded() []cfg.Set {
	needed := make([]cfg.Set, len(s.code))
	for last := len(s.code) - 1; last >= 0; {
		first := s.flow.First[last]
		needed[first] = cfg.NewSet(len(s.tokens))
		for i := first; i <= last; i++ {
			needed[first].AddAll(s.needs[i])
		}
		for next := range s.flow.Ahead(last) {
			needed[first].AddAll(needed[next])
		}
		last = first - 1
	}
	return needed
}
