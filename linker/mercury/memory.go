package mercury

import "github.com/culink/culink/linker/sass"

// Some results are no registers: what an mbarrier has done, or that a fence is through. Registers do not tell what depends on
// them, but what stands behind a fence does, and the schedule of the input.

// dependByMemory finds what depends on results that are no registers, as those of a fence before accesses to tensor memory: what in the
// input waits for them first, if it does so for the sake of nothing else on their scoreboard, and not because they are back where a
// block ends, or if it is such an access or an atomic (MERC-241).
func (s *schedule) dependByMemory() {
	here := newSet(len(s.tokens))
	for i, x := range s.code {
		if x.isAside() || x.awaitsAll() {
			continue
		}
		for b := range scoreboards {
			if !x.WaitsFor(b) || !here.take(s.pending[i], s.on[b]) {
				continue
			}
			isKnown := s.flow.last[i] == i || here.meets(s.needs[i])
			for n := range here.all {
				t := s.tokens[n]
				if from := s.code[t.at]; !t.reads && from.ordersMemory() && (!isKnown || from.Op() == sass.OpFENCE && x.followsFence()) {
					s.needs[i].add(n)
				}
			}
		}
	}
}

// ordersMemory reports whether what comes after x by memory waits for its results: an instruction on mbarriers, or a fence.
func (x instruction) ordersMemory() bool {
	switch x.Op() {
	case sass.OpFENCE, sass.OpSYNCS, sass.OpSYNCSInvalidate, sass.OpSYNCSExchange:
		return true
	}
	return false
}

// followsFence reports whether x comes after a fence before accesses to tensor memory, whatever else it waits for: such an access,
// an atomic, what threads do together, or an access to memory that others see in order.
func (x instruction) followsFence() bool {
	switch x.Op() {
	case sass.OpLDTM, sass.OpSTTM, sass.OpFENCE, sass.OpBAR, sass.OpSHFL, sass.OpATOM, sass.OpATOMCAS, sass.OpATOMS, sass.OpATOMSCAS, sass.OpATOMG, sass.OpATOMGCAS, sass.OpATOMGFloat, sass.OpRED, sass.OpREDGFloat, sass.OpSYNCS:
		return true
	case sass.OpLD, sass.OpLDG, sass.OpST, sass.OpSTG:
		return x.isStrong()
	}
	return false
}

// isStrong reports whether x, an access to memory, is one that others see in order.
func (x instruction) isStrong() bool {
	const weak, constant = 0, 4
	order := x.High >> (77 - 64) & 0xf
	return order != weak && order != constant
}

// dependOnFence lets what stands behind a fence depend on it, if that is counted, and the CCTL.IVALL behind a read that
// acquires on that.
func (s *schedule) dependOnFence(i int) {
	if i > 0 && s.code[i].invalidatesAll() && !s.code[i].isBarrier() {
		for _, t := range s.made[i-1] {
			if !t.reads {
				s.needs[i].add(t.number)
			}
		}
	}
	if i > 0 && s.code[i-1].Op() == sass.OpMEMBAR {
		for _, t := range s.made[i-1] {
			s.needs[i].add(t.number)
		}
	}
}

// invalidatesAll reports whether x is CCTL.IVALL.
func (x instruction) invalidatesAll() bool { return x.Low&0xfff == formCCTL && x.High>>(89-64)&1 == 1 }

// endRound takes out of p what is back behind instruction i, a barrier: what the round before of a loop made, after
// it in the code (MERC-160).
func (s *schedule) endRound(i int, p set) {
	for n := range p.all {
		if s.tokens[n].at > i {
			p.remove(n)
		}
	}
}

// endFence takes out of p what is on the scoreboard of a fence behind which instruction i, a barrier, stands: it depends on
// that.
func (s *schedule) endFence(i int, p set, on [scoreboards]set) {
	if i == 0 {
		return
	}
	for _, t := range s.made[i-1] {
		for b := range on {
			if on[b].has(t.number) {
				p.removeAll(on[b])
			}
		}
	}
}
