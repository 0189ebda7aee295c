package mercury

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// KIT-061.
func TestStallFences(t *testing.T) {
	fence := machine.Word(0x0000000000007992, 0x000fc00000008000)
	steps := stepsOf(fence, fence, machinetest.End)
	if !stallFences(steps) || steps[0].Stall() != fenceStall || steps[0].Yields() || steps[1].Instr != fence {
		t.Errorf("%#x, %#x", steps[0].High, steps[1].High)
	}
}

// KIT-061: without optimisation a fence waits and is counted as the one behind it.
func TestScheduleFences(t *testing.T) {
	fence := machine.Word(0x0000000000007992, 0x000fc00000008000)
	scheduled := fence.WithReadBarrier(1).WithWaitMask(0b11).WithBoundedStall(15)
	steps := stepsOf(fence, fence, scheduled, machinetest.End)
	if !scheduleFences(steps) || steps[0].Instr != scheduled || steps[1].Instr != scheduled || steps[2].Instr != scheduled {
		t.Errorf("%v", steps)
	}
	if scheduleFences(stepsOf(fence, fence, machinetest.End)) {
		t.Error("fences without a schedule change")
	}
}

// KIT-177: what is counted stalls for a cycle more where the next one waits for it, and that for one less, as far as it may.
func TestPaceDoubles(t *testing.T) {
	add := machine.Word(0x0000000604047229, 0x000fc00000000000).WithStall(1) // DADD R4, R4, R6
	store := machine.Word(0x0000000402007986, 0x000fe2000c101b04)            // STG.E.64 desc[UR4][R2.64], R4
	for _, tt := range []struct {
		name string
		next machine.Instr // after the addition; it waits for it
		want int
	}{
		{"memory reads it in time", machinetest.Move(20, 21).WithStall(6), 5},
		{"what stands between takes as long", machinetest.Multiply.WithStall(5), 5},
		{"not explained", machinetest.Move(20, 21).WithStall(9), 9},
	} {
		code := []machine.Instr{add, tt.next, store, machinetest.End}
		steps := stepsOf(add.WithWriteBarrier(0), tt.next.WithWaitMask(1), store, machinetest.End)
		if m := newMap(len(code), padded(len(code)), steps); !m.paceDoubles(steps, code, Function{Input: 100}) {
			t.Errorf("%s: nothing changed", tt.name)
		}
		if got := [...]int{steps[0].Stall(), steps[1].Stall()}; got != [...]int{2, tt.want} {
			t.Errorf("%s: stalls for %v, want 2 and %d", tt.name, got, tt.want)
		}
	}
}
