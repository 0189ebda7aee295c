package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// jump is a branch from instruction i to another one; always, or under a condition.
func jump(i, to int, always bool) instruction {
	x := word(0x0000000000000947, 0x000fea0003800000) // @P0 BRA
	if always {
		x.Low |= 7 << 12
	}
	return x.withDistance(int64(to-i-1) * InstructionSize)
}

// KIT-144: a loop is what a branch goes back to that nothing else leads into.
func TestLoops(t *testing.T) {
	for _, tt := range []struct {
		name string
		code []instruction
		want []loop
	}{
		{"none", []instruction{readID, jump(1, 3, false), multiply, end}, nil},
		{"one", []instruction{readID, multiply, jump(2, 1, false), end}, []loop{{1, []int{1}}}},
		{"with a way around", []instruction{readID, jump(1, 3, false), multiply, multiply, jump(4, 1, false), end}, []loop{{1, []int{1, 2, 3}}}},
		{"one in another", []instruction{readID, multiply, jump(2, 1, false), jump(3, 1, false), end}, []loop{{1, []int{1, 3}}}},
		{"back from code aside", []instruction{jump(0, 3, false), multiply, end, multiply, jump(4, 1, true)}, nil},
		{"entered in the middle", []instruction{jump(0, 2, false), multiply, multiply, jump(3, 1, false), end}, nil},
	} {
		f, known := flowOf(tt.code, nil)
		if !known {
			t.Fatal(tt.name)
		}
		if got := f.loops(); !slices.EqualFunc(got, tt.want, func(a, b loop) bool { return a.head == b.head && slices.Equal(a.blocks, b.blocks) }) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// KIT-144: before a loop what is back is waited for, but loads from memory; what comes round at the end of
// its first block.
func TestWaitsAtLoops(t *testing.T) {
	load := word(0x0000006402047981, 0x000fe2000c1e1900) // LDG R4, [R2.64]
	short := move(20, 21).WithStall(1)
	long := short.WithStall(15)
	for _, tt := range []struct {
		name  string
		code  []instruction
		at    int // the instruction
		waits bool
	}{
		{"back before it", []instruction{readID.WithWriteBarrier(0), long, long, long, short, jump(5, 4, false), end}, 3, true},
		{"not back", []instruction{readID.WithWriteBarrier(0), long, short, short, short, jump(5, 4, false), end}, 3, false},
		{"not back on the short way to it", []instruction{readID.WithWriteBarrier(0), jump(1, 5, false), long, long, long, short, short, jump(7, 6, false), end}, 5, false},
		{"back on both ways to it", []instruction{readID.WithWriteBarrier(0), long, long, jump(3, 5, false), short, short, short, jump(7, 6, false), end}, 5, true},
		{"a load", append(append([]instruction{load.WithWriteBarrier(0)}, slices.Repeat([]instruction{long}, 25)...), short, jump(27, 26, false), end), 25, false},
		{"no loop", []instruction{readID.WithWriteBarrier(0), long, long, long, short, jump(5, 6, false), end}, 5, false},
		{"from the round before", []instruction{short, short, jump(2, 4, false), short, readID.WithWriteBarrier(0), jump(5, 1, false), end}, 2, true},
		{"from the round before, beside what is not back", []instruction{readID.WithWriteBarrier(0).WithStall(2), short, jump(2, 4, false), short, readID.WithWriteBarrier(0), jump(5, 1, false), end}, 2, true},
		{"from the round before, beside a load", []instruction{load.WithWriteBarrier(0), short, jump(2, 4, false), short, readID.WithWriteBarrier(0), jump(5, 1, false), end}, 2, false},
		{"its own", []instruction{short, readID.WithWriteBarrier(0), long, jump(3, 1, false), end}, 3, false},
	} {
		s, known := scheduleOf(tt.code, nil, 100, goal{wasLean: true})
		if !known {
			t.Fatal(tt.name)
		}
		s = s.lean(false)
		a := s.newAllocation()
		for _, k := range s.tokens {
			a.count(k, k.board)
		}
		all := newSet(len(s.tokens))
		for _, k := range s.tokens {
			all.add(k.number)
		}
		if got, _ := a.waitsFor(tt.at, 0, all); got != tt.waits {
			t.Errorf("%s: waits %v", tt.name, got)
		}
	}
}

// KIT-145: code of a later compiler is taken by the rules of such.
func TestRecolourLater(t *testing.T) {
	code := []instruction{loadPointer.WithWriteBarrier(0), readID.WithWriteBarrier(1).WithStall(2), multiply.WithWaitMask(0b10), jump(3, 5, false), multiply.WithStall(15), end}
	recoloured, _, ok := recolour(code, nil, 100, goal{freesStack: true, wasLean: true})
	if !ok {
		t.Fatal("not explained")
	}
	if recoloured[0].WriteBarrier() != sass.NoBarrier || recoloured[1].WriteBarrier() != 0 || !recoloured[2].WaitsFor(0) || recoloured[2].WaitsFor(1) {
		t.Errorf("%x", recoloured)
	}
}

// KIT-144: where threads meet, and at a jump by a table, loads into uniform registers are waited for.
func TestMeetsWithUniform(t *testing.T) {
	load := word(0x00006b00ff0477ac, 0x000fe20008000a00).WithWriteBarrier(0) // LDCU.64 UR4
	byTable := word(0xfffffffc02a47949, 0x000fea000383ffff)        // BRX R2
	together := word(0x0000000000007948, 0x000fea0003800000)       // WARPSYNC.ALL
	for _, x := range []instruction{joins, byTable, together, multiply} {
		s, known := scheduleOf([]instruction{load, jump(1, 3, false), multiply, x, multiply, end}, map[int][]int{3: {4, 5}}, 100, goal{wasLean: true})
		if !known {
			t.Fatal("not known")
		}
		if got := s.lean(false).waits[3].has(0); got != (x.Op() != multiply.Op()) {
			t.Errorf("%#x waits: %v", x.Op(), got)
		}
	}
}
