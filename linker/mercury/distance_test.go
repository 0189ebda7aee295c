package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// doubleAdd is DADD, which stalls for nothing.
var doubleAdd = word(sass.OpDADD|7<<12, 0x000fc00000000000)

// KIT-050: NOPs that wait for nothing but time go before double precision and products of matrices, but for those behind products in
// their block.
func TestWithoutDistances(t *testing.T) {
	other, matrices := move(1, 2), word(sass.OpDMMA|7<<12, 0x000fc00000000000)
	onCondition := nop
	onCondition.Low &^= 7 << 12
	for _, tt := range []struct {
		name string
		code []instruction
		want []int // that stay
	}{
		{"nothing", nil, nil},
		{"before double precision", []instruction{nop, doubleAdd}, []int{1}},
		{"two of them", []instruction{nop, nop, doubleAdd}, []int{2}},
		{"before something else", []instruction{nop, other, doubleAdd}, []int{0, 1, 2}},
		{"behind double precision", []instruction{doubleAdd, nop, other}, []int{0, 1, 2}},
		{"at the end", []instruction{doubleAdd, nop}, []int{0, 1}},
		{"between", []instruction{doubleAdd, nop, doubleAdd}, []int{0, 2}},
		{"one that waits", []instruction{nop.WithWaitMask(1 << 5), doubleAdd}, []int{0, 1}},
		{"one that waits for the first scoreboard", []instruction{nop.WithWaitMask(1), doubleAdd}, []int{0, 1}},
		{"one that is counted", []instruction{nop.WithWriteBarrier(0), doubleAdd}, []int{0, 1}},
		{"one whose operands are counted", []instruction{nop.WithReadBarrier(0), doubleAdd}, []int{0, 1}},
		{"one on a condition", []instruction{onCondition, doubleAdd}, []int{0, 1}},
		{"before one that waits", []instruction{nop.WithWaitMask(1), nop, doubleAdd}, []int{0, 2}},
		{"before a product of matrices", []instruction{nop, matrices}, []int{1}},
		{"beside products of matrices", []instruction{nop, doubleAdd, matrices}, []int{1, 2}},
		{"behind a product of matrices", []instruction{matrices, nop, doubleAdd}, []int{0, 1, 2}},
		{"behind another one", []instruction{matrices, nop, matrices}, []int{0, 1, 2}},
		{"in the block behind it", []instruction{matrices, end, nop, doubleAdd}, []int{0, 1, 3}},
	} {
		var got []int
		for _, x := range withoutDistances(stepsOf(tt.code...), newSet(len(tt.code))) {
			got = append(got, x.old)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v stay, want %v", tt.name, got, tt.want)
		}
	}
}

// KIT-050: NOPs of the program stay, also before double precision.
func TestNOPsOfTheProgram(t *testing.T) {
	program := newSet(3)
	program.add(1)
	var got []int
	for _, x := range withoutDistances(stepsOf(nop, nop, doubleAdd), program) {
		got = append(got, x.old)
	}
	if want := []int{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("%v stay, want %v: the one of the program ends the distance", got, want)
	}
}

// KIT-050: what double precision waits for on a scoreboard stalls no longer than until that is set.
func TestComesClose(t *testing.T) {
	load := loadTwo.WithWriteBarrier(1)
	for _, tt := range []struct {
		name string
		code []instruction
		want int // stall of the first
	}{
		{"waited for", []instruction{load.WithStall(7), doubleAdd.WithWaitMask(0b10)}, 2},
		{"three cycles", []instruction{load.WithStall(3), doubleAdd.WithWaitMask(0b10)}, 2},
		{"two cycles", []instruction{load.WithStall(2), doubleAdd.WithWaitMask(0b10)}, 2},
		{"one cycle", []instruction{load.WithStall(1), doubleAdd.WithWaitMask(0b10)}, 1},
		{"another is waited for", []instruction{load.WithStall(7), doubleAdd.WithWaitMask(0b101)}, 7},
		{"by another", []instruction{load.WithStall(7), move(1, 2).WithWaitMask(0b10)}, 7},
		{"not the next", []instruction{load.WithStall(7), move(1, 2), doubleAdd.WithWaitMask(0b10)}, 7},
		{"counted by nothing", []instruction{move(1, 2).WithStall(7), doubleAdd.WithWaitMask(0b10)}, 7},
		{"double precision itself", []instruction{doubleAdd.WithWriteBarrier(1).WithStall(7), doubleAdd.WithWaitMask(0b10)}, 2},
		{"behind a distance", []instruction{load.WithStall(7), nop, doubleAdd.WithWaitMask(0b10)}, 2},
	} {
		x := withoutDistances(stepsOf(tt.code...), newSet(len(tt.code)))[0].instruction
		if got := x.Stall(); got != tt.want || x.WithStall(0).WithYield(false) != tt.code[0].WithStall(0).WithYield(false) {
			t.Errorf("%s: stalls for %d, want %d", tt.name, got, tt.want)
		}
		if changed := x != tt.code[0]; changed && x.Yields() {
			t.Errorf("%s: others may go on", tt.name)
		}
	}
}

// KIT-050: the instructions that are kept apart, and those whose products are of matrices.
func TestKindsOfDistance(t *testing.T) {
	doubles := []uint64{sass.OpDMUL, sass.OpDADD, sass.OpDSETP, sass.OpDFMA, sass.OpF2F64, sass.OpF2I64, sass.OpI2F64, sass.OpFRND64}
	matrices := []uint64{sass.OpIMMA, sass.OpHMMA, sass.OpDMMA, sass.OpQMMA, sass.OpOMMA}
	for op := range uint64(1 << 9) {
		x := word(op, 0)
		if x.isDouble() != slices.Contains(doubles, op) || x.isMatrixProduct() != slices.Contains(matrices, op) {
			t.Errorf("operation %#x: of double precision %v, of matrices %v", op, x.isDouble(), x.isMatrixProduct())
		}
	}
}
