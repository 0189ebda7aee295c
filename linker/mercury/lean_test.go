package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// KIT-061.
func TestStallFences(t *testing.T) {
	fence := word(0x0000000000007992, 0x000fc00000008000)
	steps := stepsOf(fence, fence, end)
	if !stallFences(steps) || steps[0].Stall() != fenceStall || steps[0].Yields() || steps[1].instruction != fence {
		t.Errorf("%#x, %#x", steps[0].High, steps[1].High)
	}
}

// KIT-061: without optimisation a fence waits and is counted as the one behind it.
func TestScheduleFences(t *testing.T) {
	fence := word(0x0000000000007992, 0x000fc00000008000)
	scheduled := fence.WithReadBarrier(1).WithWaitMask(0b11).withBoundedStall(15)
	steps := stepsOf(fence, fence, scheduled, end)
	if !scheduleFences(steps) || steps[0].instruction != scheduled || steps[1].instruction != scheduled || steps[2].instruction != scheduled {
		t.Errorf("%v", steps)
	}
	if scheduleFences(stepsOf(fence, fence, end)) {
		t.Error("fences without a schedule change")
	}
}

// KIT-060: a branch waits for what it needs alone, and what needs a token for that.
func TestBranchesWaitForWhatTheyNeed(t *testing.T) {
	code := []instruction{readID.WithWriteBarrier(0).WithStall(2), loadTwo.WithWriteBarrier(1).WithStall(15), mayExit.WithWaitMask(0b10), mayExit, multiply.WithWaitMask(0b1), end}
	lean, _, ok := recolour(code, nil, 100, goal{lean: true})
	if !ok {
		t.Fatal("not explained")
	}
	for i, want := range []uint64{0, 0, 0, 0, 0b11, 0} {
		if got := lean[i].WaitMask(); got != want {
			t.Errorf("instruction %d waits for %06b, want %06b", i, got, want)
		}
	}
}

// KIT-062: the fence after another one waits for it.
func TestCountsFences(t *testing.T) {
	fence := word(0x0000000000007992, 0x000fec0000008000)
	counted, _, ok := recolour([]instruction{fence, fence, end}, nil, 100, goal{lean: true, countsFences: true})
	if !ok || counted[0].ReadBarrier() != 0 || !counted[1].WaitsFor(0) {
		t.Errorf("%v %v", ok, counted)
	}
}

// KIT-063: results are counted, and an operand that the function may not return before it is read.
func TestCountsDoubles(t *testing.T) {
	add := word(0x0000000604047229, 0x000fd00000000000) // DADD R4, R4, R6
	counted, _, ok := recolour([]instruction{add, add, end}, nil, 100, goal{lean: true, countsDoubles: true})
	if !ok || counted[0].WriteBarrier() == sass.NoBarrier || !counted[1].WaitsFor(counted[0].WriteBarrier()) || counted[0].ReadBarrier() != sass.NoBarrier {
		t.Errorf("%v %x", ok, counted)
	}
}

// KIT-063: so are operands where nothing in the block needs the results.
func TestCountsOperands(t *testing.T) {
	add := word(0x0000000604047229, 0x000fd00000000000) // DADD R4, R4, R6
	for _, tt := range []struct {
		name string
		code []instruction
		want bool
	}{
		{"needed", []instruction{add, add, mayExit, end}, false},
		{"not needed", []instruction{add, mayExit, end}, true},
		{"needed in another block", []instruction{add, mayExit, add, end}, true},
	} {
		counted, _, ok := recolour(tt.code, nil, 100, goal{lean: true, countsDoubles: true})
		if got := ok && counted[0].ReadBarrier() != sass.NoBarrier; got != tt.want {
			t.Errorf("%s: operands are counted: %v", tt.name, got)
		}
	}
}

// KIT-177: what is counted stalls for a cycle more where the next one waits for it, and that for one less, as far as it may.
func TestPaceDoubles(t *testing.T) {
	add := word(0x0000000604047229, 0x000fc00000000000).WithStall(1) // DADD R4, R4, R6
	store := word(0x0000000402007986, 0x000fe2000c101b04)         // STG.E.64 desc[UR4][R2.64], R4
	for _, tt := range []struct {
		name string
		next instruction // after the addition; it waits for it
		want int
	}{
		{"memory reads it in time", move(20, 21).WithStall(6), 5},
		{"what stands between takes as long", multiply.WithStall(5), 5},
		{"not explained", move(20, 21).WithStall(9), 9},
	} {
		code := []instruction{add, tt.next, store, end}
		steps := stepsOf(add.WithWriteBarrier(0), tt.next.WithWaitMask(1), store, end)
		if m := newMap(len(code), padded(len(code)), steps); !m.paceDoubles(steps, code, Function{Input: 100}) {
			t.Errorf("%s: nothing changed", tt.name)
		}
		if got := [...]int{steps[0].Stall(), steps[1].Stall()}; got != [...]int{2, tt.want} {
			t.Errorf("%s: stalls for %v, want 2 and %d", tt.name, got, tt.want)
		}
	}
}

// KIT-144: a loop within does not end the search for a way round on which nothing waits.
func TestGoesRound(t *testing.T) {
	short := move(20, 21).WithStall(1)
	wait := multiply.WithWaitMask(0b1) // for readID
	for _, tt := range []struct {
		name string
		code []instruction
		want bool
	}{
		{"nothing waits", []instruction{readID.WithWriteBarrier(0), short, jump(2, 7, false), short, jump(4, 3, false), short, jump(6, 1, true), end}, true},
		{"all wait", []instruction{readID.WithWriteBarrier(0), short, jump(2, 7, false), short, jump(4, 3, false), wait, jump(6, 1, true), end}, false},
		{"one way waits", []instruction{readID.WithWriteBarrier(0), short, jump(2, 7, false), jump(3, 5, false), wait, short, jump(6, 1, true), end}, true},
	} {
		s, known := scheduleOf(tt.code, nil, 100, goal{wasLean: true})
		if !known {
			t.Fatal(tt.name)
		}
		a := s.lean(false).newAllocation()
		for _, k := range a.tokens {
			a.count(k, k.board)
		}
		if got := a.goesRound(2, 0, a.loops[2]); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// KIT-060: what a result loses that nothing in its block depends on, beside one that began before it.
func TestLossOfResult(t *testing.T) {
	constant := loadPointer.into(10)
	id, other := readID.into(10), readID.into(12)
	use := add(50, 10, 0)
	useBoth := add(51, 12, 1)
	short := move(20, 21).WithStall(1)
	for _, tt := range []struct {
		name string
		code []instruction // its instructions 0 and 1 are the other one and the result
		want int
	}{
		{"the block behind, by MERC-159, needs the other", []instruction{id.WithStall(1), other.WithStall(1), jump(2, 5, false), short, end, use, use, end}, 31},
		{"one further on does", []instruction{id.WithStall(1), other.WithStall(1), jump(2, 5, false), use, end, short, end}, 0},
		{"it is needed there", []instruction{id.WithStall(1), other.WithStall(1), jump(2, 5, false), short, end, use, useBoth, end}, 25},
		{"and back long before", []instruction{id.WithStall(15), other.WithStall(15), short.WithStall(15), short.WithStall(15), jump(4, 6, false), end, useBoth, end}, -33},
		{"something in the block does", []instruction{id.WithStall(1), other.WithStall(15), short.WithStall(15), use, jump(4, 6, false), end, useBoth, end}, 1},
		{"and the result is back by then", []instruction{id.WithStall(1), other.WithStall(15), short.WithStall(15), short.WithStall(15), use, jump(5, 7, false), end, useBoth, end}, 0},
		{"it is back by the end, and the other is not", []instruction{constant.WithStall(1), other.WithStall(15), short.WithStall(15), short.WithStall(3), jump(4, 6, false), end, useBoth, end}, 9},
		{"one way on, on which it is needed", []instruction{id.WithStall(15), other.WithStall(15), short.WithStall(10), jump(3, 4, true).WithStall(5), useBoth, end}, -13},
	} {
		code := slices.Clone(tt.code)
		code[0], code[1] = code[0].WithWriteBarrier(0), code[1].WithWriteBarrier(1)
		s, known := scheduleOf(code, nil, 100, goal{wasLean: true})
		if !known {
			t.Fatal(tt.name)
		}
		a := s.lean(false).newAllocation()
		for _, k := range a.tokens {
			a.count(k, k.board)
		}
		if got := a.loss(a.tokens[1], a.tokens[:1], false); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}
