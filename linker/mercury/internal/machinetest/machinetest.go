// Package machinetest has the instructions that tests of the finalizer are made of.
package machinetest

import (
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// DoubleAdd is DADD, which stalls for nothing.
var DoubleAdd = machine.Word(sass.OpDADD|7<<12, 0x000fc00000000000)

// Add is FADD of a register to itself, for which it waits.
func Add(to, from uint64, board int) machine.Instr {
	return machine.Word(0x7221|to<<16|from<<24|from<<32, 0x000fe20000010000).WithWaitMask(1 << board)
}

// Into returns x with another destination.
func Into(x machine.Instr, register uint64) machine.Instr {
	x.Low = x.Low&^(0xff<<16) | register<<16
	return x
}

// Jump is a branch from instruction i to another one; always, or under a condition.
func Jump(i, to int, always bool) machine.Instr {
	x := machine.Word(0x0000000000000947, 0x000fea0003800000) // @P0 BRA
	if always {
		x.Low |= 7 << 12
	}
	return x.WithDistance(int64(to-i-1) * machine.Size)
}

// Instructions with their scoreboards and waits.
var (
	LoadsSP    = machine.Word(0x0000df00ff017b82, 0x000e300000000800) // LDC R1, on scoreboard 0
	LoadsR4    = machine.Word(0x0000e000ff047b82, 0x000e620000000a00) // LDC.64 R4, on scoreboard 1
	MovesR21   = machine.Word(0x0000000000157802, 0x001fce0000000f00) // waits for 0
	MovesR4    = machine.Word(0x0000000400067202, 0x003fce0000000f00) // MOV R6, R4: waits for 0 and 1
	Calls      = machine.Word(0x0000000000007943, 0x020fea0003c00000)
	Joins      = machine.Word(0x0000000000007941, 0x000fea0003800200) // BSYNC.RECONVERGENT B0
	JoinsAlone = machine.Word(0x0000000000007941, 0x000fea0003800000)
)

// ThreeAdd is IADD3 to, from, with, without a schedule.
func ThreeAdd(to, from, with uint64) machine.Instr {
	return machine.Word(0x7210|to<<16|from<<24|with<<32, 0x000fc00007ffe0ff)
}

// And is LOP3 to, from, with, without a schedule.
func And(to, from, with uint64) machine.Instr { // LOP3 to, from, with
	return machine.Word(0x7212|to<<16|from<<24|with<<32, 0x000fc000078ec0ff)
}

// Move is MOV to, from.
func Move(to, from uint64) machine.Instr {
	return machine.Word(0x7202|to<<16|from<<32, 0x000fc00000000f00)
}

// Double is DADD to, from, 1.
func Double(to, from uint64) machine.Instr {
	return machine.Word(0x3ff0000000007429|to<<16|from<<24, 0x000fc00000000000)
}

// Mask is BMSK to, from, from.
func Mask(to, from uint64) machine.Instr {
	return machine.Word(0x721b|to<<16|from<<24|from<<32, 0x000fc00000000000)
}

// Function is MUFU of a number, to, from: 2 is EX2, 4 is RCP.
func Function(number, to, from uint64) machine.Instr {
	return machine.Word(0x7308|to<<16|from<<32, 0x000fc00000000000|number<<10)
}

// Count is POPC to, from.
func Count(to, from uint64) machine.Instr {
	return machine.Word(0x7309|to<<16|from<<32, 0x000fc00000000000)
}

// Instructions of which the tests of revisions are made; their waits and scoreboards are set by
// the tests.
var (
	LoadPointer = machine.Word(0x0000df00ff017b82, 0x000fe20000000800) // LDC R1, c[0x0][0x37c]
	LoadTwo     = machine.Word(0x0000e000ff027b82, 0x000fe20000000a00) // LDC.64 R2, c[0x0][0x380]
	ReadID      = machine.Word(0x0000000000007919, 0x000fee0000002100) // S2R R0, SR_TID.X
	Multiply    = machine.Word(0x0000000400027825, 0x000fca00078e0202) // IMAD.WIDE.U32 R2, R0, 0x4, R2
	MayExit     = machine.Word(0x000000000000094d, 0x000fea0003800000) // @P0 EXIT
	End         = machine.Word(0x000000000000794d, 0x000fea0003800000) // EXIT
)
