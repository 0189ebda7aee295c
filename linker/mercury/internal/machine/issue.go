package machine

import (
	"github.com/culink/culink/linker/sass"
)

// This file is the machine model of instructions with fixed latency from sm_120 on. It gives the cycles after which another
// instruction of the same unit may issue, and those after which another instruction may use the results (KIT-106).

// hasResults reports whether the results of x have a fixed latency. No scoreboard counts such results, and no queue writes them
// in order.
func (x *Operation) hasResults() bool {
	return !x.hasVariableLatency() && (x.WriteBarrier() == sass.NoBarrier || x.IsArithmeticDouble()) && !x.inOrder
}

// After returns the least number of cycles from the issue of from to that of x.
func (x *Operation) After(from *Operation) (cycles int) {
	cycles = unitBetween(from, x)
	if x.WaitsOn(from.Instr) {
		cycles = max(cycles, UntilCounted)
	}
	if from.hasResults() {
		cycles = max(cycles, x.afterResults(from))
	}
	if general := x.Writes.Only(sass.General); x.hasVariableLatency() && from.Multiplies == 0 && from.ReadBarrier() == sass.NoBarrier && from.Reads.Overlaps(general) {
		const writesOver = 2
		cycles = max(cycles, writesOver)
	}
	if (x.hasVariableLatency() || x.inOrder) && from.hasResults() && from.Writes.Overlaps(x.Writes) {
		cycles = max(cycles, x.rewrites(from))
	}
	return cycles
}

// rewrites returns the value of After if x has variable latency and overwrites the results of from.
func (x *Operation) rewrites(from *Operation) int {
	const general, pair, uniform, moved = 6, 7, 11, 4
	switch {
	case from.Writes.Only(sass.General).Overlaps(x.Writes):
		if from.Unit == pairs {
			return pair
		}
		return general
	case from.is(movesUniform):
		return moved
	}
	return uniform
}

// unitBetween is After by the units of both alone.
func unitBetween(from, x *Operation) int {
	if from.Converts > 0 && x.Converts > 0 {
		return from.Converts
	}
	if from.Op() == sass.OpBMOV || from.Op() == sass.OpBMOVTo {
		return afterBarrierMove
	}
	if from.Multiplies > 0 && (x.Multiplies > 0 || x.IsArithmeticDouble()) {
		return from.Multiplies
	}
	if cycles := untilIssue[from.Unit][x.Unit]; cycles > 0 {
		return int(cycles)
	}
	switch {
	case from.Accesses() && x.Accesses():
		return 4
	case from.is(slowPath) && x.is(slowPath):
		return 8
	case from.Op() == sass.OpBAR && (x.IsDouble() || x.Op() >= firstCounted), from.Op() == sass.OpMEMBAR && x.Op() == sass.OpWARPSYNC:
		return 6
	case from.Op() == sass.OpWARPSYNC && x.IsDouble(): // KIT-922
		return 5
	case from.Op() == sass.OpWARPSYNC && x.Op() == sass.OpWARPSYNC, from.Op() == sass.OpNANOSLEEP && x.Op() == sass.OpNANOSLEEP:
		return 8
	}
	return 1
}

// Accesses reports whether x uses the memory pipeline, or communicates with other threads.
func (x *Operation) Accesses() bool { return x.is(accesses) }

// The cycles until results of fixed latency are available.
const (
	UntilCounted = 2  // on a scoreboard
	untilRead    = 5  // by most
	UntilGuard   = 13 // predicates, by an instruction that they guard
)

// afterBarrierMove is the number of cycles after which an instruction may issue after a move of a barrier (BMOV).
const afterBarrierMove = 5

// afterResults is After for the results of from that x reads.
func (x *Operation) afterResults(from *Operation) (cycles int) {
	switch {
	case from.IsArithmeticDouble() && from.isEarly:
		return x.afterDouble(from)
	case from.Multiplies > 0 && from.Writes.Overlaps(x.Reads) && x.Multiplies > 0:
		return from.Results() + 1
	case from.Multiplies > 0 && from.Writes.Overlaps(x.Reads):
		return from.Results()
	}
	if w, r := from.Writes.R, x.Reads.R; (sass.Registers{R: w}).Overlaps(sass.Registers{R: r}) {
		cycles = x.afterRegisters(from)
	}
	if common := from.Writes.P & x.Reads.P; common != 0 {
		cycles = max(cycles, x.afterPredicate(from, common))
	}
	if (sass.Registers{UR: from.Writes.UR}).Overlaps(sass.Registers{UR: x.Reads.UR}) || from.Writes.UP&x.Reads.UP != 0 {
		cycles = max(cycles, x.afterUniform(from))
	}
	return cycles
}

// afterRegisters is afterResults for general registers. A 64-bit product reads the upper half of its addend later than the lower
// half. It also writes the upper half of its result later.
func (x *Operation) afterRegisters(from *Operation) int {
	const near, upperLater = 4, 2
	switch {
	case from.Unit == wide && x.Unit == wide && from.upper().Overlaps(x.factors()):
		return near + upperLater
	case from.Unit == wide && x.Unit == wide:
		return near
	case x.Unit == wide && !from.Writes.Overlaps(x.factors()) && !from.Writes.Overlaps(x.addend()), from.Unit == wide && !from.upper().Overlaps(x.Reads):
		return x.afterUnit(from) - upperLater
	}
	return x.afterUnit(from)
}

// afterUnit is afterRegisters for the unit of from and the reader class of x.
func (x *Operation) afterUnit(from *Operation) int {
	const nearPair = 4
	if from.Unit == pairs && x.Unit == pairs && from.ordersPairs() == x.ordersPairs() {
		return nearPair
	}
	return int(untilResult[from.Unit][x.reader()])
}

// ordersPairs reports whether x, which reads register pairs, compares them for order, as ISETP and IMNMX do.
func (x *Operation) ordersPairs() bool { return x.Op() == sass.OpISETP || x.Op() == sass.OpIMNMX }

// afterDouble is afterResults for FP64, where FP64 is fast (before sm_103). A scoreboard may count from (KIT-063) or not.
func (x *Operation) afterDouble(from *Operation) int {
	const toDouble, toMemory, toMUFU, toOthers, predicate, guard, toJoin = 8, 7, 6, 10, 6, 14, 11
	isRead := from.Writes.Only(sass.General).Overlaps(x.Reads)
	switch common := from.Writes.P & x.Reads.P; {
	case isRead && x.IsArithmeticDouble():
		return toDouble
	case isRead && x.Op() == sass.OpMUFU:
		return toMUFU
	case isRead && x.Op() >= firstCounted && !x.is(takesLate):
		return toMemory
	case isRead:
		return toOthers
	case common != 0 && (x.Conditional() && common>>(x.Low>>12&7)&1 == 1 || x.Displacement() != None || x.Op() == sass.OpEXIT):
		return guard
	case common != 0:
		return predicate
	case x.Op() == sass.OpBSYNC:
		return toJoin
	}
	return 0
}

// factors are the registers of a product without its addend.
func (x *Operation) factors() (r sass.Registers) {
	r.Add(sass.General, uint(x.Low>>24&0xff), 1)
	if x.Low>>9&7 == 1 {
		r.Add(sass.General, uint(x.Low>>32&0xff), 1)
	}
	return r
}

// addend is the lower register of the addend of a product.
func (x *Operation) addend() (r sass.Registers) {
	r.Add(sass.General, uint(x.High&0xff), 1)
	return r
}

// upper returns the register that holds the upper half of a 64-bit product.
func (x *Operation) upper() (r sass.Registers) {
	at := uint(x.Low >> 16 & 0xff)
	if x.Op() == sass.OpIMADWide {
		at++
	}
	r.Add(sass.General, at, 1)
	return r
}

// afterPredicate is afterResults for predicates.
func (x *Operation) afterPredicate(from *Operation, common uint8) (cycles int) {
	switch {
	case x.Conditional() && common>>(x.Low>>12&7)&1 == 1 || x.Displacement() != None || x.Op() == sass.OpEXIT || x.is(votes) || x.inOrder:
		cycles = UntilGuard
	case from.Unit == narrow && x.Unit == narrow:
		return untilRead - 1
	default:
		cycles = untilRead
	}
	if from.Unit == pairs {
		cycles++
	}
	return cycles
}

// afterUniform is afterResults for uniform registers and predicates.
func (x *Operation) afterUniform(from *Operation) int {
	const moved, movedToBranch, within, across, toBranch, toMemory, toConstants, fromGeneral = 2, 3, 4, 6, 9, 9, 12, 13
	switch {
	case from.Op() == sass.OpR2UR:
		return fromGeneral
	case from.Op() == sass.OpUMOV && x.Displacement() != None:
		return movedToBranch
	case from.is(movesUniform):
		return moved
	case x.isUniform():
		return within
	case x.Displacement() != None || x.Op() == sass.OpEXIT:
		return toBranch
	case x.Op() == sass.OpLDCU:
		return toConstants
	case x.Accesses(), x.hasVariableLatency() && !x.isUniform():
		return toMemory
	}
	return across
}

// isUniform reports whether the uniform datapath executes x.
func (x *Operation) isUniform() bool {
	const firstFloat, lastFloat, first = 0x04a, 0x05e, 0x080 // floats and their conversions stand among the others
	return x.Op() >= first && x.Op() < firstCounted || x.Op() >= firstFloat && x.Op() <= lastFloat
}

// Lasts returns the least number of cycles from the issue of x to the end of its block.
func (x *Operation) Lasts() int {
	const results, uniformResults, uniformMoved = 7, 12, 5
	cycles := 1
	switch {
	case x.Displacement() != None || x.Op() == sass.OpBSYNC:
		return untilRead
	case !x.hasResults():
		return 1
	case x.Multiplies > 0:
		return x.Results() + 1
	case x.Op() == sass.OpUMOV:
		cycles = uniformMoved
	case x.isUniform():
		cycles = uniformResults
	case x.Writes.P != 0:
		cycles = UntilGuard
	case x.Writes.R != [4]uint64{}:
		cycles = results
	}
	if x.Unit == pairs {
		cycles++
	}
	return cycles
}
