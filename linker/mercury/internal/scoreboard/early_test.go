package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// In code of 12.8 and 12.9 an instruction that waits for a scoreboard only because it counts there itself loses that wait, unless
// it is a live-out load (MERC-996).
func TestWaitsOfItself(t *testing.T) {
	read := func(register uint64, board int) machine.Instr {
		return machinetest.Into(machinetest.ReadID, register).WithWriteBarrier(board)
	}
	load := machinetest.Asm("[B------:R-:W1:-:S01] LDG.E R5, desc[UR6][R2.64+0x4]")
	for _, tt := range []struct {
		name     string
		early    bool
		at, next machine.Instr
		want     uint64
	}{
		{"needed in the block", true, read(5, 1), machinetest.Move(6, 5), 0b10},
		{"load needed in the block", true, load, machinetest.Move(6, 5), 0b10},
		{"live-out load", true, load, machinetest.Move(6, 7), 0},
		{"needs the event", true, read(9, 1), machinetest.Move(6, 9), 0},
		{"counts on another", true, read(5, 2), machinetest.Move(6, 5), 0},
		{"compiler of 13.0", false, read(5, 1), machinetest.Move(6, 5), 0},
	} {
		code := []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), read(9, 1), machinetest.Jump(2, 3, false),
			tt.at.WithWaitMask(0b10), tt.next, machinetest.Jump(5, 6, false), machinetest.Move(4, 9), machinetest.Move(8, 5), machinetest.End,
		}
		s, ok := scheduleOf(code, nil, 100, Goal{From: arch.Scheduler{Early: tt.early}})
		if !ok {
			t.Fatalf("%s: schedule not known", tt.name)
		}
		if got := s.needless[3]; got != tt.want {
			t.Errorf("%s: needless waits %06b, want %06b", tt.name, got, tt.want)
		}
	}
}

// Events that only a back edge carries to the instruction do not count (MERC-964).
func TestWaitsOfItselfInLoops(t *testing.T) {
	const waits = 0b10
	read := machinetest.Into(machinetest.ReadID, 5).WithWriteBarrier(1).WithWaitMask(waits)
	store := machinetest.Asm("[B------:R0:W-:-:S02] STG.E desc[UR4][R2.64+0xc], R5").WithReadBarrier(1)
	for _, tt := range []struct {
		name          string
		before, after machine.Instr
		want          uint64
	}{
		{"operands of the previous iteration", machinetest.Move(8, 5), store, waits},
		{"operands of an earlier block", store, machinetest.Move(8, 5), 0},
	} {
		code := []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), tt.before, machinetest.Jump(2, 3, false).WithWaitMask(waits),
			read, machinetest.Move(6, 5).WithWaitMask(waits), machinetest.Jump(5, 8, false),
			tt.after, machinetest.Jump(7, 3, true).WithWaitMask(waits), machinetest.End,
		}
		s, ok := scheduleOf(code, nil, 100, Goal{From: arch.Scheduler{Early: true}})
		if !ok {
			t.Fatalf("%s: schedule not known", tt.name)
		}
		if got := s.needless[3]; got != tt.want {
			t.Errorf("%s: needless waits %06b, want %06b", tt.name, got, tt.want)
		}
	}
}

// The end of a block waits for a completed event of the block, unless an event of an earlier block, for which the block waited on
// the same scoreboard, takes longer than the block by its latency (MERC-960). This holds whatever the input of an early compiler
// does there (MERC-961).
func TestEndsOfEarlyBlocks(t *testing.T) {
	id := machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(0) // 20 of 32 cycles are left after 7 and 5
	for _, tt := range []struct {
		name  string
		early bool
		stall int // after 1 and 15 cycles
		input uint64
		want  uint64
	}{
		{"a cycle too short", true, 3, 1, 0},
		{"long enough", true, 4, 1, 1},
		{"no wait in the input", true, 4, 0, 0},
		{"a scoreboard without events", true, 4, 0b100001, 1},
		{"compiler of 13.0", false, 3, 1, 1},
	} {
		code := []machine.Instr{
			id, machinetest.Jump(1, 2, false),
			machinetest.Add(50, 9, 0), machinetest.Count(20, 21).WithWriteBarrier(0).WithStall(15), machinetest.Move(40, 41).WithStall(tt.stall),
			machinetest.Jump(5, 7, false).WithWaitMask(tt.input), machinetest.Move(42, 20).WithWaitMask(1), machinetest.End,
		}
		allocated, refused, ok := Reallocate(code, nil, 100, Goal{From: arch.Scheduler{Early: tt.early}})
		if !ok {
			t.Fatalf("%s: kept: %v", tt.name, refused)
		}
		if got := allocated[5].WaitMask(); got != tt.want {
			t.Errorf("%s: waits for %06b, want %06b", tt.name, got, tt.want)
		}
	}
}

// At the end of a block of an early compiler the rules decide whether it waits for events that it does not need, unless an iteration
// ends there (MERC-961).
func TestEndsEarly(t *testing.T) {
	const ofBlock, ofIteration, needed = 0, 1, 2
	s := &schedule{
		flow: cfg.Flow{First: []int{0, 0, 2}, Last: []int{1, 1, 2}}, local: cfg.NewSets(3, 3), waits: cfg.NewSets(3, 3),
		events: []*event{{number: ofBlock, at: 0}, {number: ofIteration, at: 2}, {number: needed, at: 0}},
	}
	s.local[1].Add(ofBlock)
	s.local[1].Add(needed)
	s.waits[1].Add(needed)
	w := &waits{revision: &revision{schedule: s, after: &allocation{schedule: s}}}
	for _, tt := range []struct {
		name    string
		early   bool
		at      int
		pending int
		want    bool
	}{
		{"complete", true, 1, ofBlock, true},
		{"not at the end", true, 0, ofBlock, false},
		{"needed", true, 1, needed, false},
		{"of the last iteration", true, 1, ofIteration, false},
		{"by a later compiler", false, 1, ofBlock, false},
	} {
		pending := cfg.NewSet(3)
		pending.Add(tt.pending)
		s.early = tt.early
		if got := w.endsEarly(tt.at, pending); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
