package scoreboard

import (
	"slices"
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

// In a schedule with barriers the EXIT after them begins two cycles later, or when all stalls of its block are over, if that is
// later. A BAR directly before them takes a cycle (MERC-254).
func TestClockAtExits(t *testing.T) {
	asm := machinetest.Asm
	bar := machine.Word(0x0000000000007b1d, 0x000fec0000010000).WithStall(5) // BAR.SYNC.DEFER_BLOCKING 0x0
	start := []machine.Instr{asm("[B------:R-:W0:-:S01] LDC R1, c[0x0][0x37c]"), asm("[B------:R-:W-:-:S05] @P0 EXIT")}
	end := []machine.Instr{
		asm("[B------:R-:W-:-:S00] @P1 MEMBAR.SC.VC"), asm("[B------:R-:W-:-:S00] @P1 ERRBAR"), asm("[B------:R-:W-:-:S06] @P1 CGAERRBAR"), asm("[B------:R-:W-:-:S05] @P1 EXIT"),
		machinetest.End,
	}
	id, use := asm("[B------:R-:W1:-:S01] S2R R5, SR_TID.X"), asm("[B-1----:R-:W-:-:S02] FADD R6, R5, R5") // S2R takes 32 cycles
	for _, tt := range []struct {
		name          string
		block         []machine.Instr
		without, with int // cycles from the start of the block to the EXIT
	}{
		{"stalls", []machine.Instr{machinetest.Move(40, 41).WithStall(3)}, 3, 3 + 7},
		{"a BAR in a block without waits", []machine.Instr{machinetest.Move(40, 41).WithStall(3), bar}, 8, 8 + 7},
		{"waits", []machine.Instr{id, use}, 34, 34 + 2},
		{"waits and a BAR", []machine.Instr{id, use, bar}, 39, 34 + 1 + 2},
		{"a BAR and waits", []machine.Instr{id, bar, use}, 34, 34 + 2},
	} {
		s, ok := scheduleOf(slices.Concat(start, tt.block, end), nil, 100, Goal{InsertsBarriers: true})
		if !ok {
			t.Fatalf("%s: schedule not known", tt.name)
		}
		first := len(start)
		exit := first + len(tt.block) + 3
		if got := s.cycle[exit] - s.cycle[first]; got != tt.without {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.without)
		}
		later := s.withBarriers()
		if got := later.cycle[exit] - later.cycle[first]; got != tt.with {
			t.Errorf("%s: %d cycles with barriers, want %d", tt.name, got, tt.with)
		}
	}
}

// A fence takes no time, and its dead loads do not stall either (MERC-254).
func TestCyclesOfFences(t *testing.T) {
	for _, tt := range []struct {
		name         string
		x            machine.Instr
		takes, stall int
	}{
		{"dead load", machine.Word(0xfffff984, 0).WithStall(4), 0, 0},
		{"MEMBAR", machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.SC.CTA"), 0, 6},
		{"ERRBAR", machinetest.Asm("[B------:R-:W-:-:S05] ERRBAR"), 0, 5},
		{"another instruction", machinetest.Move(40, 41).WithStall(3), 3, 3},
	} {
		s := &schedule{code: []machine.Instr{tt.x, machine.NOP}, policy: blockEnds{}}
		if takes, stall := s.cyclesOf(0); takes != tt.takes || stall != tt.stall {
			t.Errorf("%s: %d cycles and a stall of %d, want %d and %d", tt.name, takes, stall, tt.takes, tt.stall)
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
