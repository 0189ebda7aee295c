package mercury

import "testing"

// A schedule that an earlier step has made too short becomes longer, and one that was too short in the input stays.
func TestMend(t *testing.T) {
	adds := word(0x0000000504047210, 0x000fca0007ffe0ff) // IADD3 R4, R4, R5, RZ, which stalls for 5 cycles
	shorter := adds.withBoundedStall(2)
	code := []instruction{adds, adds, nop}
	for _, tt := range []struct {
		name     string
		was, is  []instruction
		want     []int
		changing bool
	}{
		{"as it was", code, code, []int{5, 5}, false},
		{"too short", code, []instruction{shorter, adds, nop}, []int{4, 5}, true},
		{"too short in the input", []instruction{shorter, adds, nop}, []instruction{shorter.withBoundedStall(1), adds, nop}, []int{1, 5}, false},
	} {
		steps := stepsOf(tt.is...)
		m := newMap(len(tt.was), padded(len(tt.was)), steps)
		if got := m.mend(steps, tt.was, Function{Input: 120}); got != tt.changing {
			t.Errorf("%s: changed %v", tt.name, got)
		}
		for i, want := range tt.want {
			if got := steps[i].Stall(); got != want {
				t.Errorf("%s: instruction %d stalls for %d cycles, want %d", tt.name, i, got, want)
			}
		}
	}
}

// What cannot stall for longer leaves that to the one before, in the same block.
func TestStallLonger(t *testing.T) {
	long := nop.withBoundedStall(longestStall)
	steps := stepsOf(nop.withBoundedStall(1), long)
	if !stallLonger(steps) || steps[0].Stall() != 2 || steps[1].Stall() != longestStall {
		t.Errorf("%d and %d", steps[0].Stall(), steps[1].Stall())
	}
	if stallLonger(stepsOf(long, long)) {
		t.Error("nothing can stall for longer")
	}
	if stallLonger(stepsOf(nop.withBoundedStall(1), calls.withBoundedStall(longestStall))) {
		t.Error("a call is the end of a block")
	}
}
