package mercury

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// A stall that an earlier pass made too short gets longer (KIT-106.11). A stall that was too short in the input gets as
// long as it was.
func TestRepair(t *testing.T) {
	adds := machinetest.Asm("[B------:R-:W-:Y:S05] IADD3 R4, R4, R5, RZ")
	shorter := adds.WithBoundedStall(2)
	code := []machine.Instr{adds, adds, machine.NOP}
	for _, tt := range []struct {
		name     string
		was, is  []machine.Instr
		want     []int
		changing bool
	}{
		{"as it was", code, code, []int{5, 5}, false},
		{"too short", code, []machine.Instr{shorter, adds, machine.NOP}, []int{4, 5}, true},
		{"too short in the input", []machine.Instr{shorter, adds, machine.NOP}, []machine.Instr{shorter.WithBoundedStall(1), adds, machine.NOP}, []int{2, 5}, true},
		{"too short in the input, and as it was", []machine.Instr{shorter, adds, machine.NOP}, []machine.Instr{shorter, adds, machine.NOP}, []int{2, 5}, false},
		{"too short in the input, elsewhere", []machine.Instr{shorter, adds, adds, machine.NOP}, []machine.Instr{shorter, shorter, adds, machine.NOP}, []int{2, 4, 5}, true},
	} {
		steps := stepsOf(tt.is...)
		w := &work{Function: Function{Input: 120}, code: tt.was, steps: steps}
		if got := w.repair(); got != tt.changing {
			t.Errorf("%s: changed %v", tt.name, got)
		}
		for i, want := range tt.want {
			if got := steps[i].Stall(); got != want {
				t.Errorf("%s: instruction %d stalls for %d cycles, want %d", tt.name, i, got, want)
			}
		}
	}
}

// If an instruction has the longest stall already, the one before it in the same block stalls longer.
func TestStallLonger(t *testing.T) {
	long := machine.NOP.WithBoundedStall(machine.LongestStall)
	steps := stepsOf(machine.NOP.WithBoundedStall(1), long)
	if !stallLonger(steps) || steps[0].Stall() != 2 || steps[1].Stall() != machine.LongestStall {
		t.Errorf("%d and %d", steps[0].Stall(), steps[1].Stall())
	}
	if stallLonger(stepsOf(long, long)) {
		t.Error("nothing can stall for longer")
	}
	if stallLonger(stepsOf(machine.NOP.WithBoundedStall(1), machinetest.Calls.WithBoundedStall(machine.LongestStall))) {
		t.Error("a call is the end of a block")
	}
}

// A wait that is missing, and was not missing in the input, is added. A longer stall does not help, so stalls stay (KIT-984).
func TestRepairAddsWaits(t *testing.T) {
	loads, adds := machinetest.Asm("[B------:R-:W2:-:S02] LDC R4, c[0x0][0x380]"), machinetest.Asm("[B--2---:R-:W-:Y:S05] IADD3 R4, R4, R5, RZ")
	was := []machine.Instr{loads, adds, machinetest.End}
	steps := stepsOf(loads, adds.WithWaitMask(0), machinetest.End)
	w := &work{Function: Function{Input: 120}, code: was, steps: steps}
	if !w.repair() || !steps[1].WaitsFor(2) || steps[0].Stall() != loads.Stall() {
		t.Errorf("waits for %06b after %d cycles", steps[1].WaitMask(), steps[0].Stall())
	}
}
