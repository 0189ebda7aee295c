package scoreboard

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
)

// From sm_120 on the compilers up to 13.0 end a block at a WARPSYNC before a BAR. For a later release the block goes on: the load of
// R0 is not live-out, its operands are not counted, and the waits of the end are gone (KIT-975). The code is that of the compiler
// of 13.0, the scoreboards are those of nvlink 13.5.
func TestBarrierInBlock(t *testing.T) {
	list := []struct {
		low, high     uint64
		result, reads int
		waits         uint64
	}{
		{0xffffffe801017810, 0x000fca0007ffe0ff, 7, 7, 0},  // IADD R1, R1, -0x18
		{0x0000141501007387, 0x000fe80000100800, 7, 7, 0},  // STL [R1+0x14], R21
		{0x0000101401007387, 0x000fe80000100800, 7, 7, 0},  // STL [R1+0x10], R20
		{0x00000c1201007387, 0x000fe80000100800, 7, 7, 0},  // STL [R1+0xc], R18
		{0x0000081101007387, 0x000fe80000100800, 7, 7, 0},  // STL [R1+0x8], R17
		{0x0000041001007387, 0x000fe80000100800, 7, 7, 0},  // STL [R1+0x4], R16
		{0x0000000201007387, 0x0001e20000100800, 7, 0, 0},  // STL [R1], R2
		{0x00006b00ff0477ac, 0x000e620008000a00, 1, 7, 0},  // LDCU.64 UR4, c[0x0][0x358]
		{0x00000004080a7825, 0x000fca00078e0204, 7, 7, 0},  // IMAD.WIDE R10, R8, 0x4, R4
		{0x000164040a007981, 0x002362000c1e1900, 2, 7, 2},  // LDG.E R0, desc[UR4][R10.64+0x164]
		{0x0000000000027919, 0x001e220000002100, 0, 7, 1},  // S2R R2, SR_TID.X
		{0x00000000000e7919, 0x000ea20000008800, 1, 7, 0},  // S2R R14, SR_CgaCtaId
		{0x0000040000037802, 0x000fe20000000f00, 7, 7, 0},  // MOV R3, 0x400
		{0x00001c0406107981, 0x000368000c1e1900, 5, 3, 0},  // LDG.E R16, desc[UR4][R6.64+0x1c]
		{0x0000300404117981, 0x000362000c1e1900, 5, 4, 0},  // LDG.E R17, desc[UR4][R4.64+0x30]
		{0x0000000000047882, 0x000fe20000000000, 7, 7, 0},  // UMOV UR4, 0x200
		{0x00000004080c7824, 0x000fe200078e00ff, 7, 7, 0},  // IMAD.SHL.U32 R12, R8, 0x4, RZ
		{0x0000000403097c10, 0x000fce000fffe0ff, 7, 7, 0},  // IADD R9, R3, UR4
		{0x0000000000007948, 0x000fea0003800000, 7, 7, 0},  // WARPSYNC.ALL
		{0x000003fc0c077812, 0x002fe200078ec0ff, 7, 7, 8},  // LOP3.LUT R7, R12, 0x3fc, RZ, 0xc0, !PT
		{0x0000000402037824, 0x001fe200078e00ff, 7, 7, 1},  // IMAD.SHL.U32 R3, R2, 0x4, RZ
		{0x000000090e087211, 0x004fc800078ec0ff, 7, 7, 2},  // LEA R8, R14, R9, 0x18
		{0x000003fc03037812, 0x000fe400078ec0ff, 7, 7, 0},  // LOP3.LUT R3, R3, 0x3fc, RZ, 0xc0, !PT
		{0x0000000708057210, 0x000fe40007ffe0ff, 7, 7, 16}, // IADD R5, R8, R7
		{0x0000000803037210, 0x000fca0007ffe0ff, 7, 7, 0},  // IADD R3, R3, R8
		{0x0000000003007388, 0x020fe20000000800, 7, 7, 4},  // STS [R3], R0
		{0x0000000000007b1d, 0x000fec0000010000, 7, 7, 0},  // BAR.SYNC.DEFER_BLOCKING 0x0
		{0x0000000005057984, 0x000e240000000800, 0, 7, 0},  // LDS R5, [R5]
		{0x0000000205127210, 0x001fca0007ffe0ff, 7, 7, 1},  // IADD R18, R5, R2
		{0x0000001200047202, 0x000fe20000000f00, 7, 7, 0},  // MOV R4, R18
		{0x0000000000147802, 0x000fe20000000f00, 7, 7, 0},  // MOV R20, 0x0
		{0x0000000000157802, 0x000fce0000000f00, 7, 7, 0},  // MOV R21, 0x0
		{0x0000000000007943, 0x000fea0003c00000, 7, 7, 32}, // CALL.ABS.NOINC 0x0
		{0x0000100001147983, 0x000ea20000100800, 2, 7, 0},  // LDL R20, [R1+0x10]
		{0x0000000702037824, 0x000fc600078e0211, 7, 7, 0},  // IMAD R3, R2, 0x7, R17
		{0x0000140001157983, 0x000ea40000100800, 2, 7, 0},  // LDL R21, [R1+0x14]
		{0x0000000304037210, 0x000fe40007ffe010, 7, 7, 0},  // IADD3 R3, PT, PT, R4, R3, R16
		{0x0000000001027983, 0x000ea40000100800, 2, 7, 0},  // LDL R2, [R1]
		{0x0000000312047210, 0x000fe40007ffe0ff, 7, 7, 0},  // IADD R4, R18, R3
		{0x0000040001107983, 0x000ea80000100800, 2, 7, 0},  // LDL R16, [R1+0x4]
		{0x0000080001117983, 0x000ea80000100800, 2, 7, 0},  // LDL R17, [R1+0x8]
		{0x00000c0001127983, 0x0000a40000100800, 2, 0, 0},  // LDL R18, [R1+0xc]
		{0x0000001801017810, 0x001fe20007ffe0ff, 7, 7, 1},  // IADD R1, R1, 0x18
		{0x0000000014007950, 0x004fec0003e00000, 7, 7, 4},  // RET.ABS.NODEC R20 0x0
		{0xfffffffc00fc7947, 0x000fc0000383ffff, 7, 7, 0},  // BRA 0x2c0
	}
	var code []machine.Instr
	for _, x := range list {
		code = append(code, machine.Word(x.low, x.high))
	}
	got, _, ok := Reallocate(code, nil, 120, Goal{To: laterRelease})
	if !ok {
		t.Fatal("the schedule is not explained")
	}
	for i, want := range list {
		if x := got[i]; x.WriteBarrier() != want.result || x.ReadBarrier() != want.reads || x.WaitMask() != want.waits {
			t.Errorf("instruction %d, opcode %03x: results %d, operands %d, waits %06b; want %d, %d, %06b", i, x.Op(), x.WriteBarrier(), x.ReadBarrier(), x.WaitMask(), want.result, want.reads, want.waits)
		}
	}
}
