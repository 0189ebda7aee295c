package codemap

import (
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/sass"
)

// Code compiled without optimisation has a WARPSYNC.COLLECTIVE before each instruction that only a part of a warp
// executes. COOP_GROUP_INSTR_OFFSETS lists that instruction. 13.0.48 lists the WARPSYNC instead if the instruction
// reduces integers, or is a barrier whose number is in a register (KIT-210).

// PlaceCollectives returns a record of a function with the offsets of such instructions, or of the WARPSYNCs before them
// if ofWarpSync is set. The payload is copied.
func PlaceCollectives(record nvinfo.Record, code []byte, ofWarpSync bool) nvinfo.Record {
	if record.Code != nvinfo.CoopGroupOffsets {
		return record
	}
	payload := slices.Clone(record.Payload)
	for word := range slices.Chunk(payload[:len(payload)&^3], 4) {
		at := uint64(binary.LittleEndian.Uint32(word))
		for _, c := range collectives {
			distance := uint64(len(c)) * sass.Size
			switch {
			case ofWarpSync && at >= distance && c.isAt(code, at-distance):
				binary.LittleEndian.PutUint32(word, uint32(at-distance))
			case !ofWarpSync && c.isAt(code, at):
				binary.LittleEndian.PutUint32(word, uint32(at+distance))
			}
		}
	}
	record.Payload = payload
	return record
}

// A collective describes the instructions after a WARPSYNC.COLLECTIVE, up to the one that only a part of a warp executes.
type collective []func(sync, x sass.Instruction) bool

var collectives = []collective{
	{isReduction},
	{isOp(sass.OpSHF), isOp(sass.OpLOP3), isOp(sass.OpBAR)}, // the operand of the barrier is made first
}

// isAt reports whether code has a WARPSYNC.COLLECTIVE at offset at, and the instructions of c after it.
func (c collective) isAt(code []byte, at uint64) bool {
	if at%sass.Size != 0 || at+uint64(1+len(c))*sass.Size > uint64(len(code)) {
		return false
	}
	const ofCollective = 18 // a bit of WARPSYNC
	sync := sass.Decode(code[at:])
	if sync.Op() != sass.OpWARPSYNC || !sync.Bit(ofCollective) {
		return false
	}
	for i, is := range c {
		if !is(sync, sass.Decode(code[at+uint64(1+i)*sass.Size:])) {
			return false
		}
	}
	return true
}

func isOp(op sass.Op) func(sync, x sass.Instruction) bool {
	return func(_, x sass.Instruction) bool { return x.Op() == op }
}

// isReduction reports whether x reduces integers to a sum, minimum or maximum after a WARPSYNC of the lanes in a register.
func isReduction(sync, x sass.Instruction) bool {
	const ofRegister = 19 // a bit of WARPSYNC
	const sum = 3         // the first operation of REDUX on numbers; those before are on bits
	switch x.Op() {
	case sass.OpREDUX:
		return sync.Bit(ofRegister) && x.Field(78, 3) >= sum
	case sass.OpCREDUX:
		return sync.Bit(ofRegister) && !x.Bit(74) // of floats
	}
	return false
}
