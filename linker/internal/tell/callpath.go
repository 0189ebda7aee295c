package tell

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/explain"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
)

// callPaths holds the shortest paths in the call graph from a set of functions to all others.
type callPaths struct {
	*layout.Placed
	caller   []int32 // by node: the previous node on its path; a start has itself
	distance []int32 // by node: number of calls on its path; -1 without a path
}

// pathsFromKernels returns the path to each function from the nearest kernel (REACH-501).
func pathsFromKernels(l *layout.Placed) *callPaths {
	starts := make([]int32, 0, len(l.Entries))
	for _, e := range l.Entries {
		starts = append(starts, int32(e.Fn.Order))
	}
	return paths(l, starts)
}

func pathsFrom(l *layout.Placed, fn *program.Function) *callPaths {
	return paths(l, []int32{int32(fn.Order)})
}

func paths(l *layout.Placed, starts []int32) *callPaths {
	p := &callPaths{Placed: l, caller: make([]int32, len(l.Graph.Calls)), distance: make([]int32, len(l.Graph.Calls))}
	for i := range p.distance {
		p.distance[i] = -1
	}
	for _, n := range starts {
		p.caller[n], p.distance[n] = n, 0
	}
	for queue := slices.Clone(starts); len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for _, callee := range l.Graph.Calls[n] {
			if p.distance[callee] < 0 {
				p.caller[callee], p.distance[callee] = n, p.distance[n]+1
				queue = append(queue, callee)
			}
		}
	}
	return p
}

// length returns the number of calls on the path to fn, or -1 if there is no path.
func (p *callPaths) length(fn *program.Function) int32 { return p.distance[fn.Order] }

// to returns the path to fn.
func (p *callPaths) to(fn *program.Function) explain.Path {
	nodes := []int32{int32(fn.Order)}
	for n := nodes[0]; p.caller[n] != n; {
		n = p.caller[n]
		nodes = append(nodes, n)
	}
	slices.Reverse(nodes)
	return pathOf(p.Placed, nodes)
}

// pathOf returns the path along nodes. After a node of a prototype, the next step is a call through a
// pointer.
func pathOf(l *layout.Placed, nodes []int32) (path explain.Path) {
	for i, n := range nodes {
		if int(n) < l.Graph.Count {
			byPointer := i > 0 && int(nodes[i-1]) >= l.Graph.Count
			path = append(path, explain.Step{Name: l.Functions[n].Symbol.Name, ByPointer: byPointer})
		}
	}
	return path
}

// recursion returns a path from fn into a cycle of the call graph and around it. The cycle explains
// why the stack size of fn is unknown. If the reason is a frame of unknown size instead, the path is
// empty.
func recursion(l *layout.Placed, fn *program.Function) explain.Path {
	type visit struct {
		node int32
		next int
	}
	state := make([]uint8, len(l.Graph.Calls))
	stack := []visit{{int32(fn.Order), 0}}
	state[fn.Order] = reach.Open
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		if v.next == len(l.Graph.Calls[v.node]) {
			state[v.node] = reach.Done
			stack = stack[:len(stack)-1]
			continue
		}
		callee := l.Graph.Calls[v.node][v.next]
		v.next++
		switch state[callee] {
		case reach.Unseen:
			state[callee] = reach.Open
			stack = append(stack, visit{callee, 0})
		case reach.Open:
			nodes := make([]int32, 0, len(stack)+1)
			for _, v := range stack {
				nodes = append(nodes, v.node)
			}
			return pathOf(l, append(nodes, callee))
		}
	}
	return nil
}

// deepest returns, as nodes, the path from fn that needs the most stack. The path ends where no
// further function has a frame.
func deepest(l *layout.Placed, fn *program.Function) []int32 {
	nodes := []int32{int32(fn.Order)}
	for n := nodes[0]; ; {
		calls := l.Graph.Calls[n]
		if len(calls) == 0 {
			return nodes
		}
		n = slices.MaxFunc(calls, func(a, b int32) int { return cmp.Compare(l.Stacks.Depth[a], l.Stacks.Depth[b]) })
		if l.Stacks.Depth[n] == 0 {
			return nodes
		}
		nodes = append(nodes, n)
	}
}

// deepestPath returns the path of deepest, with the frame sizes along it.
func deepestPath(l *layout.Placed, fn *program.Function) (path explain.Path, frames []uint32) {
	nodes := deepest(l, fn)
	for _, n := range nodes {
		if int(n) < l.Graph.Count {
			frames = append(frames, l.Stacks.Frames[n])
		}
	}
	return pathOf(l, nodes), frames
}
