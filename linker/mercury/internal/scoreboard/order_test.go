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

// The end of a block waits for events of the previous iteration. It does not if an event of the block is
// outstanding on the same scoreboard too, or if an event from before the loop may be (MERC-155).
func TestEndsIteration(t *testing.T) {
	s := &schedule{
		flow:  cfg.Flow{Next: [][]int{{1}, {2}, {3}, {1, 4}, {}}, First: []int{0, 1, 1, 3, 4}, Last: []int{0, 2, 2, 3, 4}},
		local: cfg.NewSets(5, 3), events: []*event{{number: 0, at: 0}, {number: 1, at: 1}, {number: 2, at: 3}},
	}
	s.local[2].Add(1)
	for _, test := range []struct {
		pending           []int
		ends, waits, sure bool
	}{
		{[]int{2}, true, true, true},
		{[]int{0, 2}, true, true, false},
		{[]int{1, 2}, false, false, false},
		{[]int{0}, false, false, false},
	} {
		pending := cfg.NewSet(3)
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
		if waits, sure := s.waitsInIteration(2, pending); waits != test.waits || sure != test.sure {
			t.Errorf("%v: waits %t, sure %t", test.pending, waits, sure)
		}
	}
}
