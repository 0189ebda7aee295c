package idle

import (
	"slices"
	"testing"
)

// Take returns the resource that was added last. Empty ends each of the others once.
func TestList(t *testing.T) {
	var l List[int]
	if v, ok := l.Take(); ok {
		t.Errorf("an empty list has %d", v)
	}
	for i := range 3 {
		l.Put(i)
	}
	if v, ok := l.Take(); v != 2 || !ok {
		t.Errorf("took %d, %v; want 2", v, ok)
	}
	var ended []int
	for range 2 {
		l.Empty(func(v int) { ended = append(ended, v) })
	}
	if !slices.Equal(ended, []int{1, 0}) {
		t.Errorf("ended %v", ended)
	}
}
