package program

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/nvinfo"
)

// An Attribute is a record of the module's .nv.info, with the symbols of the input that it came from.
type Attribute struct {
	nvinfo.Record
	SymbolOf []*Symbol // by symbol index of the input; set by merge
	Owner    *Function // that it speaks of, if any; set by merge
	Gone     bool      // it speaks of code that was replaced; set by merge
}

// Attributes holds the records of a function, grouped by the input sections that they came from. It is in
// the order of a [FrontList], but its elements are added section by section.
type Attributes []attributeList

// An attributeList has the records of one section of an input.
type attributeList struct {
	records  []nvinfo.Record
	symbolOf []*Symbol // by symbol index of the input
}

// Push prepends records one by one. It keeps them.
func (a *Attributes) Push(records []nvinfo.Record, symbolOf []*Symbol) {
	*a = append(*a, attributeList{records, symbolOf})
}

// All yields the records with the symbols of their inputs, in the order of the list: the last added
// first.
func (a Attributes) All() iter.Seq2[nvinfo.Record, []*Symbol] {
	return func(yield func(nvinfo.Record, []*Symbol) bool) {
		for _, list := range slices.Backward(a) {
			for _, r := range slices.Backward(list.records) {
				if !yield(r, list.symbolOf) {
					return
				}
			}
		}
	}
}

// Pushed yields what All yields, in the order in which the records were added.
func (a Attributes) Pushed() iter.Seq2[nvinfo.Record, []*Symbol] {
	return func(yield func(nvinfo.Record, []*Symbol) bool) {
		for _, list := range a {
			for _, r := range list.records {
				if !yield(r, list.symbolOf) {
					return
				}
			}
		}
	}
}

// Len returns the number of records.
func (a Attributes) Len() (n int) {
	for _, list := range a {
		n += len(list.records)
	}
	return n
}

// Has reports whether there is a record of one of the codes.
func (a Attributes) Has(codes ...nvinfo.Code) bool {
	for _, list := range a {
		for i := range list.records {
			if slices.Contains(codes, list.records[i].Code) {
				return true
			}
		}
	}
	return false
}
