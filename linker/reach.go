package linker

import (
	"fmt"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
)

// A reached program knows which functions a link keeps, and which of them each
// kernel can get to.
type reached struct {
	*merged
	graph   callGraph
	entries []*entry // live kernels, by order of creation
	entryOf map[*function]*entry
	lone    *entry // the only one that the options choose, if so: taken to reach every function (INFO-207)
}

// An entry is a kernel with everything that it can get to.
type entry struct {
	fn        *function
	reachable []*function // depth first, the kernel itself first
	leftOut   bool        // by the options: it stays, but offers nothing to what it calls (REACH-031)

	common    []*sharedObject // shared memory of several kernels that it reaches
	localised []*sharedObject // and of it alone, outside of its own code
	dynamic   []dynamicKey    // uses of extern __shared__ that it reaches
}

// A callGraph gives, by order of function, who may be called. A call through a
// pointer goes to every function of the same prototype whose address is taken,
// in whatever input; a node for each prototype stands between, so that the graph
// stays linear in callers and targets (REACH-007).
type callGraph struct {
	calls [][]int32 // by node: functions first, then prototypes
	count int       // of functions
}

// reach marks the functions that an entry can get to, and drops the rest.
//
// Before: m holds every function of every input and the calls between them.
// After:  every function that stays is not dead; nothing refers to a dead one
// but debug information, which relocate clears.
//
// Roots are the kernels, or those that the options choose (REACH-010), and functions whose address stands in kept data
// (REACH-003). With -g, -r and --preserve-relocs nothing is dropped (REACH-004).
// Cost: linear in functions, calls and relocations, and in the pairs of kernel
// and function that it reaches.
func reach(m *merged) *reached {
	r := &reached{merged: m, graph: m.buildCallGraph(), entryOf: map[*function]*entry{}}
	lone := m.loneKernel()
	if !m.options.keepsDeadCode() {
		r.markDead(lone)
	}
	visited := make([]int32, len(r.graph.calls))
	for _, fn := range m.functions {
		if !fn.entry || fn.dead || fn.text == nil {
			continue
		}
		e := &entry{fn: fn}
		r.entries = append(r.entries, e)
		r.entryOf[fn] = e
		switch {
		case m.options.Relocatable, fn == lone, lone == nil && (m.chosen(fn) || fn.takenAs != nil):
			e.reachable = r.walk(fn.order, visited, int32(len(r.entries)))
		default:
			e.reachable, e.leftOut = []*function{fn}, true
		}
		if fn == lone {
			r.lone = e
		}
	}
	return r
}

func (o *Options) keepsDeadCode() bool { return o.Debug || o.Relocatable || o.PreserveRelocs }

func (m *merged) buildCallGraph() callGraph {
	g := callGraph{calls: make([][]int32, len(m.functions)), count: len(m.functions)}
	nodes := map[string]int32{}
	node := func(prototype string) int32 {
		n, ok := nodes[prototype]
		if !ok {
			n = int32(len(g.calls))
			nodes[prototype] = n
			g.calls = append(g.calls, nil)
		}
		return n
	}
	for _, fn := range m.functions {
		for _, callee := range fn.calls {
			g.calls[fn.order] = append(g.calls[fn.order], int32(callee.order))
		}
		for _, prototype := range fn.callsVia {
			g.calls[fn.order] = append(g.calls[fn.order], node(prototype))
		}
		if fn.takenAs != nil {
			n := node(*fn.takenAs)
			g.calls[n] = append(g.calls[n], int32(fn.order))
		}
	}
	return g
}

// walk gives the functions that node from gets to, itself first. visited holds
// the stamp of the walk that saw a node last.
func (r *reached) walk(from int, visited []int32, stamp int32) []*function {
	var found []*function
	stack := []int32{int32(from)}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if visited[n] == stamp {
			continue
		}
		visited[n] = stamp
		if int(n) < r.graph.count {
			found = append(found, r.functions[n])
		}
		stack = append(stack, r.graph.calls[n]...)
	}
	return found
}

// checkAliases ends the link when an alias lives without its function, or dies without
// it: nvlink loses the symbol then (REACH-040).
func checkAliases(r *reached, log *diag.Log) bool {
	for _, fn := range r.functions {
		if fn.symbol.alias != nil && fn.dead != fn.symbol.alias.fn.dead {
			log.Add(diag.New(diag.InternalError, reloc.Deleted.Fault()).Because(
				fmt.Errorf("alias %s of %s: only one of them is reached", fn.symbol.name, fn.symbol.alias.name)))
			return false
		}
	}
	return true
}

// markDead drops the functions that no kernel gets to by calls, unless their
// address is taken anywhere, be it in dead code (REACH-003). What only such a
// function calls is dropped all the same: nothing can call it (REACH-005). That of a
// kernel stays, unless there is a lone one (REACH-031). An undefined function stays for
// the message when a function that stays calls it.
func (r *reached) markDead(lone *function) {
	live := make([]bool, len(r.functions))
	visited := make([]int32, len(r.graph.calls))
	for _, fn := range r.functions {
		if fn.entry && r.selects(fn) {
			for _, callee := range r.walk(fn.order, visited, 1) {
				live[callee.order] = true
			}
		}
	}
	for _, fn := range r.functions {
		if fn.takenAs == nil {
			continue
		}
		if fn.entry && lone == nil {
			for _, callee := range r.walk(fn.order, visited, 1) {
				live[callee.order] = true
			}
		}
		fn.uncalled = !live[fn.order]
		live[fn.order] = true
	}
	for _, fn := range r.functions {
		if !live[fn.order] {
			continue
		}
		for _, callee := range fn.calls {
			if callee.undefined() {
				live[callee.order] = true
			}
		}
	}
	for _, fn := range r.functions {
		if fn.text == nil && fn.entry {
			continue // a kernel that nothing defines is always missed (REACH-041)
		}
		if !live[fn.order] {
			fn.dead = true
			if fn.text != nil && r.options.Trace != nil {
				r.options.trace(removesSection, fn.text.name, r.number(fn.text))
				r.traceDeadConstants(fn)
			}
			fn.symbol.hidden, fn.symbol.unnamed = true, true
		}
	}
}

// traceDeadConstants tells of the compiler's constants of a dead function when other
// functions of its name have some too: those stay.
func (r *reached) traceDeadConstants(fn *function) {
	s := fn.compilerConstants()
	if s == nil {
		return
	}
	for _, other := range r.sections {
		if other != s && other.name == s.name {
			r.options.trace(deadConstantsElsewhere, s.name)
			return
		}
	}
}
