package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// explained fails unless the rules hand out the scoreboards that code has.
func explained(t *testing.T, name string, code []machine.Instr) {
	t.Helper()
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatalf("%s: schedule not known", name)
	}
	want := make([]int, len(s.tokens))
	for i, k := range s.tokens {
		want[i] = k.board
	}
	if got := s.allocate(); !slices.Equal(got, want) {
		t.Errorf("%s: scoreboards %v, nvlink's %v", name, got, want)
	}
}

// MERC-158: all scoreboards have results of an earlier block. As long as none is back where the block of
// a new result begins, that is the earliest one's, whatever stands between in the block; when all are, the
// lowest one. nvlink's scoreboards, for code that was made for this.
func TestLate(t *testing.T) {
	load, id := machine.Word(0x0000d800ff007b82, 0x000fe20000000800), machinetest.ReadID.WithStall(1)
	wait := machine.Word(0x0000000000007918, 0x000fe20000000000) // NOP
	for _, test := range []struct {
		name        string
		first, then int // NOPs behind the first block, and behind one more exit
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

// MERC-158: how long a result takes still, where blocks begin; not where nothing needs it any more.
func TestLeft(t *testing.T) {
	code := []machine.Instr{
		machinetest.LoadPointer, machinetest.ReadID.WithWriteBarrier(0), machinetest.LoadTwo.WithWriteBarrier(1), machinetest.MayExit.WithStall(5),
		machinetest.Multiply.WithWaitMask(0b1).WithStall(5), machinetest.MayExit.WithStall(5), // needs both, but waits for one alone
		machinetest.Multiply.WithWaitMask(0b10), machinetest.End,
	}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	id, two := s.tokens[0], s.tokens[1]
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

// MERC-133: what the last instruction of a block makes takes the lowest scoreboard on which nothing is
// pending then, though something may be where the next block begins, by another way. The code is
// nvlink's.
func TestLastOfBlock(t *testing.T) {
	explained(t, "POPC before a join", []machine.Instr{
		machine.Word(0x0000df00ff017b82, 0x000ff00000000800), // LDC R1, c[0x0][0x37c]
		machine.Word(0x0000d800ff0c7b82, 0x000e300000000800), // LDC R12, c[0x0][0x360], 0
		machine.Word(0x0000d800ff0e7b82, 0x000e620000000800), // LDC R14, c[0x0][0x360], 1
		machine.Word(0x0000000c0c667221, 0x001fe20000010000), // FADD.FTZ R102, R12, R12
		machine.Word(0x0000000000180947, 0x000fec0003800000), // @P0 BRA to FADD.FTZ R104
		machine.Word(0x0000000000107308, 0x0000a20000001000), // MUFU.RCP R16, R0, 2, operands 0
		machine.Word(0x0000d800ff127b82, 0x000eee0000000800), // LDC R18, c[0x0][0x360], 3
		machine.Word(0x0000000000147308, 0x0001300000001000), // MUFU.RCP R20, R0, 4, operands 0
		machine.Word(0x0000000000167308, 0x0001620000001000), // MUFU.RCP R22, R0, 5, operands 0
		machine.Word(0x0000000e0e677221, 0x002fce0000010000), // FADD.FTZ R103, R14, R14
		machine.Word(0x0000000200187309, 0x0040640000000000), // POPC R24, R2, 1, operands 0
		machine.Word(0x0000001616687221, 0x020fe20000010000), // FADD.FTZ R104, R22, R22
		machine.Word(0x0000001818697221, 0x002fe20000010000), // FADD.FTZ R105, R24, R24
		machine.Word(0x00000010106a7221, 0x000fe20000010000), // FADD.FTZ R106, R16, R16
		machine.Word(0x00000012126b7221, 0x008fe20000010000), // FADD.FTZ R107, R18, R18
		machine.Word(0x00000014146c7221, 0x010fe20000010000), // FADD.FTZ R108, R20, R20
		machine.Word(0x000000000000794d, 0x000fec0003800000), // EXIT
	})
}

// MERC-133: the last scoreboard is that of loads that go on while one is pending on it. What waits for
// one of them waits for all, and then others have it, though nothing depended on the rest yet.
func TestFarLoadsAreBack(t *testing.T) {
	load := machine.Word(0x0000000602007981, 0x000ea2000c1e1900) // LDG.E R0, desc[UR6][R2.64]
	code := []machine.Instr{machinetest.Into(load, 5).WithWriteBarrier(5), machinetest.Into(load, 6).WithWriteBarrier(5), machinetest.MayExit, machinetest.Add(50, 5, 5), machinetest.MayExit}
	for n := range uint64(6) {
		code = append(code, machinetest.Into(machinetest.ReadID, 10+2*n).WithWriteBarrier(int(n)))
	}
	for n := range uint64(6) {
		code = append(code, machinetest.Add(60+n, 10+2*n, int(n)))
	}
	explained(t, "six results", append(code, machinetest.Add(70, 6, 5).WithWaitMask(0), machinetest.End))
}

// MERC-155: the wait of a round of a loop takes back no wait for what came before the loop, and what is
// pending then is not waited for.
func TestRounds(t *testing.T) {
	goBack := machine.Word(0xfffffffc00f88947, 0x000fea000383ffff) // @!P0 BRA, to the instruction before it
	code := []machine.Instr{
		machinetest.LoadPointer,
		machinetest.Into(machinetest.ReadID, 20).WithWriteBarrier(0),
		machinetest.Into(machinetest.ReadID, 22).WithWriteBarrier(0).WithWaitMask(0b1), // in the loop: for the round before, on the same scoreboard
		goBack,
		machinetest.Add(50, 20, 0), // for the first one
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

// MERC-158: so it is where the first block is one instruction long, and one more is all there is.
func TestLeftOfFirstInstruction(t *testing.T) {
	back := machine.Word(0x0000000000007947, 0x000fec0003800000).WithDistance(-2 * machine.Size) // BRA to the second instruction
	s, ok := scheduleOf([]machine.Instr{machinetest.ReadID.WithWriteBarrier(0), machinetest.Multiply.WithWaitMask(0b1).WithStall(5), back}, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	id := s.tokens[0]
	if got, want := id.left(1), id.latency-s.cycle[1]; got != want || got <= 0 {
		t.Errorf("%d cycles of S2R are left, want %d", got, want)
	}
}
