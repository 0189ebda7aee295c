package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// explained fails the test unless the rules find the scoreboards that the code has.
func explained(t *testing.T, name string, code []machine.Instr) {
	t.Helper()
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatalf("%s: schedule not known", name)
	}
	want := make([]int, len(s.events))
	for i, k := range s.events {
		want[i] = k.board
	}
	if got := s.allocate(); !slices.Equal(got, want) {
		t.Errorf("%s: scoreboards %v, nvlink's %v", name, got, want)
	}
}

// Every scoreboard has a result of an earlier block. A block then counts a new result. If no earlier result is
// complete at the start of that block, the new one gets the scoreboard of the result that completes first,
// whatever comes before it in the block. If all are complete, it gets the lowest scoreboard. The scoreboards
// are nvlink's, for code written for this test (MERC-158).
func TestLatencyLeftDecides(t *testing.T) {
	load, id := machinetest.Asm("[B------:R-:W-:-:S01] LDC R0, c[0x0][0x360]"), machinetest.ReadID.WithStall(1)
	wait := machinetest.Asm("[B------:R-:W-:-:S01] NOP")
	for _, test := range []struct {
		name        string
		first, then int // NOPs after the first block, and after another exit
		blocks      uint64
		want        int
	}{
		{"a short block between", 2, 2, 2, 2},
		{"one cycle too short", 24, 2, 2, 2},
		{"long enough", 26, 2, 2, 0},
		{"long, in the same block", 0, 43, 1, 2},
	} {
		code := []machine.Instr{machinetest.LoadPointer.WithStall(8), machinetest.Into(load, 10).WithWriteBarrier(0).WithStall(8), machinetest.Into(load, 12).WithWriteBarrier(1)}
		for n := range uint64(4) {
			code = append(code, machinetest.Into(id, 14+2*n).WithWriteBarrier(2+int(n)))
		}
		code = append(code, machinetest.MayExit)
		if test.blocks == 2 {
			code = append(append(code, slices.Repeat([]machine.Instr{wait}, test.first)...), machinetest.MayExit)
		}
		code = append(code, slices.Repeat([]machine.Instr{wait}, test.then)...)
		code = append(code, machinetest.Into(id, 40).WithWriteBarrier(test.want).WithStall(2), machinetest.Add(60, 40, test.want))
		for n := range uint64(6) {
			x := machinetest.Add(61+n, 10+2*n, int(n))
			if int(n) == test.want {
				x = x.WithWaitMask(0)
			}
			code = append(code, x)
		}
		explained(t, test.name, append(code, machinetest.End))
	}
}

// The latency left of a result at the entry of blocks is as expected, and is not counted where nothing needs
// the result later (MERC-158).
func TestLatencyLeft(t *testing.T) {
	code := []machine.Instr{
		machinetest.LoadPointer, machinetest.ReadID.WithWriteBarrier(0), machinetest.LoadTwo.WithWriteBarrier(1), machinetest.MayExit.WithStall(5),
		machinetest.Multiply.WithWaitMask(0b1).WithStall(5), machinetest.MayExit.WithStall(5), // needs both, but waits only for one
		machinetest.Multiply.WithWaitMask(0b10), machinetest.End,
	}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	id, two := s.events[0], s.events[1]
	if got, want := id.left(4), id.latency-(s.cycle[4]-s.cycle[1]); got != want || got <= 0 {
		t.Errorf("%d cycles of S2R are left, want %d", got, want)
	}
	if got := id.left(6); got != 0 {
		t.Errorf("%d cycles of S2R are left behind what waits for it", got)
	}
	if got, want := two.left(6), two.left(4)-(s.cycle[6]-s.cycle[4]); got != want || got <= 0 {
		t.Errorf("%d cycles of LDC are left, want %d", got, want)
	}
}

// The result of a block's last instruction gets the lowest scoreboard without a pending event at that place,
// even if one may be pending at the start of the next block on another path. The code is nvlink's (MERC-133).
func TestLastOfBlock(t *testing.T) {
	explained(t, "POPC before a join", []machine.Instr{
		machinetest.Asm("[B------:R-:W-:-:S08] LDC R1, c[0x0][0x37c]"),
		machinetest.Asm("[B------:R-:W0:-:S08] LDC R12, c[0x0][0x360]"),
		machinetest.Asm("[B------:R-:W1:-:S01] LDC R14, c[0x0][0x360]"),
		machinetest.Asm("[B0-----:R-:W-:-:S01] FADD.FTZ R102, R12, R12"),
		machinetest.Asm("[B------:R-:W-:-:S06] @P0 BRA 0x60"),
		machinetest.Asm("[B------:R0:W2:-:S01] MUFU.RCP R16, R0"),
		machinetest.Asm("[B------:R-:W3:-:S07] LDC R18, c[0x0][0x360]"),
		machinetest.Asm("[B------:R0:W4:-:S08] MUFU.RCP R20, R0"),
		machinetest.Asm("[B------:R0:W5:-:S01] MUFU.RCP R22, R0"),
		machinetest.Asm("[B-1----:R-:W-:Y:S07] FADD.FTZ R103, R14, R14"),
		machinetest.Asm("[B--2---:R0:W1:-:S02] POPC R24, R2"),
		machinetest.Asm("[B-----5:R-:W-:-:S01] FADD.FTZ R104, R22, R22"),
		machinetest.Asm("[B-1----:R-:W-:-:S01] FADD.FTZ R105, R24, R24"),
		machinetest.Asm("[B------:R-:W-:-:S01] FADD.FTZ R106, R16, R16"),
		machinetest.Asm("[B---3--:R-:W-:-:S01] FADD.FTZ R107, R18, R18"),
		machinetest.Asm("[B----4-:R-:W-:-:S01] FADD.FTZ R108, R20, R20"),
		machinetest.Asm("[B------:R-:W-:-:S06] EXIT"),
	})
}

// The last scoreboard is reserved for live-out loads as long as one of them is pending. A wait for one of these
// loads is a wait for all. After it other events can get the scoreboard, even if nothing has depended on the
// other loads yet (MERC-133).
func TestLiveOutLoadsAreComplete(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W2:-:S01] LDG.E R0, desc[UR6][R2.64+0x0]")
	code := []machine.Instr{machinetest.Into(load, 5).WithWriteBarrier(5), machinetest.Into(load, 6).WithWriteBarrier(5), machinetest.MayExit, machinetest.Add(50, 5, 5), machinetest.MayExit}
	for n := range uint64(6) {
		code = append(code, machinetest.Into(machinetest.ReadID, 10+2*n).WithWriteBarrier(int(n)))
	}
	for n := range uint64(6) {
		code = append(code, machinetest.Add(60+n, 10+2*n, int(n)))
	}
	explained(t, "six results", append(code, machinetest.Add(70, 6, 5).WithWaitMask(0), machinetest.End))
}

// A loop waits for an event of its previous iteration. After the loop, an instruction still waits for an event
// from before the loop on the same scoreboard, but not for the event of the loop (MERC-155).
func TestBackEdges(t *testing.T) {
	goBack := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA -0x20")
	code := []machine.Instr{
		machinetest.LoadPointer,
		machinetest.Into(machinetest.ReadID, 20).WithWriteBarrier(0),
		machinetest.Into(machinetest.ReadID, 22).WithWriteBarrier(0).WithWaitMask(0b1), // in the loop: waits for the previous iteration, on the same scoreboard
		goBack,
		machinetest.Add(50, 20, 0), // waits for the first one
		machinetest.Add(51, 22, 0).WithWaitMask(0),
		machinetest.End,
	}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	if next := s.flow.Next[3]; !slices.Contains(next, 2) {
		t.Fatalf("the branch goes to %v", next)
	}
	if s.waits[4].Has(1) || s.learned[4].Some() {
		t.Error("the instruction behind the loop waits for the result of the loop")
	}
	if !s.waits[4].Has(0) {
		t.Error("the instruction behind the loop waits for nothing before the loop")
	}
}

// The latency left is also found if the first block has one instruction and only one block follows (MERC-158).
func TestLeftOfFirstInstruction(t *testing.T) {
	back := machinetest.Asm("[B------:R-:W-:-:S06] BRA 0x0").WithDistance(-2 * machine.Size)
	s, ok := scheduleOf([]machine.Instr{machinetest.ReadID.WithWriteBarrier(0), machinetest.Multiply.WithWaitMask(0b1).WithStall(5), back}, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	id := s.events[0]
	if got, want := id.left(1), id.latency-s.cycle[1]; got != want || got <= 0 {
		t.Errorf("%d cycles of S2R are left, want %d", got, want)
	}
}

// Operands that are still read at the start of a block cost as much as they take, whether or not anything overwrites them later. A
// result costs nothing if nothing needs it (MERC-971).
func TestOperandsLeft(t *testing.T) {
	count := machinetest.Asm("[B------:R-:W-:-:S01] POPC R24, R2")
	s, ok := scheduleOf([]machine.Instr{
		machinetest.LoadPointer, count.WithReadBarrier(0).WithWriteBarrier(1), machinetest.MayExit.WithStall(1), machinetest.Move(20, 21).WithStall(1), machinetest.End,
	}, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	for _, x := range s.events {
		want := 0
		if x.war {
			want = x.left(3)
		}
		if got := s.leftNeeded(x, 3); got != want || x.left(3) == 0 {
			t.Errorf("operands %v: %d of %d cycles count, want %d", x.war, got, x.left(3), want)
		}
	}
}

// The time of the NOPs behind the last product of a block passes before the next block, though they are no part of the block (MERC-361).
func TestDelayBehind(t *testing.T) {
	product := machinetest.Asm("[B------:R-:W-:-:S05] HMMA R8, R16, R2, R8").WithStall(15)
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), product, machine.NOP.WithStall(14), machinetest.Jump(3, 3, false), machinetest.End.WithWaitMask(1)}
	s, ok := scheduleOf(code, nil, 120, Goal{})
	if !ok {
		t.Fatal("not known")
	}
	if got := s.cycle[3] - s.cycle[1]; s.flow.Last[0] != 1 || got != 29 {
		t.Errorf("the block ends at %d, the next one %d cycles after its last instruction, want 1 and 29", s.flow.Last[0], got)
	}
}
