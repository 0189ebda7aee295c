package mercury

import "github.com/culink/culink/linker/sass"

// How long instructions of fixed time take from sm_120 on: until one of the same unit may begin, and
// until others may use their results (KIT-106).

// A unit is what does instructions of fixed time.
type unit uint8

const (
	anyUnit  unit = iota // it takes one at each cycle
	narrow               // it takes one at every second cycle: most of logic, additions of three numbers
	floats               // products and sums of floats
	products             // products of integers and of halves, done where floats are
	wide                 // products of 64 bits, or of their upper half, done there as well
	halves               // pairs of halves, done where floats are
	pairs                // what writes or compares pairs of registers, a cycle for each of both
)

// unit is what does x on an SM, which writes these registers.
func (x instruction) unit(writes sass.Registers, sm int) unit {
	if sm < firstTwoAdd {
		return x.earlyUnit(sm)
	}
	switch x.Op() {
	case sass.OpP2R, sass.OpR2P, sass.OpR2UR, sass.OpIADD3, sass.OpLEA, sass.OpLOP3, sass.OpPRMT, sass.OpSHF, sass.OpSGXT, sass.OpBMSK, sass.OpPLOP3, sass.OpI2FP, sass.OpF2FP, sass.OpIABS, sass.OpHSET2, sass.OpHSETP2, sass.OpHMNMX2:
		return narrow
	case sass.OpFMUL, sass.OpFADD, sass.OpFFMA:
		return floats
	case sass.OpIMAD, sass.OpIDP:
		return products
	case sass.OpHADD2, sass.OpHFMA2, sass.OpHMUL2:
		return halves
	case sass.OpIMADWide, sass.OpIMADHigh:
		return wide
	case sass.OpMOV, sass.OpSEL, sass.OpIADD, sass.OpIMNMX:
		if n := 0; writes.R != [4]uint64{} {
			for range writes.Only(sass.General).All {
				n++
			}
			if n > 1 {
				return pairs
			}
		}
	case sass.OpISETP:
		if x.High>>(80-64)&1 == 1 { // of 64 bits
			return pairs
		}
	}
	return anyUnit
}

// earlyUnit is what does x before sm_120: one unit all of logic, with comparisons of halves on sm_103 (MERC-132).
func (x instruction) earlyUnit(sm int) unit {
	switch op := x.Op(); {
	case op < sass.OpFMUL, op == sass.OpI2FP, op == sass.OpVIMNMX, op == sass.OpR2UR, op == sass.OpHSETP2 && sm == 103:
		return narrow
	case op == sass.OpFMUL, op == sass.OpFADD, op == sass.OpFFMA:
		return floats
	case op == sass.OpIMAD, op == sass.OpIDP, op == sass.OpVIADD:
		return products
	case op == sass.OpIMADWide, op == sass.OpIMADHigh:
		return wide
	case op >= sass.OpHADD2 && op <= sass.OpHSETP2, op == sass.OpHMNMX2:
		return halves
	}
	return anyUnit
}

// converts is how many cycles x takes the unit of conversions on an SM; 0 if another unit does it.
// That of sm_103 is faster with powers of two, and counts no bits (MERC-132).
func (x instruction) converts(sm int) int {
	const most, powersOfTwo = 8, 4
	switch {
	case x.Op() == sass.OpPOPC && sm == 103, x.Op() < sass.OpFLO || x.Op() > sass.OpPOPC && x.Op() < sass.OpF2F64 || x.Op() > sass.OpFRND64:
		return 0
	case x.isPowerOfTwo() && sm == 103:
		return powersOfTwo
	}
	return most
}

// isPowerOfTwo reports whether x is MUFU.EX2.
func (x instruction) isPowerOfTwo() bool {
	const functionAt, powerOfTwo = 74 - 64, 2
	return x.Op() == sass.OpMUFU && x.High>>functionAt&0x3f == powerOfTwo
}

// An act is an instruction with what its time depends on.
type act struct {
	instruction
	unit          unit
	converts      int  // for so many cycles
	isEarly       bool // it is code for a target before sm_120
	writes, reads sass.Registers
	inOrder       bool // its results come in order: double precision where it is slow
	window        bool // it keeps nothing, and keeps nothing from others (KIT-190)
}

func newAct(x instruction, sm int) (a act, known bool) {
	a.instruction = x
	a.writes, a.reads, known = registersOf(x, sm)
	a.unit, a.inOrder = x.unit(a.writes, sm), a.isArithmeticDouble() && x.isSlowDouble(sm)
	if sm < firstTwoAdd {
		a.converts = x.converts(sm)
		a.isEarly = true
	}
	return a, known
}

// firstCounted is the first operation of the kinds that take no fixed time, and whatever is done besides.
const firstCounted = 0x100

// hasResults reports whether x writes in a fixed time: nothing counts it, and where results come in order it is
// not there before the next ones that are counted.
func (x *act) hasResults() bool {
	return x.Op() < firstCounted && (x.WriteBarrier() == sass.NoBarrier || x.isArithmeticDouble()) && !x.inOrder
}

// after is how many cycles after from x begins at least.
func (x *act) after(from *act) (cycles int) {
	cycles = unitBetween(from, x)
	if x.waitsOn(from.instruction) {
		cycles = max(cycles, untilCounted)
	}
	if from.hasResults() {
		cycles = max(cycles, x.afterResults(from))
	}
	if general := x.writes.Only(sass.General); x.Op() >= firstCounted && from.ReadBarrier() == sass.NoBarrier && from.reads.Overlaps(general) {
		const writesOver = 2
		cycles = max(cycles, writesOver)
	}
	if (x.Op() >= firstCounted || x.inOrder) && from.hasResults() && from.writes.Overlaps(x.writes) {
		cycles = max(cycles, x.rewrites(from))
	}
	return cycles
}

// rewrites is how many cycles after from x begins, which takes no fixed time, at least to write over its results.
func (x *act) rewrites(from *act) int {
	const general, uniform, moved = 6, 11, 4
	switch {
	case from.writes.Only(sass.General).Overlaps(x.writes):
		return general
	case from.movesUniform():
		return moved
	}
	return uniform
}

// unitBetween is how many cycles after from x begins for the sake of the units of both.
func unitBetween(from, x *act) int {
	isProduct := x.unit == products || x.unit == wide || x.unit == floats || x.unit == halves
	switch {
	case from.converts > 0 && x.converts > 0:
		return from.converts
	case from.unit == pairs && x.unit == narrow:
		return 3
	case from.unit == pairs, from.unit == narrow && x.unit == narrow, (from.unit == products || from.unit == halves) && isProduct:
		return 2
	case from.unit == wide && isProduct, from.accesses() && x.accesses():
		return 4
	case from.Op() == sass.OpLDC && (x.Op() == sass.OpLDC || x.Op() == sass.OpS2UR):
		return 8
	case from.Op() == sass.OpBAR && x.isDouble():
		return 6
	}
	return 1
}

// accesses reports whether x takes the way to memory or to other threads.
func (x *act) accesses() bool {
	switch x.Op() {
	case sass.OpLD, sass.OpLDG, sass.OpLDL, sass.OpLDS, sass.OpLDSM, sass.OpST, sass.OpSTG, sass.OpSTL, sass.OpSTS, sass.OpSHFL, sass.OpATOMS, sass.OpATOMSCAS, sass.OpATOMSPOPC, sass.OpRED, sass.OpREDGFloat, sass.OpATOM, sass.OpATOMCAS, sass.OpATOMG, sass.OpATOMGCAS, sass.OpATOMGFloat, sass.OpLDG256, sass.OpSTG256:
		return true
	}
	return false
}

// The cycles until results of fixed time are there.
const (
	untilCounted = 2  // on a scoreboard
	untilRead    = 5  // by most
	untilGuard   = 13 // predicates, by who is done on that condition
)

// afterResults is how many cycles after from x begins at least for the sake of results.
func (x *act) afterResults(from *act) (cycles int) {
	if from.isArithmeticDouble() && from.isEarly {
		return x.afterDouble(from)
	}
	if w, r := from.writes.R, x.reads.R; (sass.Registers{R: w}).Overlaps(sass.Registers{R: r}) {
		cycles = x.afterRegisters(from)
	}
	if common := from.writes.P & x.reads.P; common != 0 {
		cycles = max(cycles, x.afterPredicate(from, common))
	}
	if (sass.Registers{UR: from.writes.UR}).Overlaps(sass.Registers{UR: x.reads.UR}) || from.writes.UP&x.reads.UP != 0 {
		cycles = max(cycles, x.afterUniform(from))
	}
	return cycles
}

// afterRegisters is the same for general registers. Products of 64 bits read the upper half of their addend later, and
// have the upper half of their result later than the lower one.
func (x *act) afterRegisters(from *act) int {
	const near, upperLater = 4, 2
	switch {
	case from.unit == wide && x.unit == wide && from.upper().Overlaps(x.factors()):
		return near + upperLater
	case from.unit == wide && x.unit == wide:
		return near
	case x.unit == wide && !from.writes.Overlaps(x.factors()) && !from.writes.Overlaps(x.addend()), from.unit == wide && !from.upper().Overlaps(x.reads):
		return x.afterUnit(from) - upperLater
	}
	return x.afterUnit(from)
}

// afterUnit is how many cycles the unit of from takes until x has results in general registers.
func (x *act) afterUnit(from *act) int {
	const near, ofPair, untilMultiplied = 4, 6, 7
	isProduct := func(u unit) bool { return u == products || u == wide }
	takesHalves := x.unit == halves || x.isEarly && x.Op() == sass.OpHSETP2
	switch {
	case x.isMatrixProduct():
		return untilMultiplied
	case takesHalves && from.unit == halves:
		return near
	case takesHalves && from.unit == narrow:
		return untilRead
	case from.unit == pairs && x.unit == pairs && from.ordersPairs() == x.ordersPairs():
		return near
	case x.takesLate() && from.unit != pairs, from.unit == x.unit && (x.unit == narrow || x.unit == floats), isProduct(from.unit) && (isProduct(x.unit) || x.unit == floats):
		return near
	case from.unit == pairs && x.unit != narrow:
		switch {
		case x.isArithmeticDouble():
			return ofPair + 1
		case x.takesLate():
			return ofPair - 1
		}
		return ofPair
	case x.isArithmeticDouble():
		return ofPair
	}
	return untilRead
}

// ordersPairs reports whether x, which reads pairs, tells which is less: ISETP and IMNMX.
func (x *act) ordersPairs() bool { return x.Op() == sass.OpISETP || x.Op() == sass.OpIMNMX }

// afterDouble is the same where from is of double precision, which is fast before sm_103, counted (KIT-063) or not.
func (x *act) afterDouble(from *act) int {
	const toDouble, toMemory, toMUFU, toOthers, predicate, guard, toJoin = 8, 7, 6, 10, 6, 14, 11
	isRead := from.writes.Only(sass.General).Overlaps(x.reads)
	switch common := from.writes.P & x.reads.P; {
	case isRead && x.isArithmeticDouble():
		return toDouble
	case isRead && x.Op() == sass.OpMUFU:
		return toMUFU
	case isRead && x.Op() >= firstCounted && !x.takesLate():
		return toMemory
	case isRead:
		return toOthers
	case common != 0 && (x.conditional() && common>>(x.Low>>12&7)&1 == 1 || x.displacement() != none || x.Op() == sass.OpEXIT):
		return guard
	case common != 0:
		return predicate
	case x.Op() == sass.OpBSYNC:
		return toJoin
	}
	return 0
}

// takesLate reports whether x reads its operands a cycle later than most.
func (x *act) takesLate() bool {
	return x.Op() >= sass.OpFLO && x.Op() <= sass.OpFRND64 || x.Op() == sass.OpLDC || x.Op() == sass.OpBRX || x.Op() == sass.OpWARPSYNCAlone || x.textures()
}

// takesVotes reports whether x counts or joins predicates of threads.
func (x *act) takesVotes() bool {
	return x.Op() == sass.OpVOTE || x.Op() == sass.OpVOTEU || x.Op() == sass.OpBAR
}

// isArithmeticDouble reports whether x adds, multiplies or compares numbers of double precision.
func (x *act) isArithmeticDouble() bool { return x.Op() >= sass.OpDMUL && x.Op() <= sass.OpDFMA }

// factors are the registers of a product but those of its addend.
func (x *act) factors() (r sass.Registers) {
	r.Add(sass.General, uint(x.Low>>24&0xff), 1)
	if x.Low>>9&7 == 1 {
		r.Add(sass.General, uint(x.Low>>32&0xff), 1)
	}
	return r
}

// addend is the lower register of the addend of a product.
func (x *act) addend() (r sass.Registers) {
	r.Add(sass.General, uint(x.High&0xff), 1)
	return r
}

// upper is the register with the upper half of a product of 64 bits.
func (x *act) upper() (r sass.Registers) {
	at := uint(x.Low >> 16 & 0xff)
	if x.Op() == sass.OpIMADWide {
		at++
	}
	r.Add(sass.General, at, 1)
	return r
}

// afterPredicate is the same for predicates.
func (x *act) afterPredicate(from *act, common uint8) (cycles int) {
	switch {
	case x.conditional() && common>>(x.Low>>12&7)&1 == 1 || x.displacement() != none || x.Op() == sass.OpEXIT || x.takesVotes() || x.inOrder:
		cycles = untilGuard
	case from.unit == narrow && x.unit == narrow:
		return untilRead - 1
	default:
		cycles = untilRead
	}
	if from.unit == pairs {
		cycles++
	}
	return cycles
}

// afterUniform is the same for uniform registers and predicates.
func (x *act) afterUniform(from *act) int {
	const moved, movedToBranch, within, across, toBranch, toMemory, toConstants, fromGeneral = 2, 3, 4, 6, 9, 9, 12, 13
	switch {
	case from.Op() == sass.OpR2UR:
		return fromGeneral
	case from.Op() == sass.OpUMOV && x.displacement() != none:
		return movedToBranch
	case from.movesUniform():
		return moved
	case x.isUniform():
		return within
	case x.displacement() != none || x.Op() == sass.OpEXIT:
		return toBranch
	case x.Op() == sass.OpLDCU:
		return toConstants
	case x.accesses(), x.Op() >= firstCounted && !x.isUniform():
		return toMemory
	}
	return across
}

// movesUniform reports whether x writes uniform registers as soon as a move does.
func (x *act) movesUniform() bool { return x.Op() == sass.OpUMOV || x.Op() == sass.OpVOTEU }

// isUniform reports whether the uniform datapath does x.
func (x *act) isUniform() bool {
	const firstFloat, lastFloat, first = 0x04a, 0x05e, 0x080 // floats and their conversions stand among the others
	return x.Op() >= first && x.Op() < firstCounted || x.Op() >= firstFloat && x.Op() <= lastFloat
}

// lasts is how many cycles after x its block ends at least.
func (x *act) lasts() int {
	const results, uniformResults, uniformMoved = 7, 12, 5
	cycles := 1
	switch {
	case x.displacement() != none || x.Op() == sass.OpBSYNC:
		return untilRead
	case !x.hasResults():
		return 1
	case x.Op() == sass.OpUMOV:
		cycles = uniformMoved
	case x.isUniform():
		cycles = uniformResults
	case x.writes.P != 0:
		cycles = untilGuard
	case x.writes.R != [4]uint64{}:
		cycles = results
	}
	if x.unit == pairs {
		cycles++
	}
	return cycles
}
