package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// The DEPBAR stays if the waits of the input do: nothing else would wait for the operands then (KIT-330).
func TestReductionWaitsOfKeptSchedules(t *testing.T) {
	i := slices.IndexFunc(passes[:], func(p pass) bool { return p.rule == "KIT-330" })
	w := &work{}
	w.DropsReductionWaits = true
	if !passes[i].when(w) {
		t.Error("it stays in a new schedule")
	}
	if w.kept = reason("waits that the rules do not explain"); passes[i].when(w) {
		t.Error("it goes from a schedule that is kept")
	}
}

// The DEPBAR after an asynchronous reduction is removed, and the reduction stalls for two cycles. Other DEPBARs stay (KIT-330).
func TestReductionWaits(t *testing.T) {
	reduce := machine.Word(0x0000000804007378, 0x0083e20008098000) // counts on scoreboard 1
	wait := machine.Word(0x000090000000791a, 0x000fc80000000000)   // waits for it
	for _, tt := range []struct {
		name  string
		code  []machine.Instr
		kept  int
		stall int
	}{
		{"of the reduction", []machine.Instr{reduce, wait, machinetest.End}, 2, 2},
		{"of another scoreboard", []machine.Instr{reduce, wait.CountingOn(2), machinetest.End}, 3, 1},
		{"later", []machine.Instr{reduce, machinetest.End, wait}, 3, 1},
		{"first", []machine.Instr{wait, reduce, machinetest.End}, 3, 1},
	} {
		steps := withoutReductionWaits(tt.code, stepsOf(tt.code...))
		if len(steps) != tt.kept {
			t.Errorf("%s: %d instructions, want %d", tt.name, len(steps), tt.kept)
		}
		for _, x := range steps {
			if x.Low == reduce.Low && x.Stall() != tt.stall {
				t.Errorf("%s: a stall of %d, want %d", tt.name, x.Stall(), tt.stall)
			}
		}
	}
}
