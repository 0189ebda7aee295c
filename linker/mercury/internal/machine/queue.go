package machine

import (
	"github.com/culink/culink/linker/sass"
)

// A queue is a unit that reads the operands of its instructions in order, and writes their
// results in order.
type queue int

const (
	sharedQueue queue = 1 + iota // and what is stored
	loadQueue
	conversionQueue
	wideConversionQueue
	DoubleQueue
)

// Queue returns the queue that x waits in, 0 for none.
func (x Instr) Queue() queue {
	switch x.Op() {
	case sass.OpLDS, sass.OpSTS, sass.OpATOMS, sass.OpATOMSCAS, sass.OpATOMSPOPC, sass.OpSHFL, sass.OpLDSM, sass.OpSTSM, sass.OpSTG, sass.OpSTG256, sass.OpSTL, sass.OpRED, sass.OpQSPC:
		return sharedQueue
	case sass.OpLDG, sass.OpLDG256, sass.OpATOMG, sass.OpATOMGCAS, sass.OpATOMGFloat:
		return loadQueue
	case sass.OpMUFU, sass.OpF2I, sass.OpI2F, sass.OpPOPC, sass.OpFLO, sass.OpF2F, sass.OpFRND:
		return conversionQueue
	case sass.OpF2F64, sass.OpF2I64, sass.OpI2F64, sass.OpFRND64:
		return wideConversionQueue
	case sass.OpDADD, sass.OpDMUL, sass.OpDFMA, sass.OpDSETP:
		return DoubleQueue
	}
	return 0
}

// WritesInOrder reports whether the results of the queue of x come in order within a block, so that
// one need not wait for another to write over it.
func (x Instr) WritesInOrder() bool {
	return x.Queue() == sharedQueue || x.Queue() == conversionQueue
}

// Loads reports whether the results of x come from memory beyond the multiprocessor.
func (x Instr) Loads() bool {
	switch x.Op() {
	case sass.OpLDG, sass.OpLDG256, sass.OpATOMG, sass.OpATOMGFloat, sass.OpATOMGCAS, sass.OpLD, sass.OpATOM, sass.OpATOMCAS, sass.OpLDL, sass.OpTEX, sass.OpTEXB, sass.OpTLD, sass.OpTLDB, sass.OpTLD4, sass.OpTLD4B, sass.OpTXQ, sass.OpTXQB, sass.OpSULD, sass.OpSUATOM, sass.OpSUATOMCAS:
		return true
	}
	return false
}

// ByTextureUnit reports whether the results of x come from the texture unit, as those of reads of surfaces do.
func (x Instr) ByTextureUnit() bool { return x.Textures() || x.Op() == sass.OpSULD }

// Textures reports whether x is about textures.
func (x Instr) Textures() bool {
	switch x.Op() {
	case sass.OpTEX, sass.OpTEXB, sass.OpTLD, sass.OpTLDB, sass.OpTLD4, sass.OpTLD4B, sass.OpTXQ, sass.OpTXQB:
		return true
	}
	return false
}
