package tell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
)

// Shortest paths in the call graph, from a set of functions to all others.
type callPaths struct {
	*layout.Placed
	caller   []int32 // by node: the node before it on its path; itself for a start
	distance []int32 // by node: calls on its path; -1 for none
}

// pathsFromKernels returns paths from the kernel that is nearest (REACH-501).
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

// length returns the calls on the path to fn; -1 when there is none.
func (p *callPaths) length(fn *program.Function) int32 { return p.distance[fn.Order] }

// to returns the path to fn as text.
func (p *callPaths) to(fn *program.Function) string {
	nodes := []int32{int32(fn.Order)}
	for n := nodes[0]; p.caller[n] != n; {
		n = p.caller[n]
		nodes = append(nodes, n)
	}
	slices.Reverse(nodes)
	return pathText(p.Placed, nodes)
}

// pathText writes a path; the nodes of prototypes show as calls through a pointer.
func pathText(l *layout.Placed, nodes []int32) string {
	var b strings.Builder
	for i, n := range nodes {
		switch {
		case int(n) >= l.Graph.Count:
			b.WriteString(" -> (by pointer)")
		case i == 0:
			b.WriteString(l.Functions[n].Symbol.Name)
		case int(nodes[i-1]) >= l.Graph.Count:
			b.WriteString(" " + l.Functions[n].Symbol.Name)
		default:
			b.WriteString(" -> " + l.Functions[n].Symbol.Name)
		}
	}
	return b.String()
}

// recursion returns a path from fn into a cycle and around it: the reason why nobody
// knows how much stack fn needs.
func recursion(l *layout.Placed, fn *program.Function) string {
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
			return pathText(l, append(nodes, callee)) + ", and so on"
		}
	}
	return "a frame of unknown size"
}

// deepest shows how the stack of fn adds up on the path that needs most; nothing
// when fn calls nothing that has a frame.
func deepest(l *layout.Placed, fn *program.Function) string {
	nodes := []int32{int32(fn.Order)}
	for n := nodes[0]; ; {
		calls := l.Graph.Calls[n]
		if len(calls) == 0 {
			break
		}
		n = slices.MaxFunc(calls, func(a, b int32) int { return cmp.Compare(l.Stacks.Depth[a], l.Stacks.Depth[b]) })
		if l.Stacks.Depth[n] == 0 {
			break
		}
		nodes = append(nodes, n)
	}
	if len(nodes) == 1 {
		return ""
	}
	var frames []string
	for _, n := range nodes {
		if int(n) < l.Graph.Count {
			frames = append(frames, fmt.Sprint(l.Stacks.Frames[n]))
		}
	}
	return fmt.Sprintf(" on the path %s: %s", pathText(l, nodes), strings.Join(frames, " + "))
}
