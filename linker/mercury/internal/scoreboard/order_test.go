package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Results of shared memory are written in order within a block; those of loads are not (MERC-134).
func TestResultsInOrder(t *testing.T) {
	for _, test := range []struct {
		op    uint64
		waits bool
	}{{sass.OpLDS, false}, {sass.OpMUFU, false}, {sass.OpLDG, true}, {sass.OpS2R, true}} {
		x := machine.Word(test.op, 0)
		s := &schedule{policy: blockEnds{}, code: []machine.Instr{x, x}, flow: cfg.Flow{Last: []int{1, 1}}, deps: cfg.NewSets(2, 1)}
		var register sass.Registers
		register.Add(sass.General, 4, 1)
		s.events = []*event{{registers: register, guard: 7}}
		s.depend(1, sass.Registers{}, []sass.Registers{register, register}, s.byRegister())
		if s.deps[1].Has(0) != test.waits {
			t.Errorf("%#x: depends %t", test.op, s.deps[1].Has(0))
		}
	}
}

// Of two instructions with opposite conditions only one executes, if nothing between them changes the condition
// (MERC-134).
func TestOppositeConditions(t *testing.T) {
	const p0, notP0 = 0, 8
	register, predicate := sass.Registers{}, sass.Registers{P: 1}
	register.Add(sass.General, 4, 1)
	for _, between := range []sass.Registers{{}, predicate} {
		x := machine.Word(sass.OpLDG|notP0<<12, 0)
		s := &schedule{policy: blockEnds{}, code: []machine.Instr{x, x, x}, flow: cfg.Flow{Last: []int{2, 2, 2}}, deps: cfg.NewSets(3, 1)}
		s.events = []*event{{registers: register, guard: p0}}
		s.depend(2, sass.Registers{}, []sass.Registers{register, between, register}, s.byRegister())
		if s.deps[2].Has(0) != (between == predicate) {
			t.Errorf("%v between: depends %t", between, s.deps[2].Has(0))
		}
	}
}

// An instruction that writes the predicate of its own guard does not exclude one with the opposite guard (MERC-360).
func TestOwnGuard(t *testing.T) {
	predicate := sass.Registers{P: 1}
	for _, own := range []sass.Registers{predicate, {P: 2}} {
		x := machine.Word(sass.OpBRA, 0) // @P0
		s := &schedule{policy: blockEnds{}, code: []machine.Instr{x, x}, flow: cfg.Flow{Last: []int{1, 1}}, deps: cfg.NewSets(2, 1)}
		s.events = []*event{{registers: sass.Registers{P: 3}, guard: 8}} // @!P0
		s.depend(1, predicate, []sass.Registers{own, {}}, s.byRegister())
		if s.deps[1].Has(0) != (own == predicate) {
			t.Errorf("writes %v: depends %t", own, s.deps[1].Has(0))
		}
	}
}

// The end of a block waits for events of the previous iteration. It does not if an event of the block is
// outstanding on the same scoreboard too. If an event from before the loop may be, the head of the loop waits, unless that is a load
// from memory (MERC-155.3).
func TestEndsIteration(t *testing.T) {
	head := cfg.Flow{Next: [][]int{{1}, {2}, {3}, {1, 4}, {}}, First: []int{0, 1, 1, 3, 4}, Last: []int{0, 2, 2, 3, 4}}
	inside := cfg.Flow{Next: [][]int{{1}, {2}, {3}, {0, 4}, {}}, First: head.First, Last: head.Last}
	const load, fromBefore, ofBlock, ofIteration = 0, 1, 2, 3
	s := &schedule{local: cfg.NewSets(5, 4), events: []*event{{number: load, at: 0, long: true}, {number: fromBefore, at: 0}, {number: ofBlock, at: 1}, {number: ofIteration, at: 3}}}
	s.local[2].Add(ofBlock)
	for _, test := range []struct {
		flow        cfg.Flow
		pending     []int
		ends, waits bool
	}{
		{head, []int{ofIteration}, true, true},
		{head, []int{fromBefore, ofIteration}, true, true},
		{head, []int{ofBlock, ofIteration}, false, false},
		{head, []int{fromBefore}, false, false},
		{head, []int{load, ofIteration}, true, false},
		{inside, []int{ofIteration}, true, true},
		{inside, []int{fromBefore, ofIteration}, true, false},
	} {
		s.flow = test.flow
		pending := cfg.NewSet(4)
		for _, n := range test.pending {
			pending.Add(n)
		}
		ends := s.endsIteration(2, pending)
		if ends != test.ends {
			t.Errorf("%v: ends in a round: %t", test.pending, ends)
		}
		if !ends {
			continue
		}
		if waits := s.waitsInIteration(2, pending); waits != test.waits {
			t.Errorf("%v: waits %t", test.pending, waits)
		}
	}
}
