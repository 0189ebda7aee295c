package machine_test

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// The latency of a predicate depends on which instructions write and read it (KIT-106).
func TestAfterPredicate(t *testing.T) {
	compare := machinetest.Asm("ISETP.GE.AND P0, PT, R5, R4, PT")
	pair := machinetest.Asm("ISETP.GT.S64.AND P0, PT, R6, R4, PT")
	logic := machinetest.Asm("PLOP3 P0")
	selects := machinetest.Asm("SEL R0, R3, R4, P0")
	onGuard := machinetest.Move(1, 2)
	onGuard.Low &^= 7 << 12 // @P0
	for _, tt := range []struct {
		name     string
		from, to machine.Instr
		want     int
	}{
		{"a comparison, an operand", compare, selects, 5},
		{"of pairs, an operand", pair, selects, 6},
		{"a comparison, a condition", compare, onGuard, 13},
		{"of pairs, a condition", pair, onGuard, 14},
		{"logic, an operand", logic, selects, 5},
		{"a comparison, an exit", compare, machinetest.Asm("@P0 EXIT"), 13},
	} {
		from, _ := machine.NewOperation(tt.from, 120)
		to, _ := machine.NewOperation(tt.to, 120)
		if got := to.After(&from); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// An instruction after a move to or from a barrier issues five cycles later, double precision too (KIT-986).
func TestAfterBarrierMove(t *testing.T) {
	const to, from = 0x0000002306007356, 0x0000000006237355
	for _, x := range []machine.Instr{machinetest.Move(1, 2), machinetest.Double(4, 6)} {
		next, _ := machine.NewOperation(x, 120)
		for _, move := range []uint64{to, from} {
			before, known := machine.NewOperation(machine.Word(move, 0x000fe20000000000), 120)
			if got := next.After(&before); got != 5 || !known {
				t.Errorf("%#x after %#x: %d cycles, known %t", x.Op(), move, got, known)
			}
		}
	}
}

// WARPSYNC reads its mask four cycles after logic writes it, and two WARPSYNCs are eight cycles apart (KIT-988).
func TestAfterWarpsync(t *testing.T) {
	mask, _ := machine.NewOperation(machinetest.And(24, 21, 24), 120)
	reads := machine.Word(0x0000000018007348, 0x000fea0003800000) // WARPSYNC R24
	sync, known := machine.NewOperation(reads, 120)
	if !known {
		t.Fatal("not known")
	}
	if got := sync.After(&mask); got != 4 {
		t.Errorf("%d cycles after its mask, want 4", got)
	}
	if got := sync.After(&sync); got != 8 {
		t.Errorf("%d cycles after another, want 8", got)
	}
}

// From sm_120 on WARPSYNC issues six cycles after a barrier or a fence, and double precision five cycles after WARPSYNC
// (KIT-922). What a scoreboard counts issues six cycles after a BAR, or eight (KIT-923).
func TestAfterBarriers(t *testing.T) {
	bar := machine.Word(0x0000000000007b1d, 0x000fec0000010000)  // BAR.SYNC.DEFER_BLOCKING 0x0
	sync := machine.Word(0x0000000018007348, 0x000fea0003800000) // WARPSYNC R24
	fence := machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA")
	for _, tt := range []struct {
		name     string
		from, to machine.Instr
		want     int
	}{
		{"BAR, WARPSYNC", bar, sync, 6},
		{"MEMBAR, WARPSYNC", fence, sync, 6},
		{"BAR, a move", bar, machinetest.Move(1, 2), 1},
		{"BAR, a conversion", bar, machinetest.Function(4, 1, 2), 6},
		{"BAR, a constant", bar, machinetest.LoadPointer, 8},
		{"BAR, BAR", bar, bar, 8},
		{"WARPSYNC, double precision", sync, machinetest.Double(4, 6), 5},
		{"WARPSYNC, a move", sync, machinetest.Move(1, 2), 1},
	} {
		from, _ := machine.NewOperation(tt.from, 120)
		to, _ := machine.NewOperation(tt.to, 120)
		if got := to.After(&from); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// Two NANOSLEEPs issue eight cycles apart (KIT-362). The latency of LDSM is variable, and ELECT uses the unit of most of logic (KIT-363).
func TestAfterSleep(t *testing.T) {
	sleep := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 NANOSLEEP.SYNCS 0x989680")
	loads := machine.Word(0x000200040404783b, 0x000e640000000200) // LDSM.16.M88.4 R4, [R4+0x200]
	elects := machine.Word(0xff782f, 0x000fe40003800000)          // ELECT P0, URZ, PT
	for _, tt := range []struct {
		name     string
		from, to machine.Instr
		want     int
	}{
		{"sleeps", sleep, sleep, 8},
		{"a load that overwrites a result", machinetest.Move(4, 1), loads, 6},
		{"the result of a load", loads.WithWriteBarrier(sass.NoBarrier), machinetest.Move(1, 4), 1},
		{"logic", elects, machinetest.ThreeAdd(6, 7, 20), 2},
	} {
		from, _ := machine.NewOperation(tt.from, 120)
		to, _ := machine.NewOperation(tt.to, 120)
		if got := to.After(&from); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
	if x, _ := machine.NewOperation(loads, 120); x.HasBoard() {
		if _, ok := x.Operand(0); ok {
			t.Error("a load sets reuse")
		}
	}
}

// LDC, S2UR, REDUX and BAR are eight cycles apart from sm_120 on (KIT-951).
func TestAfterSlowPath(t *testing.T) {
	bar := machine.Word(0x0000000000007b1d, 0x000fec0000010000) // BAR.SYNC.DEFER_BLOCKING 0x0
	id := machine.Word(0x00000000000679c3, 0x000e220000002500)  // S2UR UR6, SR_CTAID.X
	sum := machinetest.Asm("REDUX.SUM.S32 UR10, R11")
	slow := []machine.Instr{bar, id, sum, machinetest.LoadPointer}
	for _, a := range slow {
		for _, b := range append(slow, machinetest.ReadID) {
			from, _ := machine.NewOperation(a, 120)
			to, _ := machine.NewOperation(b, 120)
			want := 8
			if b == machinetest.ReadID {
				want = 1
			}
			if a == bar {
				want = max(want, 6) // KIT-923
			}
			if got := to.After(&from); got != want {
				t.Errorf("%v, %v: %d cycles, want %d", from.Op(), to.Op(), got, want)
			}
		}
	}
}

// TestMayYield checks with which stalls an instruction yields (KIT-107).
func TestMayYield(t *testing.T) {
	for _, tt := range []struct {
		name  string
		x     machine.Instr
		stall int
		since int
		want  bool
	}{
		{"slow double precision", machinetest.Double(2, 4), 11, 20, false},
		{"slow double precision, for long", machinetest.Double(2, 4), 12, 0, true},
		{"not scheduled (KIT-364)", machinetest.Move(1, 2), 0, 0, true},
		{"one cycle", machinetest.Move(1, 2), 1, 20, false},
		{"two cycles, soon", machinetest.Move(1, 2), 2, 9, false},
		{"two cycles, later", machinetest.Move(1, 2), 2, 10, true},
		{"three cycles", machinetest.Move(1, 2), 3, 0, true},
		{"counted", machinetest.Move(1, 2).WithWriteBarrier(1), 11, 20, false},
		{"counted, for long", machinetest.Move(1, 2).WithWriteBarrier(1), 12, 0, true},
		{"a NOP", machine.NOP, 3, 0, true},
	} {
		x, _ := machine.NewOperation(tt.x, 120)
		if got := x.MayYield(tt.stall, tt.since); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// 64-bit products read the upper half of an addend, and write the upper half of the result, later than the
// rest. Half-precision instructions have a unit of their own. Comparisons of register pairs use another
// unit than additions of pairs (KIT-106).
func TestAfterRegisters(t *testing.T) {
	wide := func(to, factor, addend uint64) machine.Instr { // IMAD.WIDE to, factor, 5, addend
		return machine.Word(0x0000000500007825|to<<16|factor<<24, 0x000fc000078e0000|addend)
	}
	product := func(to uint64) machine.Instr { return machine.Word(0x0000000807007224|to<<16, 0x000fc000078e0009) } // IMAD to, R7, R8, R9
	upper := machinetest.Asm("IMAD.HI.U32 R4, R10, R8, RZ")
	half := func(to uint64) machine.Instr {
		return machine.Word(0x000000ff00007431|to<<16|0xff<<24, 0x000fc000000001ff)
	}
	float := machinetest.Asm("FMUL R1, R4, R8")
	pair := machinetest.Asm("IADD.64 R4, R6, R20")
	order := machinetest.Asm("IMNMX.64 R4, R4, R20")
	tells := machinetest.Asm("ISETP.GT.S64.AND P0, PT, R4, R20, PT")
	exclusive := machinetest.Asm("WARPSYNC.EXCLUSIVE R4")
	for _, tt := range []struct {
		name     string
		from, to machine.Instr
		want     int
	}{
		{"the lower half of an addend", machinetest.Move(4, 1), wide(12, 10, 4), 5},
		{"the upper half", machinetest.Move(5, 1), wide(12, 10, 4), 3},
		{"a factor", machinetest.Move(10, 1), wide(12, 10, 4), 5},
		{"the upper half of a product", product(5), wide(12, 10, 4), 2},
		{"the lower half of a product", product(4), wide(12, 10, 4), 4},
		{"a constant of halves", half(5), wide(12, 10, 4), 3},
		{"the lower half of a result", wide(4, 10, 12), machinetest.Move(1, 4), 3},
		{"its upper half", wide(4, 10, 12), machinetest.Move(1, 5), 5},
		{"one to another", wide(4, 10, 12), wide(12, 10, 4), 4},
		{"an upper half as a factor", upper, wide(12, 4, 14), 6},
		{"a lower half as a factor", wide(4, 10, 12), wide(12, 4, 14), 4},
		{"halves to floats", half(4), float, 5},
		{"halves to halves", half(4), machinetest.Asm("HFMA2 R4, R4, R8, R2"), 4},
		{"pairs to a sum", pair, machinetest.Asm("IADD.64 R4, R4, R20"), 4},
		{"pairs to the lesser one", pair, order, 6},
		{"pairs to a comparison", pair, tells, 6},
		{"the lesser one to a comparison", order, tells, 4},
		{"the lesser one to a sum", order, machinetest.Asm("IADD.64 R6, R4, R20"), 6},
		{"threads alone", machinetest.Move(4, 1), exclusive, 4},
	} {
		from, _ := machine.NewOperation(tt.from, 120)
		to, _ := machine.NewOperation(tt.to, 120)
		if got := to.After(&from); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// An instruction of variable latency must wait longer before it overwrites results of fixed latency
// (KIT-106), and a cycle more if these are a pair of registers (KIT-948).
func TestRewrites(t *testing.T) {
	double := machinetest.Asm("DFMA R4, R10, R8, R2")
	loads := machinetest.Asm("LDCU UR5, c[0x0][0x1cc]")
	moves := machinetest.Asm("UMOV UR5, 0x0")
	adds := machinetest.Asm("UIADD3 UR5, UR4, 0x4, URZ")
	for _, tt := range []struct {
		name     string
		from, to machine.Instr
		want     int
	}{
		{"double precision", machinetest.Move(4, 1), double, 6},
		{"its upper half", machinetest.Move(5, 1), double, 6},
		{"a pair", machinetest.Asm("IADD.64 R4, R12, R14"), double, 7},
		{"uniform, moved", moves, loads, 4},
		{"uniform, added", adds, loads, 11},
	} {
		from, _ := machine.NewOperation(tt.from, 120)
		to, _ := machine.NewOperation(tt.to, 120)
		if got := to.After(&from); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// Before sm_120 the conversion unit stays busy for a time that depends on the instruction (MERC-132).
func TestConverts(t *testing.T) {
	for _, tt := range []struct {
		x    machine.Instr
		sm   int
		want int
	}{
		{machinetest.Count(1, 2), 100, 8}, {machinetest.Count(1, 2), 103, 0}, {machinetest.Count(1, 2), 110, 8}, {machinetest.Count(1, 2), 120, 0}, {machinetest.Count(1, 2), 121, 0},
		{machinetest.Function(2, 1, 2), 100, 8}, {machinetest.Function(2, 1, 2), 103, 4}, {machinetest.Function(2, 1, 2), 110, 8}, {machinetest.Function(2, 1, 2), 120, 0},
		{machinetest.Function(4, 1, 2), 103, 8}, {machinetest.Move(1, 2), 100, 0}, {machinetest.DoubleAdd, 103, 0},
	} {
		if a, _ := machine.NewOperation(tt.x, tt.sm); a.Converts != tt.want {
			t.Errorf("operation %#x on sm_%d converts for %d cycles, want %d", tt.x.Op(), tt.sm, a.Converts, tt.want)
		}
	}
}
