package reach

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// Parameters returns the kernel's constant bank 0.
func (e *Entry) Parameters() *program.Section {
	return e.Fn.Own(cubin.ParameterPrefix)
}

// A Reached program has the functions that a link keeps, and which of them each kernel can reach.
type Reached struct {
	*program.Program
	Graph   CallGraph
	Entries []*Entry // live kernels, by order of creation
	entryOf []*Entry // by order of function; nil if not a live kernel
	Lone    *Entry   // the only kernel that the options select, if exactly one: assumed to reach every function (INFO-207)
	callers *KernelSet
	called  []bool // by node of the graph; nil until first needed
}

// EntryOf returns the live kernel of fn, or nil if fn is not one.
func (r *Reached) EntryOf(fn *program.Function) *Entry {
	if fn == nil {
		return nil
	}
	return r.entryOf[fn.Order]
}

// An Entry is a kernel with the functions that it can reach.
type Entry struct {
	Fn      *program.Function
	LeftOut bool // not selected by the options: it stays, but does not count as reaching its callees (REACH-031, REACH-032)

	index  int                 // in Reached.Entries
	few    []*program.Function // the functions that it reaches; nil: too many to store
	walker *walker
}

// A CallGraph lists, for each function, the functions that it may call. A call through a pointer may reach
// every function of the same prototype whose address is taken in any input. Such calls pass through a node
// for each prototype. The size of the graph is therefore linear in callers and targets (REACH-007).
type CallGraph struct {
	Calls [][]int32 // by node: functions first, then prototypes
	Count int       // of functions
}

// Functions marks the functions that an entry can reach, and drops the others.
//
// Before the call, m contains every function of every input and the calls between them. After the call, every
// function that stays is marked as live. Only debug information refers to dead functions, and package
// relocate clears these references.
//
// Roots are the kernels, or those that the options select (REACH-010), and functions whose address is in kept
// data (REACH-003). With -g, -r and --preserve-relocs nothing is dropped (REACH-004). The time is linear in
// functions, calls, relocations, and pairs of a kernel and a function that it reaches.
func Functions(m *program.Program) *Reached {
	r := &Reached{Program: m, Graph: buildCallGraph(m), entryOf: make([]*Entry, len(m.Functions))}
	lone := loneKernel(m)
	if !m.Options.KeepsDeadCode() {
		r.markDead(lone)
	}
	walker := newWalker(m.Functions, &r.Graph)
	for _, fn := range m.Functions {
		if !fn.Entry || fn.Dead || fn.Text == nil {
			continue
		}
		e := &Entry{Fn: fn, index: len(r.Entries), walker: walker}
		r.Entries = append(r.Entries, e)
		r.entryOf[fn.Order] = e
		switch {
		case m.Options.Relocatable, fn == lone, lone == nil && (m.Chosen(fn) || fn.TakenAs != nil && !m.Target.Profile.Reach.LeavesOutTaken):
			if found := walker.from(fn.Order); len(found) <= fewReached {
				e.few = slices.Clone(found)
			}
		default:
			e.few, e.LeftOut = []*program.Function{fn}, true
		}
		if fn == lone {
			r.Lone = e
		}
	}
	return r
}

func buildCallGraph(m *program.Program) CallGraph {
	g := CallGraph{Calls: make([][]int32, len(m.Functions)), Count: len(m.Functions)}
	nodes := map[string]int32{}
	node := func(prototype string) int32 {
		n, ok := nodes[prototype]
		if !ok {
			n = int32(len(g.Calls))
			nodes[prototype] = n
			g.Calls = append(g.Calls, nil)
		}
		return n
	}
	for _, fn := range m.Functions {
		for _, callee := range fn.Calls {
			g.Calls[fn.Order] = append(g.Calls[fn.Order], int32(callee.Order))
		}
		for _, prototype := range fn.CallsVia {
			g.Calls[fn.Order] = append(g.Calls[fn.Order], node(prototype))
		}
		if fn.TakenAs != nil {
			n := node(*fn.TakenAs)
			g.Calls[n] = append(g.Calls[n], int32(fn.Order))
		}
	}
	return g
}

// markDead drops the functions that no kernel and no stub reaches by calls, unless their address is taken anywhere, even in dead
// code (REACH-003), or their symbol is marked as managed (KIT-930). Functions called only by such a function are still
// dropped (REACH-005). If it is a kernel, they stay unless there is a lone kernel (REACH-031) or the release leaves
// such kernels out (KIT-682). An undefined function called by a live one stays for the error message.
func (r *Reached) markDead(lone *program.Function) {
	live := make([]bool, len(r.Functions))
	walker := newWalker(r.Functions, &r.Graph)
	r.markCalled(live, walker)
	for _, fn := range r.Functions {
		if fn.TakenAs == nil {
			continue
		}
		if fn.Entry && lone == nil && !r.Target.Profile.Reach.LeavesOutTaken {
			for _, callee := range walker.on(fn.Order) {
				live[callee.Order] = true
			}
		}
		fn.Uncalled = !live[fn.Order]
		live[fn.Order] = true
	}
	if r.Target.Profile.Reach.KeepsManaged {
		// KIT-930. A function with a parameter bank, which only a kernel has, is damage: it is dropped, and its bank ends the
		// link (MERGE-046).
		for _, fn := range r.Functions {
			live[fn.Order] = live[fn.Order] || !fn.Undefined() && fn.Own(cubin.ParameterPrefix) == nil && fn.Symbol.Other&cubin.OtherManaged != 0
		}
	}
	r.markInner(live)
	r.markUndefined(live)
	for _, fn := range r.Functions {
		if fn.Text == nil && fn.Entry && r.Selects(fn) {
			continue // an undefined kernel that the options select is always reported (REACH-041)
		}
		if fn.Symbol.Alias != nil && !r.Target.Profile.Reach.RefusesLostAliases {
			continue // KIT-080
		}
		if !live[fn.Order] {
			fn.Dead = true
			if fn.Text != nil && r.Options.Trace != nil {
				r.Options.TraceStep(trace.RemovesSection, fn.Text.Name, fn.Text.Number())
				r.traceDeadConstants(fn)
			}
			fn.Symbol.Hidden = true
			fn.Symbol.Unnamed = !fn.InsideKernel() || fn.Symbol.Bind == cubin.BindLocal
		}
	}
}

// markCalled marks the functions that a selected kernel or a stub reaches by calls.
func (r *Reached) markCalled(live []bool, walker *walker) {
	for _, fn := range r.Functions {
		if fn.Entry && r.Selects(fn) || isStub(fn) {
			for _, callee := range walker.on(fn.Order) {
				live[callee.Order] = true
			}
		}
	}
}

// isStub reports whether fn is the stub of a unified function, through which other modules call it (REACH-970).
func isStub(fn *program.Function) bool { return fn.Text != nil && fn.Text.Type == cubin.SectionUFT }

// markInner marks the functions inside the code of live kernels (MERGE-026).
func (r *Reached) markInner(live []bool) {
	for _, fn := range r.Functions {
		if fn.InsideKernel() && live[fn.Inside().Order] {
			live[fn.Order] = true
		}
	}
}

// markUndefined marks the undefined functions that stay. One pass over them, from the last to the first, drops those that
// nothing calls any more (REACH-900).
func (r *Reached) markUndefined(live []bool) {
	callers := make([]int, len(r.Functions))
	count := func(fn *program.Function, by int) {
		for _, callee := range fn.Calls {
			callers[callee.Order] += by
		}
	}
	for _, fn := range r.Functions {
		if live[fn.Order] || fn.Undefined() {
			count(fn, 1)
		}
	}
	for _, fn := range slices.Backward(r.Functions) {
		switch {
		case !fn.Undefined():
		case callers[fn.Order] > 0:
			live[fn.Order] = true
		default:
			count(fn, -1)
		}
	}
}

// traceDeadConstants traces that the compiler-generated constants of a dead function stay, if another section
// has the same name.
func (r *Reached) traceDeadConstants(fn *program.Function) {
	s := fn.CompilerConstants()
	if s == nil {
		return
	}
	for _, other := range r.Sections {
		if other != s && other.Name == s.Name {
			r.Options.TraceStep(trace.DeadConstantsElsewhere, s.Name)
			return
		}
	}
}

// loneKernel returns the only kernel that the options select. It returns nil if they select none or several. Undefined
// kernels do not count.
func loneKernel(m *program.Program) *program.Function {
	return onlyOne(m.Functions, func(fn *program.Function) bool {
		return fn.Entry && fn.Text != nil && m.Chosen(fn) && (m.Options.KeepsDeadCode() || m.Selects(fn))
	})
}

// ChosenAlone returns the only live kernel that the options select, defined or not. It returns nil if they select none or
// several (REACH-020).
func (r *Reached) ChosenAlone() *program.Function {
	return onlyOne(r.Functions, func(fn *program.Function) bool { return fn.Entry && !fn.Dead && r.Chosen(fn) })
}

// onlyOne returns the function for which counts returns true, or nil if there is none or several.
func onlyOne(functions []*program.Function, counts func(*program.Function) bool) (one *program.Function) {
	for _, fn := range functions {
		if !counts(fn) {
			continue
		}
		if one != nil {
			return nil
		}
		one = fn
	}
	return one
}

// LacksLone reports whether the only kernel that the options select is undefined (INFO-970).
func (r *Reached) LacksLone() bool {
	alone := r.ChosenAlone()
	return alone != nil && alone.Text == nil
}
