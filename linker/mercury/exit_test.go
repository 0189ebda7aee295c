package mercury

import (
	"testing"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// An ERRBAR that is inserted before a conditional EXIT takes the waits for the guard. The other waits of the EXIT stay, and so do
// those of an EXIT whose barriers the input has (MERC-947).
func TestAwaitGuards(t *testing.T) {
	asm := machinetest.Asm
	for _, tt := range []struct {
		name         string
		inserted     bool
		exit         string
		errbar, stay uint64
	}{
		{"guard and another event", true, "[B01----:R-:W-:-:S05] @P0 EXIT", 2, 1},
		{"guard alone", true, "[B-1----:R-:W-:-:S05] @P0 EXIT", 2, 0},
		{"another event alone", true, "[B0-----:R-:W-:-:S05] @P0 EXIT", 0, 1},
		{"another guard", true, "[B01----:R-:W-:-:S05] @P1 EXIT", 0, 3},
		{"an earlier write of the guard", true, "[B01----:R-:W-:-:S05] @P2 EXIT", 0, 3},
		{"no guard", true, "[B01----:R-:W-:-:S05] EXIT", 0, 3},
		{"barriers of the input", false, "[B01----:R-:W-:-:S05] @P0 EXIT", 0, 3},
	} {
		steps := []codemap.Step{
			{Instr: asm("[B------:R-:W0:-:S02] S2R R5, SR_TID.X")},
			{Instr: asm("[B------:R-:W1:-:S02] SHFL.UP P2, R5, R5, 0x1, RZ")},
			{Instr: asm("[B------:R-:W-:-:S02] ISETP.GE.AND P2, PT, R4, R5, PT")},
			{Instr: asm("[B------:R-:W1:-:S02] SHFL.UP P0, R5, R5, 0x1, RZ")},
			{Instr: asm("[B------:R-:W-:-:S00] MEMBAR.SC.VC"), Inserted: tt.inserted},
			{Instr: asm("[B------:R-:W-:-:S00] ERRBAR"), Inserted: tt.inserted},
			{Instr: asm("[B------:R-:W-:-:S06] CGAERRBAR"), Inserted: tt.inserted},
			{Instr: asm(tt.exit)},
		}
		w := &work{Function: Function{Input: 100}, steps: steps}
		if moved := w.awaitGuards(); moved != (tt.errbar != 0) {
			t.Errorf("%s: moved %v", tt.name, moved)
		}
		for i, want := range []uint64{5: tt.errbar, 6: 0, 7: tt.stay} {
			if got := steps[i].WaitMask(); got != want {
				t.Errorf("%s: instruction %d waits for %06b, want %06b", tt.name, i, got, want)
			}
		}
	}
}

// An ERRBAR that is inserted after a counted fence takes the wait of the EXIT for the fence (MERC-947).
func TestAwaitFence(t *testing.T) {
	asm := machinetest.Asm
	for _, tt := range []struct {
		fence        string
		errbar, stay uint64
	}{
		{"[B------:R1:W-:-:S06] MEMBAR.SC.CTA", 2, 1},
		{"[B------:R-:W-:-:S06] MEMBAR.SC.CTA", 0, 3},
	} {
		steps := []codemap.Step{
			{Instr: asm(tt.fence)},
			{Instr: asm("[B------:R-:W-:-:S00] ERRBAR"), Inserted: true},
			{Instr: asm("[B------:R-:W-:-:S06] CGAERRBAR"), Inserted: true},
			{Instr: asm("[B01----:R-:W-:-:S05] @P0 EXIT")},
		}
		(&work{Function: Function{Input: 100}, steps: steps}).awaitGuards()
		if errbar, exit := steps[1].WaitMask(), steps[3].WaitMask(); errbar != tt.errbar || exit != tt.stay {
			t.Errorf("%s: ERRBAR waits for %06b, EXIT for %06b", tt.fence, errbar, exit)
		}
	}
}
