package hazard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// Code is entered at its start, at instructions without a predecessor, and at the targets of calls.
func TestBegins(t *testing.T) {
	nop := sasstest.Asm("NOP")
	branch := sasstest.Asm("[B------:R-:W-:-:S05] @P0 BRA 0x0")
	put(&branch, 16, 8, 0xf8)
	put(&branch, 34, 47, 1<<47-1)
	code := []sass.Instruction{nop, branch, exit, nop, nop, exit}
	f := flowOf(code, 100, nil)
	for _, tt := range []struct {
		calls map[int][]int
		want  []int
	}{{nil, []int{0, 3}}, {map[int][]int{4: {1}, 5: {1, 2}}, []int{0, 3, 4, 5}}} {
		if got := f.begins(code, tt.calls); !slices.Equal(got, tt.want) {
			t.Errorf("calls %v: %v, want %v", tt.calls, got, tt.want)
		}
	}
}

// Flow finds the possible successors of each instruction, and their conditions (MERC-141).
func TestFlow(t *testing.T) {
	const sm = 100
	nop := sasstest.Asm("NOP")
	jump := func(low, high uint64) sass.Instruction { // over the next instruction
		return sass.Instruction{Low: low&^(0xff<<16) | 4<<16, High: high}
	}
	onP1 := func(x sass.Instruction) sass.Instruction { x.Low = x.Low&^(0xf<<12) | 1<<12; return x }
	guarded := func(x sass.Instruction, g uint64) sass.Instruction { put(&x, 12, 4, g); return x }
	uniform := func(x sass.Instruction) sass.Instruction { put(&x, 32, 2, 1); return x }
	branch := jump(0x7947, 0x000fea0003800000)
	call := jump(0x7944, 0x000fea0003c00000)
	for _, test := range []struct {
		name string
		x    sass.Instruction
		want []edge
	}{
		{"nothing", nop, []edge{{1, always}}},
		{"BRA", branch, []edge{{2, always}}},
		{"BRA on a condition", onP1(branch), []edge{{2, 1}, {1, 1 ^ 8}}},
		{"BRA on another condition", setField(branch, 87, 4, 2), []edge{{2, always}, {1, always}}},
		{"WARPSYNC", jump(0x7948, 0x000fea0003800000), []edge{{1, always}}},
		{"WARPSYNC.COLLECTIVE", setField(jump(0x7948, 0x000fea0003800000), 86, 1, 1), []edge{{2, always}, {1, always}}},
		{"a call from which nothing returns", call, []edge{{2, always}}},
		{"such a call on a condition", onP1(call), []edge{{2, 1}, {1, 1 ^ 8}}},
		{"BRA on the opposite of a condition", guarded(branch, 9), []edge{{2, 9}, {1, 1}}},
		{"BRA of a part of a warp", uniform(branch), []edge{{2, always}, {1, always}}},
		{"BRA with the bit behind its condition", setField(branch, 91, 1, 1), []edge{{2, always}}},
		{"such a call on the opposite", guarded(call, 9), []edge{{2, 9}, {1, 1}}},
		{"EXIT on the opposite of a condition", guarded(exit, 9), []edge{{1, 1}}},
		{"EXIT with the bit behind its condition", setField(exit, 91, 1, 1), nil},
		{"EXIT", exit, nil},
		{"EXIT on a condition", onP1(exit), []edge{{1, 1 ^ 8}}},
	} {
		f := flowOf([]sass.Instruction{test.x, nop, exit}, sm, nil)
		if got := f.next[0]; !slices.Equal(got, test.want) || len(f.bad) > 0 {
			t.Errorf("%s: %v, want %v; %d bad", test.name, got, test.want, len(f.bad))
		}
		for _, e := range test.want {
			if e.to == 2 && !f.leader[2] {
				t.Errorf("%s: no block begins where it goes", test.name)
			}
		}
	}
	outside := branch
	outside.Low |= 12 << 16
	if f := flowOf([]sass.Instruction{outside, nop, exit}, sm, nil); len(f.bad) != 1 {
		t.Errorf("a branch out of the function: %v", f.next[0])
	}
	collective := setField(jump(0x7948, 0x000fea0003800000), 86, 1, 1)
	collective.Low |= 12 << 16
	if f := flowOf([]sass.Instruction{collective, nop, exit}, sm, nil); len(f.bad) != 1 {
		t.Errorf("all threads go out of the function: %v", f.next[0])
	}
	if f := flowOf([]sass.Instruction{exit}, sm, nil); !f.leader[0] || len(f.next[0]) > 0 {
		t.Errorf("one instruction: %v", f.next[0])
	}
	last := onP1(call)
	put(&last, 16, 8, 0xf8) // two instructions back
	put(&last, 34, 47, 1<<47-1)
	if f := flowOf([]sass.Instruction{exit, last}, sm, nil); len(f.next[1]) != 1 || f.next[1][0] != (edge{0, 1}) || !f.leader[2] {
		t.Errorf("a call at the end: %v", f.next[1])
	}
}
