package program

import "unsafe"

// A slab allocates values of one type in blocks, which costs less than single allocations. The
// values live as long as the program.
type slab[T any] struct {
	room []T // for the next ones
	made int // how many there are, those for the next ones too
}

// The number of values that are made at once is half of those that there are, from slabLeast on until they fill slabBytes: of
// a piece that is not whole pages up to an eighth is lost. A small link in a process that makes many of them is mostly
// allocation, so that little room is left over.
const (
	slabLeast = 8
	slabBytes = 64 << 10
)

// make returns a place with value in it.
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
