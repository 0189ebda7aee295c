package machinetest

import (
	"encoding/binary"
	"slices"
)

// Capsule encodes a capsule whose Mercury instructions all have a record.
func Capsule(records ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 4), 0xc0000001)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(records)))
	b = append(b, make([]byte, (len(records)+31)/32*4)...)
	return append(b, slices.Concat(records...)...)
}

// AsTheyAre returns the record of n machine instructions that are used unchanged.
func AsTheyAre(n int) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(n)<<7|0x50) }

// Several returns the record of a Mercury instruction that becomes n machine instructions.
func Several(n int, record []byte) []byte {
	return append(binary.LittleEndian.AppendUint16(nil, uint16(n)<<7|0x51), record...)
}
