package sass

import "encoding/binary"

// MoveConstantLoads adds by to the offset of each load from constant bank 0 whose offset is in [from, to). Code is changed in
// place. Only LDC and LDCU with a fixed offset are such loads; other instructions that read the bank stay. Offsets have 16
// bits, and a sum beyond these wraps around.
func MoveConstantLoads(code []byte, from, to, by uint64) {
	const bankAt, bankWidth, width = 54, 5, 16
	const mask = 1<<width - 1
	for ; len(code) >= Size; code = code[Size:] {
		x := Decode(code)
		at, known := offsetOfLoad[x.Opcode()]
		if !known || x.Field(bankAt, bankWidth) != 0 {
			continue
		}
		if old := x.Field(at, width); from <= old && old < to {
			binary.LittleEndian.PutUint64(code, x.Low&^(mask<<at)|(old+by)&mask<<at)
		}
	}
}

// offsetOfLoad has the place of the offset in each instruction that loads from a constant bank at a fixed offset.
var offsetOfLoad = map[uint16]uint{OpLDC | 5<<9: 38, OpLDCU | 3<<9: 37}
