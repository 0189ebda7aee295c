package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
)

// A lastWait is the last instruction that waits for a scoreboard because of the round before of a loop,
// and the last that does so for something else. The waits of rounds come on top of those of one pass over
// the code and take none of them back (MERC-155).
type lastWait struct{ round, other int }

// note takes in that instruction i waits for the scoreboard.
func (l *lastWait) note(i int, round bool) {
	if round {
		l.round = i
	} else {
		l.other = i
	}
}

// endsInRound reports whether instruction i ends a block of which none of some tokens is, and one is of
// the round before of a loop: all are back by then, as that round is over.
func (s *schedule) endsInRound(i int, pending cfg.Set) bool {
	return s.flow.Last[i] == i && pending.Some() && s.tokens[pending.Last()].at > i && !pending.Meets(s.own[i])
}

// waitsInRound reports whether the end of a block waits for what is pending of the round before. It is
// not sure where something is pending from before the loop as well: the first block of a loop mostly waits.
func (s *schedule) waitsInRound(i int, pending cfg.Set) (waits, sure bool) {
	if first, _ := pending.First(); s.tokens[first].at > i {
		return true, true
	}
	return s.flow.IsHead(s.flow.First[i]), false
}

// explains reports whether instruction i waits for scoreboard b because of a token for which nothing
// waited since but rounds of loops.
func (l lastWait) explains(s *schedule, i, b int) bool {
	if l.round <= l.other {
		return false
	}
	for n := range s.needs[i].All {
		if t := s.tokens[n]; t.board == b && l.other <= t.at && t.at < l.round {
			return true
		}
	}
	return false
}

// needsEarlier reports whether instruction i depends on one of some tokens that comes before it in the
// code.
func (s *schedule) needsEarlier(i int, tokens cfg.Set) bool {
	for n := range s.needs[i].All {
		if tokens.Has(n) && s.tokens[n].at < i {
			return true
		}
	}
	return false
}
