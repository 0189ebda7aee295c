package stall

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// A NOP of the program is no delay (KIT-361).
func TestSpaceKeepsNOPs(t *testing.T) {
	product := machinetest.Asm("HMMA R8, R16, R2, R8").WithStall(15)
	steps := codemap.StepsOf([]machine.Instr{product, machine.NOP.WithStall(5), machinetest.Move(1, 2)})
	for _, ofProgram := range []bool{true, false} {
		c := &Code{Input: 100, Alone: cfg.NewSet(3)}
		if ofProgram {
			c.Alone.Add(1)
		}
		spaced := c.padBlock(slices.Clone(steps))
		if stays := slices.ContainsFunc(spaced, func(x codemap.Step) bool { return x.Op() == sass.OpNOP }); stays != ofProgram {
			t.Errorf("of the program %t: stays %t", ofProgram, stays)
		}
	}
}

// Spacing does not change the total time (KIT-109).
func TestSpace(t *testing.T) {
	product := machinetest.Asm("HMMA R8, R16, R2, R8")
	branch := machine.Word(0x0000000000007947, 0x000fc00000000000)
	for _, tt := range []struct {
		name  string
		sm    int
		code  []machine.Instr
		wants []int
	}{
		{"behind", 100, []machine.Instr{product.WithStall(15), machine.NOP.WithStall(5), machinetest.Move(1, 2)}, []int{11, 9, 0}},
		{"before a branch", 100, []machine.Instr{product.WithStall(1), machine.NOP.WithStall(4), branch.WithStall(15)}, []int{1, 8, 11}},
		{"before a branch, without a NOP", 100, []machine.Instr{product.WithStall(5), branch.WithStall(15)}, []int{5, 4, 11}},
		{"more than one before a branch", 120, []machine.Instr{product.WithStall(1), machine.NOP.WithStall(13), branch.WithStall(15)}, []int{1, 11, 6, 11}},
		{"before both", 100, []machine.Instr{product.WithStall(2), machinetest.Move(1, 2).WithStall(13), branch.WithStall(12)}, []int{2, 11, 2, 1, 11}},
		{"more than one", 120, []machine.Instr{product.WithStall(15), machine.NOP.WithStall(14), machinetest.Move(1, 2)}, []int{11, 11, 7, 0}},
		{"as many as fit", 120, []machine.Instr{product.WithStall(15), machine.NOP.WithStall(7), machinetest.Move(1, 2)}, []int{11, 11, 0}},
		{"without a NOP", 100, []machine.Instr{product.WithStall(15), machinetest.Move(1, 2)}, []int{11, 4, 0}},
		{"of another one", 100, []machine.Instr{product.WithStall(7), machinetest.Move(1, 2).WithStall(13)}, []int{7, 11, 2}},
		{"done by then", 100, []machine.Instr{product.WithStall(10), machinetest.Move(3, 4).WithStall(10), machinetest.Move(1, 2).WithStall(13)}, nil},
		{"done later", 120, []machine.Instr{product.WithStall(10), machinetest.Move(3, 4).WithStall(10), machinetest.Move(1, 2).WithStall(13)}, []int{10, 10, 11, 2}},
		{"short", 100, []machine.Instr{product.WithStall(8), machine.NOP.WithStall(5), machinetest.Move(1, 2)}, nil},
		{"before the product", 100, []machine.Instr{machinetest.Move(3, 4).WithStall(15), product.WithStall(1)}, []int{11, 4, 1}},
		{"a NOP that stays", 100, []machine.Instr{machinetest.Move(3, 4).WithStall(15), product.WithStall(8), machine.NOP.WithStall(5), machinetest.Move(1, 2)}, []int{11, 4, 8, 5, 0}},
		{"no product", 100, []machine.Instr{machinetest.Move(3, 4).WithStall(15), machine.NOP.WithStall(5), machinetest.Move(1, 2)}, nil},
	} {
		spaced := (&Code{Input: tt.sm}).padBlock(codemap.StepsOf(tt.code))
		if len(spaced) != len(tt.wants) {
			t.Fatalf("%s: %d instructions, want %d", tt.name, len(spaced), len(tt.wants))
		}
		for i, want := range tt.wants {
			if got := spaced[i].Stall(); got != want {
				t.Errorf("%s: instruction %d stalls for %d, want %d", tt.name, i, got, want)
			}
		}
	}
}
