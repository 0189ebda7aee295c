package mercury

import (
	"slices"
	"sort"

	"github.com/culink/culink/linker/mercury/internal/machine"
)

// A Map tells where the places of a function's code are after instructions of it were
// dropped and others inserted. The zero Map is that of code that stayed as it was.
//
// Everything outside the code that names a place in it follows the map: attributes
// ([Map.Record]), jump tables ([Map.Words]), call frames ([Map.Frame]), line tables
// ([Lines]), the registers of debug information ([Registers]); and with [Map.Offset]
// the offsets of relocations in .rela.text.<f>, the size of the function, and the
// addends of relocations against it in .rela.debug_info and .rela.debug_loc
// (MERC-116). The Mercury half of the file keeps the places of the input.
type Map struct {
	dropped     []uint64 // offsets of the dropped instructions, rising; one byte less where its places are those of the one before
	inserted    []uint64 // of the instruction that each inserted one stands before, rising; one byte less where it belongs to the one before that, two less where it is a part of what that is for
	size, after uint64   // length of the code with its padding, and the new length
}

// A step is an instruction of the new code, and the number of the old one that it is, or
// that it was inserted before.
type step struct {
	machine.Instr
	old      int
	inserted bool
	spacing  bool // it was inserted to take time, after the instruction before
	behind   bool // it was inserted behind old instruction old, as a part of what that is for
	replaced bool // it has another form in the capsule
	absorbs  bool // the next one goes, and its places are this one's
	window   bool // it adds the window of shared memory
}

// newMap returns the map of code of n instructions, of length size with its padding, that
// becomes steps.
func newMap(n int, size uint64, steps []step) Map {
	m := Map{size: size, after: padded(len(steps))}
	next := 0
	for _, x := range steps {
		for ; next < x.old; next++ {
			m.dropped = append(m.dropped, uint64(next)*InstructionSize)
		}
		switch {
		case x.behind:
			m.inserted = append(m.inserted, uint64(x.old+1)*InstructionSize-2)
		case x.spacing && x.old > 0:
			m.inserted = append(m.inserted, uint64(x.old)*InstructionSize-1)
		case x.inserted:
			m.inserted = append(m.inserted, uint64(x.old)*InstructionSize)
		default:
			next = x.old + 1
		}
		if x.absorbs {
			m.dropped = append(m.dropped, uint64(next)*InstructionSize-1)
			next++
		}
	}
	for ; next < n; next++ {
		m.dropped = append(m.dropped, uint64(next)*InstructionSize)
	}
	return m
}

// Offset returns the new offset of what was at old, with what was inserted before it. What
// was dropped is now where the next instruction is that stayed; the end of the function is
// its new end.
func (m Map) Offset(old uint64) uint64 {
	if !m.Moved() {
		return old
	}
	return m.offset(old)
}

// offset is Offset of a map that moves something.
func (m *Map) offset(old uint64) uint64 {
	if old >= m.size {
		return old - m.size + m.after
	}
	return old + (countBelow(m.inserted, old)-countBelow(m.dropped, old))*InstructionSize
}

// own returns the new offset of the instruction at old, after what was inserted before it.
func (m Map) own(old uint64) uint64 {
	if i, found := slices.BinarySearch(m.inserted, old); found {
		return m.Offset(old) + (countBelow(m.inserted, old+1)-uint64(i))*InstructionSize
	}
	return m.Offset(old)
}

// beforeParts returns the new offset of what was at old, without what was inserted behind the instruction before as a part of
// what that is for.
func (m Map) beforeParts(old uint64) uint64 {
	if _, found := slices.BinarySearch(m.inserted, old-2); found {
		return m.Offset(old) - InstructionSize
	}
	return m.Offset(old)
}

// countBelow counts the offsets of a rising list before one.
func countBelow(list []uint64, offset uint64) uint64 {
	return uint64(sort.Search(len(list), func(i int) bool { return list[i] >= offset }))
}

// stayed returns the new offset of the last instruction up to old that stayed.
func (m Map) stayed(old uint64) uint64 {
	return max(m.Offset(old+InstructionSize), InstructionSize) - InstructionSize
}

// Moved reports whether the map changes any offset.
func (m Map) Moved() bool { return len(m.dropped)+len(m.inserted) > 0 }
