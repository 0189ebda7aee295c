package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// A trap at the end of the code waits for all events, whatever needs them; one before other code does not (MERC-986).
func TestTrapAtEnd(t *testing.T) {
	store := machinetest.Asm("[B------:R0:W-:-:S02] STG.E desc[UR4][R2.64+0xc], R5")
	for _, tt := range []struct {
		name  string
		after []machine.Instr
		waits bool
	}{
		{"the end", []machine.Instr{machinetest.Jump(3, 3, true)}, true},
		{"an exit", []machine.Instr{machinetest.End, machinetest.Jump(4, 4, true)}, false},
	} {
		code := append([]machine.Instr{machinetest.ReadID.WithWriteBarrier(1), store, machinetest.Trap.WithWaitMask(0b11)}, tt.after...)
		if !tt.waits {
			code[2] = code[2].WithWaitMask(0)
		}
		s, known := scheduleOf(code, nil, 100, Goal{To: laterRelease})
		if !known {
			t.Fatal(tt.name)
		}
		if s.leaves(2) != tt.waits || s.awaitsAll(2) != tt.waits {
			t.Errorf("%s: leaves %t, awaits all %t", tt.name, s.leaves(2), s.awaitsAll(2))
		}
		later, _, ok := Reallocate(code, nil, 100, Goal{To: laterRelease})
		if !ok {
			t.Fatal(tt.name, "not explained")
		}
		for b := range 2 {
			if got := later[2].WaitsFor(b); got != tt.waits {
				t.Errorf("before %s: waits for %d: %t", tt.name, b, got)
			}
		}
	}
}

// Before a trap at the end of the code stores share a scoreboard, because the trap waits for all of them (MERC-986).
func TestStoresBeforeTrap(t *testing.T) {
	store := machinetest.Asm("[B------:R-:W-:-:S02] STG.E desc[UR4][R2.64+0xc], R5")
	code := []machine.Instr{store.WithReadBarrier(2), machinetest.Move(8, 9).WithStall(1), store.WithReadBarrier(2), machinetest.Trap.WithWaitMask(0b100), machinetest.Jump(4, 4, true)}
	s, known := scheduleOf(code, nil, 100, Goal{})
	if !known {
		t.Fatal("not known")
	}
	a := s.newAllocation()
	a.count(s.events[0], 2)
	if got := a.choose(s.events[1]); got != 2 {
		t.Errorf("scoreboard %d", got)
	}
}
