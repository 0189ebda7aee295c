package capsule

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// recordOf returns the Mercury form of an instruction that has no record in its input. It returns nil if the
// form is not known.
func recordOf(x machine.Instr) []byte {
	switch x.Op() {
	case sass.OpBSYNC:
		return joinRecord(x)
	case sass.OpEXIT:
		return exitRecord(x)
	case sass.OpIADD:
		return addRecord(x)
	}
	return nil
}

// exitRecord returns the Mercury form of an EXIT. A capsule contains it if the EXIT becomes several machine
// instructions. The form consists of guard and operand, each a predicate and a negation bit.
func exitRecord(exit machine.Instr) []byte {
	record := make([]byte, 16)
	copy(record, []byte{0x01, 0x11, 0x00, 0x0a})
	record[4] = guardByte(exit)
	record[11] = predicateByte(exit.High>>(87-64)&7) | byte(exit.High>>(90-64)&1)
	return record
}

// guardByte returns the guard of an instruction in Mercury form.
func guardByte(x machine.Instr) byte { return predicateByte(x.Low>>12&7) | byte(x.Low>>15&1) }

func predicateByte(number uint64) byte {
	if number == 7 { // always
		return 0xf8
	}
	return byte(number << 3)
}

// The third byte of the Mercury form of a BSYNC.
const (
	reliableRecord     = 4
	reconvergentRecord = 2
)

// joinRecord returns the Mercury form of a BSYNC. A capsule contains it if the BSYNC becomes two machine
// instructions. The form consists of the guard and the number of the barrier.
func joinRecord(join machine.Instr) []byte {
	record := make([]byte, 16)
	copy(record, []byte{0x01, 0x09, reconvergentRecord, 0x0a})
	if join.IsReliable() {
		record[2] = reliableRecord
	}
	record[4] = guardByte(join)
	record[6] = byte(join.High >> (73 - 64) & 1)
	record[10] = byte(join.Barrier()) * 2
	return record
}

// addRecord returns the Mercury form of IADD. It leaves the operands to the machine instruction.
func addRecord(x machine.Instr) []byte {
	const constant, uniform = 4, 6 // kind of the second operand
	kind, carried := x.Low>>9&7, x.CarriesIn()
	switch {
	case carried && kind == constant:
		return []byte{0x42, 0x0c, 0x32, 0x06}
	case carried && kind == uniform:
		return []byte{0x42, 0x0c, 0x34, 0x14}
	case carried:
		return []byte{0x42, 0x0c, 0x30, 0x14}
	case kind == constant:
		return []byte{0x42, 0x0c, 0x42, 0x06}
	case kind == uniform:
		return []byte{0x41, 0x0c, 0x44, 0x04}
	}
	return []byte{0x41, 0x0c, 0x40, 0x04}
}
