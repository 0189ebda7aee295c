package cfg

import (
	"slices"
)

// A Loop is a natural loop. Its blocks lead back to its head, and control enters the loop only at the head.
type Loop struct {
	Head   int   // the first instruction of its first block
	Blocks []int // the first instructions of its blocks, in ascending order
}

// Has reports whether instruction i of a flow is in the loop.
func (l Loop) Has(f Flow, i int) bool {
	_, ok := slices.BinarySearch(l.Blocks, f.First[i])
	return ok
}

// Loops returns the loops of a flow, one for each head, in the order of the heads.
func (f Flow) Loops() (list []Loop) {
	before := f.blocksBefore()
	order := f.fromEntry()
	above := f.dominators(order, before)
	for _, head := range order {
		l := Loop{Head: head}
		var todo []int
		for _, b := range before[head] {
			if f.dominates(head, b, above) {
				todo = append(todo, b)
			}
		}
		if todo == nil {
			continue
		}
		l.Blocks = []int{head}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !slices.Contains(l.Blocks, b) {
				l.Blocks = append(l.Blocks, b)
				todo = append(todo, before[b]...)
			}
		}
		slices.Sort(l.Blocks)
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b Loop) int { return a.Head - b.Head })
	return list
}

// blocksBefore returns, for each block, the blocks that lead to it. Blocks are identified by their first
// instruction.
func (f Flow) blocksBefore() [][]int {
	before := make([][]int, len(f.Next))
	for b := 0; b < len(f.Next); b = f.Last[b] + 1 {
		for _, n := range f.Next[f.Last[b]] {
			before[n] = append(before[n], b)
		}
	}
	return before
}

// fromEntry returns the reachable blocks, each after its predecessors. Back edges of loops are exceptions to
// this order.
func (f Flow) fromEntry() []int {
	return f.reversePostorder(func(block int) []int { return f.Next[f.Last[block]] })
}

// dominators returns the immediate dominator of each block: the nearest other block that is on every path to
// it. Blocks are identified by their first instruction. The result is the entry itself for the entry, and -1
// for an unreachable block.
func (f Flow) dominators(order []int, before [][]int) []int {
	number, above := make([]int, len(f.Next)), make([]int, len(f.Next))
	for i := range above {
		above[i] = -1
	}
	for n, b := range order {
		number[b] = n
	}
	above[0] = 0
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			common := -1
			for _, p := range before[b] {
				switch {
				case above[p] < 0:
				case common < 0:
					common = p
				default:
					for q := p; common != q; {
						for number[common] > number[q] {
							common = above[common]
						}
						for number[q] > number[common] {
							q = above[q]
						}
					}
				}
			}
			if above[b] != common {
				above[b], changed = common, true
			}
		}
	}
	return above
}

// dominates reports whether every path to b goes through a.
func (f Flow) dominates(a, b int, above []int) bool {
	for above[b] >= 0 {
		if a == b {
			return true
		}
		if b == above[b] {
			return false
		}
		b = above[b]
	}
	return false
}
