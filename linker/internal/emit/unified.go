package emit

import "encoding/binary"

// linkedEntry marks a record that a linker has written.
const linkedEntry = 6

// writeUnified writes the records of unified functions and variables. It replaces the symbol, the
// flags and the value of each record, and keeps the key that follows them (LAYOUT-115).
func (e *emitter) writeUnified() {
	for _, u := range e.Unified {
		for _, side := range u.Section.Sides() {
			b := side.Writable()[u.Offset:]
			binary.LittleEndian.PutUint32(b, e.number(u.Symbol))
			binary.LittleEndian.PutUint32(b[4:], binary.LittleEndian.Uint32(b[4:])|linkedEntry)
			binary.LittleEndian.PutUint64(b[8:], u.Symbol.Value)
		}
	}
}
