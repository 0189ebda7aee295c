package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Latency returns the compiler's estimate of the cycles until the results of x are written (MERC-156).
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

// IsSlowDouble reports whether x is an FP64 instruction and slow on an SM. The compiler then keeps an issue distance and assumes
// no latency for x.
func (x Instr) IsSlowDouble(sm int) bool {
	return !HasFastDoubles(sm) && x.IsDouble() && !(x.Op() == sass.OpI2F64 && IsConsumer(sm))
}

// ReadLatency returns the compiler's estimate of the cycles until x has read these operands. It reads one register after the
// other. A conversion takes a cycle more.
func (x Instr) ReadLatency(operands sass.Registers, sm int) int {
	if x.IsSlowDouble(sm) || x.Queue() == DoubleQueue {
		return ofDoubles
	}
	cycles := 6
	for range operands.Only(sass.General).All {
		cycles += 2
	}
	if x.Queue() == conversionQueue || x.Textures() {
		cycles++
	}
	return cycles
}
