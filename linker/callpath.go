package linker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Shortest paths in the call graph, from a set of functions to all others.
type callPaths struct {
	*laidOut
	caller   []int32 // by node: the node before it on its path; itself for a start
	distance []int32 // by node: calls on its path; -1 for none
}

// pathsFromKernels gives paths from the kernel that is nearest (REACH-501).
func (l *laidOut) pathsFromKernels() *callPaths {
	starts := make([]int32, 0, len(l.entries))
	for _, e := range l.entries {
		starts = append(starts, int32(e.fn.order))
	}
	return l.paths(starts)
}

func (l *laidOut) pathsFrom(fn *function) *callPaths { return l.paths([]int32{int32(fn.order)}) }

func (l *laidOut) paths(starts []int32) *callPaths {
	p := &callPaths{laidOut: l, caller: make([]int32, len(l.graph.calls)), distance: make([]int32, len(l.graph.calls))}
	for i := range p.distance {
		p.distance[i] = -1
	}
	for _, n := range starts {
		p.caller[n], p.distance[n] = n, 0
	}
	for queue := slices.Clone(starts); len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		for _, callee := range l.graph.calls[n] {
			if p.distance[callee] < 0 {
				p.caller[callee], p.distance[callee] = n, p.distance[n]+1
				queue = append(queue, callee)
			}
		}
	}
	return p
}

// length gives the calls on the path to fn; -1 when there is none.
func (p *callPaths) length(fn *function) int32 { return p.distance[fn.order] }

// to gives the path to fn as text.
func (p *callPaths) to(fn *function) string {
	nodes := []int32{int32(fn.order)}
	for n := nodes[0]; p.caller[n] != n; {
		n = p.caller[n]
		nodes = append(nodes, n)
	}
	slices.Reverse(nodes)
	return p.pathText(nodes)
}

// pathText writes a path; the nodes of prototypes show as calls through a pointer.
func (l *laidOut) pathText(nodes []int32) string {
	var b strings.Builder
	for i, n := range nodes {
		switch {
		case int(n) >= l.graph.count:
			b.WriteString(" -> (by pointer)")
		case i == 0:
			b.WriteString(l.functions[n].symbol.name)
		case int(nodes[i-1]) >= l.graph.count:
			b.WriteString(" " + l.functions[n].symbol.name)
		default:
			b.WriteString(" -> " + l.functions[n].symbol.name)
		}
	}
	return b.String()
}

// recursion gives a path from fn into a cycle and around it: the reason why nobody
// knows how much stack fn needs.
func (l *laidOut) recursion(fn *function) string {
	type visit struct {
		node int32
		next int
	}
	state := make([]uint8, len(l.graph.calls))
	stack := []visit{{int32(fn.order), 0}}
	state[fn.order] = open
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		if v.next == len(l.graph.calls[v.node]) {
			state[v.node] = done
			stack = stack[:len(stack)-1]
			continue
		}
		callee := l.graph.calls[v.node][v.next]
		v.next++
		switch state[callee] {
		case unseen:
			state[callee] = open
			stack = append(stack, visit{callee, 0})
		case open:
			nodes := make([]int32, 0, len(stack)+1)
			for _, v := range stack {
				nodes = append(nodes, v.node)
			}
			return l.pathText(append(nodes, callee)) + ", and so on"
		}
	}
	return "a frame of unknown size"
}

// deepest shows how the stack of fn adds up on the path that needs most; nothing
// when fn calls nothing that has a frame.
func (l *laidOut) deepest(fn *function) string {
	nodes := []int32{int32(fn.order)}
	for n := nodes[0]; ; {
		calls := l.graph.calls[n]
		if len(calls) == 0 {
			break
		}
		n = slices.MaxFunc(calls, func(a, b int32) int { return cmp.Compare(l.stacks.depth[a], l.stacks.depth[b]) })
		if l.stacks.depth[n] == 0 {
			break
		}
		nodes = append(nodes, n)
	}
	if len(nodes) == 1 {
		return ""
	}
	var frames []string
	for _, n := range nodes {
		if int(n) < l.graph.count {
			frames = append(frames, fmt.Sprint(l.stacks.frames[n]))
		}
	}
	return fmt.Sprintf(" on the path %s: %s", l.pathText(nodes), strings.Join(frames, " + "))
}
