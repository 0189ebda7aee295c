package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Latency is the compiler's estimate of the cycles until the results of x are written (MERC-156).
func (x Instr) Latency(sm int) int {
	cycles := int(opcodes[x.Op()].latency)
	switch {
	case x.Loads():
		return fromMemory
	case x.IsSlowDouble(sm), x.Queue() == DoubleQueue:
		return ofDoubles
	case x.Op() == sass.OpMUFU && !HasFastDoubles(sm):
		return cycles + 1
	case cycles != 0:
		return cycles
	}
	return ofConversions
}

const fromMemory, ofConversions, ofDoubles = 300, 15, 1

// IsSlowDouble reports if x is double precision and slow: the compiler keeps an issue distance, and counts no
// time for it.
func (x Instr) IsSlowDouble(sm int) bool {
	return !HasFastDoubles(sm) && x.IsDouble() && !(x.Op() == sass.OpI2F64 && IsConsumer(sm))
}

// ReadLatency is the compiler's estimate of the cycles until these operands of x are read: one register after the other, and a cycle more
// for a conversion.
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
