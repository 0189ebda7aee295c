package mercury

import (
	"sort"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/reloc"
)

// A Code is machine code as its Mercury form sees it.
type Code struct {
	starts []start // of instructions, rising
	size   uint64  // of the machine code
	end    uint64  // of the Mercury form
}

// A start is where an instruction begins: in the Mercury form, and in machine code. Of the machine
// instructions that it stands for own is the place of the last one; last is that of the last NOP which
// has no place in the Mercury form and follows it, or own.
type start struct{ mercury, machine, own, last uint64 }

// Code returns the places of the capsule's Mercury instructions in text, its machine code.
// Unpacked, they have 16 bytes or 32; what stands for nothing but machine instructions,
// such as the branch at the end, has none (MERC-104).
func (c *Capsule) Code(text []byte) *Code {
	code := &Code{size: uint64(len(text))}
	offset := uint64(0)
	for _, m := range c.Instructions() {
		at := m.First * InstructionSize
		if at+InstructionSize > len(text) {
			break
		}
		own := uint64(at + (m.Count-1)*InstructionSize)
		if size := m.unpacked(machine.Decode(text[at:])); size > 0 {
			code.starts = append(code.starts, start{offset, uint64(at), own, own})
			offset += size
		} else if n := len(code.starts); n > 0 && m.Count == 1 && m.First+m.Count < c.Machine() { // not the branch at the end
			code.starts[n-1].last = own
		}
	}
	code.end = offset
	return code
}

// next returns the first instruction at or after a Mercury offset.
func (c *Code) next(offset uint64) (s start, ok bool) {
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i].mercury >= offset })
	if i == len(c.starts) {
		return start{}, false
	}
	return c.starts[i], true
}

// Machine returns where the machine code has the first instruction at or after a place of
// the Mercury form; inside of the last one 0, after it the end.
func (c *Code) Machine(offset uint64) uint64 {
	s, ok := c.next(offset)
	switch {
	case ok:
		return s.machine
	case offset < c.end:
		return 0
	}
	return c.size
}

// sharedOperand is the number of the R_CUDA type for the address of a shared variable, by
// opcode with the kind of operands; in others it is an offset from a register (MERC-231).
func sharedOperand(opcode uint64) uint32 {
	switch opcode {
	case 0x202, 0x2ca, 0x802, 0x803, 0x804, 0x882, 0x883, 0xc02, 0xc82:
		return reloc.Abs32At32
	case 0x9af:
		return reloc.Abs20At44
	}
	return reloc.Abs24At40
}

// SharedOperand returns the place in text and the type of the relocation of a shared
// variable whose operand is at a Mercury offset. It is false after the end of the code.
func (c *Code) SharedOperand(text []byte, offset uint64) (place uint64, typ uint32, ok bool) {
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i].mercury > offset })
	if i == 0 || offset >= c.end {
		return 0, 0, false
	}
	place = c.starts[i-1].machine
	return place, sharedOperand(machine.Decode(text[place:]).Low & 0xfff), true
}

// unpacked is the size of a Mercury instruction, of which i is the first machine
// instruction.
func (m Mercury) unpacked(i machine.Instr) uint64 {
	const short, long, longest = 16, 32, 48
	switch {
	case m.Record != nil && m.Record[0] == 0x03:
		return longest
	case m.Record != nil && m.Record[0]&0x0f == 1, m.size == 0 && fitsShort(i):
		return short
	case m.Record == nil && m.size > 0:
		return 0
	}
	return long
}

// fitsShort reports whether the Mercury form of a machine instruction has 16 bytes: that of
// an instruction without memory operands and wide constants has, unless it makes use of its
// rarer operands (MERC-104).
func fitsShort(i machine.Instr) bool {
	var want shortForm
	var ok bool
	switch op := i.Low & 0x1ff; i.Low >> 9 & 7 {
	case 1, 6, 7: // the last operand is a register: a general or a uniform one
		want, ok = shortRegisters(op)
	case 4: // a constant
		if op == 0x145 { // BSSY, .RELIABLE or .RECONVERGENT
			return i.High&(3<<8) != 0
		}
		ok = shortConstants(op)
	}
	return ok && i.High&want.mask == want.bits
}

// A shortForm says what the upper half of an instruction of 16 bytes has.
type shortForm struct{ mask, bits uint64 }

// shortRegisters says of an opcode, of instructions of registers, whether these may have 16 bytes.
func shortRegisters(op uint64) (want shortForm, ok bool) {
	switch op {
	case 0x00b: // FSETP
		return whenSure, true
	case 0x00c, 0x08c: // ISETP, UISETP
		return compare, true
	case 0x010, 0x090: // IADD3, UIADD3
		return twoAdded, true
	case 0x012, 0x092: // LOP3, ULOP3
		return twoJoined, true
	case 0x024, 0x0a4: // IMAD, UIMAD
		return noCarry, true
	case 0x02a: // DSETP
		return toOne, true
	case 0x091: // ULEA
		return lowHalf, true

	case 0x002, 0x007, 0x008, 0x009, 0x00a, 0x00f, 0x013, 0x016, 0x019, 0x01a, 0x020,
		0x021, 0x026, 0x028, 0x029, 0x030, 0x032, 0x036, 0x038, 0x03a, 0x03e, 0x040, 0x045,
		0x046, 0x048, 0x082, 0x087, 0x096, 0x099, 0x0bd, 0x0bf, 0x0ca, 0x100,
		0x101, 0x102, 0x105, 0x106, 0x107, 0x108, 0x109, 0x110, 0x111, 0x112, 0x113,
		0x1a1, 0x1c4:
		return shortForm{}, true
	}
	return shortForm{}, false
}

// shortConstants says the same where the last operand is a constant, or there is none.
func shortConstants(op uint64) bool {
	switch op {
	case 0x002, 0x006, 0x082, 0x086, 0x108, 0x118, 0x141, 0x142, 0x146, 0x14d, 0x15c, 0x15d, 0x1af:
		return true
	}
	return false
}

// Operands in the upper half of an instruction: no third register, no carry, no predicate
// to combine with and none but the first to write to, no upper half.
var (
	twoJoined = shortForm{0xff, 0xff}
	twoAdded  = shortForm{0xff | 1<<10, 0xff}
	noCarry   = shortForm{1 << 10, 0}
	whenSure  = shortForm{0xf << 23, 7 << 23}
	compare   = shortForm{0xf<<23 | 1<<8, 7 << 23}
	toOne     = shortForm{0xf<<23 | 7<<20, 7<<23 | 7<<20}
	lowHalf   = shortForm{1 << 16, 0}
)
