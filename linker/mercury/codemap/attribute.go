package codemap

import (
	"encoding/binary"
	"math"

	"github.com/culink/culink/linker/nvinfo"
)

// Some attributes of a function (.nv.info.<f>) refer to places in its code.

// strides contains, by attribute code, the number of words in each entry of a payload. Each of these entries
// begins with an offset in machine code. The stride is 0 for payloads without offsets.
var strides = [math.MaxUint8 + 1]int8{
	nvinfo.ExitOffsets: 1, nvinfo.CoopGroupOffsets: 1, nvinfo.WarpWideOffsets: 1,
	nvinfo.EmulatedAtomics: 2, nvinfo.UnusedLoadBytes: 2, // offset and registers; offset and byte mask
	nvinfo.PatchedRegisters: 3, // offset, register and mask
	nvinfo.MBarrierOffsets:  4,
	nvinfo.BranchTargets:    entriesDiffer, nvinfo.Annotations: entriesDiffer,

	// The following codes were not seen in any object. Their payloads are assumed from their names.
	nvinfo.CTAIDOffsets: 1, nvinfo.SyscallOffsets: 1, nvinfo.MembarOffsets: 1, nvinfo.StackCanaryOffsets: 1,
}

// entriesDiffer is the stride of payloads whose entries have different lengths.
const entriesDiffer = -1

// NamesPlaces reports whether attributes of a code refer to places in machine code. If so, the attributes of a
// function differ in the two halves of a file.
func NamesPlaces(code nvinfo.Code) bool { return strides[code] != 0 }

// Record returns an attribute of the function with its offsets mapped (MERC-116). The payload is copied if it
// changes.
func (m Map) Record(r nvinfo.Record) nvinfo.Record {
	if !m.Moved() || !NamesPlaces(r.Code) {
		return r
	}
	r.Payload = append([]byte(nil), r.Payload...)
	switch r.Code {
	case nvinfo.BranchTargets:
		m.branches(r.Payload)
		return r
	case nvinfo.Annotations:
		m.annotations(r.Payload)
		return r
	}
	for at := 0; at+4 <= len(r.Payload); at += 4 * int(strides[r.Code]) {
		old := binary.LittleEndian.Uint32(r.Payload[at:])
		binary.LittleEndian.PutUint32(r.Payload[at:], uint32(m.own(uint64(old))))
	}
	return r
}

// branches maps a payload of nvinfo.BranchTargets. For each branch the payload contains its offset, two
// half-words, the number of targets, and the targets.
func (m Map) branches(b []byte) {
	for len(b) >= 12 {
		m.word(b)
		targets := uint64(binary.LittleEndian.Uint32(b[8:]))
		b = b[12:]
		for ; targets > 0 && len(b) >= 4; targets-- {
			m.word(b)
			b = b[4:]
		}
	}
}

// These are the kinds of annotations that were seen. ptxas -annotate writes the texts, padded to whole words.
const (
	annotationSpill = 1 // offset
	annotationPlace = 2 // offset, length, text
	annotationText  = 3 // length, text
)

// annotations maps a payload of annotations. It stops at the first one of an unknown kind.
func (m Map) annotations(b []byte) {
	text := func(at int) int { // end of the text whose length is at at
		if at+4 > len(b) {
			return len(b)
		}
		length := (uint64(binary.LittleEndian.Uint32(b[at:])) + 3) / 4 * 4
		return int(min(uint64(at)+4+length, uint64(len(b))))
	}
	for len(b) >= 8 {
		end := 8
		switch binary.LittleEndian.Uint32(b) {
		case annotationSpill:
			m.word(b[4:])
		case annotationPlace:
			m.word(b[4:])
			end = text(8)
		case annotationText:
			end = text(4)
		default:
			return
		}
		b = b[end:]
	}
}

// word maps the offset in the first four bytes of b.
func (m Map) word(b []byte) {
	binary.LittleEndian.PutUint32(b, uint32(m.Offset(uint64(binary.LittleEndian.Uint32(b)))))
}

// Words maps the code offsets at the given places of data. These are the entries of jump tables in
// .nv.constant2.<f>, at the offsets of the relocations in .nv.merc.rela.nv.constant.optimizer.<f> (MERC-116).
// Places outside data are skipped.
func (m Map) Words(data []byte, places []uint64) {
	for _, at := range places {
		if m.Moved() && at+4 <= uint64(len(data)) && at+4 > at {
			m.word(data[at:])
		}
	}
}
