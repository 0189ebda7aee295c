package sass

import "encoding/binary"

// Size is the length of an instruction in bytes.
const Size = 16

// An Instruction is a machine instruction of 128 bits:
//
//	bits 0-11     opcode
//	bits 12-15    guard: a predicate, bit 15 negates it; 7 is "always"
//	bits 16-104   operands and modifiers
//	bits 105-125  scheduling: stall, yield, scoreboards, reuse
type Instruction struct{ Low, High uint64 }

// Decode reads an instruction from the first [Size] bytes of b.
func Decode(b []byte) Instruction {
	return Instruction{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// Append appends the bytes of x to b.
func (x Instruction) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, x.Low)
	return binary.LittleEndian.AppendUint64(b, x.High)
}

// Opcode returns the low twelve bits: nine for the operation, three for the kinds of its operands.
func (x Instruction) Opcode() uint16 { return uint16(x.Low & 0xfff) }

// Field returns width bits of x, at most 64, starting at bit at.
func (x Instruction) Field(at, width uint) uint64 {
	v := x.High
	switch {
	case at < 64:
		v = x.Low>>at | x.High<<(64-at)
	default:
		v >>= at - 64
	}
	return v & (1<<width - 1)
}

// Bit reports whether a bit is set.
func (x Instruction) Bit(at uint) bool { return x.Field(at, 1) == 1 }

// Conditional reports whether x has a guard that may be false.
func (x Instruction) Conditional() bool { return x.Field(12, 4) != 7 }

// IsDistance reports whether x is a NOP whose only effect is a delay.
func (x Instruction) IsDistance() bool {
	return x.Op() == OpNOP && !x.Conditional() && x.WaitMask() == 0 && x.WriteBarrier() == NoBarrier && x.ReadBarrier() == NoBarrier
}

// IsSpace reports whether x is a NOP whose only effect is a delay, or an empty addition.
func (x Instruction) IsSpace() bool {
	return x.IsDistance() || x == EmptyAddition.WithControlOf(x)
}

// EmptyAddition is `@!UPT UIADD3 URZ, UPT, UPT, URZ, URZ, URZ`. It never executes, and has no waits and no
// scoreboards. Its only effect is a delay.
var EmptyAddition = Instruction{Low: 0x000000fffffff290, High: 0x000fc0000fffe0ff}

// matches reports whether x is equal to bits where mask is set.
func (x Instruction) matches(mask, bits Instruction) bool {
	return x.Low&mask.Low == bits.Low && x.High&mask.High == bits.High
}
