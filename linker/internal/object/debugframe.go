package object

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/culink/culink/linker/cubin"
)

// FramePairs holds the offsets of the entries of .debug_frame in both halves of an input.
type FramePairs struct{ plain, mercury []int64 }

// PairFrames finds the entries of .debug_frame in both halves.
func PairFrames(plain, mercury []byte) *FramePairs {
	return &FramePairs{Frames(plain), Frames(mercury)}
}

// Plain translates the offset of an entry in the Mercury half into the offset of the same entry
// in the plain half. An offset without an entry is returned unchanged.
func (p *FramePairs) Plain(at int64) int64 {
	if i, ok := slices.BinarySearch(p.mercury, at); ok && i < len(p.plain) {
		return p.plain[i]
	}
	return at
}

// place translates a place in the header of an entry of the Mercury half. ok is false if the entry is not in both halves.
func (p *FramePairs) place(at uint64) (place uint64, ok bool) {
	i := sort.Search(len(p.mercury), func(i int) bool { return p.mercury[i] > int64(at) }) - 1
	if i < 0 || len(p.mercury) != len(p.plain) {
		return 0, false
	}
	return at - uint64(p.mercury[i]) + uint64(p.plain[i]), true
}

// Frames returns the offsets of the entries of .debug_frame.
func Frames(data []byte) []int64 {
	n := 0
	for range frames(data) {
		n++
	}
	places := make([]int64, 0, n)
	for at := range frames(data) {
		places = append(places, int64(at))
	}
	return places
}

// A FrameFault is a reason why the finalizer refuses the call frames of an input.
type FrameFault int

// The faults of call frames.
const (
	NoFrameFault   FrameFault = iota
	NarrowFrame               // an entry is none of 64-bit DWARF (MERC-320)
	MalformedFrame            // an entry, or an instruction of it, is cut off (KIT-176)
)

// Sizes of an entry of .debug_frame.
const (
	headOfFrame = 12 // the mark of 64-bit DWARF, and the length, of which the finalizer reads 4 bytes
	headOfFDE   = 24 // after that: its CIE, begin and size of the code
)

// FrameFault returns the first fault of .debug_frame in the Mercury half. Only a finalizer that decodes entries finds those that
// are cut off. For other finalizers, an entry whose length extends past the section is the last one. A CIE may be cut off within
// its own header.
func (o *Object) FrameFault(decodes bool) FrameFault {
	const first, behind = 21, 28
	s := o.File.Section(cubin.MercuryName(".debug_frame"))
	if s == nil || o.Mercury == nil {
		return NoFrameFault
	}
	data := o.Data(s.Index)
	for len(data) > 0 {
		switch {
		case decodes && len(data) < 4:
			return MalformedFrame
		case len(data) < 4, binary.LittleEndian.Uint32(data) != math.MaxUint32:
			return NarrowFrame
		case len(data) < headOfFrame && decodes:
			return MalformedFrame
		case len(data) < headOfFrame:
			return NoFrameFault
		}
		size := binary.LittleEndian.Uint32(data[4:])
		isCommon := len(data) >= first && binary.LittleEndian.Uint64(data[headOfFrame:]) == math.MaxUint64
		if uint64(size) > uint64(len(data)-headOfFrame) {
			if decodes && !(isCommon && len(data) < behind) {
				return MalformedFrame
			}
			return NoFrameFault
		}
		entry := data[headOfFrame:][:size]
		if decodes && !hasWholeInstructions(entry, isCommon) {
			return MalformedFrame
		}
		data = data[headOfFrame+size:]
	}
	return NoFrameFault
}

// hasWholeInstructions reports whether the last instruction of an entry is complete.
func hasWholeInstructions(entry []byte, isCommon bool) bool {
	r := frameReader{entry}
	if isCommon {
		const version = 8 // after the mark of a CIE
		r.skip(version + 1)
		for r.next() > 0 { // augmentation
		}
		r.skipNumbers(3) // units of code and data, register of the return address
	} else {
		r.skip(headOfFDE)
	}
	for len(r.rest) > 0 && r.rest != nil {
		r.skipInstruction()
	}
	return r.rest != nil
}

// A frameReader reads the instructions of an entry. rest is nil after an instruction that is cut off.
type frameReader struct{ rest []byte }

func (r *frameReader) skip(n int) {
	if n > len(r.rest) {
		r.rest = nil
		return
	}
	r.rest = r.rest[n:]
}

// next returns the next byte, or 0 if there is none.
func (r *frameReader) next() (b byte) {
	if len(r.rest) > 0 {
		b = r.rest[0]
	}
	r.skip(1)
	return b
}

// skipNumbers skips numbers in LEB128.
func (r *frameReader) skipNumbers(n int) {
	for range n {
		for r.next()&0x80 != 0 {
		}
	}
}

// skipInstruction skips an instruction with its operands (DWARF 3, 7.23).
func (r *frameReader) skipInstruction() {
	const highBits, offset = 0xc0, 0x80
	op := r.next()
	if op&highBits == offset {
		r.skipNumbers(1)
	}
	if op&highBits != 0 || int(op) >= len(frameOperands) {
		return
	}
	of := frameOperands[op]
	r.skip(of.bytes)
	r.skipNumbers(of.numbers)
	if of.block {
		size, length := binary.Uvarint(r.rest)
		if length <= 0 || size > uint64(len(r.rest)-length) {
			r.rest = nil
			return
		}
		r.skip(length + int(size))
	}
}

// frameOperands describes the operands of those instructions that have no number in the opcode. An instruction has bytes, then
// numbers in LEB128, and then a block that begins with its size.
var frameOperands = [...]struct {
	bytes, numbers int
	block          bool
}{
	0x01: {bytes: 8}, 0x02: {bytes: 1}, 0x03: {bytes: 2}, 0x04: {bytes: 4}, // set_loc, advance_loc1, 2 and 4
	0x05: {numbers: 2}, 0x06: {numbers: 1}, 0x07: {numbers: 1}, 0x08: {numbers: 1}, 0x09: {numbers: 2}, // offset_extended to register
	0x0c: {numbers: 2}, 0x0d: {numbers: 1}, 0x0e: {numbers: 1}, // def_cfa, def_cfa_register, def_cfa_offset
	0x0f: {block: true}, 0x10: {numbers: 1, block: true}, 0x16: {numbers: 1, block: true}, // def_cfa_expression, expression, val_expression
	0x11: {numbers: 2}, 0x12: {numbers: 2}, 0x13: {numbers: 1}, 0x14: {numbers: 2}, 0x15: {numbers: 2}, // offset_extended_sf to val_offset_sf
}

// frames yields the offsets of the entries of .debug_frame.
func frames(data []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; len(data)-at >= 4; {
			if !yield(at) {
				return
			}
			size, header := uint64(binary.LittleEndian.Uint32(data[at:])), 4
			if size == math.MaxUint32 { // 64-bit DWARF
				if len(data)-at < 12 {
					return
				}
				size, header = binary.LittleEndian.Uint64(data[at+4:]), 12
			}
			if size > uint64(len(data)-at-header) {
				return
			}
			at += header + int(size)
		}
	}
}
