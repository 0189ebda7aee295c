package machinetest

import (
	"encoding/binary"
	"slices"
)

// Capsule encodes a capsule of Mercury instructions that all have a record.
func Capsule(records ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 4), 0xc0000001)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(records)))
	b = append(b, make([]byte, (len(records)+31)/32*4)...)
	return append(b, slices.Concat(records...)...)
}

// AsTheyAre is the record of n machine instructions as they are.
func AsTheyAre(n int) []byte { return binary.LittleEndian.AppendUint16(nil, uint16(n)<<7|0x50) }

// Several is a record of a Mercury instruction that becomes n machine instructions.
func Several(n int, record []byte) []byte {
	return append(binary.LittleEndian.AppendUint16(nil, uint16(n)<<7|0x51), record...)
}
