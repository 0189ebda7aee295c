package emit

import (
	"iter"
	"math"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/parallel"
	"github.com/culink/culink/linker/trace"
)

// The attributes of the output are the records of the inputs with new symbol numbers, and what the linker found out about
// each kernel (seed 002).

// writeAttributes writes .nv.info and .nv.info.<function>. The symbols must have their numbers.
func (r *emitter) writeAttributes() {
	entries := slices.Clone(r.Entries)
	slices.SortFunc(entries, func(a, b *reach.Entry) int { return int(r.number(a.Fn.Symbol)) - int(r.number(b.Fn.Symbol)) })
	module := r.moduleAttributes(entries)
	var records []nvinfo.Record
	if r.HasMercury() { // which needs them again
		records = slices.Collect(module)
		module = slices.Values(records)
	}
	r.Std.Info.SetBytes(r.encoded(module))
	r.Std.Info.Keep(r.Std.Info.Size > 0)

	described := make([]*program.Function, 0, len(r.Functions))
	for _, fn := range r.Functions {
		if !fn.Dead && fn.InfoSec != nil {
			described = append(described, fn)
		}
	}
	if r.HasMercury() {
		r.writeMercuryAttributes(records, described)
	}
	parallel.Do(r.Options.Threads, len(described), func(i int) {
		fn := described[i]
		r.records[fn.Order] = r.numbered(&fn.Attributes)
	})
	r.finishAttributes(described)
	parallel.Do(r.Options.Threads, len(described), func(i int) {
		fn := described[i]
		if r.HasMercury() {
			records := r.records[fn.Order]
			for i, record := range records {
				records[i] = codemap.PlaceCollectives(r.Places(fn).Record(record), fn.Text.Bytes(), r.Target.Profile.Info.NamesWarpSync)
			}
			r.records[fn.Order] = append(r.records[fn.Order], r.finalizerRecords(fn)...)
			r.addHandleRecords(fn)
			slices.SortStableFunc(r.records[fn.Order], byFinalizer)
		} else if fn.Finalized { // its records have been reversed since (KIT-137)
			last := r.finalizerRecords(fn)
			slices.Reverse(last)
			r.records[fn.Order] = slices.Insert(r.records[fn.Order], 0, last...)
		}
		fn.InfoSec.SetBytes(nvinfo.Encode(r.records[fn.Order]))
		fn.InfoSec.Keep(fn.InfoSec.Size > 0 && fn.Text.Size > 0) // MERGE-311
	})
}

// finishAttributes adds what the linker found out to the records of functions.
func (r *emitter) finishAttributes(described []*program.Function) {
	if r.Options.Relocatable {
		for _, fn := range described {
			fn.Text.Flags |= uint64(fn.Barriers) << cubin.BarriersShift // INFO-025
			r.records[fn.Order] = r.withoutCacheRequests(slices.DeleteFunc(r.records[fn.Order], nvinfo.Record.Empty))
		}
	} else {
		r.propagateAttributes(described)
	}
}

// moduleAttributes yields the attributes of .nv.info. These are the records of live functions, one MIN_STACK_SIZE for
// each kernel in the order of their symbols (INFO-203), and the register counts of kernels whose inputs have none
// (INFO-044).
func (r *emitter) moduleAttributes(entries []*reach.Entry) iter.Seq[nvinfo.Record] {
	return func(yield func(nvinfo.Record) bool) {
		for record := range r.inputsModuleAttributes(entries) {
			if !r.isCacheRequest(record) && !yield(record) {
				return
			}
		}
		if r.MinMemory > 0 && !yield(nvinfo.New(nvinfo.MinCTAMemory, r.MinMemory)) || r.Options.Relocatable {
			return
		}
		if nvinfo.HasPreV10(r.Origins) && !yield(nvinfo.Record{Format: nvinfo.NoValue, Code: nvinfo.HasPreV10Object}) {
			return
		}
		for _, e := range entries {
			if !e.LeftOut && !yield(nvinfo.New(nvinfo.MinStackSize, r.number(e.Fn.Symbol), uint32(r.Needs(e).Stack))) {
				return
			}
		}
		for _, e := range r.found.Uncounted {
			if !e.LeftOut && !yield(nvinfo.New(nvinfo.RegCount, r.number(e.Fn.Symbol), r.Needs(e).Registers)) {
				return
			}
		}
	}
}

// inputsModuleAttributes yields the module attributes of the inputs. The register count of a kernel includes the
// functions that it calls.
func (r *emitter) inputsModuleAttributes(entries []*reach.Entry) iter.Seq[nvinfo.Record] {
	return func(yield func(nvinfo.Record) bool) {
		entryAt := make(map[uint32]*reach.Entry, len(entries))
		for _, e := range entries {
			entryAt[r.number(e.Fn.Symbol)] = e
		}
		for _, a := range r.Attributes.All() {
			if a.Owner != nil && a.Owner.Dead {
				continue
			}
			record, ok := r.renumbered(a.Record, a.SymbolOf)
			if !ok || record.Empty() { // INFO-002
				continue
			}
			if e := entryAt[record.Word(0)]; e != nil && record.Code == nvinfo.RegCount && !r.Options.Relocatable {
				record = record.WithWord(1, r.Needs(e).Registers)
				delete(entryAt, record.Word(0)) // a second record stays as it is (INFO-110)
			}
			if !yield(record) {
				return
			}
		}
	}
}

// encoded returns the bytes of attributes of the module.
func (r *emitter) encoded(records iter.Seq[nvinfo.Record]) []byte {
	room := 0
	for _, a := range r.Attributes {
		room += a.Size()
	}
	b := make([]byte, 0, room+len(r.Entries)*nvinfo.New(nvinfo.MinStackSize, 0, 0).Size())
	for record := range records {
		b = nvinfo.Append(b, record)
	}
	return b
}

// laterRecords is the number of records that most kernels get from the functions that they call.
const laterRecords = 2

// numbered returns the records of a function with the symbol numbers of the output, in the order of the list. It has room
// for those that a kernel gets later.
func (r *emitter) numbered(list *program.Attributes) []nvinfo.Record {
	records := make([]nvinfo.Record, 0, list.Len()+laterRecords)
	for a, symbolOf := range list.All() {
		if record, ok := r.renumbered(a, symbolOf); ok {
			records = append(records, record)
		}
	}
	return records
}

// renumbered returns record a with the symbol numbers of the output. ok is false if the record must be omitted because its
// symbol was discarded. A list of externs is never omitted, even if it is empty, because a kernel's list may be filled later
// (INFO-206).
func (r *emitter) renumbered(a nvinfo.Record, symbolOf []*program.Symbol) (record nvinfo.Record, ok bool) {
	index := r.number // INFO-113
	if a.Code == nvinfo.Externs {
		index = r.externNumber
	}
	record, ok = a.MapSymbols(func(i uint32) uint32 {
		if int(i) >= len(symbolOf) || symbolOf[i] == nil {
			return 0
		}
		return index(symbolOf[i])
	})
	if a.MayLackSymbol() && a.Word(0) == 0 && len(symbolOf) > 0 && symbolOf[0] != nil {
		record = record.WithWord(0, r.number(symbolOf[0])) // KIT-075
	}
	return record, ok || a.Code == nvinfo.Externs
}

// externNumber returns the number of y for a list of externs, or 0 if the list omits y. The list has undefined
// symbols and kernels only (INFO-205).
func (r *emitter) externNumber(y *program.Symbol) uint32 {
	switch {
	case y.Fn == nil && (y.Section != nil || y.Common):
		return 0
	case y.Fn != nil && (y.Fn.Dead || !y.Fn.Undefined() && !y.Fn.Entry):
		return 0
	}
	return r.number(y)
}

// propagateAttributes copies records of device functions to the kernels that reach them, in the order of the inputs
// (INFO-206, INFO-207).
func (r *emitter) propagateAttributes(described []*program.Function) {
	r.addCallStacks(described)
	described = slices.Clone(described)
	slices.SortStableFunc(described, func(a, b *program.Function) int { return a.InfoOrder - b.InfoOrder })
	infos := make([]nvinfo.FunctionInfo, 0, len(described))
	index := make([]int, len(r.Functions)) // by order of function, its place in infos, from 1; 0 for none
	for i, fn := range described {
		e := r.EntryOf(fn)
		infos = append(infos, nvinfo.FunctionInfo{Kernel: e != nil && !e.LeftOut, Lone: e != nil && e == r.Lone, ReversesExterns: r.Target.Profile.Info.ReversesExterns, KeepsLanguage: !r.Target.Profile.Info.RaisesLanguage, Records: r.records[fn.Order]})
		index[fn.Order] = i + 1
	}
	unmasked := r.maskAliases(infos, index)
	listed := len(described)
	for _, fn := range r.withoutAttributes(infos) {
		described, infos = append(described, fn), append(infos, nvinfo.FunctionInfo{})
	}
	if unmasked {
		infos = append(infos, nvinfo.FunctionInfo{}) // a function without a mask
	}
	if slices.ContainsFunc(r.Functions, func(fn *program.Function) bool { return fn.Dead || fn.Undefined() }) {
		infos = append(infos, nvinfo.FunctionInfo{Undefined: true})
	}
	var kernels []int
	nvinfo.RaiseKernels(infos, func(f int) []int {
		if f >= len(described) {
			return nil
		}
		fn := described[f]
		kernels = kernels[:0]
		for e := range r.Takers(fn) {
			if k := index[e.Fn.Order]; k > 0 {
				kernels = append(kernels, k-1)
			}
		}
		return kernels
	})
	hasSurface := slices.ContainsFunc(r.Handles, func(y *program.Symbol) bool { return y.Type == cubin.SymSurface })
	for i, fn := range described[:listed] {
		r.records[fn.Order] = r.withoutCacheRequests(infos[i].Records)
		if hasSurface { // KIT-212
			r.records[fn.Order] = slices.DeleteFunc(r.records[fn.Order], func(record nvinfo.Record) bool { return record.Code == nvinfo.SurfaceQueries })
		}
		r.addOldBarriers(fn)
		if e := r.EntryOf(fn); e != nil && r.found.Cached[e] {
			r.records[fn.Order] = append(r.records[fn.Order], nvinfo.Record{Format: nvinfo.NoValue, Code: nvinfo.ExplicitCaching})
		}
	}
}

// withoutCacheRequests returns the records without cache requests. One record for each kernel replaces these (INFO-038).
func (r *emitter) withoutCacheRequests(records []nvinfo.Record) []nvinfo.Record {
	return slices.DeleteFunc(records, r.isCacheRequest)
}

func (r *emitter) isCacheRequest(record nvinfo.Record) bool {
	return record.Code == nvinfo.LoadCacheRequest && r.Target.Profile.Info.SharesCachePreference
}

// addOldBarriers turns the barrier count of an old object into an attribute. In such an object the count is in the flags
// of the code. A kernel gets the maximum over the functions that it reaches. A function that has the attribute already
// keeps its flags (INFO-025).
func (r *emitter) addOldBarriers(fn *program.Function) {
	count, reached := fn.Barriers, uint16(0)
	if e := r.EntryOf(fn); e != nil {
		for _, callee := range e.Reachable() {
			if callee != fn {
				reached = max(reached, callee.Barriers)
			}
		}
		if reached > count {
			r.Options.TraceStep(trace.RaisesBarriers, reached, fn.Text.Name, fn.Symbol.Name)
		}
		count = max(count, reached)
	}
	if count == 0 {
		return
	}
	if r.Target.Profile.Info.BarriersInFlags {
		fn.Text.Flags |= uint64(count) << cubin.BarriersShift
		return
	}
	record := nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.NumBarriers, Value: count}
	records := r.records[fn.Order]
	if i := indexOf(records, nvinfo.NumBarriers); i >= 0 {
		fn.Text.Flags |= uint64(fn.Barriers) << cubin.BarriersShift
		record.Value = reached
		records[i] = records[i].Raise(record)
		return
	}
	if r.EntryOf(fn) != nil {
		r.Options.TraceStep(trace.CreatesBarriers, count, fn.Text.Name, fn.Symbol.Name)
	}
	r.records[fn.Order] = append(records, record)
}

// addCallStacks sets the call stack size of each kernel, which is the sum over the functions on its deepest path. The
// attribute is CRS_STACK_SIZE or, in old code, SYNC_STACK. A kernel without either gets CRS_STACK_SIZE (INFO-037).
func (r *emitter) addCallStacks(described []*program.Function) {
	said := func(fn *program.Function) int {
		return max(indexOf(r.records[fn.Order], nvinfo.CRSStackSize), indexOf(r.records[fn.Order], nvinfo.SyncStack))
	}
	sizes := make([]uint32, len(r.Functions))
	for _, fn := range described {
		if i := said(fn); i >= 0 {
			sizes[fn.Order] = r.records[fn.Order][i].Word(0)
		}
	}
	depth := reach.NewStackDepth(&r.Graph, sizes)
	for _, e := range r.Entries {
		if e.LeftOut {
			continue
		}
		size := uint32(depth.Of(int32(e.Fn.Order)))
		if r.Needs(e).Stack == reach.StackUnknown {
			size = math.MaxUint32
		}
		i, records := said(e.Fn), r.records[e.Fn.Order]
		switch {
		case size == 0:
		case i >= 0:
			records[i] = nvinfo.New(records[i].Code, size)
		default:
			r.records[e.Fn.Order] = append(records, nvinfo.New(nvinfo.CRSStackSize, size))
		}
	}
}

func indexOf(records []nvinfo.Record, code nvinfo.Code) int {
	return slices.IndexFunc(records, func(r nvinfo.Record) bool { return r.Code == code })
}

// hasMask reports whether a function has a mask of sparse instructions.
func hasMask(f nvinfo.FunctionInfo) bool { return indexOf(f.Records, nvinfo.SparseMMAMask) >= 0 }

// withoutAttributes returns the live functions for which no input has attributes, if any function has a mask of sparse
// instructions. Each of them counts as one without a mask. nvlink fails on such links (docs/errata.md, E-781). Functions inside
// the code of others do not count: nvlink links these.
func (r *emitter) withoutAttributes(infos []nvinfo.FunctionInfo) (list []*program.Function) {
	if !slices.ContainsFunc(infos, hasMask) {
		return nil
	}
	for _, fn := range r.Functions {
		if fn.InfoSec == nil && !fn.Dead && !fn.Undefined() && !fn.Entry && fn.Symbol.Alias == nil && fn.Inside() == nil {
			list = append(list, fn)
		}
	}
	return list
}

// maskAliases treats an alias as a function without a mask of sparse instructions, because an alias has no attributes.
// nvlink adds the mask to the attributes of the aliased function (INFO-032).
func (r *emitter) maskAliases(infos []nvinfo.FunctionInfo, index []int) (any bool) {
	if !slices.ContainsFunc(infos, hasMask) {
		return false
	}
	unknown := nvinfo.Record{Format: nvinfo.Half, Code: nvinfo.SparseMMAMask, Value: nvinfo.SparseMMAUnknown}
	for _, fn := range r.Functions {
		if fn.Dead || fn.Symbol.Alias == nil {
			continue
		}
		if of := fn.Symbol.Alias.Fn; of != nil && index[of.Order] > 0 {
			k := index[of.Order] - 1
			infos[k].Records = append(infos[k].Records, unknown)
			any = true
		}
	}
	return any
}
