package mercury

import "slices"

// The finalizer goes through the blocks of a function in an order of its own (MERC-159): each after
// those that lead to it, but for loops. A schedule has its code in that order.

// order returns the instructions in the order in which the finalizer goes through them: the reverse
// of that in which a search in depth leaves their blocks. Blocks that nothing leads to come last. Behind a call, which
// ends a block, a number stays free.
func (f flow) order(code []instruction) []int {
	numbers := make([]int, len(f.next)) // of blocks, by first instruction
	for first, number := 0, 0; first < len(f.next); first = f.last[first] + 1 {
		numbers[first] = number
		number++
		if code[f.last[first]].isCall() {
			number++
		}
	}
	type visit struct{ block, next int }
	left, seen := make([]int, 0, len(f.next)), make([]bool, len(f.next))
	path := []visit{{}}
	seen[0] = true
	for len(path) > 0 {
		at := &path[len(path)-1]
		next := bucketed(f.next[f.last[at.block]], numbers)
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
	for first := 0; first < len(f.next); first = f.last[first] + 1 {
		if !seen[first] {
			left = append(left, first)
		}
	}
	order := make([]int, 0, len(f.next))
	for _, first := range left {
		for i := first; i <= f.last[first]; i++ {
			order = append(order, i)
		}
	}
	return order
}

// bucketed returns blocks in the order in which the finalizer finds them in a table of eight
// buckets: by the last three bits of their numbers, two of them turned round.
func bucketed(blocks, numbers []int) []int {
	if len(blocks) < 2 {
		return blocks
	}
	const turned, buckets = 5, 8
	sorted := slices.Clone(blocks)
	slices.SortStableFunc(sorted, func(a, b int) int { return (numbers[a]^turned)%buckets - (numbers[b]^turned)%buckets })
	return sorted
}

// sort returns code and its flow with the instructions in an order.
func (f flow) sort(code []instruction, order []int) ([]instruction, flow) {
	at := make([]int, len(order))
	for k, i := range order {
		at[i] = k
	}
	sorted := make([]instruction, len(order))
	g := flow{make([][]int, len(order)), make([]int, len(order)), make([]int, len(order))}
	for k, i := range order {
		sorted[k], g.first[k], g.last[k] = code[i], at[f.first[i]], at[f.last[i]]
		for _, n := range f.next[i] {
			g.next[k] = append(g.next[k], at[n])
		}
	}
	return sorted, g
}
