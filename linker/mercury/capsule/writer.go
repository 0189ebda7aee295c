package capsule

import (
	"encoding/binary"
	"slices"
)

// A writer assembles the Mercury instructions of a capsule.
type writer struct {
	bits, records []byte
	n             int
}

// add appends the record of the next instruction. record is empty for an unchanged machine
// instruction.
func (w *writer) add(record []byte) {
	if w.n%32 == 0 {
		w.bits = append(w.bits, 0, 0, 0, 0)
	}
	if len(record) == 0 {
		w.bits[w.n/8] |= 1 << (w.n % 8)
	}
	w.records = append(w.records, record...)
	w.n++
}

// capsule returns the capsule with all added instructions. c is the capsule of the same code before
// the edit.
func (w *writer) capsule(c *Capsule) []byte {
	last := c.header - 4
	count := binary.LittleEndian.Uint32(c.data[last:])&formBits | uint32(w.n)
	if c.header == capsuleHeader {
		count = uint32(w.n)
	}
	head := binary.LittleEndian.AppendUint32(c.data[:last:last], count)
	return slices.Concat(head, w.bits, w.records)
}

// shortRecord is the length of a record without operands. The operands are in the machine
// instruction.
const shortRecord = 4
