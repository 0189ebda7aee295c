package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
)

// MERC-140: a new schedule must be as safe as the old one, not safer.
func TestAsSafe(t *testing.T) {
	code := []machine.Instr{
		machine.Word(0x0000df00ff017b82, 0x000e220000000800), // LDC R1, c[0x0][0x37c], scoreboard 0
		machine.Word(0x0000000000007919, 0x000e6e0000002100), // S2R R0, SR_TID.X, scoreboard 1
		machine.Word(0x0000e000ff027b82, 0x000e620000000a00), // LDC.64 R2, c[0x0][0x380], scoreboard 1
		machine.Word(0x0000000400027825, 0x002fca00078e0202), // IMAD.WIDE.U32 R2, R0, 4, R2, waits for 1
		machine.Word(0x0000000400027825, 0x000fca00078e0202), // the same
		machine.Word(0x000000000000794d, 0x001fea0003800000), // EXIT, waits for 0
	}
	with := func(change func(code []machine.Instr)) []machine.Instr {
		c := slices.Clone(code)
		change(c)
		return c
	}
	early := func(c []machine.Instr) { // the product is used a cycle after it was begun
		c[3] = c[3].WithStall(1)
	}
	noWait := func(c []machine.Instr) { c[3] = c[3].WithWaitMask(0) }
	for _, test := range []struct {
		name          string
		before, after []machine.Instr
		want          bool
	}{
		{"the same", code, code, true},
		{"a wait is lost", code, with(noWait), false},
		{"too early in both", with(early), with(early), true},
		{"too early in both, and a wait is lost", with(early), with(func(c []machine.Instr) { early(c); noWait(c) }), false},
	} {
		if got := asSafe(test.after, test.before, nil, 100); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
