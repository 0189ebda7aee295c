package linker

import (
	"github.com/culink/culink/linker/nvinfo"
)

// Requirements go up the call graph: a kernel needs the registers, the stack and
// the barriers of everything that it can get to (seed 002, "Propagation").

// A propagated program knows what each kernel needs.
type propagated struct {
	*reached
	needs  map[*entry]*needs
	stacks *stackDepth

	uncounted []*entry // kernels that say no number of registers, in the order in which they got one
}

// needs of a kernel.
type needs struct {
	registers uint32
	stack     uint64 // bytes, modulo 2^32; stackUnknown when it depends on the input
	cached    bool   // its loads are to be cached
}

// stackUnknown is no number of bytes; its low half is what attributes say for it.
const stackUnknown = 1<<64 - 1

// propagate computes the needs of every kernel.
//
// Before: live functions are known.
// After:  needs holds one value for each kernel; nothing is written yet.
// Cost: linear in functions and calls (nvlink walks every path).
func propagate(r *reached) *propagated {
	p := &propagated{reached: r, needs: map[*entry]*needs{}}
	frames := make([]uint32, len(r.functions))
	registers, _ := r.registerCounts()
	for _, a := range r.attributes {
		if a.owner != nil && a.Code == nvinfo.FrameSize {
			frames[a.owner.order] = a.Word(1)
		}
	}
	p.stacks = newStackDepth(&r.graph, frames)
	for _, e := range r.entries {
		n := &needs{stack: uint64(frames[e.fn.order])}
		if !e.leftOut {
			n.stack = p.stacks.of(int32(e.fn.order))
		}
		for _, fn := range e.reachable {
			n.registers = max(n.registers, registers[fn.order])
		}
		p.needs[e] = n
	}
	return p
}

// A stackDepth finds the deepest stack below a node of the call graph, each node
// once, without recursion of its own.
type stackDepth struct {
	graph  *callGraph
	frames []uint32
	depth  []uint64
	state  []uint8 // of the walk
}

const (
	unseen uint8 = iota
	open
	done
)

func newStackDepth(g *callGraph, frames []uint32) *stackDepth {
	return &stackDepth{g, frames, make([]uint64, len(g.calls)), make([]uint8, len(g.calls))}
}

// of gives the largest sum of frames on a path from node n; stackUnknown when a
// path comes back to a function that is on it (STACK-002).
func (d *stackDepth) of(n int32) uint64 {
	type visit struct {
		node int32
		next int // index of the callee to look at next
	}
	if d.state[n] == done {
		return d.depth[n]
	}
	d.state[n] = open
	path := []visit{{n, 0}}
	for len(path) > 0 {
		v := &path[len(path)-1]
		if v.next < len(d.graph.calls[v.node]) {
			callee := d.graph.calls[v.node][v.next]
			v.next++
			switch d.state[callee] {
			case open:
				d.depth[v.node] = stackUnknown
			case done:
				d.depth[v.node] = max(d.depth[v.node], d.depth[callee])
			default:
				d.state[callee] = open
				path = append(path, visit{callee, 0})
			}
			continue
		}
		node := v.node
		if int(node) < len(d.frames) && d.depth[node] != stackUnknown {
			d.depth[node] = uint64(uint32(d.depth[node]) + d.frames[node])
		}
		d.state[node] = done
		path = path[:len(path)-1]
		if len(path) > 0 {
			caller := path[len(path)-1].node
			d.depth[caller] = max(d.depth[caller], d.depth[node])
		}
	}
	return d.depth[n]
}
