package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// NOPs that only take time are dropped before FP64 instructions and matrix products. They are kept after a
// product in the same block, up to the next FP64 instruction (KIT-050, KIT-491).
func TestWithoutDistances(t *testing.T) {
	other, matrices := machinetest.Move(1, 2), machine.Word(sass.OpDMMA|7<<12, 0x000fc00000000000)
	space := machine.Instr{Instruction: sass.EmptyAddition}
	onCondition := machine.NOP
	onCondition.Low &^= 7 << 12
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want []int // the instructions that are kept
	}{
		{"nothing", nil, nil},
		{"before double precision", []machine.Instr{machine.NOP, machinetest.DoubleAdd}, []int{1}},
		{"two of them", []machine.Instr{machine.NOP, machine.NOP, machinetest.DoubleAdd}, []int{2}},
		{"before something else", []machine.Instr{machine.NOP, other, machinetest.DoubleAdd}, []int{0, 1, 2}},
		{"behind double precision", []machine.Instr{machinetest.DoubleAdd, machine.NOP, other}, []int{0, 1, 2}},
		{"at the end", []machine.Instr{machinetest.DoubleAdd, machine.NOP}, []int{0, 1}},
		{"between", []machine.Instr{machinetest.DoubleAdd, machine.NOP, machinetest.DoubleAdd}, []int{0, 2}},
		{"one that waits", []machine.Instr{machine.NOP.WithWaitMask(1 << 5), machinetest.DoubleAdd}, []int{0, 1}},
		{"one that waits for the first scoreboard", []machine.Instr{machine.NOP.WithWaitMask(1), machinetest.DoubleAdd}, []int{0, 1}},
		{"one that is counted", []machine.Instr{machine.NOP.WithWriteBarrier(0), machinetest.DoubleAdd}, []int{0, 1}},
		{"one whose operands are counted", []machine.Instr{machine.NOP.WithReadBarrier(0), machinetest.DoubleAdd}, []int{0, 1}},
		{"one on a condition", []machine.Instr{onCondition, machinetest.DoubleAdd}, []int{0, 1}},
		{"before one that waits", []machine.Instr{machine.NOP.WithWaitMask(1), machine.NOP, machinetest.DoubleAdd}, []int{0, 2}},
		{"before a product of matrices", []machine.Instr{machine.NOP, matrices}, []int{1}},
		{"beside products of matrices", []machine.Instr{machine.NOP, machinetest.DoubleAdd, matrices}, []int{1, 2}},
		{"behind a product of matrices", []machine.Instr{matrices, machine.NOP, machinetest.DoubleAdd}, []int{0, 1, 2}},
		{"behind another one", []machine.Instr{matrices, machine.NOP, matrices}, []int{0, 1, 2}},
		{"behind a product and double precision", []machine.Instr{matrices, machine.NOP, machinetest.DoubleAdd, machine.NOP, matrices, machine.NOP, matrices}, []int{0, 1, 2, 4, 5, 6}},
		{"empty additions", []machine.Instr{machinetest.DoubleAdd, space, matrices}, []int{0, 2}},
		{"empty additions behind a product", []machine.Instr{machinetest.DoubleAdd, matrices, space, matrices}, []int{0, 1, 2, 3}},
		{"empty additions at the begin", []machine.Instr{space, matrices}, []int{0, 1}},
		{"in the block behind it", []machine.Instr{matrices, machinetest.End, machine.NOP, machinetest.DoubleAdd}, []int{0, 1, 3}},
	} {
		var got []int
		for _, x := range withoutDistances(stepsOf(tt.code...), cfg.NewSet(len(tt.code)), 120) {
			got = append(got, x.Old)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v stay, want %v", tt.name, got, tt.want)
		}
	}
}

// NOPs of the program are kept, even before an FP64 instruction (KIT-050).
func TestNOPsOfTheProgram(t *testing.T) {
	program := cfg.NewSet(3)
	program.Add(1)
	var got []int
	for _, x := range withoutDistances(stepsOf(machine.NOP, machine.NOP, machinetest.DoubleAdd), program, 120) {
		got = append(got, x.Old)
	}
	if want := []int{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("%v stay, want %v: the one of the program ends the distance", got, want)
	}
}

// If the next FP64 instruction waits for an instruction on a scoreboard, that instruction stalls only until
// the scoreboard counts it (KIT-050).
func TestComesClose(t *testing.T) {
	load := machinetest.LoadTwo.WithWriteBarrier(1)
	product := machine.Word(sass.OpDMMA|7<<12, 0x000fc00000000000)
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want int // stall of the first instruction
	}{
		{"waited for", []machine.Instr{load.WithStall(7), machinetest.DoubleAdd.WithWaitMask(0b10)}, 2},
		{"three cycles", []machine.Instr{load.WithStall(3), machinetest.DoubleAdd.WithWaitMask(0b10)}, 2},
		{"two cycles", []machine.Instr{load.WithStall(2), machinetest.DoubleAdd.WithWaitMask(0b10)}, 2},
		{"one cycle", []machine.Instr{load.WithStall(1), machinetest.DoubleAdd.WithWaitMask(0b10)}, 1},
		{"by a product of matrices", []machine.Instr{machinetest.DoubleAdd.WithWriteBarrier(1).WithStall(7), product.WithWaitMask(0b10)}, 2},
		{"by a product of other numbers", []machine.Instr{load.WithStall(7), machinetest.Asm("HMMA R16, R4, R8, R16").WithWaitMask(0b10)}, 7},
		{"another is waited for", []machine.Instr{load.WithStall(7), machinetest.DoubleAdd.WithWaitMask(0b101)}, 7},
		{"by another", []machine.Instr{load.WithStall(7), machinetest.Move(1, 2).WithWaitMask(0b10)}, 7},
		{"not the next", []machine.Instr{load.WithStall(7), machinetest.Move(1, 2), machinetest.DoubleAdd.WithWaitMask(0b10)}, 7},
		{"counted by nothing", []machine.Instr{machinetest.Move(1, 2).WithStall(7), machinetest.DoubleAdd.WithWaitMask(0b10)}, 7},
		{"double precision itself", []machine.Instr{machinetest.DoubleAdd.WithWriteBarrier(1).WithStall(7), machinetest.DoubleAdd.WithWaitMask(0b10)}, 2},
		{"behind a distance", []machine.Instr{load.WithStall(7), machine.NOP, machinetest.DoubleAdd.WithWaitMask(0b10)}, 2},
	} {
		x := withoutDistances(stepsOf(tt.code...), cfg.NewSet(len(tt.code)), 120)[0].Instr
		if got := x.Stall(); got != tt.want || x.WithStall(0).WithYield(false) != tt.code[0].WithStall(0).WithYield(false) {
			t.Errorf("%s: stalls for %d, want %d", tt.name, got, tt.want)
		}
		if changed := x != tt.code[0]; changed && x.Yields() {
			t.Errorf("%s: others may go on", tt.name)
		}
	}
}

// IsDouble and IsMatrixProduct are true for exactly the expected operations (KIT-050).
func TestKindsOfDistance(t *testing.T) {
	doubles := []uint64{sass.OpDMUL, sass.OpDADD, sass.OpDSETP, sass.OpDFMA, sass.OpF2F64, sass.OpF2I64, sass.OpI2F64, sass.OpFRND64}
	matrices := []uint64{sass.OpIMMA, sass.OpHMMA, sass.OpDMMA, sass.OpQMMA, sass.OpOMMA}
	for op := range uint64(1 << 9) {
		x := machine.Word(op, 0)
		if x.IsDouble() != slices.Contains(doubles, op) || x.IsMatrixProduct() != slices.Contains(matrices, op) {
			t.Errorf("operation %#x: of double precision %v, of matrices %v", op, x.IsDouble(), x.IsMatrixProduct())
		}
	}
}
