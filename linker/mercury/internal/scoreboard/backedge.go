package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
)

// A lastWait holds the last instruction that waits for a scoreboard because of a back edge (round), and the last one that waits
// for another reason. The compiler finds its waits in one pass over the code. It then adds the waits for back edges and removes
// none (MERC-155).
type lastWait struct{ round, other int }

// note records that instruction i waits for the scoreboard. If round is set, it waits because of a back edge.
func (l *lastWait) note(i int, round bool) {
	if round {
		l.round = i
	} else {
		l.other = i
	}
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

// explains reports whether a back edge explains that instruction i waits for scoreboard b: i depends on an event there, and only
// waits for back edges followed that event.
func (l lastWait) explains(s *schedule, i, b int) bool {
	if l.round <= l.other {
		return false
	}
	for n := range s.deps[i].All {
		if t := s.events[n]; t.board == b && l.other <= t.at && t.at < l.round {
			return true
		}
	}
	return false
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
