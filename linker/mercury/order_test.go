package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// diamond is the flow of so many blocks one after the other, of two, one of which follows the last
// of these, and of one more, each of two instructions.
func diamond(before int) flow {
	blocks := before + 3
	f := flow{make([][]int, 2*blocks), make([]int, 2*blocks), make([]int, 2*blocks)}
	for b := range blocks {
		f.first[2*b], f.first[2*b+1], f.last[2*b], f.last[2*b+1] = 2*b, 2*b, 2*b+1, 2*b+1
		f.next[2*b] = []int{2*b + 1}
		if b+1 < blocks {
			f.next[2*b+1] = []int{2*b + 2}
		}
	}
	f.next[2*before-1] = []int{2 * before, 2*before + 2}
	f.next[2*before+1] = []int{2*before + 4}
	return f
}

// MERC-159: of two blocks after a branch the number says which comes first; what follows both comes
// after both. The numbers are those of 26 programs that nvlink was asked of.
func TestBlockOrder(t *testing.T) {
	targetFirst := []int{1, 5, 7, 9, 13, 15, 17, 21, 23, 25}
	for before := 1; before <= 26; before++ {
		order := diamond(before).order(make([]instruction, 2*before+6))
		at := slices.Index(order, 2*before)
		if first := order[at-2] == 2*before+2; first != slices.Contains(targetFirst, before) {
			t.Errorf("%d blocks before: the target of the branch comes first: %t", before, first)
		}
		if last := len(order) - 2; order[last] != 2*before+4 || order[last+1] != 2*before+5 {
			t.Errorf("%d blocks before: %v", before, order)
		}
	}
}

// MERC-159: behind a call a number stays free. Of two blocks after one or two calls nvlink takes those that it takes after as many
// blocks more.
func TestBlockOrderAfterCalls(t *testing.T) {
	for before := 3; before <= 26; before++ {
		for calls := range 3 {
			code := make([]instruction, 2*before+6)
			for c := range calls {
				code[2*c+1].Low = sass.OpCALLAbs
			}
			targetFirst := func(before int, code []instruction) bool {
				order := diamond(before).order(code)
				return order[slices.Index(order, 2*before)-2] == 2*before+2
			}
			if want := targetFirst(before+calls, make([]instruction, 2*(before+calls)+6)); targetFirst(before, code) != want {
				t.Errorf("%d blocks before, %d of which end in calls: the target of the branch comes first: %t", before, calls, !want)
			}
		}
	}
}

// MERC-159: what nothing leads to comes last, and a loop does not go on before it.
func TestOrderOfLoops(t *testing.T) {
	f := flow{next: [][]int{{1}, {2}, {1, 4}, {3}, {}}, first: []int{0, 1, 1, 3, 4}, last: []int{0, 2, 2, 3, 4}}
	order := f.order(make([]instruction, len(f.next)))
	if want := []int{0, 1, 2, 4, 3}; !slices.Equal(order, want) {
		t.Fatalf("order is %v, want %v", order, want)
	}
	code := make([]instruction, len(order))
	for i := range code {
		code[i].Low = uint64(i)
	}
	sorted, g := f.sort(code, order)
	if sorted[3].Low != 4 || sorted[4].Low != 3 || !slices.Equal(g.next[2], []int{1, 3}) || !slices.Equal(g.next[4], []int{4}) {
		t.Errorf("sorted to %v with %v", sorted, g.next)
	}
}

// MERC-134: results of shared memory are written in order within a block, those of loads are not.
func TestResultsInOrder(t *testing.T) {
	for _, test := range []struct {
		op    uint64
		waits bool
	}{{sass.OpLDS, false}, {sass.OpMUFU, false}, {sass.OpLDG, true}, {sass.OpS2R, true}} {
		x := word(test.op, 0)
		s := &schedule{code: []instruction{x, x}, flow: flow{last: []int{1, 1}}, needs: newSets(2, 1)}
		var register sass.Registers
		register.Add(sass.General, 4, 1)
		s.tokens = []*token{{registers: register, guard: 7}}
		s.depend(1, sass.Registers{}, []sass.Registers{register, register}, s.byRegister())
		if s.needs[1].has(0) != test.waits {
			t.Errorf("%#x: depends %t", test.op, s.needs[1].has(0))
		}
	}
}

// MERC-134: of instructions on opposite conditions only one is done, if nothing between them changes these.
func TestOppositeConditions(t *testing.T) {
	const p0, notP0 = 0, 8
	register, predicate := sass.Registers{}, sass.Registers{P: 1}
	register.Add(sass.General, 4, 1)
	for _, between := range []sass.Registers{{}, predicate} {
		x := word(sass.OpLDG|notP0<<12, 0)
		s := &schedule{code: []instruction{x, x, x}, flow: flow{last: []int{2, 2, 2}}, needs: newSets(3, 1)}
		s.tokens = []*token{{registers: register, guard: p0}}
		s.depend(2, sass.Registers{}, []sass.Registers{register, between, register}, s.byRegister())
		if s.needs[2].has(0) != (between == predicate) {
			t.Errorf("%v between: depends %t", between, s.needs[2].has(0))
		}
	}
}

// MERC-155: the end of a block waits for what the round before left, but not where something of the
// block is pending too, and it is not sure where something from before the loop is.
func TestEndsInRound(t *testing.T) {
	s := &schedule{
		flow: flow{next: [][]int{{1}, {2}, {3}, {1, 4}, {}}, first: []int{0, 1, 1, 3, 4}, last: []int{0, 2, 2, 3, 4}},
		own:  newSets(5, 3), tokens: []*token{{number: 0, at: 0}, {number: 1, at: 1}, {number: 2, at: 3}},
	}
	s.own[2].add(1)
	for _, test := range []struct {
		pending           []int
		ends, waits, sure bool
	}{
		{[]int{2}, true, true, true},
		{[]int{0, 2}, true, true, false},
		{[]int{1, 2}, false, false, false},
		{[]int{0}, false, false, false},
	} {
		pending := newSet(3)
		for _, n := range test.pending {
			pending.add(n)
		}
		ends := s.endsInRound(2, pending)
		if ends != test.ends {
			t.Errorf("%v: ends in a round: %t", test.pending, ends)
		}
		if !ends {
			continue
		}
		if waits, sure := s.waitsInRound(2, pending); waits != test.waits || sure != test.sure {
			t.Errorf("%v: waits %t, sure %t", test.pending, waits, sure)
		}
	}
}
