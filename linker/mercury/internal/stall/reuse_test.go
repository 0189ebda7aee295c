package stall

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// TestReuses checks for which following instructions the reuse bit is set (KIT-108).
func TestReuses(t *testing.T) {
	first := machinetest.And(1, 4, 20)
	for _, tt := range []struct {
		name string
		then []machine.Instr
		want bool
	}{
		{"again", []machine.Instr{machinetest.And(2, 4, 20)}, true},
		{"in another place", []machine.Instr{machinetest.And(2, 20, 4)}, false},
		{"behind an odd one", []machine.Instr{machinetest.And(2, 5, 20), machinetest.And(3, 4, 20)}, true},
		{"behind an even one", []machine.Instr{machinetest.And(2, 6, 20), machinetest.And(3, 4, 20)}, false},
		{"it is written", []machine.Instr{machinetest.Move(4, 9), machinetest.And(3, 4, 20)}, false},
		{"others may go on", []machine.Instr{machinetest.Move(8, 9).WithStall(3), machinetest.And(3, 4, 20)}, false},
		{"never", []machine.Instr{machinetest.And(3, 5, 20)}, false},
	} {
		var block []machine.Operation
		for _, x := range append([]machine.Instr{first}, tt.then...) {
			if x.Stall() < 3 {
				x = x.WithYield(false)
			}
			a, _ := machine.NewOperation(x, 120)
			block = append(block, a)
		}
		if got := reuses(block, 0, 0); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// An operand that is a register pair sets the bit only if both registers are read again. An instruction that
// reads pairs does so in several operand slots (KIT-108).
func TestReusesOfPairs(t *testing.T) {
	pair := func(to, from uint64) machine.Instr { // IADD.64 to, from, R20
		return machine.Word(0x1400007235|to<<16|from<<24, 0x000fc000078e0200)
	}
	one := func(from uint64) machine.Instr { return machinetest.And(2, from, 21) }
	wide := machinetest.Asm("IMAD.WIDE.U32 R4, R7, R8, R8")
	for _, tt := range []struct {
		name  string
		place int
		first machine.Instr
		then  []machine.Instr
		want  bool
	}{
		{"another pair", 0, pair(6, 4), []machine.Instr{pair(8, 4)}, true},
		{"half of it", 0, pair(6, 4), []machine.Instr{one(4)}, false},
		{"one half, then the other", 0, pair(6, 4), []machine.Instr{one(5), one(4)}, true},
		{"a pair behind one that takes the room of a half", 0, pair(6, 4), []machine.Instr{one(7), pair(8, 4)}, false},
		{"one of a pair", 0, one(5), []machine.Instr{pair(8, 4)}, true},
		{"behind a pair", 0, one(5), []machine.Instr{pair(8, 6), one(5)}, false},
		{"an addend of 64 bits", 2, wide, []machine.Instr{wide}, true},
		{"its factor", 1, wide, []machine.Instr{wide}, true},
	} {
		var block []machine.Operation
		for _, x := range append([]machine.Instr{tt.first}, tt.then...) {
			x = x.WithYield(false)
			a, _ := machine.NewOperation(x, 120)
			block = append(block, a)
		}
		if got := reuses(block, 0, tt.place); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// Half-precision and FP64 instructions set the bit only for other instructions of their kind. Moves from
// general to uniform registers set the bit (KIT-108).
func TestReusesInRooms(t *testing.T) {
	halves := machinetest.Asm("HFMA2 R1, R0, R20, R0")
	double := machinetest.Asm("DFMA R22, R4, R20, R4")
	moves := machinetest.Asm("R2UR UR4, R4")
	compares := machinetest.Asm("HSET2 R1, R4, R20")
	for _, tt := range []struct {
		name  string
		sm    int
		code  []machine.Instr
		place int
		want  bool
	}{
		{"halves again", 100, []machine.Instr{halves, halves}, 1, true},
		{"halves behind another", 100, []machine.Instr{halves, machinetest.And(1, 4, 6), halves}, 1, true},
		{"halves behind another, later", 120, []machine.Instr{halves, machinetest.And(1, 4, 6), halves}, 1, true},
		{"halves for another", 100, []machine.Instr{halves, machinetest.And(1, 4, 20)}, 1, false},
		{"a comparison of halves", 100, []machine.Instr{compares, compares}, 2, true},
		{"not where a product has its second factor", 100, []machine.Instr{compares, compares}, 1, false},
		{"doubles again", 100, []machine.Instr{double, double}, 0, true},
		{"doubles behind another", 100, []machine.Instr{double, machinetest.And(1, 6, 8), double}, 0, true},
		{"doubles for another", 100, []machine.Instr{double, machinetest.And(1, 4, 8)}, 0, false},
		{"slow doubles", 103, []machine.Instr{double, double}, 0, false},
		{"a move", 100, []machine.Instr{moves, machinetest.And(2, 5, 8), moves}, 0, true},
		{"a move for another", 100, []machine.Instr{moves, machinetest.And(2, 4, 8)}, 0, true},
		{"a move behind another", 100, []machine.Instr{moves, machinetest.And(2, 6, 8), moves}, 0, false},
	} {
		var block []machine.Operation
		for _, x := range tt.code {
			x = x.WithYield(false)
			a, _ := machine.NewOperation(x, tt.sm)
			block = append(block, a)
		}
		if got := reuses(block, 0, tt.place); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// The second operand of a floating-point sum is in the third slot (KIT-108).
func TestReusesOfSums(t *testing.T) {
	sum, _ := machine.NewOperation(machinetest.Asm("FADD R1, R4, R8").WithYield(false), 120)
	last := sum
	for place, want := range [operandPlaces]bool{true, false, true} {
		if got := reuses([]machine.Operation{sum, last}, 0, place); got != want {
			t.Errorf("place %d: %v", place, got)
		}
	}
}

// A matrix product sets the bit of its second factor only for another matrix product. Before sm_120 it also
// sets that of the first factor (KIT-108).
func TestReusesOfProducts(t *testing.T) {
	product := machinetest.Asm("HMMA R16, R4, R8, R16")
	other := machinetest.Asm("HMMA R16, R6, R12, R16")
	double := product
	double.Low = double.Low&^0x1ff | sass.OpDMMA
	for _, tt := range []struct {
		name  string
		sm    int
		first machine.Instr
		then  []machine.Instr
		want  [operandPlaces]bool
	}{
		{"both factors", 100, product, []machine.Instr{product}, [operandPlaces]bool{true, true, false}},
		{"the second alone", 120, product, []machine.Instr{product}, [operandPlaces]bool{false, true, false}},
		{"for another instruction", 100, product, []machine.Instr{machinetest.And(1, 4, 8)}, [operandPlaces]bool{}},
		{"behind another product", 100, product, []machine.Instr{other, product}, [operandPlaces]bool{}},
		{"behind another instruction", 100, product, []machine.Instr{machinetest.And(1, 6, 12), product}, [operandPlaces]bool{true, true, false}},
		{"it is written", 100, product, []machine.Instr{machinetest.Move(4, 1), product}, [operandPlaces]bool{false, true, false}},
		{"double precision", 100, double, []machine.Instr{double}, [operandPlaces]bool{true, true, false}},
		{"slow double precision", 103, double, []machine.Instr{double}, [operandPlaces]bool{}},
		{"slow double precision, the second factor", 120, double, []machine.Instr{double}, [operandPlaces]bool{}},
	} {
		var block []machine.Operation
		for _, x := range append([]machine.Instr{tt.first}, tt.then...) {
			x = x.WithYield(false)
			a, _ := machine.NewOperation(x, tt.sm)
			block = append(block, a)
		}
		for place, want := range tt.want {
			if got := reuses(block, 0, place); got != want {
				t.Errorf("%s: place %d %v", tt.name, place, got)
			}
		}
	}
}
