package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
)

// In code of 12.8 and 12.9 an instruction also waits for the scoreboard on which it counts itself, if events of earlier blocks may
// be outstanding there. Later compilers wait so only for live-out loads (MERC-996).

// pendingAlone returns, for code of an early compiler, the events that may be pending before each instruction if only what
// depends on an event waits for it.
func (s *schedule) pendingAlone() []cfg.Set {
	if !s.early {
		return nil
	}
	return s.flowEvents(func(i int, p cfg.Set) {
		if p.RemoveAll(s.deps[i]); s.awaitsAll(i) {
			p.Clear()
		}
	})
}

// waitsForItself reports whether instruction i of an early compiler waits for scoreboard b only because it counts on b itself. alone
// is the result of pendingAlone. An event that only a back edge carries to i is no other reason: the wait for it is found apart
// (MERC-155), and here something else has waited for it (MERC-964).
func (s *schedule) waitsForItself(i, b int, alone []cfg.Set) bool {
	if !s.early || s.flow.Last[i] == i {
		return false
	}
	for n := range s.deps[i].All {
		if s.on[b].Has(n) && alone[i].Has(n) && s.events[n].at < i {
			return false
		}
	}
	return slices.ContainsFunc(s.defs[i], func(t *event) bool { return t.board == b && (!t.long || s.isNeededInBlock(t)) })
}
