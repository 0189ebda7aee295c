package constpool

import "testing"

// An alignment of 0 means no alignment.
func TestAligned(t *testing.T) {
	for _, test := range []struct {
		offset, align uint64
		want          bool
	}{{3, 0, true}, {3, 1, true}, {3, 2, false}, {6, 2, true}, {6, 4, false}} {
		if got := aligned(test.offset, test.align); got != test.want {
			t.Errorf("offset %d, alignment %d: %v", test.offset, test.align, got)
		}
	}
}
