package capsule

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/reloc"
)

// plainForms lists the R_CUDA types of machine code by the R_MERCURY type and the opcode of the instruction. Opcode 0 stands for
// all others. The finalizer writes the type other if what the relocation refers to is not in the program.
var plainForms = map[uint32][]plainForm{
	reloc.MercuryBase + 2:  {{opcode: 0x943, typ: 75}, {opcode: 0x343, typ: 114}},
	reloc.MercuryBase + 3:  {{opcode: 0x7ac, typ: reloc.ConstField22}, {}},
	reloc.MercuryBase + 4:  {{opcode: 0x802, typ: reloc.Abs16At32}, {opcode: 0x882, typ: reloc.Abs16At32}, {opcode: 0xb82, typ: reloc.ConstField21}},
	reloc.MercuryBase + 5:  {{typ: 56, other: 62}},
	reloc.MercuryBase + 6:  {{typ: 57, other: 63}},
	reloc.MercuryBase + 40: {{typ: 56}},
	reloc.MercuryBase + 41: {{typ: 57}},
	reloc.MercuryBase + 62: {{typ: 112, other: 62}},
	reloc.MercuryBase + 63: {{typ: 113, other: 63}},
}

// A plainForm is the type of a relocation of machine code. If typ is 0, it is that of an address in shared memory.
type plainForm struct {
	opcode     uint64
	typ, other uint32
}

// Operand returns the machine instruction whose operand has a relocation of a type at a Mercury offset, and the type of the
// same relocation of machine code. That is has if the finalizer can write it. ok is false if no instruction is at the offset, or
// if no compiler writes the type there (MERC-780).
func (c *Code) Operand(text []byte, offset uint64, inner, has uint32) (place uint64, typ uint32, ok bool) {
	start, ok := c.Holding(offset)
	if !ok {
		return 0, 0, false
	}
	opcode := machine.Decode(text[start.Machine:]).Low & 0xfff
	for _, f := range plainForms[inner] {
		switch {
		case f.opcode != 0 && f.opcode != opcode:
		case f.typ == 0:
			return start.Machine, sharedOperand(opcode), true
		case f.other != 0 && f.other == has:
			return start.Machine, has, true
		default:
			return start.Machine, f.typ, true
		}
	}
	return 0, 0, false
}

// plainData lists the R_CUDA types of data by the number of the R_MERCURY type, without the unknown ones.
var plainData = [...]uint32{
	1: 4, 2: reloc.CUDA64, 3: reloc.CUDA32, 8: reloc.CUDA32, 11: reloc.TexHeaderIndex, 12: reloc.SampHeaderIndex0, 13: reloc.SurfHeaderIndex,
	14: 73, 15: 35, 16: 76, 17: 77, 18: 78, 19: 79, 20: 80, 21: 81, 22: 82, 23: 83, 24: 84, 25: 85, 26: 86, 27: 87, 28: 88, 29: 89, 30: 90, 31: 91,
	32: 92, 33: 93, 34: 94, 35: 95, 36: 96, 37: 97, 38: 98, 39: 99, 50: 102, 51: 103, 52: 104, 53: 105, 54: 106, 55: 107, 56: 108, 57: 109, 58: 110,
	59: 111, 60: reloc.CUDA32, 61: reloc.CUDA64,
}

// PlainData returns the R_CUDA type that the finalizer writes in data for an R_MERCURY type (MERC-780).
func PlainData(inner uint32) (typ uint32, ok bool) {
	if n := inner - reloc.MercuryBase; n < uint32(len(plainData)) {
		typ = plainData[n]
	}
	return typ, typ != 0
}
