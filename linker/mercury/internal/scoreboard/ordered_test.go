package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// FCHK and BREV belong to the queue of the conversions. In code of 12.8 and 12.9 an event of that queue that no instruction depends
// on before its block waits for a later one is not counted (MERC-963).
func TestOrderedEvents(t *testing.T) {
	check := machine.Word(0x0000000502007302, 0x000ea80000000000)   // FCHK P0, R2, R5
	exp := machine.Word(0x0000000000107308, 0x000e620000000800)     // MUFU.EX2 R16, R0
	reverse := machine.Word(0x0000000a00097301, 0x000ea80000000000) // BREV R9, R10
	read := machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2)
	fetch := machinetest.Into(machinetest.ReadID, 16).WithWriteBarrier(1)
	useCheck, useReverse, useExp := machinetest.MayExit.WithWaitMask(0b100), machinetest.Move(20, 9).WithWaitMask(0b100), machinetest.Move(21, 16).WithWaitMask(0b10)
	for _, tt := range []struct {
		name  string
		early bool
		code  [4]machine.Instr
		want  bool // whether the first is counted
	}{
		{"FCHK, needed after the wait", true, [4]machine.Instr{check, exp, useExp, useCheck}, false},
		{"FCHK, needed before the wait", true, [4]machine.Instr{check, exp, useCheck, useExp}, true},
		{"BREV", true, [4]machine.Instr{reverse, exp, useExp, useReverse}, false},
		{"before FCHK", true, [4]machine.Instr{exp, check, useCheck, useExp}, false},
		{"the first is of no queue", true, [4]machine.Instr{read, exp, useExp, useReverse}, true},
		{"the second is of no queue", true, [4]machine.Instr{check, fetch, useExp, useCheck}, true},
		{"compiler of 13.0", false, [4]machine.Instr{check, exp, useExp, useCheck}, true},
	} {
		code := append([]machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0)}, append(tt.code[:], machinetest.End)...)
		for _, release := range []arch.Scheduler{{Early: tt.early}, {Early: tt.early, Later: true}} {
			allocated, refused, ok := Reallocate(code, nil, 100, Goal{From: arch.Scheduler{Early: tt.early}, To: release})
			if !ok {
				t.Fatalf("%s: kept: %v", tt.name, refused)
			}
			if got := allocated[1].WriteBarrier() != sass.NoBarrier; got != tt.want {
				t.Errorf("%s, later %t: counted %t", tt.name, release.Later, got)
			}
		}
	}
}
