package mercury

import "testing"

// KIT-061.
func TestStallFences(t *testing.T) {
	fence := instruction{0x0000000000007992, 0x000fc00000008000}
	steps := stepsOf(fence, fence, end)
	if !stallFences(steps) || steps[0].high>>scheduleStart&0x1f != fenceStall|yields || steps[1].instruction != fence {
		t.Errorf("%#x, %#x", steps[0].high, steps[1].high)
	}
}

// KIT-060: a branch waits for what it needs alone, and what needs a token for that.
func TestBranchesWaitForWhatTheyNeed(t *testing.T) {
	code := []instruction{readID.counts(0).stalls(2), loadTwo.counts(1).stalls(15), mayExit.awaits(0b10), mayExit, multiply.awaits(0b1), end}
	lean, ok := recolour(code, nil, 100, goal{lean: true})
	if !ok {
		t.Fatal("not explained")
	}
	for i, want := range []uint64{0, 0, 0, 0, 0b11, 0} {
		if got := lean[i].high >> waitMask & 0x3f; got != want {
			t.Errorf("instruction %d waits for %06b, want %06b", i, got, want)
		}
	}
}

// KIT-062: the fence after another one waits for it.
func TestCountsFences(t *testing.T) {
	fence := instruction{0x0000000000007992, 0x000fec0000008000}
	counted, ok := recolour([]instruction{fence, fence, end}, nil, 100, goal{lean: true, countsFences: true})
	if !ok || counted[0].reads() != 0 || !counted[1].waitsFor(0) {
		t.Errorf("%v %v", ok, counted)
	}
}

// KIT-063: results are counted, and an operand that the function may not return before it is read.
func TestCountsDoubles(t *testing.T) {
	add := instruction{0x0000000604047229, 0x000fd00000000000} // DADD R4, R4, R6
	counted, ok := recolour([]instruction{add, add, end}, nil, 100, goal{lean: true, countsDoubles: true})
	if !ok || counted[0].writes() == noScoreboard || !counted[1].waitsFor(int(counted[0].writes())) || counted[0].reads() != noScoreboard {
		t.Errorf("%v %x", ok, counted)
	}
}

// KIT-144: a loop within does not end the search for a way round on which nothing waits.
func TestGoesRound(t *testing.T) {
	short := move(20, 21).stalls(1)
	wait := multiply.awaits(0b1) // for readID
	for _, tt := range []struct {
		name string
		code []instruction
		want bool
	}{
		{"nothing waits", []instruction{readID.counts(0), short, jump(2, 7, false), short, jump(4, 3, false), short, jump(6, 1, true), end}, true},
		{"all wait", []instruction{readID.counts(0), short, jump(2, 7, false), short, jump(4, 3, false), wait, jump(6, 1, true), end}, false},
		{"one way waits", []instruction{readID.counts(0), short, jump(2, 7, false), jump(3, 5, false), wait, short, jump(6, 1, true), end}, true},
	} {
		s, known := scheduleOf(tt.code, nil, 100, goal{wasLean: true})
		if !known {
			t.Fatal(tt.name)
		}
		a := s.lean().newAllocation()
		for _, k := range a.tokens {
			a.count(k, k.board)
		}
		if got := a.goesRound(2, 0, a.loops[2]); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
