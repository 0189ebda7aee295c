package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
)

// The compiler finds its waits in one pass over the code. It then adds the waits for back edges and removes none (MERC-155).

// passFirst carries the events that are pending after instruction i in the first pass to its successors that come later in the
// code. mask has the scoreboards for which i waits in that pass.
func (s *schedule) passFirst(i int, mask uint64, first []cfg.Set) {
	for b := range s.on {
		if mask>>b&1 == 1 && !s.code[i].IsAside() {
			first[i].RemoveAll(s.on[b])
		}
	}
	for _, t := range s.defs[i] {
		first[i].Add(t.number)
	}
	for next := range s.flow.Ahead(i) {
		first[next].AddAll(first[i])
	}
}

// needsFirst reports whether instruction i depends on an event of scoreboard b that is pending before it in the first pass.
func (s *schedule) needsFirst(i, b int, first cfg.Set) bool {
	return s.deps[i].MeetsBoth(s.on[b], first)
}

// endsIteration reports whether instruction i ends a block that defines none of the pending events, and a back edge carries one
// of them. All of them are complete by then.
func (s *schedule) endsIteration(i int, pending cfg.Set) bool {
	return s.flow.Last[i] == i && pending.Some() && s.events[pending.Last()].at > i && !pending.Meets(s.local[i])
}

// waitsInIteration reports whether the end of a block waits for events that a back edge carries. If some events come before the
// block in the code, only the head of a loop waits, and not even that if one of them is a load from memory.
func (s *schedule) waitsInIteration(i int, pending cfg.Set) bool {
	earlier := false
	for n := range pending.All {
		if t := s.events[n]; t.at < i {
			if earlier = true; t.long {
				return false
			}
		}
	}
	return !earlier || s.flow.IsHead(s.flow.First[i])
}

// needsEarlier reports whether instruction i depends on one of the events, and that event comes before i in the code.
func (s *schedule) needsEarlier(i int, events cfg.Set) bool {
	for n := range s.deps[i].All {
		if events.Has(n) && s.events[n].at < i {
			return true
		}
	}
	return false
}
