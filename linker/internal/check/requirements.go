package check

import (
	"slices"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/nvinfo"
)

// The requirements in a function's attributes apply to every kernel that reaches the function. Some cannot be
// met: they exceed a limit of the kernel, or contradict those of another function. nvlink checks all of them in
// a fixed order (INFO-055).

// Requirements reports the requirements that cannot be met, and returns the kernels that cache their loads. ok is false if
// nvlink ends the link here.
//
// Before the call, dead code is dropped and undefined symbols are reported. If nothing is reported, every
// kernel of an executable meets the requirements of all functions that it reaches. The time is linear in
// attributes, and in pairs of a kernel and a function that it reaches.
func Requirements(p *reach.Propagated, log *diag.Log) (cached map[*reach.Entry]bool, ok bool) {
	if p.Options.Relocatable {
		return nil, true
	}
	q := &requirements{Propagated: p, log: log}
	for _, fn := range p.Functions {
		if !fn.Dead && fn.InfoSec != nil {
			q.described = append(q.described, fn)
		}
	}
	slices.SortStableFunc(q.described, func(a, b *program.Function) int { return a.InfoOrder - b.InfoOrder })

	if !q.checkParameters() {
		q.checkTensorGroups()
	}
	if q.LacksLone() && slices.ContainsFunc(q.described, hasMask) { // INFO-970
		log.Report(diag.InternalError, "entry_info was null")
		return nil, false
	}
	if !q.Target.Profile.Info.SharesCachePreference {
		return nil, true
	}
	return q.checkCaching(), true
}

// hasMask reports whether a function has a mask of sparse instructions.
func hasMask(fn *program.Function) bool { return fn.Attributes.Has(nvinfo.SparseMMAMask) }

type requirements struct {
	*reach.Propagated
	log       *diag.Log
	described []*program.Function // live functions with attributes, in the order of the inputs
}

// checkParameters refuses kernels with more than 4 KB of parameters if the link has objects of old toolkits. It
// reports them once for each parameter (INFO-051).
func (q *requirements) checkParameters() (refused bool) {
	if !nvinfo.LargeParametersRefused(q.Target.Number, q.Origins) {
		return false
	}
	for _, fn := range q.described {
		for a := range fn.Attributes.Pushed() {
			if a.Code == nvinfo.KParamInfoV2 {
				q.log.Report(diag.LargeParameters)
				refused = true
			}
		}
	}
	return refused
}

// checkTensorGroups refuses kernels that use tensor memory with one block as well as with two (INFO-052).
func (q *requirements) checkTensorGroups() {
	used := func(fn *program.Function) bool {
		return fn.Attributes.Has(nvinfo.TCGen05OneCTA, nvinfo.TCGen05TwoCTA)
	}
	if !slices.ContainsFunc(q.described, used) {
		return
	}
	infos := make([]nvinfo.FunctionInfo, len(q.described))
	index := make(map[*program.Function]int, len(q.described))
	for i, fn := range q.described {
		e := q.EntryOf(fn)
		infos[i].Kernel, infos[i].Lone, index[fn] = e != nil && !e.LeftOut, e != nil && e == q.Lone, i
		for a := range fn.Attributes.All() {
			if a.Code == nvinfo.TCGen05OneCTA || a.Code == nvinfo.TCGen05TwoCTA {
				infos[i].Records = append(infos[i].Records, a)
			}
		}
	}
	for _, k := range nvinfo.RaiseKernels(infos, q.reachedBy(q.described, index)) {
		q.log.Report(diag.CTAGroupConflict, q.described[k].Symbol.Name)
	}
}

// reachedBy returns a function for nvinfo.RaiseKernels. For an index f of described, that function returns the
// kernels that reach described[f], as indices of described too.
func (q *requirements) reachedBy(described []*program.Function, index map[*program.Function]int) func(f int) []int {
	return func(f int) []int {
		var kernels []int
		for e := range q.Takers(described[f]) {
			if k, ok := index[e.Fn]; ok {
				kernels = append(kernels, k)
			}
		}
		return kernels
	}
}

// checkCaching returns the kernels that cache their loads. These request it, or reach functions that do. If
// requests differ, the kernel's own prevails (INFO-038).
func (q *requirements) checkCaching() map[*reach.Entry]bool {
	caches := map[*reach.Entry]bool{}
	asking, wishes := q.cacheWishes()
	first := map[*reach.Entry]*program.Function{} // the function whose request a kernel without one follows
	conflict := map[*reach.Entry]bool{}
	for _, fn := range asking {
		cached := wishes[fn]
		for e := range q.Callers().Of(fn) {
			own, has := wishes[e.Fn]
			switch {
			case has:
				caches[e] = own
				if cached != own {
					q.log.Report(diag.CachePreference, e.Fn.Symbol.Name, fn.Symbol.Name, e.Fn.Symbol.Name)
				}
			case conflict[e]:
			case first[e] == nil:
				first[e], caches[e] = fn, cached
			case cached != caches[e]:
				conflict[e], caches[e] = true, false
				q.log.Report(diag.CachePreference, first[e].Symbol.Name, fn.Symbol.Name, e.Fn.Symbol.Name)
			}
		}
	}
	return caches
}

// cacheWishes returns the live functions that make a request about cached loads, in the order of the requests,
// and what each one requests.
func (q *requirements) cacheWishes() (asking []*program.Function, wishes map[*program.Function]bool) {
	wishes = map[*program.Function]bool{}
	note := func(fn *program.Function, a nvinfo.Record) {
		if a.Code != nvinfo.LoadCacheRequest || fn == nil || fn.Dead {
			return
		}
		if _, known := wishes[fn]; !known {
			asking = append(asking, fn)
		}
		wishes[fn] = a.Word(1) != 0
	}
	for _, a := range q.Attributes {
		note(a.Owner, a.Record)
	}
	for _, fn := range q.described {
		for a, symbolOf := range fn.Attributes.Pushed() {
			if i := a.Word(0); int(i) < len(symbolOf) && symbolOf[i] != nil {
				note(symbolOf[i].Fn, a)
			}
		}
	}
	return asking, wishes
}

// ReservedShared refuses functions that use reserved shared memory in a link that reserves none. It reports the
// kernels that inherit the attribute, the last one first, and then the functions that have it. In a relocatable
// file no kernel inherits it (INFO-054).
func ReservedShared(p *reach.Propagated, log *diag.Log) {
	if !p.Options.NoReservedShared {
		return
	}
	var raised, own []*program.Function
	uses := map[*program.Function]bool{}
	for _, fn := range p.Functions {
		if !fn.Dead && fn.Attributes.Has(nvinfo.ReservedSMemUsed) {
			uses[fn] = true
			own = append(own, fn)
		}
	}
	slices.SortStableFunc(own, func(a, b *program.Function) int { return a.InfoOrder - b.InfoOrder })
	if !p.Options.Relocatable {
		for _, fn := range own {
			for e := range p.Callers().Of(fn) {
				if !uses[e.Fn] {
					uses[e.Fn] = true
					raised = append(raised, e.Fn)
				}
			}
		}
	}
	slices.Reverse(raised)
	for _, fn := range append(raised, own...) {
		log.Report(diag.ReservedShared, fn.Symbol.Name)
	}
}
