package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
)

// A lastWait has the last instruction that waits for a scoreboard because of a back edge, and the last one that
// waits for another reason. Waits for back edges are added to those of one pass over the code and remove none
// (MERC-155).
type lastWait struct{ round, other int }

// note records that instruction i waits for the scoreboard; round: because of a back edge.
func (l *lastWait) note(i int, round bool) {
	if round {
		l.round = i
	} else {
		l.other = i
	}
}

// endsIteration reports whether instruction i ends a block that defines none of some events, and a back edge carries one of them: all are
// complete by then.
func (s *schedule) endsIteration(i int, pending cfg.Set) bool {
	return s.flow.Last[i] == i && pending.Some() && s.events[pending.Last()].at > i && !pending.Meets(s.local[i])
}

// waitsInIteration reports whether the end of a block waits for events that a back edge carries. It is not sure if some are from before the
// loop: mostly the head of a loop waits then.
func (s *schedule) waitsInIteration(i int, pending cfg.Set) (waits, sure bool) {
	if first, _ := pending.First(); s.events[first].at > i {
		return true, true
	}
	return s.flow.IsHead(s.flow.First[i]), false
}

// explains reports whether instruction i waits for scoreboard b because of an event since which only back edges had waits there.
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

// needsEarlier reports whether instruction i depends on one of some events, which comes before it in the code.
func (s *schedule) needsEarlier(i int, events cfg.Set) bool {
	for n := range s.deps[i].All {
		if events.Has(n) && s.events[n].at < i {
			return true
		}
	}
	return false
}
