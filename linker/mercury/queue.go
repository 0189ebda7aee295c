package mercury

// A queue is a unit that reads the operands of its instructions in order, and writes their
// results in order.
type queue int

const (
	sharedQueue queue = 1 + iota // and what is stored
	loadQueue
	conversionQueue
	wideConversionQueue
	doubleQueue
)

func (x instruction) queue() queue {
	switch x.op() {
	case opLDS, opSTS, opATOMS, opATOMSCAS, opATOMSPOPC, opSHFL, opLDSM, opSTSM, opSTG, opSTG256, opSTL, opRED, opQSPC:
		return sharedQueue
	case opLDG, opLDG256, opATOMG, opATOMGCAS, opATOMGFloat:
		return loadQueue
	case opMUFU, opF2I, opI2F, opPOPC, opFLO, opF2F, opFRND:
		return conversionQueue
	case opF2F64, opF2I64, opI2F64, opFRND64:
		return wideConversionQueue
	case opDADD, opDMUL, opDFMA, opDSETP:
		return doubleQueue
	}
	return 0
}

// writesInOrder reports whether the results of the queue of x come in order within a block, so that
// one need not wait for another to write over it.
func (x instruction) writesInOrder() bool {
	return x.queue() == sharedQueue || x.queue() == conversionQueue
}

// loads reports whether the results of x come from memory beyond the multiprocessor.
func (x instruction) loads() bool {
	switch x.op() {
	case opLDG, opLDG256, opATOMG, opATOMGFloat, opATOMGCAS, opLD, opATOM, opATOMCAS, opLDL, opTEX, opTEXB, opTLD, opTLDB, opTLD4, opTLD4B, opTXQ, opTXQB, opSULD, opSUATOM, opSUATOMCAS:
		return true
	}
	return false
}

// byTextureUnit reports whether the results of x come from the texture unit, as those of reads of surfaces do.
func (x instruction) byTextureUnit() bool { return x.textures() || x.op() == opSULD }

// textures reports whether x is about textures.
func (x instruction) textures() bool {
	switch x.op() {
	case opTEX, opTEXB, opTLD, opTLDB, opTLD4, opTLD4B, opTXQ, opTXQB:
		return true
	}
	return false
}
