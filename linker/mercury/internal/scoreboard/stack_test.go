package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// Any write of R1 uses the stack pointer: a frame, or another value in code before a trap (MERC-985).
func TestFreeStack(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W0:-:S01] LDC R5, c[0x0][0x388]")
	pair := machinetest.Asm("[B------:R-:W0:-:S01] LDC.64 R4, c[0x0][0x380]")
	for _, tt := range []struct {
		name string
		x    machine.Instr
		free bool
	}{
		{"another register", load, true},
		{"a value", machinetest.Into(load, 1), false},
		{"the second of two", machinetest.Into(pair, 0), false},
		{"the pair after it", machinetest.Into(pair, 2), true},
		{"a frame", machinetest.Into(machinetest.Multiply, 1), false},
	} {
		code := []machine.Instr{machinetest.LoadsSP, tt.x, machinetest.End}
		if got := FreeStack(code, 100); got != tt.free {
			t.Errorf("%s: unused %t", tt.name, got)
		}
		if got := StackPointerUnused(code, 100); got != tt.free {
			t.Errorf("%s: reassigned %t", tt.name, got)
		}
	}
}
