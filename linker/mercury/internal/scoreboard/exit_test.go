package scoreboard

import (
	"strconv"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// ERRBAR waits for the guard of the EXIT, and for a fence before it, which is counted up to sm_110. The EXIT
// waits for events that are complete when the barriers are done (MERC-254).
func TestBarriersAtExits(t *testing.T) {
	asm := machinetest.Asm
	barriers := func(guard string) []machine.Instr {
		return []machine.Instr{
			asm("[B------:R-:W-:-:S00] " + guard + "MEMBAR.SC.VC"), asm("[B------:R-:W-:-:S00] " + guard + "ERRBAR"), asm("[B------:R-:W-:-:S06] " + guard + "CGAERRBAR"),
		}
	}
	loadStack := asm("[B------:R-:W0:-:S01] LDC R1, c[0x0][0x37c]")
	const errbar, exit = 1, 3
	for _, tt := range []struct {
		name   string
		before []machine.Instr
		guards []machine.Instr
		exit   machine.Instr
		want   map[int]uint64 // wait masks, by instruction after before
	}{
		{"guard", []machine.Instr{loadStack, asm("[B------:R-:W1:-:S02] S2R R5, SR_TID.X"), asm("[B-1----:R-:W1:-:S02] SHFL.UP P0, R5, R5, 0x1, RZ")},
			barriers("@P0 "), asm("[B01----:R-:W-:-:S05] @P0 EXIT"), map[int]uint64{errbar: 2, exit: 1}},
		{"complete", []machine.Instr{loadStack, asm("[B------:R-:W1:-:S02] S2R R5, SR_TID.X"), asm("[B-1----:R-:W-:Y:S13] ISETP.GT.AND P0, PT, R5, 0x2, PT")},
			barriers("@P0 "), asm("[B------:R-:W-:-:S05] @P0 EXIT"), map[int]uint64{errbar: 0, exit: 1}},
		{"fence", []machine.Instr{loadStack, asm("[B------:R-:W-:-:S06] MEMBAR.SC.CTA")},
			barriers("")[1:], asm("[B------:R-:W-:-:S05] EXIT"), map[int]uint64{errbar - 1: 2}},
		{"stalls of a block without waits", []machine.Instr{loadStack, asm("[B------:R-:W-:-:S05] @P0 EXIT"), asm("[B------:R1:W-:-:S05] STS [R2], R4")},
			barriers("@P1 "), asm("[B------:R-:W-:-:S05] @P1 EXIT"), map[int]uint64{exit: 2}},
		{"waits", []machine.Instr{loadStack, asm("[B------:R-:W-:-:S05] @P0 EXIT"), asm("[B------:R-:W1:-:S01] S2R R5, SR_TID.X"), asm("[B-1----:R-:W-:-:S02] FADD R6, R5, R5"),
			asm("[B------:R1:W-:-:S05] STS [R2], R4")}, barriers("@P1 "), asm("[B------:R-:W-:-:S05] @P1 EXIT"), map[int]uint64{exit: 0}},
	} {
		code := append(append(tt.before, tt.guards...), tt.exit, machinetest.End)
		got, refused, ok := Reallocate(code, nil, 100, Goal{InsertsBarriers: true})
		if !ok {
			t.Fatalf("%s: %v", tt.name, refused)
		}
		for i, want := range tt.want {
			if mask := got[len(tt.before)+i].WaitMask(); mask != want {
				t.Errorf("%s: instruction %d waits for %06b, want %06b", tt.name, i, mask, want)
			}
		}
	}
}

// BenchmarkManyExits assigns scoreboards in code with many EXITs, in a link for debuggers. It shows how the time grows with
// the number of EXITs.
func BenchmarkManyExits(b *testing.B) {
	for _, exits := range []int{1000, 8000} {
		b.Run(strconv.Itoa(exits), func(b *testing.B) {
			code := codeWithExits(exits)
			for b.Loop() {
				if _, refused, ok := Reallocate(code, nil, 100, Goal{InsertsBarriers: true}); !ok {
					b.Fatal(refused)
				}
			}
		})
	}
}

// codeWithExits returns code with conditional EXITs, before which barriers are inserted. The first one waits for two events.
func codeWithExits(exits int) []machine.Instr {
	asm := machinetest.Asm
	code := []machine.Instr{asm("[B------:R-:W0:-:S01] LDC R1, c[0x0][0x37c]"), asm("[B------:R-:W1:-:S02] S2R R5, SR_TID.X"), asm("[B-1----:R-:W1:-:S02] SHFL.UP P0, R5, R5, 0x1, RZ")}
	exit := asm("[B01----:R-:W-:-:S05] @P0 EXIT")
	for range exits {
		code = append(code, asm("[B------:R-:W-:-:S00] @P0 MEMBAR.SC.VC"), asm("[B------:R-:W-:-:S00] @P0 ERRBAR"), asm("[B------:R-:W-:-:S06] @P0 CGAERRBAR"), exit)
		exit = asm("[B------:R-:W-:-:S05] @P0 EXIT")
	}
	return append(code, machinetest.End)
}
