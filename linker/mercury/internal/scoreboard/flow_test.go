package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// A block ends where a collective operation begins, and where it ends (MERC-133). The beginning does not wait
// for completed events (MERC-134).
func TestCollectiveBlocks(t *testing.T) {
	beginCollective := machine.Word(0x0000000000007948, 1<<(86-64)|0x000fea0003800000)
	endCollective := machinetest.Asm("[B------:R-:W-:-:S05] ENDCOLLECTIVE")
	if !beginCollective.Collective() {
		t.Fatal("WARPSYNC.COLLECTIVE is not known")
	}
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithStall(15), machinetest.Multiply.WithStall(15), machinetest.Multiply.WithStall(15), machinetest.Multiply.WithStall(15), beginCollective, machinetest.ReadID.WithWriteBarrier(2), endCollective, machinetest.End}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	if first := []int{0, 0, 0, 0, 0, 0, 0, 7, 7, 9}; !slices.Equal(s.flow.First, first) {
		t.Errorf("blocks begin at %v, want %v", s.flow.First, first)
	}
	if s.flush[6].Some() {
		t.Error("what is back where a warp begins to do something together is waited for")
	}
}

// From sm_120 on a WARPSYNC before a BAR ends a block of the compilers up to 13.0, but not of later ones (KIT-952), nor in kernels of
// 12.8 and 12.9 (MERC-962).
func TestBarrierBlocks(t *testing.T) {
	bar := machine.Word(0x0000000000007b1d, 0x000fec0000010000)  // BAR.SYNC.DEFER_BLOCKING 0x0
	sync := machine.Word(0x0000000000007948, 0x000fea0003800000) // WARPSYNC.ALL
	ret := machine.Word(0x0000000014007950, 0x004fec0003e00000)  // RET.ABS.NODEC R20 0x0
	early := Goal{From: arch.Scheduler{Early: true}}
	for _, tt := range []struct {
		name        string
		end         machine.Instr
		goal        Goal
		begin, last int // of the block of the multiplication, and of the block of the input that the first instruction is in
	}{
		{"13.0 by 13.0", machinetest.End, Goal{}, 3, 2},
		{"13.0 by a later release", machinetest.End, Goal{To: laterRelease}, 0, 2},
		{"a later one by a later release", machinetest.End, Goal{From: laterRelease, To: laterRelease}, 0, 5},
		{"a kernel of 12.8 by 13.0", machinetest.End, early, 0, 5},
		{"a function of 12.8 by 13.0", ret, early, 3, 2},
	} {
		code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), sync, machinetest.Multiply, bar, tt.end}
		s, ok := scheduleOf(code, nil, 120, tt.goal)
		if !ok {
			t.Fatal("schedule not known")
		}
		if s.flow.First[3] != tt.begin || s.blocks.Last[0] != tt.last {
			t.Errorf("%s: the block begins at %d, that of the input ends at %d; want %d and %d", tt.name, s.flow.First[3], s.blocks.Last[0], tt.begin, tt.last)
		}
	}
}

// A load from memory never counts as complete at the end of a block, however long ago it was issued (MERC-134). A read of a
// special register does.
func TestLoadIsNeverComplete(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W-:-:S01] LDG.E R4, desc[UR100][R2.64+0x0]").WithWriteBarrier(0)
	long := machinetest.Move(20, 21).WithStall(15)
	for _, tt := range []struct {
		name string
		x    machine.Instr
		want bool
	}{{"a load", load, false}, {"a special register", machinetest.ReadID.WithWriteBarrier(0), true}} {
		code := append([]machine.Instr{tt.x}, slices.Repeat([]machine.Instr{long}, 25)...)
		code = append(code, machinetest.MayExit, machinetest.End)
		s, ok := scheduleOf(code, nil, 100, Goal{})
		if !ok {
			t.Fatal("schedule not known")
		}
		s.findFlushes()
		if got := s.flush[26].Has(0); got != tt.want {
			t.Errorf("%s: complete at the end of the block: %t", tt.name, got)
		}
	}
}
