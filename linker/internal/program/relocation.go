package program

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// A Relocation is a relocation of the merged program.
type Relocation struct {
	Offset uint64  // in its section; set by merge, layout, finalize, relocate, emit
	Symbol *Symbol // set by merge, layout, relocate
	Addend int64   // set by merge, finalize, relocate, emit
	Bias   uint64  // place of the input's contribution, when symbol is a section; set by merge
	Type   uint32  // set by merge, layout, relocate
	Rela   bool    // came with an addend of its own; set by merge, layout, relocate
	Stale  bool    // came with a copy of its function that another one has replaced; set by merge
	Added  bool    // a slot that the link adds to a parameter bank; set by layout
	Forced bool    // has an addend of its own because of --force-rela; set by relocate
}

// IsSlot reports whether r is against a texture, sampler or surface. In a parameter bank it fills a slot, and in code it
// reads one.
func (r Relocation) IsSlot() bool { return r.Symbol != nil && cubin.IsHandle(r.Symbol.Type) }

// ReadsSlots reports whether relocations of the code of fn read slots.
func (fn *Function) ReadsSlots() bool {
	return fn.Text != nil && slices.ContainsFunc(fn.Text.Relocations, func(r Relocation) bool {
		t, _ := reloc.Lookup(r.Type)
		return r.IsSlot() && t.Use == reloc.Operand
	})
}

// A RelocationSection is a relocation section .rel.T or .rela.T of an input, by name.
type RelocationSection struct {
	Name   string
	Type   cubin.SectionType
	Target *Section
	Flags  uint64
	Serial int32              // its number among all sections that nvlink creates, like that of a Section
	Slots  bool               // has the slots that the layout adds to a parameter bank
	named  bool               // only its name is known until relocations of an input are merged
	next   *RelocationSection // for the same target
}

// StartsLines reports whether r, a relocation of .debug_info, refers to the start of a unit's
// lines.
func (r *Relocation) StartsLines() bool {
	return r.Symbol != nil && r.Symbol.IsSection && r.Symbol.Section != nil && r.Symbol.Section.Name == cubin.DebugLineName
}
