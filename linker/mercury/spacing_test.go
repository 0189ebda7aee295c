package mercury

import (
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// KIT-055: what takes time is taken from code that is the same otherwise, and from no other.
func TestSpacedLike(t *testing.T) {
	time := machine.Word(machine.EmptyAddition, machine.EmptyAdditionHigh)
	steps := stepsOf(machinetest.Multiply, machine.NOP, machinetest.DoubleAdd, machinetest.End)
	for _, tt := range []struct {
		name    string
		like    []machine.Instr
		numbers []int // nil: as they are
	}{
		{"the same", []machine.Instr{machinetest.Multiply, machine.NOP, machinetest.DoubleAdd, machinetest.End}, nil},
		{"none", []machine.Instr{machinetest.Multiply, machinetest.DoubleAdd, machinetest.End}, []int{0, 2, 3}},
		{"another one", []machine.Instr{machinetest.Multiply, machine.NOP, machinetest.DoubleAdd, time, machinetest.End}, []int{0, 1, 2, 3, 3}},
		{"other code", []machine.Instr{machinetest.Multiply, machine.NOP, time, machinetest.Multiply, machinetest.End}, nil},
		{"less code", []machine.Instr{machinetest.Multiply, machine.NOP, time}, nil},
	} {
		var text []byte
		for _, x := range tt.like {
			text = x.Append(text)
		}
		spaced, numbers := spacedLike(steps, text)
		if len(spaced) != len(numbers) || len(numbers) != len(tt.numbers) {
			t.Errorf("%s: %v, want %v", tt.name, numbers, tt.numbers)
			continue
		}
		for i, n := range tt.numbers {
			if numbers[i] != n || spaced[i].Low != tt.like[i].Low {
				t.Errorf("%s: %v, want %v", tt.name, numbers, tt.numbers)
			}
		}
	}
}
