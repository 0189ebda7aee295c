package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Size is the length of a machine instruction in bytes.
const Size = sass.Size

// An Instr is a machine instruction with the machine model.
type Instr struct{ sass.Instruction }

// Word returns the instruction of two halves.
func Word(low, high uint64) Instr { return Instr{sass.Instruction{Low: low, High: high}} }

// NOP pads the end of a function, after a branch to itself.
var NOP = Word(0x7918, 0x000fc00000000000)

// Decode reads the 16 bytes of an instruction.
func Decode(b []byte) Instr { return Instr{sass.Decode(b)} }

// Body decodes the machine code of a function without the padding at its end.
func Body(text []byte) []Instr {
	code := make([]Instr, 0, len(text)/Size)
	for ; len(text) >= Size; text = text[Size:] {
		code = append(code, Decode(text))
	}
	for len(code) > 0 && code[len(code)-1].Op() == sass.OpNOP {
		code = code[:len(code)-1]
	}
	return code
}

// Text encodes code.
func Text(code []Instr) []byte {
	text := make([]byte, 0, len(code)*Size)
	for _, x := range code {
		text = x.Append(text)
	}
	return text
}

// Destination returns the general register that x writes. It has no meaning for an instruction that writes none.
func (x Instr) Destination() uint64 { return x.Low >> 16 & 0xff }

// Collective reports whether x, a WARPSYNC, begins a collective operation of the warp. An ENDCOLLECTIVE ends such an operation.
func (x Instr) Collective() bool { return x.Op() == sass.OpWARPSYNC && x.High>>(86-64)&1 == 1 }

// formCCTL is the opcode with operand kind of CCTL.IVALL. The opcode alone is that of ATOMS.POPC too.
const formCCTL = 0x98f

// IsBarrier reports whether x is the NOP after a fence of the thread block, or the CCTL.IVALL after a wider fence. It waits for
// all scoreboards, whatever is pending (MERC-160).
func (x Instr) IsBarrier() bool {
	return (x.Op() == sass.OpNOP || x.Low&0xfff == formCCTL) && x.WaitMask() == EveryBoard
}

// ReadsClusterSize reports whether x is CS2R.32 R, SR_CgaSize.
func (x Instr) ReadsClusterSize() bool {
	const form, size = 0x805, 0x8a << 8
	return x.Low&0xfff == form && x.High&(0xff<<8) == size
}

// AwaitsEveryBoard reports whether x is the DEPBAR for all scoreboards of a fence that acquires a tensor map. Whatever is pending,
// it waits for all of them, and no other wait is left out for it (MERC-256).
func (x Instr) AwaitsEveryBoard() bool {
	return x.Op() == sass.OpDEPBAR && x.Low>>32&EveryBoard == EveryBoard && x.Low&(1<<47) == 0
}

// IsAside reports whether the waits of x have no effect on the schedule. The compiler adds such waits after all others.
func (x Instr) IsAside() bool { return x.Collective() || x.IsBarrier() }

// AwaitsAll reports whether x waits for all pending events. It does if it begins or ends a collective operation, or leaves the
// function.
func (x Instr) AwaitsAll() bool {
	return x.Collective() || x.Op() == sass.OpENDCOLLECTIVE || x.Leaves()
}

// Leaves reports whether x is a call or a return.
func (x Instr) Leaves() bool { return x.IsCall() || x.Op() == sass.OpRET }

// IsCall reports whether x calls a function.
func (x Instr) IsCall() bool { return x.Op() == sass.OpCALLAbs || x.Op() == sass.OpCALLRel }

// These bits of a BSYNC are set at the reconvergence point of a BSSY.RELIABLE or BSSY.RECONVERGENT.
const (
	reliable     = 1 << (72 - 64)
	reconvergent = 1 << (73 - 64)
)

// IsReliable reports whether x, a BSYNC, ends a BSSY.RELIABLE.
func (x Instr) IsReliable() bool { return x.High&reliable != 0 }

// Reconverges reports whether x is the reconvergence point of a BSSY.RELIABLE or BSSY.RECONVERGENT.
func (x Instr) Reconverges() bool {
	return x.Op() == sass.OpBSYNC && x.High&(reconvergent|reliable) != 0
}

// Barrier returns the number of the barrier of x, a BSSY or a BSYNC.
func (x Instr) Barrier() uint64 { return x.Low >> 16 & 0xf }

// CarriesIn reports whether x, an integer addition, has a carry-in.
func (x Instr) CarriesIn() bool { return x.High>>(74-64)&1 == 1 }

// A displacement is a field of an instruction. It holds the distance in bytes from the end of the instruction to another place in
// the function.
type displacement int

const (
	None   displacement = iota
	branch              // a quarter of it in 55 bits: 8 from bit 16, 47 from bit 34
	sync                // 32 bits from bit 32
)

// Displacement returns the field of x that refers to a place in the code, or None.
func (x Instr) Displacement() displacement {
	switch x.Op() {
	case sass.OpBRA, sass.OpBRX, sass.OpBRXU, sass.OpCALLRel: // CALL.REL is a recursive call
		return branch
	case sass.OpWARPSYNC:
		if x.Collective() { // the others do not branch
			return branch
		}
	case sass.OpBSSY:
		return sync
	}
	return None
}

// place returns the field of x that refers to a place in the code. This is a displacement, or the field of a return to a relative
// address. RET.ABS, in code of another section, has none.
func (x Instr) place() displacement {
	const absolute = 1 << (85 - 64)
	if x.Op() == sass.OpRET && x.High&absolute == 0 {
		return branch
	}
	return x.Displacement()
}

// NamesPlace reports whether x names a place in the code.
func (x Instr) NamesPlace() bool { return x.place() != None }

// Distance returns the distance from the end of x to the place that it refers to.
func (x Instr) Distance() int64 {
	switch x.place() {
	case branch:
		low := x.Low >> 16 & 0xff
		high := x.Low>>34 | (x.High&0x1ffff)<<30
		return int64((low|high<<8)<<9) >> 9 * 4
	case sync:
		return int64(int32(x.Low >> 32))
	}
	return 0
}

// WithDistance returns x with another distance.
func (x Instr) WithDistance(d int64) Instr {
	switch x.place() {
	case branch:
		v := uint64(d / 4)
		x.Low = x.Low&^(0xff<<16|(1<<30-1)<<34) | v&0xff<<16 | v>>8<<34
		x.High = x.High&^0x1ffff | v>>38&0x1ffff
	case sync:
		x.Low = x.Low&0xffffffff | uint64(uint32(d))<<32
	}
	return x
}

// These methods set control fields as those of sass.Instruction do, and return an Instr.

// WithStall returns x with a stall, in cycles.
func (x Instr) WithStall(cycles int) Instr { return Instr{x.Instruction.WithStall(cycles)} }

// WithYield returns x with or without a yield. With a yield, other warps may issue while x stalls.
func (x Instr) WithYield(yield bool) Instr { return Instr{x.Instruction.WithYield(yield)} }

// WithWriteBarrier returns x with a write barrier.
func (x Instr) WithWriteBarrier(b int) Instr { return Instr{x.Instruction.WithWriteBarrier(b)} }

// WithReadBarrier returns x with a read barrier.
func (x Instr) WithReadBarrier(b int) Instr { return Instr{x.Instruction.WithReadBarrier(b)} }

// WithWaitMask returns x with a wait mask.
func (x Instr) WithWaitMask(mask uint64) Instr { return Instr{x.Instruction.WithWaitMask(mask)} }

// WithReuse returns x with a bit of operand reuse.
func (x Instr) WithReuse(operand int, reuse bool) Instr {
	return Instr{x.Instruction.WithReuse(operand, reuse)}
}

// WithControlOf returns x with the control fields of y.
func (x Instr) WithControlOf(y Instr) Instr {
	return Instr{x.Instruction.WithControlOf(y.Instruction)}
}

// From sm_120 on there is IADD, an addition of two numbers, in addition to IADD3. Later finalizers use it where the third number
// is zero and there is no second carry (KIT-043).

// RegistersOf returns the registers that x writes and reads on an SM. known is false if they are not known.
func RegistersOf(x Instr, sm int) (writes, reads sass.Registers, known bool) {
	return sass.Uses(x.Instruction, sm)
}

// Instructions of variable latency count outstanding events on one of six scoreboards. A dependent instruction waits until the
// scoreboard is zero. A kernel that does not use its stack need not wait for the load of the stack pointer. The finalizer then
// reassigns the scoreboards (MERC-120) by the rules of the compiler (MERC-133, MERC-134).

// Scoreboards is the number of scoreboards.
const Scoreboards = 6

// EveryBoard has a bit for each scoreboard.
const EveryBoard = 1<<Scoreboards - 1
