package cfg

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// A loop consists of the blocks from the target of a backward branch to that branch, if control enters them
// only at the target (KIT-144).
func TestLoops(t *testing.T) {
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want []Loop
	}{
		{"none", []machine.Instr{machinetest.ReadID, machinetest.Jump(1, 3, false), machinetest.Multiply, machinetest.End}, nil},
		{"one", []machine.Instr{machinetest.ReadID, machinetest.Multiply, machinetest.Jump(2, 1, false), machinetest.End}, []Loop{{Head: 1, Blocks: []int{1}}}},
		{"with a way around", []machine.Instr{machinetest.ReadID, machinetest.Jump(1, 3, false), machinetest.Multiply, machinetest.Multiply, machinetest.Jump(4, 1, false), machinetest.End}, []Loop{{Head: 1, Blocks: []int{1, 2, 3}}}},
		{"one in another", []machine.Instr{machinetest.ReadID, machinetest.Multiply, machinetest.Jump(2, 1, false), machinetest.Jump(3, 1, false), machinetest.End}, []Loop{{Head: 1, Blocks: []int{1, 3}}}},
		{"back from code aside", []machine.Instr{machinetest.Jump(0, 3, false), machinetest.Multiply, machinetest.End, machinetest.Multiply, machinetest.Jump(4, 1, true)}, nil},
		{"entered in the middle", []machine.Instr{machinetest.Jump(0, 2, false), machinetest.Multiply, machinetest.Multiply, machinetest.Jump(3, 1, false), machinetest.End}, nil},
	} {
		f, known := FlowOf(tt.code, nil)
		if !known {
			t.Fatal(tt.name)
		}
		if got := f.Loops(); !slices.EqualFunc(got, tt.want, func(a, b Loop) bool { return a.Head == b.Head && slices.Equal(a.Blocks, b.Blocks) }) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
