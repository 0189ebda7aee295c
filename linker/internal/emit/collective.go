package emit

import (
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/sass"
)

// Code compiled without optimisation has a WARPSYNC.COLLECTIVE before each instruction that only a part of a warp
// executes. COOP_GROUP_INSTR_OFFSETS lists that instruction. 13.0.48 lists the WARPSYNC instead if the instruction
// reduces integers (KIT-210).

// placeReductions returns a record of a function with the offsets of such reductions, or of the WARPSYNCs before them
// if ofWarpSync is set. The payload is copied.
func placeReductions(record nvinfo.Record, code []byte, ofWarpSync bool) nvinfo.Record {
	if record.Code != nvinfo.CoopGroupOffsets {
		return record
	}
	payload := slices.Clone(record.Payload)
	for word := range slices.Chunk(payload[:len(payload)&^3], 4) {
		at := uint64(binary.LittleEndian.Uint32(word))
		switch {
		case ofWarpSync && at >= sass.Size && isCollectiveReduction(code, at-sass.Size):
			binary.LittleEndian.PutUint32(word, uint32(at-sass.Size))
		case !ofWarpSync && isCollectiveReduction(code, at):
			binary.LittleEndian.PutUint32(word, uint32(at+sass.Size))
		}
	}
	record.Payload = payload
	return record
}

// isCollectiveReduction reports whether code has a WARPSYNC.COLLECTIVE at offset at, and an integer reduction after it.
func isCollectiveReduction(code []byte, at uint64) bool {
	const collective, reduction = 19, 18 // bits of WARPSYNC
	if at%sass.Size != 0 || at+2*sass.Size > uint64(len(code)) {
		return false
	}
	sync := sass.Decode(code[at:])
	return sync.Op() == sass.OpWARPSYNC && sync.Bit(collective) && sync.Bit(reduction) && reducesIntegers(sass.Decode(code[at+sass.Size:]))
}

// reducesIntegers reports whether x reduces integers to a sum, minimum or maximum.
func reducesIntegers(x sass.Instruction) bool {
	const sum = 3 // the first operation of REDUX on numbers; those before are on bits
	switch x.Op() {
	case sass.OpREDUX:
		return x.Field(78, 3) >= sum
	case sass.OpCREDUX:
		return !x.Bit(74) // of floats
	}
	return false
}
