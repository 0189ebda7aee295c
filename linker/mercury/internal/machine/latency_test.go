package machine

import (
	"testing"

	"github.com/culink/culink/linker/sass"
)

// Latencies depend on the hardware (MERC-156).
func TestLatency(t *testing.T) {
	for _, test := range []struct {
		name           string
		op             uint64
		sm             int
		operands       uint // registers
		results, reads int
	}{
		{"LDG, an address of 64 bits", sass.OpLDG, 100, 2, 300, 10},
		{"LDS", sass.OpLDS, 121, 1, 40, 8},
		{"STG of 128 bits", sass.OpSTG, 100, 6, ofConversions, 18},
		{"POPC", sass.OpPOPC, 100, 1, 15, 9},
		{"BREV", sass.OpBREV, 100, 1, 15, 9},
		{"FCHK", sass.OpFCHK, 100, 2, 15, 11},
		{"TEX", sass.OpTEX, 100, 2, 300, 11},
		{"LDTM", sass.OpLDTM, 100, 0, 24, 6},
		{"fence before tensor memory", sass.OpFENCE, 100, 0, 24, 6},
		{"mbarrier", sass.OpSYNCS, 120, 2, 40, 10},
		{"MUFU", sass.OpMUFU, 100, 1, 17, 9},
		{"MUFU, slower", sass.OpMUFU, 120, 1, 18, 9},
		{"conversion of double precision", sass.OpF2I64, 100, 2, 15, 10},
		{"double precision", sass.OpDFMA, 100, 6, 1, 1},
		{"double precision, slow", sass.OpF2I64, 120, 2, 1, 1},
		{"to double precision, slow on sm_110", sass.OpI2F64, 110, 1, 1, 1},
		{"to double precision on sm_120", sass.OpI2F64, 120, 1, 15, 8},
	} {
		var operands sass.Registers
		operands.Add(sass.General, 4, test.operands)
		x := Word(test.op, 0)
		if results, reads := x.Latency(test.sm), x.ReadLatency(operands, test.sm); results != test.results || reads != test.reads {
			t.Errorf("%s on sm_%d: results after %d cycles, operands after %d; want %d, %d", test.name, test.sm, results, reads, test.results, test.reads)
		}
	}
}
