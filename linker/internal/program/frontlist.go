package program

import (
	"iter"
	"slices"
)

// A FrontList is a list to which nvlink prepends, so that it is read in reverse order. It is stored in the
// order of pushing.
type FrontList[T any] []T

// Push prepends v.
func (l *FrontList[T]) Push(v T) { push((*[]T)(l), v) }

// All yields the elements in the order of the list, last pushed first.
func (l FrontList[T]) All() iter.Seq2[int, T] { return slices.Backward(l) }

// push appends v to a list that may become long. Its capacity doubles. append alone adds a quarter, and leaves
// four times the list as garbage.
func push[T any](list *[]T, v T) {
	if len(*list) == cap(*list) {
		*list = slices.Grow(*list, len(*list))
	}
	*list = append(*list, v)
}
