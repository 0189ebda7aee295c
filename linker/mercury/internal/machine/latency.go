package machine

import (
	"github.com/culink/culink/linker/sass"
)

// Latency is how many cycles the compiler thinks that it takes until the results of x are
// written (MERC-156).
func (x Instr) Latency(sm int) int {
	cycles := int(opcodes[x.Op()].latency)
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
