package mercury

// latency is how many cycles the compiler thinks that it takes until the results of x are
// written, or its operands read. The numbers are those with which the rule of MERC-133
// explains most choices.
func (x instruction) latency(reads bool) int {
	if x.loads() && !reads {
		return fromMemory
	}
	table := latencies
	if reads {
		table = readLatencies
	}
	if cycles, ok := table[x.op()]; ok {
		return cycles
	}
	if reads {
		return 12
	}
	return 30
}

const fromMemory = 360

var latencies = map[uint64]int{
	opDADD: 14, opDFMA: 14, opLDSM: 50, opFLO: 22, 0x101: 18, opF2I: 26, opMUFU: 26, opPOPC: 24, opF2F64: 14, opF2I64: 14, opI2F64: 30, 0x119: 42, opLDC: 60, opLDS: 56, opSHFL: 36, opATOMS: 30, opATOMSCAS: 30, 0x1a1: 40, 0x1aa: 30, opLDCU: 30, opS2UR: 34, 0x1c4: 36,
}

var readLatencies = map[uint64]int{
	opDADD: 8, opDFMA: 8, opLDSM: 30, opFLO: 8, 0x101: 8, opF2I: 8, opMUFU: 8, opPOPC: 12, opF2F64: 0, opF2I64: 8, opI2F64: 26, opTLD: 12, opLDG: 0, opLDC: 12, opLDL: 30, opLDS: 14, 0x186: 24, 0x187: 2, opSTS: 20, opSHFL: 20, opATOMS: 6, opATOMSCAS: 14, 0x18e: 12, 0x1a1: 0, opATOMG: 16, opATOMGCAS: 14, 0x1aa: 30, 0x1c4: 24,
}

// elapses is how many cycles the compiler waits at the end of a block before it takes the results of x for written, or its operands for read.
func (x instruction) elapses(reads bool) int {
	table := elapsed
	if reads {
		table = readElapsed
	}
	if cycles, ok := table[x.op()]; ok {
		return cycles
	}
	if reads {
		return 10
	}
	return x.latency(false)
}

var elapsed = map[uint64]int{
	opLDC: 58, 0x119: 43, opLDS: 58, opMUFU: 17, opPOPC: 17, opFLO: 20, 0x101: 18, opF2I: 17, opSHFL: 36, opATOMS: 27, opATOMSCAS: 20, opLDCU: 18, opF2F64: 2, opF2I64: 12, opI2F64: 16, opDADD: 2, opDFMA: 2,
}

var readElapsed = map[uint64]int{opLDS: 8, opSTS: 12}

// lingers is how many cycles the compiler takes it that operands of x are read in, where nothing
// in the block depends on them.
func (x instruction) lingers() int {
	if cycles, ok := lingering[x.op()]; ok {
		return cycles
	}
	return 16
}

var lingering = map[uint64]int{opLDG: 20, opLDS: 28, opSTS: 22, opSTG: 12}
