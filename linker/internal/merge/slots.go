package merge

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Beside a Mercury half the slots of every definition of a kernel by an extensible whole program stay, one after the
// other, whichever definition prevails (LAYOUT-950).

// A redefined kernel has two definitions or more, and slots that the compiler of an extensible whole program placed.
type redefined struct {
	input    string // with the second definition
	at, size uint64 // the slots of the prevailing definition; 0 if they are the first ones
}

// giveSlots prepares parameter bank out, of a kernel that has had no slots, for those of a later definition of the kernel.
// The bank of that definition is section i of the input.
func (in *merger) giveSlots(out *program.Section, i uint32) {
	if _, slots := in.object.Mercury.CopyOf(i); !slots || out.HasSlots {
		return
	}
	out.HasSlots, out.SlotsFollow = true, true
	if out.Group == program.GroupParameters {
		out.Group = program.GroupOf(&in.object.File.Sections[i])
		in.AddSection(out)
	}
}

// keepSlots adds the slots of a discarded definition of kernel fn, whose parameter bank is section i of the input.
func (in *merger) keepSlots(fn *program.Function, i uint32) {
	k, slots := in.object.Mercury.CopyOf(i)
	out := fn.Bound.Named(in.object.File.Sections[i].Name)
	if !slots || out == nil {
		return
	}
	in.giveSlots(out, i)
	if in.redefined[fn] == nil {
		in.noteRedefined(fn, 0, 0)
	}
	in.placeCopy(i, out)
	at := in.places[k].base
	out.Size += in.sizeOfSlots(i)
	in.places[i].section, in.places[i].side = out, &out.Side
	in.places[i].base = fn.SlotStart + at - in.slotStart()
}

// followSlots moves the relocations of the slots in parameter bank s of a kernel that the input defines anew. Their offsets
// are then those that the compiler of the input would have written.
func (in *merger) followSlots(fn *program.Function, s *program.Section) {
	for i := range s.Relocations {
		if r := &s.Relocations[i]; r.IsSlot() {
			r.Offset += in.slotStart() - fn.SlotStart
		}
	}
}

// replaceSlots returns the offset of the slots of the input in out, the parameter bank of kernel fn, after those of
// earlier definitions. The input's definition prevails, and its bank is section i. For other sections it returns 0.
func (in *merger) replaceSlots(fn *program.Function, out *program.Section, i uint32) uint64 {
	if fn == nil || fn.ReplacedParameters == nil || !out.HasSlots {
		return 0
	}
	own := in.sizeOfSlots(i)
	at := out.Mercury.Size - own
	out.Size += at
	in.noteRedefined(fn, at, own)
	return at
}

// sizeOfSlots returns the size that the slots in parameter bank i of the input take in the output.
func (in *merger) sizeOfSlots(i uint32) uint64 {
	k, slots := in.object.Mercury.CopyOf(i)
	if !slots {
		return 0
	}
	size := in.object.File.Sections[k].Size
	if in.Target.Profile.Layout.GrowsSlots {
		size += in.slotStart()
	}
	return size
}

// noteRedefined notes where the slots of the prevailing definition of kernel fn are.
func (in *merger) noteRedefined(fn *program.Function, at, size uint64) {
	r := in.redefined[fn]
	if r == nil {
		if in.redefined == nil {
			in.redefined = map[*program.Function]*redefined{}
		}
		r = &redefined{input: in.object.Name}
		in.redefined[fn] = r
	}
	r.at, r.size = at, size
}

// checkSlots makes the link fail if the code of a kernel would read slots of another definition (LAYOUT-841): code of an
// extensible whole program reads the first ones, and those of ordinary code get no place beside them.
func (m *merged) checkSlots() {
	for _, fn := range m.Functions {
		if r := m.redefined[fn]; r != nil && (fn.ReadsSlots() || !r.readsOwn(fn.Own(cubin.ParameterPrefix).Mercury)) {
			m.refuseWhole(fn, r.input, "slots of textures")
		}
	}
}

// readsOwn reports whether the slots at the start of side are like those of the prevailing definition.
func (r *redefined) readsOwn(side *program.Side) bool {
	type slot struct {
		offset uint64
		typ    uint32
		symbol *program.Symbol
	}
	known := make(map[slot]bool, len(side.Relocations))
	for _, s := range side.Relocations {
		known[slot{s.Offset, s.Type, s.Symbol}] = true
	}
	return !slices.ContainsFunc(side.Relocations, func(own program.Relocation) bool {
		return own.Offset >= r.at && own.Offset < r.at+r.size && !known[slot{own.Offset - r.at, own.Type, own.Symbol}]
	})
}

// refuseWhole makes the link fail after the merge, unless nvlink reports an error of its own by then: input has the
// second definition of kernel fn, one of the two is of an extensible whole program, and what this definition has gets no
// place. The first such kernel is reported.
func (m *merged) refuseWhole(fn *program.Function, input, what string) {
	if m.refusal == nil {
		d := diag.New(diag.ReplacedWholeProgram, fn.Symbol.Name, input, what)
		m.refusal = &d
	}
}
