package mercury

import "github.com/culink/culink/linker/sass"

// latency is how many cycles the compiler thinks that it takes until the results of x are
// written (MERC-156). The numbers are measured: they are the distances from which on nothing is
// lost where x shares a scoreboard (MERC-152).
func (x instruction) latency(sm int) int {
	cycles := int(latencies[x.op()])
	switch {
	case x.loads():
		return fromMemory
	case x.isSlowDouble(sm), x.queue() == doubleQueue:
		return ofDoubles
	case x.op() == opMUFU && sm != 100:
		return cycles + 1
	case cycles != 0:
		return cycles
	}
	return ofConversions
}

const fromMemory, ofConversions, ofDoubles = 300, 15, 1

// isSlowDouble reports whether x is of double precision where this is slow: the compiler then
// keeps it apart from others, and does not count its time.
func (x instruction) isSlowDouble(sm int) bool {
	return sm != 100 && x.isDouble() && !(x.op() == opI2F64 && sm >= 120)
}

var latencies = [1 << 9]uint8{
	opLDC: 48, opLDS: 40, opLDSM: 40, opS2R: 32, opREDUX: 25,
	opS2UR: 24, opSHFL: 24, opMATCH: 24, opATOMS: 24, opATOMSCAS: 24, opATOMSPOPC: 24, opQSPC: 24,
	opLDCU: 18, opMUFU: 17, opBMOV: 2, opLDTM: 24, opFENCE: 24, opSYNCS: 40, opSYNCSExchange: 40,
}

// readLatency is the same until these operands of x are read: one register after the other, and a
// conversion takes a cycle more.
func (x instruction) readLatency(operands sass.Registers, sm int) int {
	if x.isSlowDouble(sm) || x.queue() == doubleQueue {
		return ofDoubles
	}
	cycles := 6
	for range operands.Only(sass.General).All {
		cycles += 2
	}
	if x.queue() == conversionQueue || x.textures() || x.op() == opFCHK || x.op() == opBREV {
		cycles++
	}
	return cycles
}
