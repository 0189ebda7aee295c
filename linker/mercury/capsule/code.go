package capsule

import (
	"sort"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/sass"
)

// A Code maps the Mercury form of a function to its machine code.
type Code struct {
	starts []Start // of instructions, ascending
	size   uint64  // of the machine code
	end    uint64  // of the Mercury form
}

// A Start holds the offsets of one instruction in the Mercury form and in machine code. Own is the offset of
// the last machine instruction that it expands to. NOPs without a Mercury offset may follow that instruction.
// Last is the offset of the last of them, or Own if there are none.
type Start struct{ Mercury, Machine, Own, Last uint64 }

// Size returns the length of the machine code.
func (c *Code) Size() uint64 { return c.size }

// End returns the length of the Mercury form.
func (c *Code) End() uint64 { return c.end }

// Code returns where the capsule's Mercury instructions are in text, its machine code. Unpacked Mercury
// instructions have 16 or 32 bytes. An item that only represents machine instructions, such as the branch at
// the end of the function, has no Mercury offset (MERC-104).
func (c *Capsule) Code(text []byte) *Code {
	var starts []Start
	offset := uint64(0)
	for _, m := range c.Instructions() {
		at := m.First * machine.Size
		if at+machine.Size > len(text) {
			break
		}
		own := uint64(at + (m.Count-1)*machine.Size)
		if size := m.unpacked(machine.Decode(text[at:])); size > 0 {
			starts = append(starts, Start{offset, uint64(at), own, own})
			offset += size
		} else if n := len(starts); n > 0 && m.Count == 1 && m.First+m.Count < c.Machine() { // not the branch at the end
			starts[n-1].Last = own
		}
	}
	return NewCode(starts, uint64(len(text)), offset)
}

// NewCode returns a Code for the instructions at starts, in order. size is the length of the machine code, end
// that of the Mercury form.
func NewCode(starts []Start, size, end uint64) *Code { return &Code{starts, size, end} }

// Next returns the first instruction at or after a Mercury offset.
func (c *Code) Next(offset uint64) (s Start, ok bool) {
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i].Mercury >= offset })
	if i == len(c.starts) {
		return Start{}, false
	}
	return c.starts[i], true
}

// Holding returns the instruction that a Mercury offset is in. ok is false before the first instruction and after the last one.
func (c *Code) Holding(offset uint64) (s Start, ok bool) {
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i].Mercury > offset })
	if i == 0 || offset >= c.end {
		return Start{}, false
	}
	return c.starts[i-1], true
}

// Machine returns the machine-code offset of the first instruction at or after a Mercury offset. For an offset
// inside the last instruction it returns 0, and after that instruction the end of the code.
func (c *Code) Machine(offset uint64) uint64 {
	s, ok := c.Next(offset)
	switch {
	case ok:
		return s.Machine
	case offset < c.end:
		return 0
	}
	return c.size
}

// sharedOperand returns the number of the R_CUDA type that writes the address of a shared variable. The type
// follows from the opcode, which includes the kind of operands. For other opcodes the operand is an offset from
// a register (MERC-231).
func sharedOperand(opcode uint64) uint32 {
	switch opcode {
	case 0x202, 0x2ca, 0x802, 0x803, 0x804, 0x882, 0x883, 0xc02, 0xc82:
		return reloc.Abs32At32
	case 0x9af:
		return reloc.Abs20At44
	}
	return reloc.Abs24At40
}

// SharedOperand finds the operand of a shared variable's relocation at a Mercury offset. It returns the place
// of the operand in text and the type of the relocation. ok is false if the offset is after the end of the
// code.
func (c *Code) SharedOperand(text []byte, offset uint64) (place uint64, typ uint32, ok bool) {
	i := sort.Search(len(c.starts), func(i int) bool { return c.starts[i].Mercury > offset })
	if i == 0 || offset >= c.end {
		return 0, 0, false
	}
	place = c.starts[i-1].Machine
	return place, sharedOperand(machine.Decode(text[place:]).Low & 0xfff), true
}

// unpacked returns the size of a Mercury instruction. i is the first machine instruction that it represents.
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

// fitsShort reports whether the Mercury form of a machine instruction has 16 bytes. That is so if the
// instruction has no memory operands or wide constants, and does not use its rarer operands (MERC-104).
func fitsShort(i machine.Instr) bool {
	var want shortForm
	var ok bool
	switch op := i.Op(); i.Low >> 9 & 7 {
	case 1, 6, 7: // the last operand is a register: general or uniform
		want, ok = shortRegisters(op)
	case 4: // a constant
		if op == sass.OpBSSY { // .RELIABLE or .RECONVERGENT
			return i.High&(3<<8) != 0
		}
		ok = shortConstants(op)
	}
	return ok && i.High&want.mask == want.bits
}

// A shortForm is the pattern of the upper half of an instruction whose Mercury form has 16 bytes.
type shortForm struct{ mask, bits uint64 }

// shortRegisters reports whether an operation on registers may have a Mercury form of 16 bytes.
func shortRegisters(op sass.Op) (want shortForm, ok bool) {
	switch op {
	case sass.OpFSETP:
		return whenSure, true
	case sass.OpISETP, sass.OpUISETP:
		return compare, true
	case sass.OpIADD3, sass.OpUIADD3:
		return twoAdded, true
	case sass.OpLOP3, sass.OpULOP3:
		return twoJoined, true
	case sass.OpIMAD, sass.OpUIMAD:
		return noCarry, true
	case sass.OpDSETP:
		return toOne, true
	case sass.OpULEA:
		return lowHalf, true

	case sass.OpMOV, sass.OpSEL, sass.OpFSEL, sass.OpFMNMX, sass.OpFSET, sass.OpVIMNMX3, sass.OpIABS, sass.OpPRMT, sass.OpSHF, sass.OpSGXT, sass.OpFMUL,
		sass.OpFADD, sass.OpIDP, sass.OpDMUL, sass.OpDADD, sass.OpHADD2, sass.OpHMUL2, sass.OpVIADD, sass.OpI2I, sass.OpMOVM, sass.OpF2FP, sass.OpHMNMX2, sass.OpI2FP,
		sass.OpVIADDMNMX, sass.OpVIMNMX, sass.OpUMOV, sass.OpUSEL, sass.OpUPRMT, sass.OpUSHF, sass.OpUFLO, sass.OpUPOPC, sass.OpR2UR, sass.OpFLO,
		sass.OpBREV, sass.OpFCHK, sass.OpF2I, sass.OpI2F, sass.OpFRND, sass.OpMUFU, sass.OpPOPC, sass.OpF2F64, sass.OpF2I64, sass.OpI2F64, sass.OpFRND64,
		sass.OpMATCH, sass.OpREDUX:
		return shortForm{}, true
	}
	return shortForm{}, false
}

// shortConstants reports whether an operation may have a Mercury form of 16 bytes if its last operand is a
// constant, or if it has no operands.
func shortConstants(op sass.Op) bool {
	switch op {
	case sass.OpMOV, sass.OpVOTE, sass.OpUMOV, sass.OpVOTEU, sass.OpMUFU, sass.OpNOP, sass.OpBSYNC, sass.OpBREAK, sass.OpYIELD, sass.OpEXIT, sass.OpBPT, sass.OpNANOSLEEP, sass.OpLDGDEPBAR:
		return true
	}
	return false
}

// These are conditions on the upper half of an instruction: no third register, no carry, no input predicate,
// only the first output predicate, and not ULEA.HI.
var (
	twoJoined = shortForm{0xff, 0xff}
	twoAdded  = shortForm{0xff | 1<<10, 0xff}
	noCarry   = shortForm{1 << 10, 0}
	whenSure  = shortForm{0xf << 23, 7 << 23}
	compare   = shortForm{0xf<<23 | 1<<8, 7 << 23}
	toOne     = shortForm{0xf<<23 | 7<<20, 7<<23 | 7<<20}
	lowHalf   = shortForm{1 << 16, 0}
)
