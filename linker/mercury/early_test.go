package mercury

import (
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// The stall of the NOP after a WARPSYNC is added to the WARPSYNC if it is more than one cycle. A NOP with
// waits is kept (MERC-108).
func TestWithoutNOPs(t *testing.T) {
	warpsync := machine.Word(0x7948, 0x03800000_00000000>>8).WithStall(5).WithYield(false)
	waiting := machine.NOP.WithStall(2)
	waiting = waiting.WithWaitMask(1)
	record := make([]byte, 16)
	record[0] = 1
	end := machinetest.AsTheyAre(2)
	two := machinetest.Several(2, record)
	c := machinetest.Must(capsule.Open(machinetest.Capsule(record, two, record, end), capsule.Place{}))(t)
	tests := []struct {
		name   string
		nop    machine.Instr
		want   int // 0: the NOP is kept
		yields bool
	}{
		{"a cycle", machine.NOP.WithStall(1), 5, false},
		{"two cycles", machine.NOP.WithStall(2), 7, false},
		{"so many cycles that others may go on", machine.NOP.WithStall(7), 12, true},
		{"too many cycles", machine.NOP.WithStall(11), 0, false},
		{"a wait", waiting, 0, false},
	}
	for _, test := range tests {
		var steps []codemap.Step
		for i, x := range []machine.Instr{machine.NOP.WithStall(1), warpsync, test.nop, machine.NOP.WithStall(1)} {
			steps = append(steps, codemap.Step{Instr: x, Old: i})
		}
		got := withoutNOPs(c, steps, true)
		switch {
		case test.want == 0:
			if len(got) != 4 {
				t.Errorf("%s: the NOP went", test.name)
			}
		case len(got) != 3 || got[1].Stall() != test.want || got[1].Yields() != test.yields || !got[1].Absorbs:
			t.Errorf("%s: %d instructions, a stall of %d, yields: %v; want 3 and %d, %v", test.name, len(got), got[1].Stall(), got[1].Yields(), test.want, test.yields)
		}
	}
}

// The shortest of several NOPs is moved to the end. Nothing changes if it is there already, or if other NOPs
// have waits. A single NOP next to a stall of 15 cycles changes only its yield bit, which lets other warps
// issue (MERC-109).
func TestRemainderLast(t *testing.T) {
	long, short, two := machine.NOP.WithStall(15), machine.NOP.WithStall(3), machine.NOP.WithStall(2)
	keeps, other := two, machinetest.MovesR21
	keeps = keeps.WithYield(false)
	tests := []struct {
		is, want []machine.Instr
	}{
		{[]machine.Instr{short, long, long}, []machine.Instr{long, long, short}},
		{[]machine.Instr{long, long, short}, nil},
		{[]machine.Instr{short}, nil},
		{[]machine.Instr{other.WithStall(15), keeps}, []machine.Instr{other.WithStall(15), two}},
		{[]machine.Instr{keeps, other.WithStall(15)}, []machine.Instr{two, other.WithStall(15)}},
		{[]machine.Instr{other.WithStall(14), keeps}, nil},
		{[]machine.Instr{short, short}, nil},
		{[]machine.Instr{long, short, long}, []machine.Instr{long, long, short}},
	}
	for _, test := range tests {
		var steps []codemap.Step
		for i, x := range test.is {
			steps = append(steps, codemap.Step{Instr: x, Old: i})
		}
		changed := remainderLast(steps)
		want := test.want
		if want == nil {
			want = test.is
		}
		if changed != (test.want != nil) {
			t.Errorf("%v: changed %v", test.is, changed)
		}
		for i := range steps {
			if steps[i].Instr != want[i] {
				t.Errorf("%v: instruction %d is %x, want %x", test.is, i, steps[i].Instr, want[i])
			}
		}
	}
}
