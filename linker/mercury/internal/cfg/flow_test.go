package cfg

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// An indirect branch leads to the targets in the attributes, and blocks begin at these. Without the attributes
// the flow is not known (MERC-154).
func TestFlowOfIndirectBranches(t *testing.T) {
	branch := machinetest.Asm("[B------:R-:W-:-:S05] BRX R2, -0x160")
	conditional := branch
	conditional.Low &^= 0xf << 12 // @P0
	for _, test := range []struct {
		name    string
		branch  machine.Instr
		targets map[int][]int
		want    []int // the next instructions; nil if not known
	}{
		{"no table", branch, nil, nil},
		{"the table of another branch", branch, map[int][]int{3: {4}}, nil},
		{"beyond the code", branch, map[int][]int{1: {2, 6}}, nil},
		{"two places", branch, map[int][]int{1: {3, 5}}, []int{3, 5}},
		{"under a condition", conditional, map[int][]int{1: {3, 5}}, []int{2, 3, 5}},
	} {
		code := []machine.Instr{machinetest.ReadID, test.branch, machinetest.ReadID, machinetest.Multiply, machinetest.ReadID, machinetest.End}
		f, known := FlowOf(code, test.targets)
		if known != (test.want != nil) {
			t.Errorf("%s: known: %t", test.name, known)
			continue
		}
		if !known {
			continue
		}
		if !slices.Equal(f.Next[1], test.want) {
			t.Errorf("%s: goes on at %v, want %v", test.name, f.Next[1], test.want)
		}
		if first := []int{0, 0, 2, 3, 3, 5}; !slices.Equal(f.First, first) {
			t.Errorf("%s: blocks begin at %v, want %v", test.name, f.First, first)
		}
	}
}

// A WARPSYNC ends a block if a BAR comes later in the block, before another WARPSYNC (MERC-162).
func TestMeetsAtBarrier(t *testing.T) {
	warpsync, bar := machine.Word(0x7948, 0), machine.Word(0x7b1d, 0)
	exit := machinetest.Asm("[B------:R-:W-:-:S05] EXIT")
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want []int // the first instruction of each block
	}{
		{"at once", []machine.Instr{machine.NOP, warpsync, bar, exit}, []int{0, 0, 2, 2}},
		{"later", []machine.Instr{machine.NOP, warpsync, machine.NOP, bar, exit}, []int{0, 0, 2, 2, 2}},
		{"never", []machine.Instr{machine.NOP, warpsync, machine.NOP, exit}, []int{0, 0, 0, 0}},
		{"behind another one", []machine.Instr{warpsync, warpsync, bar, exit}, []int{0, 0, 2, 2}},
	} {
		f, _ := FlowOf(tt.code, nil)
		f = f.EndingAt(func(i int) bool { return f.MeetsAtBarrier(tt.code, i) })
		if !slices.Equal(f.First, tt.want) {
			t.Errorf("%s: blocks begin at %v, want %v", tt.name, f.First, tt.want)
		}
		for i, first := range f.First {
			if last := f.Last[i]; f.First[last] != first || last+1 < len(f.First) && f.First[last+1] != last+1 {
				t.Errorf("%s: the block of instruction %d ends at %d", tt.name, i, last)
			}
		}
	}
}

// The code ends at a trap if only the compiler's branch to itself follows (MERC-986).
func TestEndsAtTrap(t *testing.T) {
	for _, tt := range []struct {
		name string
		code []machine.Instr
		ends bool
	}{
		{"the end", []machine.Instr{machinetest.Trap, machinetest.Jump(1, 1, true)}, true},
		{"a loop of two", []machine.Instr{machinetest.Trap, machinetest.Multiply, machinetest.Jump(2, 1, true)}, false},
		{"a branch that may fall through", []machine.Instr{machinetest.Trap, machinetest.Jump(1, 1, false), machinetest.End}, false},
		{"an exit", []machine.Instr{machinetest.Trap, machinetest.End}, false},
		{"no trap", []machine.Instr{machinetest.Multiply, machinetest.Jump(1, 1, true)}, false},
		{"nothing", []machine.Instr{machinetest.Trap}, false},
	} {
		f, known := FlowOf(tt.code, nil)
		if !known {
			t.Fatal(tt.name)
		}
		if got := f.EndsAtTrap(tt.code, 0); got != tt.ends {
			t.Errorf("before %s: ends %t", tt.name, got)
		}
	}
}

// The NOP that only gives a product time is not the end of a block; elsewhere a NOP is (MERC-361).
func TestBeforeDelays(t *testing.T) {
	product := machinetest.Asm("HMMA R8, R16, R2, R8")
	for _, tt := range []struct {
		first machine.Instr
		end   int
	}{{product, 1}, {machinetest.Move(3, 4), 2}} {
		code := []machine.Instr{tt.first, machinetest.Move(1, 2), machine.NOP, machinetest.Jump(3, 3, false), machinetest.End}
		f, _ := FlowOf(code, nil)
		if f, _ = f.BeforeDelays(code); f.Last[0] != tt.end || f.Last[1] != tt.end || !slices.Equal(f.Next[tt.end], []int{3}) || f.First[1] != 0 {
			t.Errorf("%v: %v", tt.first, f)
		}
	}
}
