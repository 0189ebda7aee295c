package layout

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestListSortTies checks that lists of equal keys get the order that nvlink gives them (LAYOUT-001).
func TestListSortTies(t *testing.T) {
	for _, want := range [][]int{
		{0},
		{1, 0},
		{1, 0, 2},
		{1, 3, 0, 2},
		{1, 3, 2, 4, 0},
		{3, 5, 1, 4, 0, 6, 2},
		{5, 1, 7, 3, 4, 0, 6, 2},
	} {
		list := make([]int, len(want))
		for i := range list {
			list[i] = i
		}
		got := listSort(list, func(a, b int) bool { return false })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d equal keys: %s", len(want), diff)
		}
	}
}

// TestListSortSorts checks that the list is sorted and keeps its elements, whatever keys are equal
// (LAYOUT-001).
func TestListSortSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 40).Draw(t, "list")
		got := listSort(slices.Clone(list), func(a, b int) bool { return a < b })
		want := slices.Sorted(slices.Values(list))
		if diff := cmp.Diff(want, got); diff != "" && len(list) > 0 {
			t.Fatal(diff)
		}
	})
}
