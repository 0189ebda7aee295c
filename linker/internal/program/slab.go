package program

import "unsafe"

// A slab allocates values of one type in blocks, which costs less than single allocations. The
// values live as long as the program.
type slab[T any] struct {
	room []T // for the next values
	made int // number of values, including those in room
}

// Each block contains half as many values as already exist, at least slabLeast and at most slabBytes bytes. For
// an allocation that is not a multiple of the page size, up to an eighth is wasted. A small link in a process
// that makes many of them is dominated by allocation, so little space is left unused.
const (
	slabLeast = 8
	slabBytes = 64 << 10
)

// make returns a pointer to a new copy of value.
func (s *slab[T]) make(value T) *T {
	if len(s.room) == 0 {
		s.room = make([]T, min(max(slabLeast, s.made/2), slabBytes/int(unsafe.Sizeof(value))))
		s.made += len(s.room)
	}
	made := &s.room[0]
	s.room = s.room[1:]
	*made = value
	return made
}
