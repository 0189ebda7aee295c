package hazard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// of returns an instruction of an operation with scoreboards for its results and operands. 7 means no
// scoreboard.
func of(op uint64, results, operands uint64) sass.Instruction {
	x := sass.Instruction{Low: 0x7000 | op, High: exit.High}
	put(&x, 110, 3, results)
	put(&x, 113, 3, operands)
	return x
}

// The units of a machine guarantee these orders: of results of one unit, of textures and surfaces on the same
// scoreboard, and of operands of memory instructions.
func TestOrders(t *testing.T) {
	const add, special, otherSpecial, texture, surface, load, store, shared, none = 0x10, 0x119, 0x1c3, 0x160, 0x199, 0x181, 0x186, 0x184, 7
	m, ok := MachineOf(100)
	if _, unknown := MachineOf(30); !ok || unknown {
		t.Fatalf("sm_100 is known: %v, sm_30: %v", ok, unknown)
	}
	for _, tt := range []struct {
		first, second          uint64
		writes, ends, operands bool
	}{
		{add, add, false, false, false},
		{add, special, false, false, false},
		{special, add, false, false, false},
		{special, otherSpecial, true, true, true},
		{texture, texture, true, true, true},
		{texture, surface, false, true, false},
		{surface, texture, false, true, false},
		{texture, special, false, false, false},
		{special, surface, false, false, false},
		{surface, special, false, false, false},
		{special, texture, false, false, false},
		{load, store, false, false, true},
		{load, shared, false, false, true},
		{load, special, false, false, false},
	} {
		a, b := of(tt.first, none, none), of(tt.second, none, none)
		if m.WritesBefore(a, b) != tt.writes || m.EndsBefore(a, b) != tt.ends || m.ReadsBefore(a, b) != tt.operands {
			t.Errorf("%#x before %#x: writes %v, ends %v, reads %v", tt.first, tt.second, m.WritesBefore(a, b), m.EndsBefore(a, b), m.ReadsBefore(a, b))
		}
	}
	for _, tt := range []struct {
		x    sass.Instruction
		late bool
	}{{of(add, none, none), false}, {of(add, 0, none), true}, {of(add, none, 0), true}, {of(store, none, none), true}, {of(special, none, none), true}} {
		if got := m.ReadsLate(tt.x); got != tt.late {
			t.Errorf("%#x with scoreboards %d, %d: reads late: %v", tt.x.Opcode(), writeBoard(tt.x), readBoard(tt.x), got)
		}
	}
}

// The fields of a schedule are read from an instruction: each scoreboard, and each wait.
func TestControlOf(t *testing.T) {
	x := of(0x119, 5, 0)
	put(&x, 105, 4, 11)
	for waits := range uint64(64) {
		put(&x, 116, 6, waits)
		var want []int
		for b := range 6 {
			if waits>>b&1 == 1 {
				want = append(want, b)
			}
		}
		c := ControlOf(x)
		if c.Stall != 11 || c.Results == nil || *c.Results != 5 || c.Operands == nil || *c.Operands != 0 || !slices.Equal(c.Waits, want) {
			t.Errorf("waits %06b: %s", waits, c)
		}
	}
	put(&x, 116, 6, 0b101001)
	if got, want := ControlOf(x).String(), "stall 11, waits 0,3,5, results 5, operands 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ControlOf(of(0x119, 7, 7)).String(), "stall 5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A machine with known tables returns how many cycles are enough, when operands are read, and the maximum of
// both.
func TestMachineOfTables(t *testing.T) {
	const add, store, special, none = 0x10, 0x186, 0x119, 7
	first, second := of(add, none, none), of(add, none, none)
	results := pair{add, result, sass.General, logic, false}
	operands := pair{add, operand, sass.General, logic, true}
	other := pair{add, operand, sass.General, another, true}
	type answer struct {
		cycles int
		ok     bool
	}
	machine := func(seen map[pair]least, change func(g *generation)) Machine {
		g := tableOf(seen)
		g.readsFrom, g.readsUntil = 10, 20
		if change != nil {
			change(g)
		}
		return Machine{g}
	}
	set := func(o *operations, op uint16) { o[op/64] |= 1 << (op % 64) }
	for name, tt := range map[string]struct {
		m    Machine
		want answer
	}{
		"seen":                     {machine(map[pair]least{results: {cycles: 6}}, nil), answer{6, true}},
		"as far as anything goes":  {machine(map[pair]least{results: {cycles: horizon}}, nil), answer{horizon, true}},
		"never seen":               {machine(nil, nil), answer{never, false}},
		"variable":                 {machine(map[pair]least{results: {cycles: 6}}, func(g *generation) { set(&g.variable, add) }), answer{0, false}},
		"variable, in fixed forms": {machine(map[pair]least{results: {cycles: 6}}, func(g *generation) { set(&g.variable, add); set(&g.fixed, add) }), answer{6, true}},
	} {
		if cycles, ok := tt.m.Enough(first, second, sass.General, false); (answer{cycles, ok}) != tt.want {
			t.Errorf("%s: %d, %v are enough", name, cycles, ok)
		}
	}
	for name, tt := range map[string]struct {
		m                    Machine
		op                   uint64
		next, other, longest answer
	}{
		"seen":                      {machine(map[pair]least{operands: {cycles: 3, count: enough}}, nil), add, answer{3, true}, answer{3, true}, answer{never, true}},
		"seen seldom":               {machine(map[pair]least{operands: {cycles: 3, count: enough - 1}, other: {cycles: 5}}, nil), add, answer{3, true}, answer{5, true}, answer{never, true}},
		"seen before others":        {machine(map[pair]least{other: {cycles: 5}}, nil), add, answer{never, false}, answer{5, true}, answer{never, true}},
		"never seen":                {machine(nil, nil), add, answer{never, false}, answer{never, false}, answer{never, true}},
		"memory":                    {machine(nil, nil), store, answer{20, true}, answer{20, true}, answer{20, true}},
		"memory that always counts": {machine(nil, func(g *generation) { g.readsUntil = never }), store, answer{never, false}, answer{never, false}, answer{never, true}},
		"memory, results":           {machine(map[pair]least{{store, result, sass.General, logic, false}: {cycles: 30}}, nil), store, answer{20, true}, answer{20, true}, answer{30, true}},
		"memory, operands":          {machine(map[pair]least{{store, operand, sass.UniformPredicate, another, true}: {cycles: 40}}, nil), store, answer{20, true}, answer{20, true}, answer{40, true}},
		"memory, a group": {machine(nil, func(g *generation) {
			g.groups = []spread{{group: pair{store, result, sass.General, logic, false}.group().number(), most: horizon}}
		}), store, answer{20, true}, answer{20, true}, answer{horizon, true}},
		"memory, a group's operands": {machine(nil, func(g *generation) {
			g.groups = []spread{{group: pair{store, operand, sass.General, logic, false}.group().number(), most: 50}}
		}), store, answer{20, true}, answer{20, true}, answer{20, true}},
	} {
		x := of(tt.op, none, none)
		if cycles, ok := tt.m.HasRead(x, second, sass.General); (answer{cycles, ok}) != tt.next {
			t.Errorf("%s: has read after %d, %v", name, cycles, ok)
		}
		if cycles, ok := tt.m.HasReadForAnother(x, sass.General); (answer{cycles, ok}) != tt.other {
			t.Errorf("%s: has read for another function after %d, %v", name, cycles, ok)
		}
		if cycles := tt.m.Longest(x); cycles != tt.longest.cycles {
			t.Errorf("%s: at the longest %d", name, cycles)
		}
	}
}

// guardOf returns the guard of an instruction, and excludes reports whether two guards exclude each other.
func TestGuardBits(t *testing.T) {
	x := of(0x10, 7, 7)
	put(&x, 12, 8, 0xf9) // the bits after a guard do not belong to it
	if g := guardOf(x); g != 9 || g.predicate() != 1 || guard(6).predicate() != 6 || guard(15).predicate() != 7 {
		t.Errorf("guard %d of predicate %d", g, g.predicate())
	}
	for _, tt := range []struct {
		a, b guard
		want bool
	}{{1, 9, true}, {9, 1, true}, {1, 1, false}, {1, 10, false}, {always, always | 8, false}, {always | 8, always, false}, {6, 14, true}} {
		if got := tt.a.excludes(tt.b); got != tt.want {
			t.Errorf("%d excludes %d: %v", tt.a, tt.b, got)
		}
	}
}
