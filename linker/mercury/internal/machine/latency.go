package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Latency is how many cycles the compiler thinks that it takes until the results of x are
// written (MERC-156). The numbers are measured: they are the distances from which on nothing is
// lost where x shares a scoreboard (MERC-152).
func (x Instr) Latency(sm int) int {
	cycles := int(latencies[x.Op()])
	switch {
	case x.Loads():
		return fromMemory
	case x.IsSlowDouble(sm), x.Queue() == DoubleQueue:
		return ofDoubles
	case x.Op() == sass.OpMUFU && sm != 100:
		return cycles + 1
	case cycles != 0:
		return cycles
	}
	return ofConversions
}

const fromMemory, ofConversions, ofDoubles = 300, 15, 1

// IsSlowDouble reports whether x is of double precision where this is slow: the compiler then
// keeps it apart from others, and does not count its time.
func (x Instr) IsSlowDouble(sm int) bool {
	return sm != 100 && x.IsDouble() && !(x.Op() == sass.OpI2F64 && sm >= 120)
}

var latencies = [1 << 9]uint8{
	sass.OpLDC: 48, sass.OpLDS: 40, sass.OpLDSM: 40, sass.OpS2R: 32, sass.OpREDUX: 25,
	sass.OpS2UR: 24, sass.OpSHFL: 24, sass.OpMATCH: 24, sass.OpATOMS: 24, sass.OpATOMSCAS: 24, sass.OpATOMSPOPC: 24, sass.OpQSPC: 24,
	sass.OpLDCU: 18, sass.OpMUFU: 17, sass.OpBMOV: 2, sass.OpLDTM: 24, sass.OpFENCE: 24, sass.OpSYNCS: 40, sass.OpSYNCSExchange: 40,
}

// ReadLatency is the same until these operands of x are read: one register after the other, and a
// conversion takes a cycle more.
func (x Instr) ReadLatency(operands sass.Registers, sm int) int {
	if x.IsSlowDouble(sm) || x.Queue() == DoubleQueue {
		return ofDoubles
	}
	cycles := 6
	for range operands.Only(sass.General).All {
		cycles += 2
	}
	if x.Queue() == conversionQueue || x.Textures() || x.Op() == sass.OpFCHK || x.Op() == sass.OpBREV {
		cycles++
	}
	return cycles
}
