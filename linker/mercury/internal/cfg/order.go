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
	left := f.reversePostorder(func(block int) []int { return bucketed(f.Next[f.Last[block]], numbers) })
	reachable := make([]bool, len(f.Next))
	for _, first := range left {
		reachable[first] = true
	}
	for first := 0; first < len(f.Next); first = f.Last[first] + 1 {
		if !reachable[first] {
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

// reversePostorder returns the reachable blocks in the reverse postorder of a depth-first search from the entry,
// which visits the successors of a block in the order of next. Blocks are identified by their first instruction.
func (f Flow) reversePostorder(next func(block int) []int) (order []int) {
	type visit struct {
		block int
		left  []int // successors that are not visited yet
	}
	seen := make([]bool, len(f.Next))
	path := []visit{{0, next(0)}}
	seen[0] = true
	for len(path) > 0 {
		at := &path[len(path)-1]
		if len(at.left) == 0 {
			order = append(order, at.block)
			path = path[:len(path)-1]
			continue
		}
		to := at.left[0]
		at.left = at.left[1:]
		if !seen[to] {
			seen[to] = true
			path = append(path, visit{to, next(to)})
		}
	}
	slices.Reverse(order)
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
