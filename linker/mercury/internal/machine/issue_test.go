package machine

import (
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// Where FP64 is slow, its instructions read predicates as late as a guard is read (KIT-106).
func TestAfterPredicates(t *testing.T) {
	tells := Instr{Instruction: sasstest.Asm("[B------:R-:W-:Y:S13] ISETP.GT.AND P0, PT, R26, 0x2, PT")}
	doubles := Instr{Instruction: sasstest.Asm("[B------:R-:W4:-:S02] DSETP.MAX.AND P0, PT, R10, R12, P0")}
	for sm, want := range map[int]int{100: 5, 120: 13} {
		from, _ := NewOperation(tells, sm)
		to, _ := NewOperation(doubles, sm)
		if got := to.After(&from); got != want {
			t.Errorf("sm_%d: %d cycles, want %d", sm, got, want)
		}
	}
}

// All texture instructions have the properties of TEX, those with a handle in a register too (MERC-999).
func TestTextureInstructions(t *testing.T) {
	want := opcodes[sass.OpTEX].flags
	if want&textures == 0 {
		t.Error("TEX uses no textures")
	}
	for _, op := range []uint64{sass.OpTEXB, sass.OpTLD, sass.OpTLDB, sass.OpTLD4, sass.OpTLD4B, sass.OpTXD, sass.OpTXDB, sass.OpTXQ, sass.OpTXQB} {
		if got := opcodes[op].flags; got != want {
			t.Errorf("operation %#x: flags %#x, want %#x", op, got, want)
		}
	}
}

// Instructions of one kind use the same unit (KIT-106).
func TestUnits(t *testing.T) {
	for op, want := range map[uint64]unit{
		sass.OpSGXT: narrow, sass.OpBMSK: narrow, sass.OpHSET2: narrow, sass.OpHSETP2: narrow, sass.OpHMNMX2: narrow, sass.OpIDP: products, sass.OpIMAD: products, sass.OpFFMA: floats,
		sass.OpIMADWide: wide, sass.OpFSEL: AnyUnit, sass.OpVOTE: AnyUnit,
	} {
		if got := (Word(op, 0)).Unit(sass.Registers{}, 120); got != want {
			t.Errorf("operation %#x: unit %d, want %d", op, got, want)
		}
	}
	var pair sass.Registers
	pair.Add(sass.General, 2, 2)
	const minimum = 0x017 // IMNMX
	for _, op := range []uint64{minimum, sass.OpIADD, sass.OpMOV} {
		if got := (Word(op, 0)).Unit(pair, 120); got != pairs {
			t.Errorf("operation %#x of two registers: unit %d", op, got)
		}
	}
	for _, op := range []uint64{0x04a, 0x05e, 0x080, sass.OpUMOV, sass.OpR2UR} {
		if !(&Operation{Instr: Word(op, 0)}).isUniform() {
			t.Errorf("operation %#x is not of the uniform datapath", op)
		}
	}
	for _, op := range []uint64{sass.OpVIMNMX, 0x05f, sass.OpMUFU} {
		if (&Operation{Instr: Word(op, 0)}).isUniform() {
			t.Errorf("operation %#x is of the uniform datapath", op)
		}
	}
}

// The time from a write of predicates or register pairs to a read depends on the reading instruction
// (KIT-106).
func TestAfterResults(t *testing.T) {
	predicate := Operation{Instr: Word(sass.OpISETP, 0), Writes: sass.Registers{P: 1}}
	for op, want := range map[uint64]int{sass.OpVOTE: UntilGuard, sass.OpVOTEU: UntilGuard, sass.OpBAR: UntilGuard, sass.OpSEL: untilRead} {
		x := Operation{Instr: Word(op|7<<12, 0), Reads: sass.Registers{P: 1}}
		if got := x.afterPredicate(&predicate, 1); got != want {
			t.Errorf("operation %#x: %d cycles after a predicate, want %d", op, got, want)
		}
	}
	var pair sass.Registers
	pair.Add(sass.General, 2, 2)
	for op, want := range map[uint64]int{sass.OpI2F64: 5, sass.OpLDC: 5, sass.OpFFMA: 6, sass.OpDADD: 7} {
		x := Operation{Instr: Word(op, 0), Reads: pair}
		if got := x.afterRegisters(&Operation{Writes: pair, Unit: pairs}); got != want {
			t.Errorf("operation %#x: %d cycles after a pair, want %d", op, got, want)
		}
	}
}

// FLO is the first operation of variable latency: its results have no fixed latency even if no scoreboard counts them (KIT-106).
func TestHasResults(t *testing.T) {
	const none = 0x000fc00000000000
	for op, want := range map[uint64]bool{sass.OpIADD3: true, sass.OpFLO: false, sass.OpBREV: false} {
		if x := (Operation{Instr: Word(op, none)}); x.hasResults() != want {
			t.Errorf("operation %#x: a fixed latency is %v, want %v", op, !want, want)
		}
	}
}

// The time that a block takes after an instruction depends on the instruction and on the registers that it
// writes (MERC-132).
func TestLasts(t *testing.T) {
	var general, pair, uniform, predicate sass.Registers
	general.Add(sass.General, 2, 1)
	pair.Add(sass.General, 2, 2)
	uniform.Add(sass.Uniform, 2, 1)
	predicate.Add(sass.Predicate, 0, 1)
	none := uint64(0x000fc00000000000)
	for _, tt := range []struct {
		name string
		x    Operation
		want int
	}{
		{"BSYNC", Operation{Instr: Word(sass.OpBSYNC, none)}, untilRead},
		{"a result that is counted", Operation{Instr: Word(sass.OpIADD3, 0).WithWriteBarrier(0), Writes: general}, 1},
		{"UMOV", Operation{Instr: Word(sass.OpUMOV, none), Writes: uniform}, 5},
		{"another one of the uniform datapath", Operation{Instr: Word(0x090, none), Writes: uniform}, 12},
		{"a predicate", Operation{Instr: Word(sass.OpISETP, none), Writes: predicate}, UntilGuard},
		{"a register", Operation{Instr: Word(sass.OpIADD3, none), Writes: general}, 7},
		{"a pair", Operation{Instr: Word(sass.OpIADD3, none), Writes: pair, Unit: pairs}, 8},
		{"nothing", Operation{Instr: Word(sass.OpNOP&0xff, none)}, 1},
	} {
		if got := tt.x.Lasts(); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// The opcodes of FP64 arithmetic are four adjacent numbers.
func TestIsArithmeticDouble(t *testing.T) {
	for op, want := range map[uint64]bool{sass.OpDMUL - 1: false, sass.OpDMUL: true, sass.OpDADD: true, sass.OpDSETP: true, sass.OpDFMA: true, sass.OpDFMA + 1: false} {
		if got := (&Operation{Instr: Word(op, 0)}).IsArithmeticDouble(); got != want {
			t.Errorf("operation %#x: %v", op, got)
		}
	}
}

// The latency of uniform registers depends on the reading instruction. An FP64 instruction issues later
// after a barrier (KIT-106).
func TestAfterUniform(t *testing.T) {
	writes := func(op uint64) Operation {
		return Operation{Instr: Word(op, 0x000fc00000000000), Writes: sass.Registers{UR: [4]uint64{1 << 4}}}
	}
	reads := func(op uint64) Operation {
		return Operation{Instr: Word(op, 0x000fc00000000000), Reads: sass.Registers{UR: [4]uint64{1 << 4}}}
	}
	for _, tt := range []struct {
		name   string
		from   Operation
		x      Operation
		cycles int
	}{
		{"a move for another", writes(sass.OpUMOV), reads(sass.OpIADD), 2},
		{"a move for a branch", writes(sass.OpUMOV), reads(sass.OpBRA), 3},
		{"for a general one", writes(0x090), reads(sass.OpIADD), 6},
		{"for what is counted", writes(0x090), reads(sass.OpMUFU), 9},
		{"for memory", writes(0x090), reads(sass.OpSTG), 9},
		{"a barrier before double precision", Operation{Instr: Word(sass.OpBAR, NOP.High)}, Operation{Instr: Word(sass.OpDSETP, NOP.High)}, 6},
		{"a barrier before another", Operation{Instr: Word(sass.OpBAR, NOP.High)}, Operation{Instr: Word(sass.OpIADD, NOP.High)}, 1},
	} {
		if got := tt.x.After(&tt.from); got != tt.cycles {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.cycles)
		}
	}
}
