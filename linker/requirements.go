package linker

import (
	"slices"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// What a function asks for in its attributes binds every kernel that reaches it.
// Some wishes cannot be granted: they exceed a limit of the kernel, or contradict
// those of another function. nvlink looks for all of them, in a fixed order
// (INFO-055).

// checkRequirements reports the wishes that cannot be granted, and decides which
// kernels cache their loads.
//
// Before: dead code is gone; undefined symbols have been reported.
// After:  every kernel of an executable can have what it reaches.
// Cost: linear in attributes and in the pairs of kernel and function that it reaches.
func checkRequirements(p *propagated, log *diag.Log) {
	if p.options.Relocatable {
		return
	}
	q := &requirements{propagated: p, log: log}
	for _, fn := range p.functions {
		if !fn.dead && fn.infoSec != nil {
			q.described = append(q.described, fn)
		}
	}
	slices.SortStableFunc(q.described, func(a, b *function) int { return a.infoOrder - b.infoOrder })
	q.callers = p.callers()

	if !q.checkParameters() {
		q.checkTensorGroups()
	}
	q.checkCaching()
}

type requirements struct {
	*propagated
	log       *diag.Log
	described []*function // live functions with attributes, in the order of the inputs
	callers   [][]*entry
}

// callers gives, by order of function, the kernels that reach it, the last one
// created first: nvlink goes through them in that order.
func (r *reached) callers() [][]*entry {
	callers := make([][]*entry, len(r.functions))
	for _, e := range slices.Backward(r.entries) {
		if e.leftOut {
			continue
		}
		for _, fn := range e.reachable {
			callers[fn.order] = append(callers[fn.order], e)
		}
	}
	return callers
}

// checkParameters refuses kernels with more than 4 KB of parameters beside objects
// of old toolkits, once for each parameter (INFO-051).
func (q *requirements) checkParameters() (refused bool) {
	if !nvinfo.LargeParametersRefused(q.target.Number, q.origins) {
		return false
	}
	for _, fn := range q.described {
		for _, a := range fn.attributes {
			if a.Code == nvinfo.KParamInfoV2 {
				q.log.Report(diag.LargeParameters)
				refused = true
			}
		}
	}
	return refused
}

// checkTensorGroups refuses kernels that use tensor memory with one block and with
// two (INFO-052).
func (q *requirements) checkTensorGroups() {
	infos := make([]nvinfo.FunctionInfo, len(q.described))
	index := make(map[*function]int, len(q.described))
	used := false
	for i, fn := range q.described {
		e := q.entryOf[fn]
		infos[i].Kernel, infos[i].Lone, index[fn] = e != nil && !e.leftOut, e != nil && e == q.lone, i
		for _, a := range fn.attributes.all() {
			if a.Code == nvinfo.TCGen05OneCTA || a.Code == nvinfo.TCGen05TwoCTA {
				infos[i].Records = append(infos[i].Records, a.Record)
				used = true
			}
		}
	}
	if !used {
		return
	}
	for _, k := range nvinfo.RaiseKernels(infos, q.reachedBy(q.described, index)) {
		q.log.Report(diag.CTAGroupConflict, q.described[k].symbol.name)
	}
}

// reachedBy gives what nvinfo.RaiseKernels wants to know: the kernels that reach
// described[f], as indices of described.
func (q *requirements) reachedBy(described []*function, index map[*function]int) func(f int) []int {
	return func(f int) []int {
		var kernels []int
		for _, e := range q.callers[described[f].order] {
			if k, ok := index[e.fn]; ok {
				kernels = append(kernels, k)
			}
		}
		return kernels
	}
}

// checkCaching decides which kernels cache their loads: those that ask for it, or
// reach functions that do. When wishes differ, the kernel's own counts (INFO-038).
func (q *requirements) checkCaching() {
	wishes := map[*function]bool{}
	for _, a := range q.attributes {
		if a.Code == nvinfo.LoadCacheRequest && a.owner != nil {
			wishes[a.owner] = a.Word(1) != 0
		}
	}
	for _, fn := range q.described {
		for _, a := range fn.attributes {
			if a.Code == nvinfo.LoadCacheRequest {
				wishes[fn] = a.Word(1) != 0
			}
		}
	}
	first := map[*entry]*function{} // whose wish a kernel without one follows
	conflict := map[*entry]bool{}
	for _, fn := range q.described {
		cached, ok := wishes[fn]
		if !ok {
			continue
		}
		for _, e := range q.callers[fn.order] {
			need := q.needs[e]
			own, has := wishes[e.fn]
			switch {
			case has:
				need.cached = own
				if cached != own {
					q.log.Report(diag.CachePreference, e.fn.symbol.name, fn.symbol.name, e.fn.symbol.name)
				}
			case conflict[e]:
			case first[e] == nil:
				first[e], need.cached = fn, cached
			case cached != need.cached:
				conflict[e], need.cached = true, false
				q.log.Report(diag.CachePreference, first[e].symbol.name, fn.symbol.name, e.fn.symbol.name)
			}
		}
	}
}

// checkReservedShared refuses functions that use reserved shared memory in a link
// that reserves none: the kernels that get the attribute from others, the last one
// first, and then the functions that have it (INFO-054).
func checkReservedShared(p *propagated, log *diag.Log) {
	if !p.options.NoReservedShared || p.options.Relocatable {
		return
	}
	var raised, own []*function
	uses := map[*function]bool{}
	for _, fn := range p.functions {
		for _, a := range fn.attributes {
			if a.Code == nvinfo.ReservedSMemUsed && !fn.dead {
				uses[fn] = true
			}
		}
		if uses[fn] {
			own = append(own, fn)
		}
	}
	slices.SortStableFunc(own, func(a, b *function) int { return a.infoOrder - b.infoOrder })
	callers := p.callers()
	for _, fn := range own {
		for _, e := range callers[fn.order] {
			if !uses[e.fn] {
				uses[e.fn] = true
				raised = append(raised, e.fn)
			}
		}
	}
	slices.Reverse(raised)
	for _, fn := range append(raised, own...) {
		log.Report(diag.ReservedShared, fn.symbol.name)
	}
}
