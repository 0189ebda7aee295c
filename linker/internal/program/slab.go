package program

import "unsafe"

// A slab allocates values of one type in blocks, which costs less than single allocations. The
// values live as long as the program.
type slab[T any] struct {
	room []T // for the next values
	made int // number of values, including those in room
}

// Each block has space for half as many values as exist already, but at least slabLeast values and at most
// slabBytes bytes. An allocation that is not a multiple of the page size wastes up to an eighth. In a process
// that makes many small links, allocation takes most of the time, so that blocks waste little.
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
