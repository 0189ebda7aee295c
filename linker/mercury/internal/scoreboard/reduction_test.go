package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// reduce is UREDGR.E.ADD.NA.MMIO.SYS [UR4], UR8.
var reduce = machine.Word(0x0000000804007378, 0x000fe20008098000)

// The DEPBAR after an asynchronous reduction counts on the new scoreboard of the reduction, and waits for no other. It reserves none,
// so that a load before it can have the same scoreboard (MERC-330). In a later release's schedule it is a NOP, and the EXIT waits
// for the operands (KIT-330).
func TestAwaitsReduction(t *testing.T) {
	code := []machine.Instr{
		machinetest.LoadPointer.WithWriteBarrier(0), machinetest.LoadTwo.WithWriteBarrier(1), machinetest.Add(2, 2, 1), reduce.WithReadBarrier(1), makeRoom, machinetest.End,
	}
	if counted, known := countedBoards(code); counted != 0 || !known {
		t.Errorf("scoreboards %06b are reserved, known: %t", counted, known)
	}
	for _, tt := range []struct {
		name string
		goal Goal
		op   sass.Op
		ends uint64
	}{
		{"13.0", Goal{FreesStack: true}, sass.OpDEPBAR, 0},
		{"13.0 by a later release", Goal{FreesStack: true, To: laterRelease}, sass.OpNOP, 1},
	} {
		got, refused, ok := Reallocate(code, nil, 100, tt.goal)
		if !ok {
			t.Fatalf("%s: not known: %v", tt.name, refused)
		}
		load, reads, wait := got[1].WriteBarrier(), got[3].ReadBarrier(), got[4]
		if load != 0 || reads != 0 || wait.Op() != tt.op || wait.WaitMask() != 0 || wait.Op() == sass.OpDEPBAR && wait.CountsOn() != 0 {
			t.Errorf("%s: the load counts on %d, the reduction on %d, then %v", tt.name, load, reads, wait)
		}
		if mask := got[5].WaitMask(); mask != tt.ends {
			t.Errorf("%s: the EXIT waits for %06b, want %06b", tt.name, mask, tt.ends)
		}
	}
}

// A DEPBAR for no scoreboard waits for no reduction. Such forged code stays as it is (MERC-330).
func TestReductionWithoutScoreboard(t *testing.T) {
	for _, none := range []int{machine.Scoreboards, sass.NoBarrier} {
		wait := makeRoom.CountingOn(none)
		code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Add(2, 2, 0), reduce.WithReadBarrier(none), wait, machinetest.End}
		for _, goal := range []Goal{{FreesStack: true}, {FreesStack: true, To: laterRelease}} {
			got, refused, ok := Reallocate(code, nil, 100, goal)
			if ok && (got[2] != code[2] || got[3].CountsOn() != none) {
				t.Errorf("scoreboard %d, goal %+v: %v", none, goal, got)
			} else if !ok {
				t.Errorf("scoreboard %d, goal %+v: not known: %v", none, goal, refused)
			}
		}
	}
}

// No instruction knows that the operands of a reduction are read: another scoreboard is chosen if something else is pending
// after the block on the one that the DEPBAR waits for (MERC-330).
func TestReductionIsPendingAhead(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W-:-:S01] LDC.64 R4, c[0x0][0x380]").WithWriteBarrier(0)
	pointer := machinetest.LoadPointer.WithWriteBarrier(1)
	code := []machine.Instr{
		pointer, load, machinetest.Jump(2, 6, false), machinetest.Add(6, 4, 0), reduce.WithReadBarrier(2), makeRoom.CountingOn(2), machinetest.Add(8, 4, 0), machinetest.End,
	}
	s, known := scheduleOf(code, nil, 100, Goal{})
	if !known {
		t.Fatal("not known")
	}
	r, refused := s.revise(Goal{})
	if refused != nil {
		t.Fatal(refused)
	}
	if board := r.before.choose(s.defs[4][0]); board == 0 {
		t.Error("the reduction shares the scoreboard of a load that is pending after its block")
	}
}

// A block before a loop waits for the operands of a reduction that are read by then, but not for those of other asynchronous
// instructions (KIT-331).
func TestOutlastsLoops(t *testing.T) {
	if reduce.OutlastsLoops() || !reduce.ReadsLate() || !findColumns.OutlastsLoops() {
		t.Errorf("reduction %t, other %t", reduce.OutlastsLoops(), findColumns.OutlastsLoops())
	}
}
