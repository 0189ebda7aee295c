package reach

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/culink/culink/linker/internal/program"
)

// A small input can have very many pairs of a kernel and a function that it reaches. For example, a thousand
// kernels that call a thousand functions through a pointer make a million pairs. No phase therefore keeps a
// list of all pairs. If a kernel reaches many functions, the call graph is walked again each time. The
// kernels that reach a function are stored as a bit set, or as a list if that is shorter.

// fewReached is the maximum length of a kernel's stored list of functions.
const fewReached = 64

// A walker walks the call graph from any kernel. It can be used any number of times.
type walker struct {
	functions []*program.Function
	calls     [][]int32
	visited   []int32 // by node, the walk that saw it last
	walks     int32
	stack     []int32
	found     []*program.Function // of the last walk
}

func newWalker(functions []*program.Function, g *CallGraph) *walker {
	return &walker{functions: functions, calls: g.Calls, visited: make([]int32, len(g.Calls)), walks: 1}
}

// from returns the functions that can be reached from node from, beginning with its own. The result is valid
// until the next walk.
func (w *walker) from(from int) []*program.Function {
	w.walks++
	return w.on(from)
}

// on continues the last walk from another node. It returns the functions that were not visited before.
func (w *walker) on(from int) []*program.Function {
	w.found = w.found[:0]
	w.stack = append(w.stack[:0], int32(from))
	for len(w.stack) > 0 {
		n := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if w.visited[n] == w.walks {
			continue
		}
		w.visited[n] = w.walks
		if int(n) < len(w.functions) {
			w.found = append(w.found, w.functions[n])
		}
		w.stack = append(w.stack, w.calls[n]...)
	}
	return w.found
}

// Reachable returns the functions that the kernel reaches, in depth-first order, beginning with the kernel.
// The result is valid until the next walk.
func (e *Entry) Reachable() []*program.Function {
	if e.few != nil {
		return e.few
	}
	return e.walker.from(e.Fn.Order)
}

// A KernelSet holds kernels for each function.
type KernelSet struct {
	entries []*Entry
	few     [][]int32  // by order of function: indices of entries, rising
	many    [][]uint64 // bits, if a list would be longer or all bit sets are small
}

// fewWords limits the size of a bit set for all kernels. Up to this number of words, a set is allocated for
// every function at the start.
const fewWords = 4

func newKernelSet(entries []*Entry, functions int) *KernelSet {
	s := &KernelSet{entries: entries, many: make([][]uint64, functions)}
	words := s.words()
	if words > fewWords {
		s.few = make([][]int32, functions)
		return s
	}
	bits := make([]uint64, functions*words)
	for fn := range s.many {
		s.many[fn] = bits[fn*words:][:words:words]
	}
	return s
}

// words returns the number of words in a bit set for all kernels.
func (s *KernelSet) words() int { return (len(s.entries) + 63) / 64 }

// Callers returns the kernels that reach each function.
func (r *Reached) Callers() *KernelSet {
	if r.callers == nil {
		r.callers = r.CallersThat(func(e *Entry, _ *program.Function) bool { return !e.LeftOut })
	}
	return r.callers
}

// Takers yields the kernels that inherit the attributes of fn, the last one first. These are the kernels that
// reach fn by calls. If fn is a kernel, it is included only if its calls lead back to it (INFO-060).
func (r *Reached) Takers(fn *program.Function) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for e := range r.Callers().Of(fn) {
			if (e.Fn != fn || r.Recurses(e)) && !yield(e) {
				return
			}
		}
	}
}

// Recurses reports whether calls of kernel e lead back to it.
func (r *Reached) Recurses(e *Entry) bool {
	if r.called == nil {
		r.called = make([]bool, len(r.Graph.Calls))
		for _, callees := range r.Graph.Calls {
			for _, n := range callees {
				r.called[n] = true
			}
		}
	}
	if !r.called[e.Fn.Order] {
		return false
	}
	w := newWalker(r.Functions, &r.Graph)
	for _, n := range r.Graph.Calls[e.Fn.Order] {
		w.on(int(n))
	}
	return w.visited[e.Fn.Order] == w.walks
}

// CallersThat returns the kernels that reach each function. It includes only pairs for which count returns
// true.
func (r *Reached) CallersThat(count func(e *Entry, fn *program.Function) bool) *KernelSet {
	s := newKernelSet(r.Entries, len(r.Functions))
	for i, e := range r.Entries {
		for _, fn := range e.Reachable() {
			if count(e, fn) {
				s.add(fn.Order, i)
			}
		}
	}
	return s
}

// add adds a kernel to the set of a function. The kernel's index must be greater than those added before.
func (s *KernelSet) add(fn, entry int) {
	if s.many[fn] == nil {
		if few := s.few[fn]; 4*len(few) < max(64, len(s.entries)/8) {
			s.few[fn] = append(few, int32(entry))
			return
		}
		s.many[fn] = make([]uint64, s.words())
		for _, i := range s.few[fn] {
			s.many[fn][i/64] |= 1 << (i % 64)
		}
		s.few[fn] = nil
	}
	s.many[fn][entry/64] |= 1 << (entry % 64)
}

// Of yields the kernels of a function, the last created first. nvlink visits them in that order.
func (s *KernelSet) Of(fn *program.Function) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		if s.few != nil {
			for _, i := range slices.Backward(s.few[fn.Order]) {
				if !yield(s.entries[i]) {
					return
				}
			}
		}
		many := s.many[fn.Order]
		for i := len(many) - 1; i >= 0; i-- {
			for word := many[i]; word != 0; {
				bit := 63 - bits.LeadingZeros64(word)
				word &^= 1 << bit
				if !yield(s.entries[64*i+bit]) {
					return
				}
			}
		}
	}
}
