package mercury

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// InstructionSize is the length of a machine instruction in bytes.
const InstructionSize = machine.Size

// SameButSchedule reports whether two instructions, 16 bytes each, are the same but for
// what [Scoreboards] and [Timing] stand for: their scheduling fields, and the scoreboard
// that DEPBAR names (MERC-121).
func SameButSchedule(a, b []byte) bool {
	x, y := sass.Decode(a), sass.Decode(b)
	if x.Op() == sass.OpDEPBAR {
		const scoreboard = 7 << 44
		x.Low, y.Low = x.Low|scoreboard, y.Low|scoreboard
	}
	return x.SameButControl(y)
}
