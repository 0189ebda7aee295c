package cfg

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// diamond returns a flow in which a branch splits and joins again. It has before blocks in sequence, then two
// blocks, one of which follows the last of them, and one more block. Each block has two instructions.
func diamond(before int) Flow {
	blocks := before + 3
	f := Flow{make([][]int, 2*blocks), make([]int, 2*blocks), make([]int, 2*blocks)}
	for b := range blocks {
		f.First[2*b], f.First[2*b+1], f.Last[2*b], f.Last[2*b+1] = 2*b, 2*b, 2*b+1, 2*b+1
		f.Next[2*b] = []int{2*b + 1}
		if b+1 < blocks {
			f.Next[2*b+1] = []int{2*b + 2}
		}
	}
	f.Next[2*before-1] = []int{2 * before, 2*before + 2}
	f.Next[2*before+1] = []int{2*before + 4}
	return f
}

// The order of the two blocks after a branch depends on their numbers. A block that follows both comes after
// both. The expected numbers are from 26 programs linked by nvlink (MERC-159).
func TestBlockOrder(t *testing.T) {
	targetFirst := []int{1, 5, 7, 9, 13, 15, 17, 21, 23, 25}
	for before := 1; before <= 26; before++ {
		order := diamond(before).Order(make([]machine.Instr, 2*before+6))
		at := slices.Index(order, 2*before)
		if first := order[at-2] == 2*before+2; first != slices.Contains(targetFirst, before) {
			t.Errorf("%d blocks before: the target of the branch comes first: %t", before, first)
		}
		if last := len(order) - 2; order[last] != 2*before+4 || order[last+1] != 2*before+5 {
			t.Errorf("%d blocks before: %v", before, order)
		}
	}
}

// After a call one block number stays unused. nvlink therefore orders two blocks after one or two calls as it
// does after one or two more blocks (MERC-159).
func TestBlockOrderAfterCalls(t *testing.T) {
	for before := 3; before <= 26; before++ {
		for calls := range 3 {
			code := make([]machine.Instr, 2*before+6)
			for c := range calls {
				code[2*c+1].Low = sass.OpCALLAbs
			}
			targetFirst := func(before int, code []machine.Instr) bool {
				order := diamond(before).Order(code)
				return order[slices.Index(order, 2*before)-2] == 2*before+2
			}
			if want := targetFirst(before+calls, make([]machine.Instr, 2*(before+calls)+6)); targetFirst(before, code) != want {
				t.Errorf("%d blocks before, %d of which end in calls: the target of the branch comes first: %t", before, calls, !want)
			}
		}
	}
}

// Blocks that no other block leads to come last. The code after a loop comes after the loop (MERC-159).
func TestOrderOfLoops(t *testing.T) {
	f := Flow{Next: [][]int{{1}, {2}, {1, 4}, {3}, {}}, First: []int{0, 1, 1, 3, 4}, Last: []int{0, 2, 2, 3, 4}}
	order := f.Order(make([]machine.Instr, len(f.Next)))
	if want := []int{0, 1, 2, 4, 3}; !slices.Equal(order, want) {
		t.Fatalf("order is %v, want %v", order, want)
	}
	code := make([]machine.Instr, len(order))
	for i := range code {
		code[i].Low = uint64(i)
	}
	sorted, g := f.Sort(code, order)
	if sorted[3].Low != 4 || sorted[4].Low != 3 || !slices.Equal(g.Next[2], []int{1, 3}) || !slices.Equal(g.Next[4], []int{4}) {
		t.Errorf("sorted to %v with %v", sorted, g.Next)
	}
}
