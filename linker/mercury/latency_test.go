package mercury

import "testing"

// MERC-133: the clock takes results from memory for late, and operands for read sooner than
// the results are there.
func TestLatency(t *testing.T) {
	for _, test := range []struct {
		name          string
		op            uint64
		result, reads int
	}{
		{"LDG", opLDG, fromMemory, 0},
		{"LDG of 256 bits", opLDG256, fromMemory, 12},
		{"TLD", opTLD, fromMemory, 12},
		{"LDS", opLDS, 56, 14},
		{"DADD", opDADD, 14, 8},
		{"one that no choice told of", opNOP, 30, 12},
	} {
		x := instruction{low: test.op}
		if result, reads := x.latency(false), x.latency(true); result != test.result || reads != test.reads {
			t.Errorf("%s: results after %d cycles, operands after %d; want %d, %d", test.name, result, reads, test.result, test.reads)
		}
	}
	for op := range readLatencies {
		x := instruction{low: op}
		if result, reads := x.latency(false), x.latency(true); reads > result {
			t.Errorf("opcode %#x: results after %d cycles, operands only after %d", op, result, reads)
		}
	}
}

// MERC-134: at the end of a block other times count; where none was measured, those of the
// clock do for results.
func TestElapses(t *testing.T) {
	for _, test := range []struct {
		name          string
		op            uint64
		result, reads int
	}{
		{"LDS", opLDS, 58, 8},
		{"MUFU", opMUFU, 17, 10},
		{"LDG", opLDG, fromMemory, 10},
		{"S2UR", opS2UR, 34, 10},
	} {
		x := instruction{low: test.op}
		if result, reads := x.elapses(false), x.elapses(true); result != test.result || reads != test.reads {
			t.Errorf("%s: %d cycles for results, %d for operands; want %d, %d", test.name, result, reads, test.result, test.reads)
		}
	}
}
