package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Some results are no registers: what an mbarrier has done, or that a fence is through. Registers do not tell what depends on
// them, but what stands behind a fence does, and the schedule of the input.

// dependByMemory finds what depends on results that are no registers, as those of a fence before accesses to tensor memory: what in the
// input waits for them first, if it does so for the sake of nothing else on their scoreboard, and not because they are back where a
// block ends, or if it is such an access or an atomic (MERC-241).
func (s *schedule) dependByMemory() {
	here := cfg.NewSet(len(s.tokens))
	for i, x := range s.code {
		if x.IsAside() || x.AwaitsAll() {
			continue
		}
		for b := range machine.Scoreboards {
			if !x.WaitsFor(b) || !here.Take(s.pending[i], s.on[b]) {
				continue
			}
			isKnown := s.flow.Last[i] == i || here.Meets(s.needs[i])
			for n := range here.All {
				t := s.tokens[n]
				if from := s.code[t.at]; !t.reads && from.OrdersMemory() && (!isKnown || from.Op() == sass.OpFENCE && x.FollowsFence()) {
					s.needs[i].Add(n)
				}
			}
		}
	}
}

// dependOnFence lets what stands behind a fence depend on it, if that is counted, and the CCTL.IVALL behind a read that
// acquires on that.
func (s *schedule) dependOnFence(i int) {
	if i > 0 && s.code[i].InvalidatesAll() && !s.code[i].IsBarrier() {
		for _, t := range s.made[i-1] {
			if !t.reads {
				s.needs[i].Add(t.number)
			}
		}
	}
	if i > 0 && s.code[i-1].Op() == sass.OpMEMBAR {
		for _, t := range s.made[i-1] {
			s.needs[i].Add(t.number)
		}
	}
}

// endRound takes out of p what is back behind instruction i, a barrier: what the round before of a loop made, after
// it in the code (MERC-160).
func (s *schedule) endRound(i int, p cfg.Set) {
	for n := range p.All {
		if s.tokens[n].at > i {
			p.Remove(n)
		}
	}
}

// endFence takes out of p what is on the scoreboard of a fence behind which instruction i, a barrier, stands: it depends on
// that.
func (s *schedule) endFence(i int, p cfg.Set, on [machine.Scoreboards]cfg.Set) {
	if i == 0 {
		return
	}
	for _, t := range s.made[i-1] {
		for b := range on {
			if on[b].Has(t.number) {
				p.RemoveAll(on[b])
			}
		}
	}
}
