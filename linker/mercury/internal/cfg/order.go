package cfg

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/machine"
)

// The finalizer visits the blocks of a function in an order of its own. Each block comes after its
// predecessors, except along back edges of loops (MERC-159). The code of a schedule is in that order.

// Order returns the instructions in the order in which the finalizer visits them. It is the reverse postorder
// of a depth-first search of their blocks. Unreachable blocks come last. A call ends a block, and one block
// number stays unused after it.
func (f Flow) Order(code []machine.Instr) []int {
	numbers := make([]int, len(f.Next)) // of blocks, by first instruction
	for first, number := 0, 0; first < len(f.Next); first = f.Last[first] + 1 {
		numbers[first] = number
		number++
		if code[f.Last[first]].IsCall() {
			number++
		}
	}
	type visit struct{ block, next int }
	left, seen := make([]int, 0, len(f.Next)), make([]bool, len(f.Next))
	path := []visit{{}}
	seen[0] = true
	for len(path) > 0 {
		at := &path[len(path)-1]
		next := bucketed(f.Next[f.Last[at.block]], numbers)
		if at.next == len(next) {
			left = append(left, at.block)
			path = path[:len(path)-1]
			continue
		}
		at.next++
		if to := next[at.next-1]; !seen[to] {
			seen[to] = true
			path = append(path, visit{block: to})
		}
	}
	slices.Reverse(left)
	for first := 0; first < len(f.Next); first = f.Last[first] + 1 {
		if !seen[first] {
			left = append(left, first)
		}
	}
	order := make([]int, 0, len(f.Next))
	for _, first := range left {
		for i := first; i <= f.Last[first]; i++ {
			order = append(order, i)
		}
	}
	return order
}

// bucketed returns blocks in the order in which the finalizer finds them in a table of eight buckets. The
// bucket follows from the last three bits of a block's number, of which two are inverted.
func bucketed(blocks, numbers []int) []int {
	if len(blocks) < 2 {
		return blocks
	}
	const turned, buckets = 5, 8
	sorted := slices.Clone(blocks)
	slices.SortStableFunc(sorted, func(a, b int) int { return (numbers[a]^turned)%buckets - (numbers[b]^turned)%buckets })
	return sorted
}

// Sort returns code and its flow with the instructions in the given order.
func (f Flow) Sort(code []machine.Instr, order []int) ([]machine.Instr, Flow) {
	at := make([]int, len(order))
	for k, i := range order {
		at[i] = k
	}
	sorted := make([]machine.Instr, len(order))
	g := Flow{make([][]int, len(order)), make([]int, len(order)), make([]int, len(order))}
	for k, i := range order {
		sorted[k], g.First[k], g.Last[k] = code[i], at[f.First[i]], at[f.Last[i]]
		for _, n := range f.Next[i] {
			g.Next[k] = append(g.Next[k], at[n])
		}
	}
	return sorted, g
}
