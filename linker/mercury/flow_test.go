package mercury

import (
	"slices"
	"testing"
)

// MERC-154: code goes on from an indirect branch to where the attributes say, and blocks begin
// there; without these nothing is known.
func TestFlowOfIndirectBranches(t *testing.T) {
	branch := word(0xfffffffc02a87949, 0x000fea000383ffff) // BRX
	conditional := branch
	conditional.Low &^= 0xf << 12 // @P0
	for _, test := range []struct {
		name    string
		branch  instruction
		targets map[int][]int
		want    []int // where it goes on; nil when not known
	}{
		{"no table", branch, nil, nil},
		{"the table of another branch", branch, map[int][]int{3: {4}}, nil},
		{"beyond the code", branch, map[int][]int{1: {2, 6}}, nil},
		{"two places", branch, map[int][]int{1: {3, 5}}, []int{3, 5}},
		{"under a condition", conditional, map[int][]int{1: {3, 5}}, []int{2, 3, 5}},
	} {
		code := []instruction{readID, test.branch, readID, multiply, readID, end}
		f, known := flowOf(code, test.targets)
		if known != (test.want != nil) {
			t.Errorf("%s: known: %t", test.name, known)
			continue
		}
		if !known {
			continue
		}
		if !slices.Equal(f.next[1], test.want) {
			t.Errorf("%s: goes on at %v, want %v", test.name, f.next[1], test.want)
		}
		if first := []int{0, 0, 2, 3, 3, 5}; !slices.Equal(f.first, first) {
			t.Errorf("%s: blocks begin at %v, want %v", test.name, f.first, first)
		}
	}
}

// MERC-133: a block ends where a warp begins to do something together, and where that ends; what
// is back at the first of these is not waited for there (MERC-134).
func TestCollectiveBlocks(t *testing.T) {
	beginCollective := word(0x0000000000007948, 1<<(86-64)|0x000fea0003800000)
	endCollective := word(0x000000000000791b, 0x000fea0003800000)
	if !beginCollective.collective() {
		t.Fatal("WARPSYNC.COLLECTIVE is not known")
	}
	code := []instruction{loadPointer.WithWriteBarrier(0), readID.WithWriteBarrier(1), multiply.WithStall(15), multiply.WithStall(15), multiply.WithStall(15), multiply.WithStall(15), beginCollective, readID.WithWriteBarrier(2), endCollective, end}
	s, ok := scheduleOf(code, nil, 100, goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	if first := []int{0, 0, 0, 0, 0, 0, 0, 7, 7, 9}; !slices.Equal(s.flow.first, first) {
		t.Errorf("blocks begin at %v, want %v", s.flow.first, first)
	}
	if s.flush[6].some() {
		t.Error("what is back where a warp begins to do something together is waited for")
	}
}

// MERC-162: a WARPSYNC ends a block where a BAR comes later in it, before another one.
func TestMeetsAtBarrier(t *testing.T) {
	warpsync, bar := word(0x7948, 0), word(0x7b1d, 0)
	exit := word(0x000000000000794d, 0x000fea0003800000)
	for _, tt := range []struct {
		name string
		code []instruction
		want []int // the first instructions of blocks
	}{
		{"at once", []instruction{nop, warpsync, bar, exit}, []int{0, 0, 2, 2}},
		{"later", []instruction{nop, warpsync, nop, bar, exit}, []int{0, 0, 2, 2, 2}},
		{"never", []instruction{nop, warpsync, nop, exit}, []int{0, 0, 0, 0}},
		{"behind another one", []instruction{warpsync, warpsync, bar, exit}, []int{0, 0, 2, 2}},
	} {
		f, _ := flowOf(tt.code, nil)
		f = f.endingAt(func(i int) bool { return f.meetsAtBarrier(tt.code, i) })
		if !slices.Equal(f.first, tt.want) {
			t.Errorf("%s: blocks begin at %v, want %v", tt.name, f.first, tt.want)
		}
		for i, first := range f.first {
			if last := f.last[i]; f.first[last] != first || last+1 < len(f.first) && f.first[last+1] != last+1 {
				t.Errorf("%s: the block of instruction %d ends at %d", tt.name, i, last)
			}
		}
	}
}
