package mercury

import "github.com/culink/culink/linker/sass"

// InstructionSize is the length of a machine instruction in bytes.
const InstructionSize = 16

// An instruction is a machine instruction with what the finalizer knows of it.
type instruction struct{ sass.Instruction }

// word returns the instruction of two halves.
func word(low, high uint64) instruction { return instruction{sass.Instruction{Low: low, High: high}} }

// nop is what fills the end of a function, after a branch to itself.
var nop = word(0x7918, 0x000fc00000000000)

// SameButSchedule reports whether two instructions, 16 bytes each, are the same but for
// what [Scoreboards] and [Timing] stand for: their scheduling fields, and the scoreboard
// that DEPBAR names (MERC-121).
func SameButSchedule(a, b []byte) bool {
	x, y := sass.Decode(a), sass.Decode(b)
	if x.Op() == sass.OpDEPBAR {
		const scoreboard = 7 << 44
		x.Low, y.Low = x.Low|scoreboard, y.Low|scoreboard
	}
	return x.SameButControl(y)
}

func decode(b []byte) instruction { return instruction{sass.Decode(b)} }

// destination is the register that x writes, when it writes one.
func (x instruction) destination() uint64 { return x.Low >> 16 & 0xff }

// conditional reports whether x is done under a condition.
func (x instruction) conditional() bool { return x.Low>>12&0xf != 7 }

// collective reports whether x, a WARPSYNC, begins what all threads of a warp do together,
// up to an ENDCOLLECTIVE.
func (x instruction) collective() bool { return x.Op() == sass.OpWARPSYNC && x.High>>(86-64)&1 == 1 }

// formCCTL is the form of CCTL.IVALL, with which ATOMS.POPC shares a number.
const formCCTL = 0x98f

// isBarrier reports whether x is the NOP behind the fence of a thread block, or the CCTL.IVALL behind another
// one, which waits for all scoreboards, whatever is pending (MERC-160).
func (x instruction) isBarrier() bool {
	return (x.Op() == sass.OpNOP || x.Low&0xfff == formCCTL) && x.WaitMask() == everyBoard
}

// isAside reports whether what x waits for counts nowhere else: the compiler adds it when it has
// all else.
func (x instruction) isAside() bool { return x.collective() || x.isBarrier() }

// awaitsAll reports whether x waits for all that is pending: it begins or ends what a warp does
// together, or other code follows.
func (x instruction) awaitsAll() bool {
	return x.collective() || x.Op() == sass.OpENDCOLLECTIVE || x.leaves()
}

// leaves reports whether code of another function follows x.
func (x instruction) leaves() bool { return x.isCall() || x.Op() == sass.OpRET }

// isCall reports whether x calls a function.
func (x instruction) isCall() bool { return x.Op() == sass.OpCALLAbs || x.Op() == sass.OpCALLRel }

// A displacement is where an instruction keeps the distance, in bytes, from its end to
// another place in the function.
type displacement int

const (
	none   displacement = iota
	branch              // a quarter of it in 55 bits: 8 from bit 16, 47 from bit 34
	sync                // 32 bits from bit 32
)

// displacement reports whether x names a place in the code.
func (x instruction) displacement() displacement {
	switch x.Op() {
	case sass.OpBRA, sass.OpBRX, sass.OpBRXU, sass.OpCALLRel: // a function calls itself so
		return branch
	case sass.OpWARPSYNC:
		if x.collective() { // the others go nowhere
			return branch
		}
	case sass.OpBSSY:
		return sync
	}
	return none
}

// distance reads x's displacement.
func (x instruction) distance() int64 {
	switch x.displacement() {
	case branch:
		low := x.Low >> 16 & 0xff
		high := x.Low>>34 | (x.High&0x1ffff)<<30
		return int64((low|high<<8)<<9) >> 9 * 4
	case sync:
		return int64(int32(x.Low >> 32))
	}
	return 0
}

// withDistance returns x with another displacement.
func (x instruction) withDistance(d int64) instruction {
	switch x.displacement() {
	case branch:
		v := uint64(d / 4)
		x.Low = x.Low&^(0xff<<16|(1<<30-1)<<34) | v&0xff<<16 | v>>8<<34
		x.High = x.High&^0x1ffff | v>>38&0x1ffff
	case sync:
		x.Low = x.Low&0xffffffff | uint64(uint32(d))<<32
	}
	return x
}

// The methods of sass.Instruction that set a control field, here of an instruction with what the finalizer knows of it.

// WithStall returns x with a stall, in cycles.
func (x instruction) WithStall(cycles int) instruction { return instruction{x.Instruction.WithStall(cycles)} }

// WithYield returns x that lets other warps issue while it stalls, or not.
func (x instruction) WithYield(yield bool) instruction { return instruction{x.Instruction.WithYield(yield)} }

// WithWriteBarrier returns x with its results counted on a scoreboard.
func (x instruction) WithWriteBarrier(b int) instruction { return instruction{x.Instruction.WithWriteBarrier(b)} }

// WithReadBarrier returns x with its operands counted on a scoreboard.
func (x instruction) WithReadBarrier(b int) instruction { return instruction{x.Instruction.WithReadBarrier(b)} }

// WithWaitMask returns x with a wait mask.
func (x instruction) WithWaitMask(mask uint64) instruction { return instruction{x.Instruction.WithWaitMask(mask)} }

// WithReuse returns x with a bit of operand reuse.
func (x instruction) WithReuse(operand int, reuse bool) instruction {
	return instruction{x.Instruction.WithReuse(operand, reuse)}
}

// WithControlOf returns x with the control fields of y.
func (x instruction) WithControlOf(y instruction) instruction {
	return instruction{x.Instruction.WithControlOf(y.Instruction)}
}
