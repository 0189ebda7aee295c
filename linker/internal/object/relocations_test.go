package object

import (
	"slices"
	"testing"
	"time"
)

// One element of has may be too many, and one of want missing. Whatever else differs, nothing is left over (MERC-780). The time is
// linear, whatever the order.
func TestLeftOver(t *testing.T) {
	for _, tt := range []struct {
		has, want []uint64
		k         int
		value     uint64
		ok        bool
	}{
		{[]uint64{3, 9, 5}, []uint64{3, 5, 7}, 1, 7, true},
		{[]uint64{5, 5, 3}, []uint64{3, 5, 0}, 1, 0, true},
		{[]uint64{5, 3}, []uint64{3, 5, 5}, 0, 0, false},
		{[]uint64{5, 3, 1}, []uint64{5, 3, 7, 7}, 0, 0, false},
		{[]uint64{5, 3, 1}, []uint64{5, 3, 7, 8}, 0, 0, false},
		{[]uint64{5, 3}, []uint64{3, 5}, 0, 0, false},
		{[]uint64{1, 2, 5}, []uint64{3, 4, 5}, 0, 0, false},
		{[]uint64{1, 5}, []uint64{5}, 0, 0, false},
	} {
		if k, value, ok := leftOver(tt.has, tt.want); k != tt.k || value != tt.value || ok != tt.ok {
			t.Errorf("%d and %d: %d, %d, %t; want %d, %d, %t", tt.has, tt.want, k, value, ok, tt.k, tt.value, tt.ok)
		}
	}
	has := make([]uint64, 200000)
	for i := range has {
		has[i] = uint64(i)
	}
	want := slices.Clone(has)
	slices.Reverse(want)
	began := time.Now()
	leftOver(has, want)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%d elements take %v", len(has), took)
	}
}
