package hazard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// of is an instruction of an operation, with its scoreboards; 7 is none.
func of(op uint64, results, operands uint64) sass.Instruction {
	x := sass.Instruction{Low: 0x7000 | op, High: exit.High}
	put(&x, 110, 3, results)
	put(&x, 113, 3, operands)
	return x
}

// What the units of a machine keep in order: results of one unit, those of textures and surfaces where one scoreboard
// counts both, operands of memory.
func TestOrders(t *testing.T) {
	const add, special, otherSpecial, texture, surface, load, store, shared, none = 0x10, 0x119, 0x1c3, 0x160, 0x199, 0x181, 0x186, 0x184, 7
	m, ok := MachineOf(100)
	if _, unknown := MachineOf(30); !ok || unknown {
		t.Fatalf("sm_100 is known: %v, sm_30: %v", ok, unknown)
	}
	for _, tt := range []struct {
		first, second          uint64
		writes, ends, operands bool
	}{
		{add, add, false, false, false},
		{add, special, false, false, false},
		{special, add, false, false, false},
		{special, otherSpecial, true, true, true},
		{texture, texture, true, true, true},
		{texture, surface, false, true, false},
		{surface, texture, false, true, false},
		{texture, special, false, false, false},
		{special, surface, false, false, false},
		{surface, special, false, false, false},
		{special, texture, false, false, false},
		{load, store, false, false, true},
		{load, shared, false, false, true},
		{load, special, false, false, false},
	} {
		a, b := of(tt.first, none, none), of(tt.second, none, none)
		if m.WritesBefore(a, b) != tt.writes || m.EndsBefore(a, b) != tt.ends || m.ReadsBefore(a, b) != tt.operands {
			t.Errorf("%#x before %#x: writes %v, ends %v, reads %v", tt.first, tt.second, m.WritesBefore(a, b), m.EndsBefore(a, b), m.ReadsBefore(a, b))
		}
	}
	for _, tt := range []struct {
		x    sass.Instruction
		late bool
	}{{of(add, none, none), false}, {of(add, 0, none), true}, {of(add, none, 0), true}, {of(store, none, none), true}, {of(special, none, none), true}} {
		if got := m.ReadsLate(tt.x); got != tt.late {
			t.Errorf("%#x with scoreboards %d, %d: reads late: %v", tt.x.Opcode(), writeBoard(tt.x), readBoard(tt.x), got)
		}
	}
}

// What an instruction says of its schedule: each scoreboard, and each wait.
func TestControlOf(t *testing.T) {
	x := of(0x119, 5, 0)
	put(&x, 105, 4, 11)
	for waits := range uint64(64) {
		put(&x, 116, 6, waits)
		var want []int
		for b := range 6 {
			if waits>>b&1 == 1 {
				want = append(want, b)
			}
		}
		c := ControlOf(x)
		if c.Stall != 11 || c.Results == nil || *c.Results != 5 || c.Operands == nil || *c.Operands != 0 || !slices.Equal(c.Waits, want) {
			t.Errorf("waits %06b: %s", waits, c)
		}
	}
	put(&x, 116, 6, 0b101001)
	if got, want := ControlOf(x).String(), "stall 11, waits 0,3,5, results 5, operands 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ControlOf(of(0x119, 7, 7)).String(), "stall 5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
