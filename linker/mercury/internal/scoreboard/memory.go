package scoreboard

import (
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Some results are not registers: the state of an mbarrier, or the completion of a fence. The instruction after a fence depends
// on the fence. The other dependences of this kind are read from the waits of the input.

// dependByMemory finds dependences on results that are not registers, such as that of an access to tensor memory on a fence. The
// first instruction of the input that waits for such a result depends on it if nothing else explains the wait: it depends on no
// other event of the scoreboard, and is not the end of a block. Accesses to tensor memory and atomics always depend on a fence
// (MERC-241).
func (s *schedule) dependByMemory() {
	here := cfg.NewSet(len(s.events))
	for i, x := range s.code {
		if x.IsAside() || s.awaitsAll(i) {
			continue
		}
		for b := range machine.Scoreboards {
			if !x.WaitsFor(b) || !here.Take(s.pending[i], s.on[b]) {
				continue
			}
			isKnown := s.flow.Last[i] == i || here.Meets(s.deps[i])
			for n := range here.All {
				t := s.events[n]
				if from := s.code[t.at]; !t.war && from.OrdersMemory() && (!isKnown || x.Follows(from)) {
					s.deps[i].Add(n)
				}
			}
		}
	}
}

// dependOnFence makes the instruction after a counted fence depend on the fence. It also makes the CCTL.IVALL after an acquiring
// read depend on that read, and orders the instructions of a fence that acquires a tensor map.
func (s *schedule) dependOnFence(i int) {
	if i > 0 && s.code[i].InvalidatesAll() && !s.code[i].IsBarrier() {
		for _, t := range s.defs[i-1] {
			if !t.war {
				s.deps[i].Add(t.number)
			}
		}
	}
	if i > 0 && (s.code[i-1].Op() == sass.OpMEMBAR || awaitsTensorMap(s.code, i)) {
		for _, t := range s.defs[i-1] {
			s.deps[i].Add(t.number)
		}
	}
}

// awaitsTensorMap reports whether instruction i waits for the one before it in a fence that acquires a tensor map: the UTMACCTL for
// the CCTL, and the NOP for the UTMACMDFLUSH that later compilers add (MERC-257).
func awaitsTensorMap(code []machine.Instr, i int) bool {
	switch code[i].Op() {
	case sass.OpUTMACCTL:
		return code[i-1].Op() == sass.OpCCTLUniform
	case sass.OpNOP:
		return code[i-1].Op() == sass.OpUTMACMDFLUSH
	}
	return false
}

// endRound removes from p the events that are complete after instruction i, a barrier. These are the events of the previous
// iteration, whose instructions come after i in the code (MERC-160).
func (s *schedule) endRound(i int, p cfg.Set) {
	for n := range p.All {
		if s.events[n].at > i {
			p.Remove(n)
		}
	}
}

// endFence removes from p the events on the scoreboard of a fence directly before instruction i. i is a barrier and depends on
// the fence.
func (s *schedule) endFence(i int, p cfg.Set, on [machine.Scoreboards]cfg.Set) {
	if i == 0 {
		return
	}
	for _, t := range s.defs[i-1] {
		for b := range on {
			if on[b].Has(t.number) {
				p.RemoveAll(on[b])
			}
		}
	}
}
