package program

import "unsafe"

// A slab makes values of one type that live as long as the program, many at once: they lie side
// by side, and cost the allocator little.
type slab[T any] struct {
	room []T // for the next ones
	next int // how many are made at once then
}

// The number of values that are made at once doubles from slabLeast on, until they fill slabBytes:
// of a piece that is not whole pages up to an eighth is lost.
const (
	slabLeast = 16
	slabBytes = 64 << 10
)

// make returns a place with value in it.
func (s *slab[T]) make(value T) *T {
	if len(s.room) == 0 {
		s.next = min(max(slabLeast, 2*s.next), slabBytes/int(unsafe.Sizeof(value)))
		s.room = make([]T, s.next)
	}
	made := &s.room[0]
	s.room = s.room[1:]
	*made = value
	return made
}
