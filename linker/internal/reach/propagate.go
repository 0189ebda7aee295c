package reach

import (
	"slices"

	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// Requirements propagate up the call graph. A kernel needs the registers, the stack and the
// barriers of all functions that it can reach (seed 002, "Propagation").

// A Propagated program knows what each kernel needs.
type Propagated struct {
	*Reached
	needs  []Needs // by entry
	Stacks *stackDepth
}

// Needs returns what a kernel needs.
func (p *Propagated) Needs(e *Entry) *Needs { return &p.needs[e.index] }

// Needs of a kernel.
type Needs struct {
	Registers uint32
	// Reconfigures is set if the number of registers changes while the kernel runs. The kernel then
	// keeps its own number, whatever functions it reaches (INFO-046).
	Reconfigures bool
	Stack        uint64 // bytes, modulo 2^32; stackUnknown when it depends on the input
}

// StackUnknown stands for a stack size that is not known. Attributes contain its low half.
const StackUnknown = 1<<64 - 1

// Kernels computes the needs of every kernel.
//
// Before the call, live functions are known. After the call, needs has one element for each kernel,
// and the program is unchanged. The time is linear in functions and calls, whereas nvlink walks
// every path.
func Kernels(r *Reached) *Propagated {
	p := &Propagated{Reached: r, needs: make([]Needs, len(r.Entries))}
	frames := make([]uint32, len(r.Functions))
	registers, _ := r.RegisterCounts()
	for _, a := range r.Attributes {
		if a.Owner != nil && a.Code == nvinfo.FrameSize {
			frames[a.Owner.Order] = a.Word(1)
		}
	}
	reconfiguring := functionsThatReconfigure(r.Functions)
	p.Stacks = NewStackDepth(&r.Graph, frames)
	for _, e := range r.Entries {
		n := p.Needs(e)
		switch {
		case e.Fn.StackUnknown:
			n.Stack = StackUnknown // STACK-880
		case e.LeftOut:
			n.Stack = uint64(frames[e.Fn.Order])
		default:
			n.Stack = p.Stacks.Of(int32(e.Fn.Order))
		}
		n.Registers = registers[e.Fn.Order]
		if n.Reconfigures = len(reconfiguring) > 0 && slices.ContainsFunc(e.Reachable(), reconfiguring.has); !n.Reconfigures {
			for _, fn := range e.Reachable() {
				if fn.Inside() != nil || fn.Text != nil && fn.Text.Size == 0 {
					continue // STACK-770, INFO-043
				}
				n.Registers = max(n.Registers, registers[fn.Order])
			}
		}
	}
	return p
}

// functionsThatReconfigure returns the functions with EIATTR_REG_RECONFIG.
func functionsThatReconfigure(functions []*program.Function) functionSet {
	found := functionSet{}
	for _, fn := range functions {
		if fn.Attributes.Has(nvinfo.RegReconfig) {
			found[fn] = true
		}
	}
	return found
}

type functionSet map[*program.Function]bool

func (s functionSet) has(fn *program.Function) bool { return s[fn] }

// A stackDepth computes the deepest stack below a node of the call graph. It visits each
// node once and does not recurse.
type stackDepth struct {
	graph  *CallGraph
	Frames []uint32
	Depth  []uint64
	State  []uint8 // of the walk
}

const (
	Unseen uint8 = iota
	Open
	Done
)

func NewStackDepth(g *CallGraph, frames []uint32) *stackDepth {
	return &stackDepth{g, frames, make([]uint64, len(g.Calls)), make([]uint8, len(g.Calls))}
}

// Of returns the largest sum of frames on a path from node n. It returns StackUnknown if a path
// leads back to a function on it (STACK-002).
func (d *stackDepth) Of(n int32) uint64 {
	type visit struct {
		node int32
		next int // index of the callee to look at next
	}
	if d.State[n] == Done {
		return d.Depth[n]
	}
	d.State[n] = Open
	path := []visit{{n, 0}}
	for len(path) > 0 {
		v := &path[len(path)-1]
		if v.next < len(d.graph.Calls[v.node]) {
			callee := d.graph.Calls[v.node][v.next]
			v.next++
			switch d.State[callee] {
			case Open:
				d.Depth[v.node] = StackUnknown
			case Done:
				d.Depth[v.node] = max(d.Depth[v.node], d.Depth[callee])
			default:
				d.State[callee] = Open
				path = append(path, visit{callee, 0})
			}
			continue
		}
		node := v.node
		if int(node) < len(d.Frames) && d.Depth[node] != StackUnknown {
			d.Depth[node] = uint64(uint32(d.Depth[node]) + d.Frames[node])
		}
		d.State[node] = Done
		path = path[:len(path)-1]
		if len(path) > 0 {
			caller := path[len(path)-1].node
			d.Depth[caller] = max(d.Depth[caller], d.Depth[node])
		}
	}
	return d.Depth[n]
}

// RegisterCounts returns the number of registers of each function's code, in the order of the
// functions. said reports for each whether the number comes from an attribute. Otherwise it comes
// from the section header of the code (INFO-043).
func (m *Reached) RegisterCounts() (counts []uint32, said []bool) {
	counts, said = make([]uint32, len(m.Functions)), make([]bool, len(m.Functions))
	for _, fn := range m.Functions {
		counts[fn.Order] = fn.RegInfo
	}
	for _, a := range m.Attributes {
		if a.Owner != nil && a.Code == nvinfo.RegCount {
			counts[a.Owner.Order], said[a.Owner.Order] = a.Word(1), true
		}
	}
	return counts, said
}
