package codemap

import (
	"sort"

	"github.com/culink/culink/linker/mercury/internal/machine"
)

// A Map maps the offsets in a function's code after some of its instructions were dropped and others inserted.
// The zero Map is the map of unchanged code.
//
// Everything outside the code that refers to a place in it follows the map: attributes ([Map.Record]), jump
// tables ([Map.Words]), call frames ([Map.Frame]), line tables ([Lines]), and the registers of debug
// information ([Registers]). [Map.Offset] gives the new offsets of relocations in .rela.text.<f>, the new size
// of the function, and the new addends of relocations against it in .rela.debug_info and .rela.debug_loc
// (MERC-116). The Mercury half of the file keeps the offsets of the input.
type Map struct {
	dropped     []edit // ascending
	inserted    []edit // ascending
	size, after uint64 // length of the code with its padding, and the new length
}

// An edit is an instruction that was dropped at an offset of the old code, or inserted before that offset.
type edit struct {
	at   uint64
	kind editKind
}

// An editKind describes to which instruction the offsets of an edit belong.
type editKind uint8

const (
	toNext editKind = iota // dropped: its places become those of the next kept instruction; inserted: places at the offset belong to it
	toLast                 // to the previous instruction: places at the offset are after it
	partOf                 // as toLast, for an instruction inserted as a part of the previous one
)

// isBelow reports whether an offset is after the edit.
func (e edit) isBelow(offset uint64) bool {
	return e.at < offset || e.at == offset && e.kind != toNext
}

// A Step is an instruction of the new code. Old is the number of the same instruction in the old code. For an
// inserted instruction, Old is the number of the one before which it was inserted.
type Step struct {
	machine.Instr
	Old      int
	Inserted bool
	Delay    int  // cycles after its stall, which become empty additions
	Spacing  bool // it was inserted as a delay after the previous instruction
	Behind   bool // it was inserted after old instruction Old, as a part of it
	Replaced bool // it has another form in the capsule
	Differs  bool // it uses other registers or units than the old instruction
	Absorbs  bool // the next instruction is dropped, and its places become those of this one
	Window   bool // it makes an address of shared memory (KIT-190, MERC-262)
}

// StepsOf returns the steps of unchanged code.
func StepsOf(code []machine.Instr) []Step {
	steps := make([]Step, len(code))
	for i, x := range code {
		steps[i] = Step{Instr: x, Old: i}
	}
	return steps
}

// New returns the map from old code to steps. The old code has n instructions and a length of size bytes,
// including padding.
func New(n int, size uint64, steps []Step) Map {
	m := Map{size: size, after: padded(len(steps))}
	next := 0
	drop := func(kind editKind) {
		m.dropped = append(m.dropped, edit{uint64(next) * machine.Size, kind})
		next++
	}
	for _, x := range steps {
		for next < x.Old {
			drop(toNext)
		}
		at := uint64(x.Old) * machine.Size
		switch {
		case x.Behind:
			m.inserted = append(m.inserted, edit{at + machine.Size, partOf})
		case x.Spacing && x.Old > 0:
			m.inserted = append(m.inserted, edit{at, toLast})
		case x.Inserted:
			m.inserted = append(m.inserted, edit{at, toNext})
		default:
			next = x.Old + 1
		}
		if x.Absorbs {
			drop(toLast)
		}
	}
	for next < n {
		drop(toNext)
	}
	return m
}

// Offset returns the new offset of the place at offset old. If instructions are inserted at that place, the result is the
// offset of the first of them. The offset of a dropped instruction maps to that of the next kept one. The end of the
// function maps to its new end.
func (m Map) Offset(old uint64) uint64 {
	if !m.Moved() {
		return old
	}
	return m.offset(old)
}

// offset is Offset of a map that moves instructions.
func (m *Map) offset(old uint64) uint64 {
	if old >= m.size {
		return old - m.size + m.after
	}
	return old + (countBelow(m.inserted, old)-countBelow(m.dropped, old))*machine.Size
}

// own returns the new offset of the instruction at old itself, after the instructions inserted before it.
func (m Map) own(old uint64) uint64 {
	offset := m.Offset(old)
	for _, e := range m.inserted[countBelow(m.inserted, old):] {
		if e.at != old {
			break
		}
		offset += machine.Size
	}
	return offset
}

// beforeParts returns the new offset of a place at old. The offset is before any instruction that was inserted
// as a part of the previous one.
func (m Map) beforeParts(old uint64) uint64 {
	for i := int(countBelow(m.inserted, old)) - 1; i >= 0 && m.inserted[i].at == old; i-- {
		if m.inserted[i].kind == partOf {
			return m.Offset(old) - machine.Size
		}
	}
	return m.Offset(old)
}

// countBelow returns the number of edits before an offset. list is in ascending order.
func countBelow(list []edit, offset uint64) uint64 {
	return uint64(sort.Search(len(list), func(i int) bool { return !list[i].isBelow(offset) }))
}

// stayed returns the new offset of the last kept instruction at or before old.
func (m Map) stayed(old uint64) uint64 {
	return max(m.Offset(old+machine.Size), machine.Size) - machine.Size
}

// Moved reports whether the map changes any offset.
func (m Map) Moved() bool { return len(m.dropped)+len(m.inserted) > 0 }

// padding is the least number of NOPs at the end of a function. The length of a function in instructions is a
// multiple of it.
const padding = 8

// padded returns the length in bytes of a function of n instructions.
func padded(n int) uint64 {
	return uint64(n+padding+padding-1) / padding * padding * machine.Size
}
