package program

import (
	"iter"
	"slices"
)

// A FrontList is a list to which nvlink pushes at the front, so that it is read last
// pushed first. It is stored in the order of pushing.
type FrontList[T any] []T

// Push puts v at the front.
func (l *FrontList[T]) Push(v T) { push((*[]T)(l), v) }

// All yields the elements as the list holds them, last pushed first.
func (l FrontList[T]) All() iter.Seq2[int, T] { return slices.Backward(l) }

// push appends v to a list that may become long. Its room doubles: append alone, which adds a
// quarter, leaves four times the list behind as garbage.
func push[T any](list *[]T, v T) {
	if len(*list) == cap(*list) {
		*list = slices.Grow(*list, len(*list))
	}
	*list = append(*list, v)
}
