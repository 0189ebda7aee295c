// Package machinetest provides instructions for tests of the finalizer.
package machinetest

import (
	"fmt"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// Must returns v. If there is an error, the test fails.
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Asm assembles an instruction (package sasstest).
func Asm(text string) machine.Instr { return machine.Instr{Instruction: sasstest.Asm(text)} }

// DoubleAdd is DADD with a stall of 0.
var DoubleAdd = machine.Word(sass.OpDADD|7<<12, 0x000fc00000000000)

// Add returns an FADD of a register to itself that waits for a scoreboard.
func Add(to, from uint64, board int) machine.Instr {
	return Asm(fmt.Sprintf("[B------:R-:W-:-:S01] FADD.FTZ R%d, R%d, R%d", to, from, from)).WithWaitMask(1 << board)
}

// Into returns x with another destination register.
func Into(x machine.Instr, register uint64) machine.Instr {
	x.Low = x.Low&^(0xff<<16) | register<<16
	return x
}

// Jump returns a branch from instruction i to instruction to. The branch has a guard unless always
// is set.
func Jump(i, to int, always bool) machine.Instr {
	x := Asm("[B------:R-:W-:-:S05] @P0 BRA 0x0")
	if always {
		x.Low |= 7 << 12
	}
	return x.WithDistance(int64(to-i-1) * machine.Size)
}

// Instructions with their scoreboards and waits.
var (
	LoadsSP    = Asm("[B------:R-:W0:-:S08] LDC R1, c[0x0][0x37c]")
	LoadsR4    = Asm("[B------:R-:W1:-:S01] LDC.64 R4, c[0x0][0x380]")
	MovesR21   = Asm("[B0-----:R-:W-:Y:S07] MOV R21, 0x0") // waits for 0
	MovesR4    = Asm("[B01----:R-:W-:Y:S07] MOV R6, R4")
	Calls      = Asm("[B-----5:R-:W-:-:S05] CALL.ABS")
	Joins      = Asm("[B------:R-:W-:-:S05] BSYNC.RECONVERGENT B0")
	JoinsAlone = Asm("[B------:R-:W-:-:S05] BSYNC B0")
)

// ThreeAdd returns IADD3 to, from, with. The instruction has no schedule.
func ThreeAdd(to, from, with uint64) machine.Instr {
	return Asm(fmt.Sprintf("IADD3 R%d, R%d, R%d, RZ", to, from, with))
}

// And returns LOP3 to, from, with. The instruction has no schedule.
func And(to, from, with uint64) machine.Instr {
	return Asm(fmt.Sprintf("LOP3 R%d, R%d, R%d", to, from, with))
}

// Move returns MOV to, from.
func Move(to, from uint64) machine.Instr {
	return Asm(fmt.Sprintf("MOV R%d, R%d", to, from))
}

// Double returns DADD to, from, 1.
func Double(to, from uint64) machine.Instr {
	return Asm(fmt.Sprintf("DADD R%d, R%d, 1", to, from))
}

// Mask returns BMSK to, from, from.
func Mask(to, from uint64) machine.Instr {
	return Asm(fmt.Sprintf("BMSK R%d, R%d, R%d", to, from, from))
}

// Function returns MUFU to, from. number selects its function: 2 is EX2, 4 is RCP.
func Function(number, to, from uint64) machine.Instr {
	return machine.Word(0x7308|to<<16|from<<32, 0x000fc00000000000|number<<10)
}

// Count returns POPC to, from.
func Count(to, from uint64) machine.Instr {
	return Asm(fmt.Sprintf("POPC R%d, R%d", to, from))
}

// Trap is BPT.TRAP.
var Trap = machine.Word(0x000000040000795c, 0x000fea0000300000)

// The tests of revisions are made from these instructions. Each test sets their waits and
// scoreboards.
var (
	LoadPointer = Asm("[B------:R-:W-:-:S01] LDC R1, c[0x0][0x37c]")
	LoadTwo     = Asm("[B------:R-:W-:-:S01] LDC.64 R2, c[0x0][0x380]")
	ReadID      = Asm("[B------:R-:W-:-:S07] S2R R0, SR_TID.X")
	Multiply    = Asm("[B------:R-:W-:Y:S05] IMAD.WIDE R2, R0, 0x4, R2")
	MayExit     = Asm("[B------:R-:W-:-:S05] @P0 EXIT")
	End         = Asm("[B------:R-:W-:-:S05] EXIT")
)
