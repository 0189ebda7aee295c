package emit

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/internal/program"
)

// byOffset is an index that finds the relocations of a section by their offsets.
type byOffset []*program.Relocation // by rising offset; equal offsets in the order of the section

// indexByOffset returns an index of list. The elements of list must not move while it is used.
func indexByOffset(list []program.Relocation) byOffset {
	index := make(byOffset, len(list))
	for i := range list {
		index[i] = &list[i]
	}
	compare := func(a, b *program.Relocation) int { return cmp.Compare(a.Offset, b.Offset) }
	if !slices.IsSortedFunc(index, compare) { // most lists are
		slices.SortStableFunc(index, compare)
	}
	return index
}

// at returns the last relocation at offset, or nil if there is none.
func (x byOffset) at(offset uint64) *program.Relocation {
	after, _ := slices.BinarySearchFunc(x, offset, func(r *program.Relocation, at uint64) int {
		if r.Offset <= at {
			return -1
		}
		return 1
	})
	if after == 0 || x[after-1].Offset != offset {
		return nil
	}
	return x[after-1]
}
