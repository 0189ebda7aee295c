package linker

import (
	"math"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// The attributes of the output: the inputs' records with the symbols' new
// numbers, and what the linker has found out about each kernel (seed 002).

// writeAttributes writes .nv.info and .nv.info.<function>, once symbols have
// their numbers.
func (r *relocated) writeAttributes() {
	entries := slices.Clone(r.entries)
	slices.SortFunc(entries, func(a, b *entry) int { return int(a.fn.symbol.index) - int(b.fn.symbol.index) })
	module := r.writeModuleAttributes(entries)

	described := make([]*function, 0, len(r.functions))
	for _, fn := range r.functions {
		if !fn.dead && fn.infoSec != nil {
			described = append(described, fn)
		}
	}
	if r.mercury {
		r.writeMercuryAttributes(module, described)
	}
	for _, fn := range described {
		fn.records = numbered(fn.attributes)
	}
	r.finishAttributes(described)
	for _, fn := range described {
		if r.mercury {
			for i, record := range fn.records {
				fn.records[i] = fn.places.Record(record)
			}
			r.addHandleRecords(fn)
			slices.SortStableFunc(fn.records, byFinalizer)
		}
		fn.infoSec.data = nvinfo.Encode(fn.records)
		fn.infoSec.size = uint64(len(fn.infoSec.data))
		fn.infoSec.kept = fn.infoSec.size > 0 && fn.text.size > 0 // MERGE-311
	}
}

// finishAttributes adds to the functions' records what the linker knows.
func (r *relocated) finishAttributes(described []*function) {
	if r.options.Relocatable {
		for _, fn := range described {
			fn.records = slices.DeleteFunc(fn.records, nvinfo.Record.Empty)
		}
	} else {
		r.propagateAttributes(described)
	}
}

// writeModuleAttributes writes .nv.info: the records of live functions, then one
// MIN_STACK_SIZE for each kernel in the order of their symbols (INFO-203), and the
// registers of kernels that do not say how many they need (INFO-044). It gives them.
func (r *relocated) writeModuleAttributes(entries []*entry) []nvinfo.Record {
	live := slices.DeleteFunc(slices.Clone(r.attributes), func(a *attribute) bool { return a.owner != nil && a.owner.dead })
	records := numbered(live)
	entryAt := make(map[uint32]*entry, len(entries))
	for _, e := range entries {
		entryAt[e.fn.symbol.index] = e
	}
	for i, record := range records {
		if e := entryAt[record.Word(0)]; e != nil && record.Code == nvinfo.RegCount && !r.options.Relocatable {
			records[i] = record.WithWord(1, r.needs[e].registers)
		}
	}
	if !r.options.Relocatable {
		records = slices.DeleteFunc(records, func(r nvinfo.Record) bool { return r.Code == nvinfo.LoadCacheRequest })
		if nvinfo.HasPreV10(r.origins) {
			records = append(records, nvinfo.Record{Format: nvinfo.NoValue, Code: nvinfo.HasPreV10Object})
		}
		for _, e := range entries {
			if e.leftOut {
				continue
			}
			records = append(records, nvinfo.New(nvinfo.MinStackSize, e.fn.symbol.index, uint32(r.needs[e].stack)))
		}
		for _, e := range r.uncounted {
			if !e.leftOut {
				records = append(records, nvinfo.New(nvinfo.RegCount, e.fn.symbol.index, r.needs[e].registers))
			}
		}
	}
	r.std.info.data = nvinfo.Encode(records)
	r.std.info.size = uint64(len(r.std.info.data))
	r.std.info.kept = r.std.info.size > 0
	return records
}

// numbered gives the records of a list, as it holds them, with the symbols'
// numbers in the output. A record whose symbol is gone stays out; a list of
// externs keeps its place even when it is empty, because a kernel's may be filled
// again (INFO-206).
func numbered(list frontList[*attribute]) []nvinfo.Record {
	records := make([]nvinfo.Record, 0, len(list))
	for _, a := range list.all() {
		index := symbolIndex // INFO-113
		if a.Code == nvinfo.Externs {
			index = externIndex
		}
		r, ok := a.MapSymbols(func(i uint32) uint32 {
			if int(i) >= len(a.symbolOf) || a.symbolOf[i] == nil {
				return 0
			}
			return index(a.symbolOf[i])
		})
		if ok || a.Code == nvinfo.Externs {
			records = append(records, r)
		}
	}
	return records
}

func symbolIndex(y *symbol) uint32 { return y.index }

// externIndex gives the numbers that count in a list of externs. It keeps only what stays
// outside of the output: undefined functions, and kernels (INFO-205).
func externIndex(y *symbol) uint32 {
	if y.fn != nil && (y.fn.dead || !y.fn.undefined() && !y.fn.entry) {
		return 0
	}
	return y.index
}

// propagateAttributes lets the records of device functions rise to the kernels that
// reach them, in the order in which the inputs brought them (INFO-206, INFO-207).
func (r *relocated) propagateAttributes(described []*function) {
	r.addCallStacks(described)
	described = slices.Clone(described)
	slices.SortStableFunc(described, func(a, b *function) int { return a.infoOrder - b.infoOrder })
	infos := make([]nvinfo.FunctionInfo, 0, len(described))
	index := make(map[*function]int, len(described))
	for i, fn := range described {
		e := r.entryOf[fn]
		infos = append(infos, nvinfo.FunctionInfo{Kernel: e != nil && !e.leftOut, Lone: e != nil && e == r.lone, Records: fn.records})
		index[fn] = i
	}
	if r.maskAliases(infos, index) {
		infos = append(infos, nvinfo.FunctionInfo{}) // a function without a mask
	}
	if slices.ContainsFunc(r.functions, func(fn *function) bool { return fn.dead || fn.undefined() }) {
		infos = append(infos, nvinfo.FunctionInfo{Undefined: true})
	}
	callers := r.callers()
	nvinfo.RaiseKernels(infos, func(f int) []int {
		if f >= len(described) {
			return nil
		}
		fn := described[f]
		kernels := make([]int, 0, len(callers[fn.order]))
		for _, e := range callers[fn.order] {
			if k, ok := index[e.fn]; ok {
				kernels = append(kernels, k)
			}
		}
		return kernels
	})
	for i, fn := range described {
		fn.records = slices.DeleteFunc(infos[i].Records, func(r nvinfo.Record) bool { return r.Code == nvinfo.LoadCacheRequest })
		r.addOldBarriers(fn)
		if e := r.entryOf[fn]; e != nil && r.needs[e].cached {
			fn.records = append(fn.records, nvinfo.Record{Format: nvinfo.NoValue, Code: nvinfo.ExplicitCaching})
		}
	}
}

// addOldBarriers turns the barriers that an old object has in the flags of its code
// into an attribute: a kernel's are the most of what it reaches. A function that has
// the attribute keeps its flags (INFO-025).
func (r *relocated) addOldBarriers(fn *function) {
	count, reached := fn.barriers, uint16(0)
	if e := r.entryOf[fn]; e != nil {
		for _, callee := range e.reachable {
			if callee != fn {
				reached = max(reached, callee.barriers)
			}
		}
		if reached > count {
			r.options.trace(raisesBarriers, reached, fn.text.name, fn.symbol.name)
		}
		count = max(count, reached)
	}
	if count == 0 {
		return
	}
	record := nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.NumBarriers, Value: count}
	if i := indexOf(fn.records, nvinfo.NumBarriers); i >= 0 {
		fn.text.flags |= uint64(fn.barriers) << cubin.BarriersShift
		record.Value = reached
		fn.records[i] = fn.records[i].Raise(record)
		return
	}
	if r.entryOf[fn] != nil {
		r.options.trace(createsBarriers, count, fn.text.name, fn.symbol.name)
	}
	fn.records = append(fn.records, record)
}

// addCallStacks gives each kernel the stack for calls that the functions on its
// longest path need together. A function says it as CRS_STACK_SIZE or, as old code
// does, SYNC_STACK; a kernel that says neither gets the former (INFO-037).
func (r *relocated) addCallStacks(described []*function) {
	said := func(fn *function) int {
		return max(indexOf(fn.records, nvinfo.CRSStackSize), indexOf(fn.records, nvinfo.SyncStack))
	}
	sizes := make([]uint32, len(r.functions))
	for _, fn := range described {
		if i := said(fn); i >= 0 {
			sizes[fn.order] = fn.records[i].Word(0)
		}
	}
	depth := newStackDepth(&r.graph, sizes)
	for _, e := range r.entries {
		if e.leftOut {
			continue
		}
		size := uint32(depth.of(int32(e.fn.order)))
		if r.needs[e].stack == stackUnknown {
			size = math.MaxUint32
		}
		i := said(e.fn)
		switch {
		case size == 0:
		case i >= 0:
			e.fn.records[i] = nvinfo.New(e.fn.records[i].Code, size)
		default:
			e.fn.records = append(e.fn.records, nvinfo.New(nvinfo.CRSStackSize, size))
		}
	}
}

func indexOf(records []nvinfo.Record, code nvinfo.Code) int {
	return slices.IndexFunc(records, func(r nvinfo.Record) bool { return r.Code == code })
}

// maskAliases lets an alias, which has no attributes, count as a function without a
// mask of sparse instructions: what nvlink adds to it lands in the attributes of the
// function behind it (INFO-032).
func (r *relocated) maskAliases(infos []nvinfo.FunctionInfo, index map[*function]int) (any bool) {
	isMask := func(r nvinfo.Record) bool { return r.Code == nvinfo.SparseMMAMask }
	if !slices.ContainsFunc(infos, func(f nvinfo.FunctionInfo) bool { return slices.ContainsFunc(f.Records, isMask) }) {
		return false
	}
	unknown := nvinfo.Record{Format: nvinfo.Half, Code: nvinfo.SparseMMAMask, Value: nvinfo.SparseMMAUnknown}
	for _, fn := range r.functions {
		if fn.dead || fn.symbol.alias == nil {
			continue
		}
		if k, ok := index[fn.symbol.alias.fn]; ok {
			infos[k].Records = append(infos[k].Records, unknown)
			any = true
		}
	}
	return any
}
