package linker

import (
	"slices"

	"github.com/culink/culink/linker/nvinfo"
)

// The attributes of the output: the inputs' records with the symbols' new
// numbers, and what the linker has found out about each kernel (seed 002).

// writeAttributes writes .nv.info and .nv.info.<function>, once symbols have
// their numbers.
func (r *relocated) writeAttributes() {
	entries := slices.Clone(r.entries)
	slices.SortFunc(entries, func(a, b *entry) int { return int(a.fn.symbol.index) - int(b.fn.symbol.index) })
	r.writeModuleAttributes(entries)

	described := make([]*function, 0, len(r.functions))
	for _, fn := range r.functions {
		if !fn.dead && fn.infoSec != nil {
			fn.records = numbered(fn.attributes, externIndex)
			described = append(described, fn)
		}
	}
	if !r.options.Relocatable {
		r.propagateAttributes(described)
	}
	for _, fn := range described {
		fn.records = slices.DeleteFunc(fn.records, func(r nvinfo.Record) bool {
			return isExterns(r) && len(r.Payload) == 0
		})
		fn.infoSec.data = nvinfo.Encode(fn.records)
		fn.infoSec.size = uint64(len(fn.infoSec.data))
		fn.infoSec.kept = fn.infoSec.kept || fn.infoSec.size > 0
	}
}

// writeModuleAttributes writes .nv.info: the records of live functions, then one
// MIN_STACK_SIZE for each kernel in the order of their symbols (INFO-203).
func (r *relocated) writeModuleAttributes(entries []*entry) {
	live := slices.DeleteFunc(slices.Clone(r.attributes), func(a *attribute) bool { return a.owner != nil && a.owner.dead })
	records := numbered(live, symbolIndex)
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
		for _, e := range entries {
			records = append(records, nvinfo.New(nvinfo.MinStackSize, e.fn.symbol.index, r.needs[e].stack))
		}
	}
	r.std.info.data = nvinfo.Encode(records)
	r.std.info.size = uint64(len(r.std.info.data))
	r.std.info.kept = r.std.info.size > 0
}

// numbered gives the records of a list, as it holds them, with the symbols'
// numbers in the output. A record whose symbol is gone stays out; a list of
// externs keeps its place even when it is empty, because a kernel's may be filled
// again (INFO-206).
func numbered(list frontList[*attribute], index func(*symbol) uint32) []nvinfo.Record {
	records := make([]nvinfo.Record, 0, len(list))
	for _, a := range list.all() {
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

// externIndex gives the numbers that count in the attributes of a function. A list
// of externs keeps only what stays outside of the output: undefined functions,
// and kernels (INFO-205).
func externIndex(y *symbol) uint32 {
	if y.fn != nil && (y.fn.dead || y.fn.text != nil && !y.fn.entry) {
		return 0
	}
	return y.index
}

// setWord gives the record of a code its only word, in place, or at the end when
// there is none yet.
func setWord(records []nvinfo.Record, code nvinfo.Code, word uint32) []nvinfo.Record {
	if i := slices.IndexFunc(records, func(r nvinfo.Record) bool { return r.Code == code }); i >= 0 {
		records[i] = nvinfo.New(code, word)
		return records
	}
	return append(records, nvinfo.New(code, word))
}

// propagateAttributes lets the records of device functions travel to the kernels
// that reach them, in the order in which the inputs brought them (INFO-206).
func (r *relocated) propagateAttributes(described []*function) {
	callers := make([][]*entry, len(r.functions))
	for _, e := range r.entries {
		if r.needs[e].stack == stackUnknown {
			e.fn.records = setWord(e.fn.records, nvinfo.CRSStackSize, stackUnknown)
		}
		for _, fn := range e.reachable {
			callers[fn.order] = append(callers[fn.order], e)
		}
	}
	if len(r.entries) == 1 {
		// A lone kernel is taken to reach every function (INFO-207).
		for _, fn := range described {
			callers[fn.order] = r.entries
		}
	}
	callees := slices.DeleteFunc(slices.Clone(described), func(fn *function) bool { return fn.entry })
	slices.SortStableFunc(callees, func(a, b *function) int { return a.infoOrder - b.infoOrder })
	lone := len(r.entries) == 1
	for _, fn := range callees {
		for _, record := range slices.Backward(fn.records) {
			if lone && isExterns(record) {
				continue
			}
			for _, e := range callers[fn.order] {
				e.fn.records = nvinfo.Propagate(e.fn.records, record)
			}
		}
	}
	if lone {
		r.listAllExterns(r.entries[0].fn)
	}
}

// listAllExterns lets a lone kernel's list of externs name every undefined function
// that the output refers to, the last created first. A list that grows moves to the
// end (INFO-208).
func (r *relocated) listAllExterns(kernel *function) {
	had := externWords(kernel.records)
	for _, fn := range slices.Backward(r.functions) {
		if fn.text == nil && !fn.dead {
			kernel.records = nvinfo.Propagate(kernel.records, nvinfo.New(nvinfo.Externs, fn.symbol.index))
		}
	}
	if externWords(kernel.records) > had {
		i := slices.IndexFunc(kernel.records, isExterns)
		grown := kernel.records[i]
		kernel.records = append(slices.Delete(kernel.records, i, i+1), grown)
	}
}

func externWords(records []nvinfo.Record) int {
	if i := slices.IndexFunc(records, isExterns); i >= 0 {
		return records[i].Words()
	}
	return 0
}

func isExterns(r nvinfo.Record) bool { return r.Code == nvinfo.Externs && r.Format == nvinfo.Sized }
