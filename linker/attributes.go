package linker

import (
	"slices"

	"github.com/culink/culink/linker/nvinfo"
)

// The attributes of the output: the inputs' records with the symbols' new
// numbers, and what the linker has found out about each kernel (seed 002).

// attributes writes .nv.info and .nv.info.<function>, once symbols have their
// numbers.
func (r *relocated) writeAttributes() {
	entries := slices.Clone(r.entries)
	slices.SortFunc(entries, func(a, b *entry) int { return int(a.fn.symbol.index) - int(b.fn.symbol.index) })
	r.writeModuleAttributes(entries)
	if !r.options.Relocatable {
		for _, e := range entries {
			r.raiseEntry(e)
		}
	}
	for _, fn := range r.functions {
		if fn.dead || fn.infoSec == nil {
			continue
		}
		var b []byte
		for _, a := range fn.attributes.all() {
			b = r.appendAttribute(b, a, fn)
		}
		for _, a := range fn.added {
			b = r.appendAttribute(b, a, fn)
		}
		fn.infoSec.data, fn.infoSec.size = b, uint64(len(b))
		fn.infoSec.kept = fn.infoSec.kept || len(b) > 0
	}
}

// writeModuleAttributes writes .nv.info: the records of live functions, then one
// MIN_STACK_SIZE for each kernel in the order of their symbols (INFO-003).
func (r *relocated) writeModuleAttributes(entries []*entry) {
	var b []byte
	for _, a := range r.attributes.all() {
		if a.owner != nil && a.owner.dead {
			continue
		}
		record := r.numbered(a)
		if a.Code == nvinfo.RegCount && a.owner != nil && r.entryOf[a.owner] != nil {
			record = record.WithWord(1, r.needs[r.entryOf[a.owner]].registers)
		}
		b = nvinfo.Append(b, record)
	}
	if !r.options.Relocatable {
		for _, e := range entries {
			b = nvinfo.Append(b, nvinfo.New(nvinfo.MinStackSize, e.fn.symbol.index, r.needs[e].stack))
		}
	}
	r.std.info.data, r.std.info.size = b, uint64(len(b))
}

// numbered gives the record of a with the symbols' numbers in the output.
func (r *relocated) numbered(a *attribute) nvinfo.Record {
	record := a.Record
	for k, word := range symbolWords(record) {
		var index uint32
		if y := a.symbols[k]; y != nil {
			index = y.index
		}
		record = record.WithWord(word, index)
	}
	return record
}

// appendAttribute appends the record a of fn. A list of externs keeps only what
// stays outside: undefined functions, and kernels (INFO-005).
func (r *relocated) appendAttribute(b []byte, a *attribute, fn *function) []byte {
	if a.Code != nvinfo.Externs || r.options.Relocatable {
		return nvinfo.Append(b, r.numbered(a))
	}
	var words []uint32
	for _, y := range a.symbols {
		if staysExtern(y) {
			words = append(words, y.index)
		}
	}
	if len(words) == 0 {
		return b
	}
	return nvinfo.Append(b, nvinfo.New(nvinfo.Externs, words...))
}

func staysExtern(y *symbol) bool {
	return y != nil && y.fn != nil && !y.fn.dead && (y.fn.text == nil || y.fn.entry)
}

// raiseEntry lets the kernel's own attributes cover what it reaches: the largest
// number of barriers, all externs, and an unknown stack (INFO-006). Functions
// count in the order in which their attribute sections were created.
func (r *relocated) raiseEntry(e *entry) {
	callees := slices.DeleteFunc(slices.Clone(e.reachable), func(fn *function) bool {
		return fn == e.fn || fn.infoSec == nil
	})
	slices.SortFunc(callees, func(a, b *function) int { return a.infoOrder - b.infoOrder })
	if r.needs[e].stack == stackUnknown {
		e.fn.added = append(e.fn.added, &attribute{Record: nvinfo.New(nvinfo.CRSStackSize, stackUnknown)})
	}
	for _, fn := range callees {
		if n := fn.barriers(); n > e.fn.barriers() {
			e.fn.setBarriers(n)
		}
		for _, a := range fn.attributes.all() {
			if a.Code != nvinfo.Externs {
				continue
			}
			for _, y := range a.symbols {
				if staysExtern(y) {
					e.fn.addExtern(y)
				}
			}
		}
	}
}

// find gives the function's record of a code, if it has one.
func (f *function) find(code nvinfo.Code) *attribute {
	for _, a := range f.attributes.all() {
		if a.Code == code {
			return a
		}
	}
	for _, a := range f.added {
		if a.Code == code {
			return a
		}
	}
	return nil
}

func (f *function) barriers() uint16 {
	if a := f.find(nvinfo.NumBarriers); a != nil {
		return a.Value
	}
	return 0
}

func (f *function) setBarriers(n uint16) {
	if a := f.find(nvinfo.NumBarriers); a != nil {
		a.Value = n
		return
	}
	f.added = append(f.added, &attribute{Record: nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.NumBarriers, Value: n}})
}

func (f *function) addExtern(y *symbol) {
	a := f.find(nvinfo.Externs)
	if a == nil {
		a = &attribute{Record: nvinfo.Record{Format: nvinfo.Sized, Code: nvinfo.Externs}}
		f.added = append(f.added, a)
	}
	if !slices.Contains(a.symbols, y) {
		a.symbols = append(a.symbols, y)
	}
}
