package mercury

import "sort"

// A Code is machine code as its Mercury form sees it.
type Code struct {
	starts []start // of instructions, rising
	size   uint64  // of the machine code
	end    uint64  // of the Mercury form
}

// A start is where an instruction begins: in the Mercury form, and in machine code.
type start struct{ mercury, machine uint64 }

// Code gives the places of the capsule's Mercury instructions in text, its machine code.
// Unpacked, they have 16 bytes or 32; what stands for nothing but machine instructions,
// such as the branch at the end, has none (MERC-104).
func (c *Capsule) Code(text []byte) *Code {
	code := &Code{size: uint64(len(text))}
	offset := uint64(0)
	for _, m := range c.Instructions() {
		machine := m.First * InstructionSize
		if machine+InstructionSize > len(text) {
			break
		}
		if size := m.unpacked(decode(text[machine:])); size > 0 {
			code.starts = append(code.starts, start{offset, uint64(machine)})
			offset += size
		}
	}
	code.end = offset
	return code
}

// next gives the first instruction at or behind a Mercury offset.
func (c *Code) next(offset uint64) (s start, ok bool) {
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i].mercury >= offset })
	if i == len(c.starts) {
		return start{}, false
	}
	return c.starts[i], true
}

// sharedOperands are the numbers of R_CUDA types for the address of a shared variable, by
// opcode with the kind of operands; in others it is an offset from a register (MERC-231).
var sharedOperands = map[uint64]uint32{
	0x202: 55, 0x2ca: 55, 0x802: 55, 0x803: 55, 0x804: 55, 0x882: 55, 0x883: 55, 0xc02: 55, 0xc82: 55,
	0x9af: 100,
}

// sharedOffset is R_CUDA_ABS24_40.
const sharedOffset = 74

// SharedOperand gives the place in text and the type of the relocation of a shared
// variable whose operand is at a Mercury offset. It is false behind the end of the code.
func (c *Code) SharedOperand(text []byte, offset uint64) (machine uint64, typ uint32, ok bool) {
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i].mercury > offset })
	if i == 0 || offset >= c.end {
		return 0, 0, false
	}
	machine = c.starts[i-1].machine
	if typ, ok = sharedOperands[decode(text[machine:]).low&0xfff]; !ok {
		typ = sharedOffset
	}
	return machine, typ, true
}

// unpacked is the size of a Mercury instruction, of which i is the first machine
// instruction.
func (m Mercury) unpacked(i instruction) uint64 {
	const short, long = 16, 32
	switch {
	case m.Record != nil && m.Record[0]&0x0f == 1, m.size == 0 && i.fitsShort():
		return short
	case m.Record == nil && m.size > 0:
		return 0
	}
	return long
}

// fitsShort tells whether the Mercury form of a machine instruction has 16 bytes: that of
// most instructions without memory operands and wide constants has (MERC-104).
func (i instruction) fitsShort() bool {
	const (
		thirdIsZero = 0xff // register number, in bits 64 to 71
		extended    = 1 << (74 - 64)
	)
	switch op := i.low & 0xfff; op {
	case 0x210, 0x290, 0xc10: // IADD3, UIADD3
		return i.high&0xff == thirdIsZero && i.high&extended == 0
	case 0xe24: // IMAD
		return i.high&extended == 0
	default:
		return shortForms[op]
	}
}

// shortForms are the opcodes, with the kind of their operands, that always fit.
var shortForms = map[uint64]bool{
	0x202: true, 0x207: true, 0x208: true, 0x20c: true, 0x220: true, 0x224: true, 0x291: true, 0x2a4: true,
	0x2ca: true, 0x305: true, 0x308: true, 0x3a1: true, 0x3c4: true, 0x802: true, 0x806: true, 0x882: true,
	0x886: true, 0x918: true, 0x941: true, 0x945: true, 0x946: true, 0x94d: true, 0x95c: true, 0x95d: true,
	0x9af: true, 0xc02: true, 0xc0c: true, 0xc24: true, 0xc28: true, 0xc36: true, 0xc82: true, 0xe29: true,
}
