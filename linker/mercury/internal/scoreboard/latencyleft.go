package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/sass"
)

// At the entry of a block the finalizer knows how long the events of earlier blocks still take, if this or a later block depends on
// them (MERC-158).

// A latencyLeft is how many cycles an event still takes at the entry of a block.
type latencyLeft struct{ begin, cycles int }

// left is how many cycles t still takes at the entry of a later block.
func (t *event) left(begin int) int {
	for _, l := range t.latencyLeft {
		if l.begin == begin {
			return l.cycles
		}
	}
	return 0
}

// findLatencyLeft finds the blocks that are entered before events of earlier blocks are complete. Of several predecessors the one after
// which an event takes longest counts. Back edges do not count.
func (s *schedule) findLatencyLeft() {
	if s.flow.Last[0] == len(s.code)-1 {
		return
	}
	under := make([][]*event, len(s.code)) // by first instruction of a block
	for first := 0; first < len(s.code); first = s.flow.Last[first] + 1 {
		last := s.flow.Last[first]
		for i := first; i <= last; i++ {
			under[first] = append(under[first], s.defs[i]...)
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
				if t.pending.Has(next) && t.noteLatencyLeft(next, left) {
					under[next] = append(under[next], t)
				}
			}
		}
	}
}

// leftNeeded is left, but 0 if neither that block nor a later one depends on t.
func (s *schedule) leftNeeded(t *event, begin int) int {
	if left := t.left(begin); left > 0 && (s.staysNeeded(t) || s.neededFrom(begin).Has(t.number)) {
		return left
	}
	return 0
}

// staysNeeded reports whether t counts though nothing depends on it: it has no registers, or is the stack pointer, which is needed to
// the end.
func (s *schedule) staysNeeded(t *event) bool {
	return t.registers == (sass.Registers{}) || t.at == 0 && s.free
}

// noteLatencyLeft notes that t still takes some cycles at the entry of a block, and reports whether it had no note of that block.
func (t *event) noteLatencyLeft(begin, cycles int) bool {
	for i, l := range t.latencyLeft {
		if l.begin == begin {
			t.latencyLeft[i].cycles = max(l.cycles, cycles)
			return false
		}
	}
	t.latencyLeft = append(t.latencyLeft, latencyLeft{begin, cycles})
	return true
}

// neededFrom returns the events on which a block or one after it in the code depends.
func (s *schedule) neededFrom(begin int) cfg.Set {
	if s.needed == nil {
		s.needed = s.findNeeded()
	}
	return s.needed[begin]
}

// findNeeded returns neededFrom by first instruction of a block.
func (s *schedule) findNeeded() []cfg.Set {
	needed := make([]cfg.Set, len(s.code))
	for last := len(s.code) - 1; last >= 0; {
		first := s.flow.First[last]
		needed[first] = cfg.NewSet(len(s.events))
		for i := first; i <= last; i++ {
			needed[first].AddAll(s.deps[i])
		}
		for next := range s.flow.Ahead(last) {
			needed[first].AddAll(needed[next])
		}
		last = first - 1
	}
	return needed
}
