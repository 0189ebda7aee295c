package program

import (
	"iter"
	"slices"
)

// A FrontList is a list to whose front nvlink adds elements, so that it is read in reverse order. It is stored
// in the order in which the elements were added.
type FrontList[T any] []T

// Push prepends v.
func (l *FrontList[T]) Push(v T) { push((*[]T)(l), v) }

// All yields the elements in the order of the list: the last added first.
func (l FrontList[T]) All() iter.Seq2[int, T] { return slices.Backward(l) }

// push appends v to a list that may become long. It doubles the capacity of the list. append alone grows a
// long list by a quarter, and then leaves four times the list as garbage.
func push[T any](list *[]T, v T) {
	if len(*list) == cap(*list) {
		*list = slices.Grow(*list, len(*list))
	}
	*list = append(*list, v)
}
