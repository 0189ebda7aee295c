package layout

import "testing"

// LAYOUT-112: operands follow constants of the sizes that nvlink compares, and of 4 and 8 bytes with no other alignment.
func TestFollows(t *testing.T) {
	for _, tt := range []struct {
		size, align uint64
		want        bool
	}{{4, 4, true}, {4, 8, false}, {8, 8, true}, {8, 4, false}, {8, 16, false}, {12, 16, true}, {16, 8, true}, {20, 4, true}, {28, 4, false}, {64, 8, true}, {128, 8, false}} {
		if got := follows(tt.size, tt.align); got != tt.want {
			t.Errorf("%d bytes aligned to %d: %v", tt.size, tt.align, got)
		}
	}
}
