package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/sass"
)

// At the entry of a block the finalizer knows how many cycles the events of earlier blocks still take. It only uses this for
// events on which this or a later block depends (MERC-158).

// A latencyLeft is the number of cycles that an event still takes at the entry of a block.
type latencyLeft struct{ begin, cycles int }

// left returns the number of cycles that t still takes at the entry of a later block.
func (t *event) left(begin int) int {
	for _, l := range t.latencyLeft {
		if l.begin == begin {
			return l.cycles
		}
	}
	return 0
}

// findLatencyLeft finds the blocks that control enters before all events of earlier blocks are complete. If a block has several
// predecessors, the longest remaining time of an event counts. Back edges do not count.
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

// leftNeeded returns left(begin) if t counts there, and 0 otherwise. Operands always count, and results on which that block or a
// later one depends.
func (s *schedule) leftNeeded(t *event, begin int) int {
	if left := t.left(begin); left > 0 && (s.staysNeeded(t) || s.neededFrom(begin).Has(t.number)) {
		return left
	}
	return 0
}

// staysNeeded reports whether t counts whether or not anything depends on it. That holds for operands, for an event without registers, and
// for an unused stack pointer, which counts until the end.
func (s *schedule) staysNeeded(t *event) bool {
	return t.war || t.registers == (sass.Registers{}) || t.at == 0 && s.free
}

// noteLatencyLeft records that t still takes some cycles at the entry of a block. It reports whether t had no such record for
// that block.
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

// neededFrom returns the events on which the block at begin, or a block after it in the code, depends.
func (s *schedule) neededFrom(begin int) cfg.Set {
	if s.needed == nil {
		s.needed = s.findNeeded()
	}
	return s.needed[begin]
}

// findNeeded returns the result of neededFrom for every block, by the first instruction of the block.
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

// followAnew follows all events of a schedule that differs from the one it was derived from, and finds their latency left.
func (l *schedule) followAnew() {
	for _, t := range l.events {
		l.follow(t)
		t.latencyLeft = nil
	}
	l.findLatencyLeft()
}
