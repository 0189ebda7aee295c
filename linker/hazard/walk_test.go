package hazard

import (
	"testing"

	"github.com/culink/culink/linker/sass"
)

// Only two kinds of unmeasured forms are known: those that call a function and those that return from one, through a
// register or not.
func TestStepTarget(t *testing.T) {
	for op := range uint64(1 << 12) {
		x := sass.Instruction{Low: op | 7<<12 | 20<<24 | 1<<32} // the bits after the number of a register do not belong to it
		var reads sass.Registers
		known := false
		switch op {
		case 0x344, 0x343, 0x950:
			known = true
			reads.Add(sass.General, 20, 2)
		case 0x944, 0x943:
			known = true
		}
		s := step{x: x}
		if got := s.target(); got != known || s.reads != reads {
			t.Errorf("%#x: %v, reads %v", op, got, s.reads)
		}
	}
}
