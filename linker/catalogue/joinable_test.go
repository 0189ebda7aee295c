package catalogue_test

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/catalogue"
)

// TestIsJoinable checks that parts of constants are compared by size and alignment (EMIT-016).
func TestIsJoinable(t *testing.T) {
	for _, test := range []struct {
		size, align uint64
		want        bool
	}{{4, 4, true}, {4, 8, false}, {8, 8, true}, {8, 4, false}, {12, 4, true}, {64, 1, true}, {28, 4, false}, {0, 0, false}} {
		if got := catalogue.IsJoinable(test.size, test.align); got != test.want {
			t.Errorf("size %d, alignment %d: %v", test.size, test.align, got)
		}
	}
	var sizes []uint64
	for size := range uint64(100) {
		if catalogue.IsJoinable(size, size) {
			sizes = append(sizes, size)
		}
	}
	if want := []uint64{4, 8, 12, 16, 20, 24, 32, 48, 64}; !slices.Equal(sizes, want) {
		t.Errorf("sizes %v, want %v", sizes, want)
	}
}
