package capsule

import (
	"encoding/binary"
	"slices"
)

// A writer puts the Mercury instructions of a capsule together.
type writer struct {
	bits, records []byte
	n             int
}

// add takes the record of the next instruction; empty where that is a machine instruction as it is.
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

// capsule returns the capsule of all that was added, for the code of c.
func (w *writer) capsule(c *Capsule) []byte {
	last := c.header - 4
	count := binary.LittleEndian.Uint32(c.data[last:])&formBits | uint32(w.n)
	if c.header == capsuleHeader {
		count = uint32(w.n)
	}
	head := binary.LittleEndian.AppendUint32(c.data[:last:last], count)
	return slices.Concat(head, w.bits, w.records)
}

// shortRecord is the length of a record that leaves the operands to the machine instruction.
const shortRecord = 4
