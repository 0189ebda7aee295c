package merge

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// If an input has a Mercury half, later releases process its symbols in ELF order, with local symbols
// first. Symbols in cubins are not in this order, so that their numbers change. nvlink does not apply the
// change to three kinds of records: the stack size of a function, the handle that is a parameter, and the list of
// externs of a function (KIT-051, KIT-053, KIT-058, KIT-460).

// orderSymbols lists the symbols of the input in the order in which they are processed.
func (in *merger) orderSymbols() {
	take := func(wanted func(*cubin.Symbol) bool) {
		for i := range in.object.Symbols {
			if wanted(&in.object.Symbols[i]) {
				in.order = append(in.order, uint32(i))
			}
		}
	}
	if !in.ordersSymbols() {
		take(func(*cubin.Symbol) bool { return true })
		return
	}
	take(func(y *cubin.Symbol) bool { return in.object.InBothHalves(y) && y.Bind == cubin.BindLocal })
	take(func(y *cubin.Symbol) bool { return in.object.InBothHalves(y) && y.Bind != cubin.BindLocal })
	take(func(y *cubin.Symbol) bool { return !in.object.InBothHalves(y) })
}

func (in *merger) ordersSymbols() bool { return in.HasMercury() && in.Target.Profile.Merge.LocalsFirst }

// renumberedStack returns r, a stack size record, for another symbol: the one that has the function's
// number after reordering. ok is false if that symbol is a section, or was discarded in favour of another
// input's definition.
func (in *merger) renumberedStack(r nvinfo.Record) (_ nvinfo.Record, ok bool) {
	index, ok := r.Symbol()
	if !ok {
		return r, true
	}
	index = in.order[index]
	y, stays := &in.object.Symbols[index], in.symbolOf[index]
	if y.Type == cubin.SymSection || y.Defined() && stays != nil && stays.DefinedIn != in.object.Name {
		return r, false
	}
	return r.WithWord(0, index), true
}

// misnamed returns records in which those about texture, sampler and surface parameters, and the lists of
// externs, have wrong symbols, as in nvlink. They are the symbols that have the same numbers after reordering
// (KIT-053, KIT-460).
func (in *merger) misnamed(records []nvinfo.Record) []nvinfo.Record {
	p := &in.Target.Profile.Merge
	if !in.ordersSymbols() || !p.MisnamesHandles && !p.MisnamesExterns {
		return records
	}
	renumbered := slices.Clone(records)
	for i, r := range records {
		switch {
		case p.MisnamesHandles && r.DescribesParameter():
			if index, ok := r.Symbol(); ok {
				renumbered[i] = r.WithWord(0, in.reordered(index))
			}
		case p.MisnamesExterns && r.Code == nvinfo.Externs:
			renumbered[i], _ = r.MapSymbols(in.reordered)
		}
	}
	return renumbered
}

// reordered returns the symbol that has number index after reordering. A number of no symbol stays.
func (in *merger) reordered(index uint32) uint32 {
	if int(index) >= len(in.order) {
		return index
	}
	return in.order[index]
}
