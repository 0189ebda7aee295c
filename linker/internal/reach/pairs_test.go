package reach

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/culink/culink/linker/internal/program"
)

// A kernel set contains the kernels that were added, and yields the last one first. This holds for any number
// of kernels.
func TestKernelSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := make([]*Entry, rapid.IntRange(1, 2000).Draw(t, "kernels"))
		for i := range entries {
			entries[i] = &Entry{}
		}
		fn := &program.Function{Order: rapid.IntRange(0, 2).Draw(t, "function")}
		s := newKernelSet(entries, 3)
		step := rapid.IntRange(1, 50).Draw(t, "step")
		var want []*Entry
		for i := rapid.IntRange(0, 100).Draw(t, "first"); i < len(entries); i += step {
			s.add(fn.Order, i)
			want = append(want, entries[i])
		}
		slices.Reverse(want)
		if got := slices.Collect(s.Of(fn)); !slices.Equal(got, want) {
			t.Fatalf("%d kernels, want %d", len(got), len(want))
		}
		for range s.Of(fn) {
			break // the iteration may stop in the middle
		}
	})
}

// The functions that a kernel reaches are the same whether they are stored or found by a new walk. Other walks
// in between do not matter.
func TestWalkedAgain(t *testing.T) {
	const length = 3 * fewReached
	lines := graph{"a: f0", "b: f1"}
	for i := range length {
		lines = append(lines, fmt.Sprintf("f%d = f%d", i, i+1))
	}
	lines = append(lines, fmt.Sprintf("f%d =", length))
	p, _ := lines.build(t, program.Options{})
	r := Functions(p.Finish())
	for _, e := range r.Entries {
		if e.few != nil {
			t.Fatalf("%s keeps its list", e.Fn.Symbol.Name)
		}
	}
	first := slices.Clone(r.Entries[0].Reachable())
	second := slices.Clone(r.Entries[1].Reachable())
	if again := r.Entries[0].Reachable(); !slices.Equal(again, first) || len(first) != length+2 || len(second) != len(first)-1 {
		t.Errorf("%d, then %d functions; the other %d", len(first), len(again), len(second))
	}
}
