package scoreboard

import (
	"slices"
	"testing"

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
