package sound

import (
	"slices"
	"testing"
)

// A section that is the copy of itself, or of a copy, has no plain section: isContent would not end.
func TestCopiesOfCopies(t *testing.T) {
	for _, test := range [][2][]uint32{
		{{0, 3, 4, 0, 0}, {0, 3, 4, 0, 0}},
		{{0, 1, 3, 0}, {0, 0, 3, 0}},
		{{0, 2, 1, 0}, {0, 0, 0, 0}},
		{{0, 2, 3, 0}, {0, 0, 3, 0}},
	} {
		if got := withoutChains(test[0]); !slices.Equal(got, test[1]) {
			t.Errorf("%v: %v, want %v", test[0], got, test[1])
		}
	}
}
