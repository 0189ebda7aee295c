package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// A new schedule must be as safe as the old one. It need not be safer (MERC-140).
func TestAsSafe(t *testing.T) {
	code := []machine.Instr{
		machinetest.Asm("[B------:R-:W0:-:S01] LDC R1, c[0x0][0x37c]"),
		machinetest.Asm("[B------:R-:W1:-:S07] S2R R0, SR_TID.X"),
		machinetest.Asm("[B------:R-:W1:-:S01] LDC.64 R2, c[0x0][0x380]"),
		machinetest.Asm("[B-1----:R-:W-:Y:S05] IMAD.WIDE R2, R0, 0x4, R2"),
		machinetest.Asm("[B------:R-:W-:Y:S05] IMAD.WIDE R2, R0, 0x4, R2"), // the same
		machinetest.Asm("[B0-----:R-:W-:-:S05] EXIT"),
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
