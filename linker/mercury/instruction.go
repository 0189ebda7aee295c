package mercury

import "encoding/binary"

// InstructionSize is the length of a machine instruction in bytes.
const InstructionSize = 16

// An instruction is a machine instruction of 128 bits:
//
//	bits 0-11     opcode; the low nine name the operation, the others its operands' kind
//	bits 12-15    guard: predicate, bit 15 negates it; 7 is "always"
//	bits 16-104   operands and modifiers
//	bits 105-125  scheduling: stall, yield, scoreboards, reuse
type instruction struct{ low, high uint64 }

// Operations: the low nine bits of the opcode.
const (
	opMOV             = 0x002
	opP2R             = 0x003
	opR2P             = 0x004
	opVOTE            = 0x006
	opSEL             = 0x007
	opFSEL            = 0x008
	opFMNMX           = 0x009
	opFSETP           = 0x00b
	opISETP           = 0x00c
	opIADD3           = 0x010
	opLEA             = 0x011
	opLOP3            = 0x012
	opPRMT            = 0x016
	opIMNMX           = 0x017
	opSHF             = 0x019
	opSGXT            = 0x01a
	opBMSK            = 0x01b
	opPLOP3           = 0x01c
	opFMUL            = 0x020
	opFADD            = 0x021
	opFFMA            = 0x023
	opIMAD            = 0x024
	opIMADWide        = 0x025
	opIDP             = 0x026
	opIMADHigh        = 0x027
	opDMUL            = 0x028
	opDADD            = 0x029
	opDSETP           = 0x02a
	opDFMA            = 0x02b
	opPREEXIT         = 0x02d
	opHADD2           = 0x030
	opHFMA2           = 0x031
	opHMUL2           = 0x032
	opHSET2           = 0x033
	opHSETP2          = 0x034
	opVIADD           = 0x036
	opHMNMX2          = 0x040
	opI2FP            = 0x045
	opIABS            = 0x013
	opF2FP            = 0x03e
	opVIMNMX          = 0x048
	opULOP3           = 0x092
	opUMOV            = 0x082
	opVOTEU           = 0x086
	opR2UR            = 0x0ca
	opCREDUX          = 0x0cc
	opMUFU            = 0x108
	opPOPC            = 0x109
	opF2F64           = 0x110 // conversions that read or write 64 bits
	opF2I64           = 0x111
	opI2F64           = 0x112
	opFRND64          = 0x113
	opNOP             = 0x118
	opENDCOLLECTIVE   = 0x11b
	opDEPBAR          = 0x11a
	opBSYNC           = 0x141
	opLEPC            = 0x14e
	opCALLAbs         = 0x143
	opCALLRel         = 0x144
	opBSSY            = 0x145
	opBRA             = 0x147
	opWARPSYNC        = 0x148
	opBRX             = 0x149
	opJMP             = 0x14a
	opJMX             = 0x14c
	opEXIT            = 0x14d
	opRET             = 0x150
	opBRXU            = 0x158
	opWARPSYNCAlone   = 0x15d // .EXCLUSIVE
	opF2F             = 0x104
	opF2I             = 0x105
	opI2F             = 0x106
	opFRND            = 0x107
	opFLO             = 0x100
	opBREV            = 0x101
	opFCHK            = 0x102
	opS2R             = 0x119
	opBMOV            = 0x155
	opMATCH           = 0x1a1
	opREDUX           = 0x1c4
	opLDSM            = 0x03b
	opIMMA            = 0x037
	opHMMA            = 0x03c
	opDMMA            = 0x03f
	opQMMA            = 0x07a
	opOMMA            = 0x07f
	opSTSM            = 0x044
	opBAR             = 0x11d
	opS2UR            = 0x1c3
	opTEX             = 0x160
	opTEXB            = 0x161
	opTLD4            = 0x163
	opTLD4B           = 0x164
	opTLD             = 0x166
	opTLDB            = 0x167
	opTXQ             = 0x16f
	opTXQB            = 0x170
	opLDG256          = 0x17e
	opSTG256          = 0x17f
	opLD              = 0x180
	opLDG             = 0x181
	opLDC             = 0x182
	opLDL             = 0x183
	opLDS             = 0x184
	opST              = 0x185
	opSTG             = 0x186
	opSTL             = 0x187
	opSTS             = 0x188
	opSHFL            = 0x189
	opATOM            = 0x18a
	opATOMCAS         = 0x18b
	opATOMS           = 0x18c
	opATOMSCAS        = 0x18d
	opRED             = 0x18e
	opATOMSPOPC       = 0x18f
	opQSPC            = 0x1aa
	opSUATOM          = 0x194
	opSUATOMCAS       = 0x196
	opSULD            = 0x199
	opATOMGFloat      = 0x1a3
	opREDGFloat       = 0x1a6
	opATOMG           = 0x1a8
	opATOMGCAS        = 0x1a9
	opLDCU            = 0x1ac
	opMEMBAR          = 0x192
	opSUSTP           = 0x19b
	opSUST            = 0x19d
	opSURED           = 0x19f
	opSYNCS           = 0x1a7
	opERRBAR          = 0x1ab // and CGAERRBAR
	opLDGSTS          = 0x1ae
	opLDGDEPBAR       = 0x1af
	opARRIVES         = 0x1b0
	opSYNCSInvalidate = 0x1b1
	opSYNCSExchange   = 0x1b2
	opUTMALDG         = 0x1b4
	opUTMASTG         = 0x1b5
	opUTMAREDG        = 0x1b6
	opUTMAPF          = 0x1b8
	opUTMACCTL        = 0x1b9
	opUBLKCP          = 0x1ba
	opUBLKRED         = 0x1bb
	opUBLKPF          = 0x1bc
	opFENCE           = 0x1c6 // of a view of memory
	opUTCATOMSWS      = 0x1e3 // of the columns of tensor memory
	opUTCCP           = 0x1e7
	opUTCBAR          = 0x1e9
	opUTCMMA          = 0x1ea // of all kinds of numbers
	opSTTM            = 0x1ed
	opLDTM            = 0x1ee
)

// nop is what fills the end of a function, after a branch to itself.
var nop = instruction{low: 0x7918, high: 0x000fc00000000000}

// Scheduling fields, as bits of the high half.
const (
	scheduleStart   = 105 - 64 // stall, yield
	writeScoreboard = 110 - 64 // three bits; 7 is none
	readScoreboard  = 113 - 64
	waitMask        = 116 - 64 // a bit for each scoreboard
	reuseStart      = 122 - 64 // a bit for each operand
	scheduleEnd     = 126 - 64

	noScoreboard = 7
)

// SameButSchedule reports whether two instructions, 16 bytes each, are the same but for
// what [Scoreboards] and [Timing] stand for: their scheduling fields, and the scoreboard
// that DEPBAR names (MERC-121).
func SameButSchedule(a, b []byte) bool {
	x, y := decode(a), decode(b)
	scoreboard := uint64(0)
	if x.op() == opDEPBAR {
		scoreboard = 7 << 44
	}
	return (x.low^y.low)&^scoreboard == 0 && (x.high^y.high)&^(1<<scheduleEnd-1<<scheduleStart) == 0
}

func decode(b []byte) instruction {
	return instruction{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

func (x instruction) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, x.low)
	return binary.LittleEndian.AppendUint64(b, x.high)
}

func (x instruction) op() uint64     { return x.low & 0x1ff }
func (x instruction) writes() uint64 { return x.high >> writeScoreboard & 7 }

// waitsFor reports whether x waits for scoreboard b.
func (x instruction) waitsFor(b int) bool { return x.high>>(waitMask+b)&1 == 1 }

func (x instruction) reads() uint64 { return x.high >> readScoreboard & 7 }

// destination is the register that x writes, when it writes one.
func (x instruction) destination() uint64 { return x.low >> 16 & 0xff }

// conditional reports whether x is done under a condition.
func (x instruction) conditional() bool { return x.low>>12&0xf != 7 }

// collective reports whether x, a WARPSYNC, begins what all threads of a warp do together,
// up to an ENDCOLLECTIVE.
func (x instruction) collective() bool { return x.op() == opWARPSYNC && x.high>>(86-64)&1 == 1 }

// formCCTL is the form of CCTL.IVALL, with which ATOMS.POPC shares a number.
const formCCTL = 0x98f

// isBarrier reports whether x is the NOP behind the fence of a thread block, or the CCTL.IVALL behind another
// one, which waits for all scoreboards, whatever is pending (MERC-160).
func (x instruction) isBarrier() bool {
	return (x.op() == opNOP || x.low&0xfff == formCCTL) && x.high>>waitMask&everyBoard == everyBoard
}

// isAside reports whether what x waits for counts nowhere else: the compiler adds it when it has
// all else.
func (x instruction) isAside() bool { return x.collective() || x.isBarrier() }

// awaitsAll reports whether x waits for all that is pending: it begins or ends what a warp does
// together, or other code follows.
func (x instruction) awaitsAll() bool {
	return x.collective() || x.op() == opENDCOLLECTIVE || x.leaves()
}

// leaves reports whether code of another function follows x.
func (x instruction) leaves() bool { return x.isCall() || x.op() == opRET }

// isCall reports whether x calls a function.
func (x instruction) isCall() bool { return x.op() == opCALLAbs || x.op() == opCALLRel }

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
	switch x.op() {
	case opBRA, opBRX, opBRXU, opCALLRel: // a function calls itself so
		return branch
	case opWARPSYNC:
		if x.collective() { // the others go nowhere
			return branch
		}
	case opBSSY:
		return sync
	}
	return none
}

// distance reads x's displacement.
func (x instruction) distance() int64 {
	switch x.displacement() {
	case branch:
		low := x.low >> 16 & 0xff
		high := x.low>>34 | (x.high&0x1ffff)<<30
		return int64((low|high<<8)<<9) >> 9 * 4
	case sync:
		return int64(int32(x.low >> 32))
	}
	return 0
}

// withDistance returns x with another displacement.
func (x instruction) withDistance(d int64) instruction {
	switch x.displacement() {
	case branch:
		v := uint64(d / 4)
		x.low = x.low&^(0xff<<16|(1<<30-1)<<34) | v&0xff<<16 | v>>8<<34
		x.high = x.high&^0x1ffff | v>>38&0x1ffff
	case sync:
		x.low = x.low&0xffffffff | uint64(uint32(d))<<32
	}
	return x
}
