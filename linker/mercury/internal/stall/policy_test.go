package stall

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// codeOf returns code in which before, of SM input, became steps, in a link for SM target.
func codeOf(steps []codemap.Step, before []machine.Instr, input, target int) *Code {
	return &Code{Steps: steps, Before: before, Map: codemap.New(len(before), 16*machine.Size, steps), Input: input, Target: target}
}

// The stalls follow from the changed code. A stall that the rules do not explain does not get shorter (KIT-106).
func TestChanged(t *testing.T) {
	together := machinetest.Asm("[B------:R-:W-:-:S05] WARPSYNC.ALL")
	collective := machinetest.Asm("[B------:R-:W-:-:S05] WARPSYNC.COLLECTIVE 0x0")
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want []int
	}{
		{"before threads come together", []machine.Instr{machinetest.ThreeAdd(1, 2, 20).WithStall(7), together.WithStall(5), machinetest.And(3, 1, 20).WithStall(7)}, []int{1, 5, 7}},
		{"its result", []machine.Instr{machinetest.ThreeAdd(1, 2, 20).WithStall(4), machinetest.And(3, 1, 20).WithStall(7)}, []int{5, 7}},
		{"its operand", []machine.Instr{machinetest.And(2, 3, 20).WithStall(4), machinetest.ThreeAdd(1, 2, 20).WithStall(7)}, []int{5, 7}},
		{"the instruction before stalls", []machine.Instr{machinetest.ThreeAdd(1, 2, 20).WithStall(1), machinetest.Move(9, 8).WithStall(3), machinetest.And(3, 1, 20).WithStall(7)}, []int{1, 4, 7}},
		{"by another unit", []machine.Instr{machinetest.And(1, 2, 20).WithStall(2), machinetest.ThreeAdd(4, 5, 20).WithStall(2), machinetest.And(6, 7, 20).WithStall(7)}, []int{1, 1, 7}},
		{"not explained", []machine.Instr{machinetest.And(1, 2, 20).WithStall(6), machinetest.ThreeAdd(4, 5, 20).WithStall(2), machinetest.And(6, 7, 20).WithStall(7)}, []int{6, 1, 7}},
		{"double precision in order", []machine.Instr{machinetest.ThreeAdd(1, 2, 20).WithStall(1), machinetest.Double(6, 8).WithStall(1), machinetest.Double(10, 12).WithWriteBarrier(1).WithStall(2), machinetest.Double(14, 6).WithWaitMask(1 << 1).WithStall(7)}, []int{1, 1, 2, 7}},
		{"a distance before double precision", []machine.Instr{machinetest.Double(6, 8).WithStall(1), machinetest.ThreeAdd(1, 2, 20).WithStall(4), machinetest.And(3, 1, 20).WithStall(2), machine.NOP.WithStall(9), machinetest.Double(10, 12).WithStall(7)}, []int{1, 5, 2, 8, 7}},
		{"a distance that gets longer", []machine.Instr{machinetest.Double(6, 8).WithStall(1), machinetest.Mask(1, 2).WithStall(2), machinetest.ThreeAdd(4, 5, 20).WithStall(2), machine.NOP.WithStall(14), machine.NOP.WithStall(15), machinetest.Double(10, 12).WithStall(7)}, []int{1, 1, 2, 15, 15, 7}},
		{"masks", []machine.Instr{machinetest.Mask(1, 2).WithStall(2), machinetest.ThreeAdd(4, 5, 20).WithStall(2), machinetest.Mask(6, 7).WithStall(2), machinetest.Mask(8, 9).WithStall(7)}, []int{1, 1, 2, 7}},
		{"before what threads do together", []machine.Instr{machinetest.ThreeAdd(4, 5, 20).WithStall(1), machinetest.And(1, 2, 20).WithStall(7), collective.WithStall(5)}, []int{1, 7, 5}},
		{"later", []machine.Instr{machinetest.ThreeAdd(1, 2, 20).WithStall(5), machinetest.Move(3, 1).WithStall(7)}, []int{5, 7}},
		{"nothing changes", []machine.Instr{machinetest.And(1, 2, 20).WithStall(9), machinetest.And(6, 7, 20).WithStall(7)}, []int{9, 7}},
	} {
		steps := codemap.StepsOf(tt.code)
		for i, x := range steps { // two-input additions replace them
			if x.Op() == sass.OpIADD3 {
				steps[i].Low, steps[i].Replaced = x.Low&^0x1ff|sass.OpIADD, true
				steps[i].High &^= 0x7<<(84-64) | 0xf<<(77-64) | 0xff
			}
		}
		codeOf(steps, tt.code, 120, 120).Reschedule(Changed)
		for i, x := range steps {
			if got := x.Stall(); got != tt.want[i] {
				t.Errorf("%s: instruction %d stalls for %d, want %d", tt.name, i, got, tt.want[i])
			}
		}
	}
}

// What follows a self-move that was removed issues as early as possible, and the block yields where its stalls say so (KIT-998).
func TestFreed(t *testing.T) {
	shift := machine.Word(0x0000000406047291, 0x002fce000f8ec0ff) // ULEA UR4, UR6, UR4, 0x18
	self := machine.Word(0x0000000400047c82, 0x000fe20008000000)  // UMOV UR4, UR4
	move := machine.Word(0x0000000700057c82, 0x008fe40008000000)  // UMOV UR5, UR7
	first := machine.Word(0x0000000500037c02, 0x000fe20008000f00) // MOV R3, UR5
	then := machine.Word(0x00000004ff047e24, 0x000fe2000f8e00ff)  // IMAD.U32 R4, RZ, RZ, UR4
	before := []machine.Instr{shift, self, move, first, then}
	if !self.IsSelfMove() || shift.Stall() != 7 {
		t.Fatal("not the code that was compiled")
	}
	for _, removed := range []bool{true, false} {
		steps, want, yields := codemap.StepsOf(before), []int{7, 1, 2, 1, 1}, []bool{true, false, false, false, false}
		if removed {
			steps = slices.Delete(steps, 1, 2)
			steps[0].Instr = steps[0].WithBoundedStall(8)
			want, yields = []int{1, 2, 3, 1}, []bool{false, false, true, false}
		}
		if changed := codeOf(steps, before, 100, 100).Reschedule(Freed); changed != removed {
			t.Errorf("removed %v: changed %v", removed, changed)
		}
		for i, x := range steps {
			if x.Stall() != want[i] || x.Yields() != yields[i] {
				t.Errorf("removed %v: instruction %d stalls for %d, yields %v, want %d, %v", removed, i, x.Stall(), x.Yields(), want[i], yields[i])
			}
		}
	}
}

// An instruction no longer issues two cycles after the one before it if it does not wait for that one any more, unless its unit
// needs the time (KIT-955). The end of the block stays, if nothing explains it.
func TestOnDemand(t *testing.T) {
	load, sleep := machinetest.LoadTwo.WithWriteBarrier(0).WithStall(2), machinetest.Asm("[B------:R-:W-:-:S05] @!P0 NANOSLEEP.SYNCS 0x989680")
	for _, tt := range []struct {
		name        string
		before, now []machine.Instr
		want        []int
		changed     bool
	}{
		{"no wait any more", []machine.Instr{load, machinetest.Move(20, 21).WithWaitMask(1).WithStall(7)}, []machine.Instr{load.WithWriteBarrier(1), machinetest.Move(20, 21).WithStall(7)}, []int{1, 7}, true},
		{"the result of another one", []machine.Instr{machinetest.Move(22, 21).WithStall(3), load, machinetest.Add(20, 22, 0).WithStall(7)}, []machine.Instr{machinetest.Move(22, 21).WithStall(3), load, machinetest.Add(20, 22, 1).WithStall(7)}, []int{3, 2, 7}, false},
		{"still a wait", []machine.Instr{load, machinetest.Move(20, 21).WithWaitMask(1).WithStall(7)}, []machine.Instr{load.WithWriteBarrier(1), machinetest.Move(20, 21).WithWaitMask(2).WithStall(7)}, []int{2, 7}, false},
		{"two sleeps (KIT-362)", []machine.Instr{sleep, load.WithWaitMask(2), sleep}, []machine.Instr{sleep, load, sleep}, []int{5, 3, 5}, true},
		{"the last one", []machine.Instr{machinetest.Move(20, 21).WithStall(1), load.WithStall(9)}, []machine.Instr{machinetest.Move(20, 21).WithStall(1), load.WithStall(9)}, []int{1, 9}, false},
	} {
		steps := codemap.StepsOf(tt.now)
		if got := codeOf(steps, tt.before, 100, 100).Reschedule(OnDemand); got != tt.changed {
			t.Errorf("%s: changed: %t", tt.name, got)
		}
		for i, x := range steps {
			if got := x.Stall(); got != tt.want[i] {
				t.Errorf("%s: instruction %d stalls for %d, want %d", tt.name, i, got, tt.want[i])
			}
		}
	}
}

// On sm_103 the conversion unit is free again four cycles after a power of two, and does not count bits.
// Comparisons of half-precision numbers use the unit of logic operations (MERC-132).
func TestFaster(t *testing.T) {
	const power, reciprocal = 2, 4
	product := machinetest.Asm("IMAD R7, RZ, RZ, R8")
	compare := machinetest.Asm("HSETP2 P1, R5, R4")
	for _, tt := range []struct {
		name    string
		code    []machine.Instr
		want    []int
		changed bool
	}{
		{"powers of two", []machine.Instr{machinetest.Function(power, 1, 20).WithStall(8), machinetest.Function(power, 2, 21).WithStall(1)}, []int{4, 1}, true},
		{"one before another function", []machine.Instr{machinetest.Function(power, 1, 20).WithStall(8), machinetest.Function(reciprocal, 2, 21).WithStall(1)}, []int{4, 1}, true},
		{"one behind another function", []machine.Instr{machinetest.Function(reciprocal, 1, 20).WithStall(8), machinetest.Function(power, 2, 21).WithStall(1)}, []int{8, 1}, false},
		{"bits", []machine.Instr{machinetest.Count(1, 20).WithStall(8), machinetest.Count(2, 21).WithStall(1)}, []int{1, 1}, true},
		{"bits behind a function", []machine.Instr{machinetest.Function(reciprocal, 1, 20).WithStall(8), machinetest.Count(2, 21).WithStall(1)}, []int{1, 1}, true},
		{"bits between functions", []machine.Instr{machinetest.Function(reciprocal, 1, 20).WithStall(8), machinetest.Count(3, 22).WithStall(8), machinetest.Function(reciprocal, 2, 21).WithStall(1)}, []int{1, 7, 1}, true},
		{"bits over an operand", []machine.Instr{machinetest.Function(reciprocal, 1, 20).WithStall(8), machinetest.Count(20, 21).WithStall(1)}, []int{2, 1}, true},
		{"what others need stays", []machine.Instr{machinetest.Function(power, 1, 20).WithStall(3), machinetest.ThreeAdd(21, 5, 6).WithStall(5), machinetest.Function(power, 2, 21).WithStall(1)}, []int{3, 4, 1}, true},
		{"not explained", []machine.Instr{machinetest.Function(power, 1, 20).WithStall(11), machinetest.Function(power, 2, 21).WithStall(1)}, []int{11, 1}, false},
		{"comparison of halves", []machine.Instr{product.WithStall(2), compare.WithStall(5)}, []int{1, 5}, true},
	} {
		steps := codemap.StepsOf(tt.code)
		if changed := codeOf(steps, tt.code, 100, 103).Reschedule(Faster); changed != tt.changed {
			t.Errorf("%s: changed %v", tt.name, changed)
		}
		for i, x := range steps {
			if got := x.Stall(); got != tt.want[i] {
				t.Errorf("%s: instruction %d stalls for %d, want %d", tt.name, i, got, tt.want[i])
			}
		}
	}
}

// Without a table of targets for an indirect branch it is not known where blocks begin. A block still ends at
// every instruction that leaves the code or branches, even if that instruction is the first one (KIT-106).
func TestBlocksOfUnknownFlow(t *testing.T) {
	indirect := machinetest.Asm("[B------:R-:W-:-:S05] BRX R2, -0x160")
	jump := machinetest.Asm("[B------:R-:W-:-:S05] BRA 0x0")
	code := []machine.Instr{machinetest.ReadID, indirect, jump, jump, machinetest.Multiply, machinetest.MayExit, machinetest.End, machinetest.ReadID}
	steps := codemap.StepsOf(code)
	var got []int
	for block := range codeOf(steps, code, 100, 100).blocks() {
		got = append(got, len(block))
	}
	if want := []int{2, 1, 1, 2, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("blocks of %v instructions, want %v", got, want)
	}
}

// Before sm_120, removing the NOPs before an FP64 instruction lets it issue earlier. An access to memory after it
// keeps its distance from the previous access (KIT-050).
func TestAccessesStayApart(t *testing.T) {
	store := machinetest.Asm("[B------:R-:W-:-:S01] STG.E desc[UR4][R8.64+0x0], R12")
	convert := machinetest.Asm("I2F.F64 R22, R21")
	code := []machine.Instr{store.WithStall(1), convert.WithWriteBarrier(0).WithStall(1), store.WithStall(1), machinetest.End}
	steps := codemap.StepsOf(code)
	c := codeOf(steps, code, 103, 103)
	c.ClosesDistances = true
	c.Reschedule(Changed)
	if got := steps[0].Stall() + steps[1].Stall(); got != 4 {
		t.Errorf("accesses are %d cycles apart, want 4", got)
	}
}

// An instruction that reads results of a matrix product issues no earlier than before, unless the results are
// certainly complete. It issues later if the stall before it would exceed the longest possible one (KIT-055).
func TestFollowProducts(t *testing.T) {
	results := sass.Registers{R: [4]uint64{1 << 4}}
	plain := func(stall int) machine.Operation {
		return machine.Operation{Instr: machinetest.Move(1, 2).WithStall(stall), Unit: machine.AnyUnit}
	}
	for _, tt := range []struct {
		name    string
		op      uint64
		between uint64 // cycles between the two before
		want    []int
	}{
		{"as before", sass.OpHMMA, 10, []int{0, 1, 11, 12}},
		{"as long as it takes", sass.OpHMMA, 40, []int{0, 13, 28, 29}},
		{"integers", sass.OpIMMA, 40, []int{0, 11, 26, 27}},
	} {
		product := machine.Operation{Instr: machine.Word(tt.op, machine.NOP.High).WithStall(1), Writes: results}
		reader := plain(1)
		reader.Reads = results
		ops := []machine.Operation{product, plain(1), reader}
		old := &timing{ops: ops, begin: []int{0, 1, int(tt.between) + 1, int(tt.between) + 2}}
		now := newTiming(ops)
		now.before, now.rules = old, rules{movesAll: true, keepsProducts: true}
		now.follow()
		if !slices.Equal(now.begin, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, now.begin, tt.want)
		}
	}
}

// From sm_120 on, products follow each other and end their block as in code of later compilers. Spacing then drops the
// NOPs that kept them at the distance of earlier ones (KIT-890).
func TestProductsCloser(t *testing.T) {
	first, second := machinetest.Asm("HMMA R8, R16, R2, R8").WithStall(15), machinetest.Asm("HMMA R12, R16, R4, R12")
	after := machinetest.Asm("HMMA R8, R16, R4, R8")
	store := machinetest.Asm("[B------:R-:W-:-:S04] STG.E desc[UR4][R20.64+0x0], R8")
	nop := machine.NOP.WithStall(1).WithYield(false)
	space := machine.Instr{Instruction: sass.EmptyAddition}.WithStall(1)
	double := machinetest.Double(24, 26).WithWriteBarrier(1).WithStall(2)
	for _, tt := range []struct {
		name  string
		sm    int
		later bool
		code  []machine.Instr
		want  []int // stalls
	}{
		{"independent", 120, false, []machine.Instr{first, nop, second.WithStall(12), store, machinetest.End}, []int{11, 11, 6, 4, 5}},
		{"by an addition", 120, false, []machine.Instr{first, space, second.WithStall(12), store, machinetest.End}, []int{11, 11, 6, 4, 5}},
		{"dependent", 120, false, []machine.Instr{first, nop.WithStall(14), after.WithStall(15), nop.WithStall(13), store, machinetest.End}, []int{11, 11, 7, 11, 11, 6, 4, 5}},
		{"not explained", 120, false, []machine.Instr{first, nop.WithStall(15), nop, second.WithStall(12), store, machinetest.End}, []int{11, 11, 9, 11, 1, 4, 5}},
		{"before double precision", 120, false, []machine.Instr{first.WithStall(1), machinetest.Move(40, 41).WithStall(15), double.WithStall(15), store, machinetest.End}, []int{1, 10, 11, 6, 4, 5}},
		{"already close", 120, true, []machine.Instr{first.WithStall(11), second.WithStall(11), space.WithStall(6), store, machinetest.End}, []int{11, 11, 6, 4, 5}},
		{"sm_110", 110, false, []machine.Instr{first, nop, second.WithStall(4), store, machinetest.End}, []int{11, 5, 4, 4, 5}},
	} {
		steps := codemap.StepsOf(tt.code)
		c := codeOf(steps, tt.code, tt.sm, tt.sm)
		c.Later, c.ClosesDistances = tt.later, tt.sm == 120
		c.Reschedule(Changed)
		if spaced := c.Space(); spaced != nil {
			steps = spaced
		}
		var got []int
		for _, x := range steps {
			got = append(got, x.Stall())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: stalls %v, want %v", tt.name, got, tt.want)
		}
	}
}

// If the NOP after a WARPSYNC is dropped, its cycle is added to the stall before the first instruction that needs
// that cycle (MERC-108).
func TestEarly(t *testing.T) {
	warpsync := machine.Word(0x7948, 0x03800000_00000000>>8).WithStall(5).WithYield(false)
	add := machinetest.Asm("[B--2---:R-:W-:-:S01] FADD R4, R2, R0").WithStall(1)
	move := machinetest.Asm("[B------:R-:W-:-:S01] MOV R40, R6").WithStall(1)
	product := machinetest.Asm("[B------:R-:W-:-:S01] HMMA R8, R8, R4, R10").WithStall(1)
	unknown := machine.Word(0x0000000000007fff, 0x000fe20000000000).WithStall(1)
	tests := []struct {
		name string
		code []machine.Instr // the NOP is the third one
		want []int
	}{
		{"nothing needs it", []machine.Instr{move, warpsync, machine.NOP.WithStall(1), move, move}, []int{1, 5, 1, 1}},
		{"the next one needs it", []machine.Instr{add, warpsync, machine.NOP.WithStall(1), product}, []int{1, 6, 1}},
		{"a later one needs it", []machine.Instr{add, warpsync.WithStall(4), machine.NOP.WithStall(1), move, product}, []int{1, 4, 2, 1}},
		{"something is not known", []machine.Instr{move, warpsync, machine.NOP.WithStall(1), unknown}, []int{1, 6, 1}},
	}
	for _, test := range tests {
		steps := codemap.StepsOf(test.code)
		steps[1].Absorbs = true
		steps = slices.Delete(steps, 2, 3)
		codeOf(steps, test.code, 120, 120).Reschedule(Early)
		for i, x := range steps {
			if x.Stall() != test.want[i] {
				t.Errorf("%s: instruction %d stalls %d, want %d", test.name, i, x.Stall(), test.want[i])
			}
		}
	}
}

// A newly counted instruction stalls a cycle longer if the next one waits for it. The next instruction then stalls
// a cycle less if it can (KIT-177).
func TestCountedDoubles(t *testing.T) {
	add := machinetest.Asm("DADD R4, R4, R6").WithStall(1)
	store := machinetest.Asm("[B------:R-:W-:-:S01] STG.E.64 desc[UR4][R2.64+0x0], R4")
	for _, tt := range []struct {
		name string
		next machine.Instr // follows the addition and waits for it
		want int
	}{
		{"memory reads it in time", machinetest.Move(20, 21).WithStall(6), 5},
		{"what stands between takes as long", machinetest.Multiply.WithStall(5), 5},
		{"not explained", machinetest.Move(20, 21).WithStall(9), 9},
	} {
		code := []machine.Instr{add, tt.next, store, machinetest.End}
		steps := codemap.StepsOf([]machine.Instr{add.WithWriteBarrier(0), tt.next.WithWaitMask(1), store, machinetest.End})
		if !codeOf(steps, code, 100, 100).Reschedule(CountedDoubles) {
			t.Errorf("%s: nothing changed", tt.name)
		}
		if got := [...]int{steps[0].Stall(), steps[1].Stall()}; got != [...]int{2, tt.want} {
			t.Errorf("%s: stalls for %v, want 2 and %d", tt.name, got, tt.want)
		}
	}
}

// The second cycle of a stall is kept if the guard of the next instruction is complete only then (KIT-901).
func TestShortenBeforeGuard(t *testing.T) {
	const setP0, otherP2 = 0x000000000080281c, 0x000000000080781c  // @P2 PLOP3.LUT P0, ...; PLOP3.LUT P2, ...
	branch := machine.Word(0xfffffffd00dc0947, 0x000fea000393ffff) // @P0 BRA.U.ANY
	for between, want := range map[int]int{8: 2, 9: 2, 10: 1} {
		counted := machine.NOP.WithWriteBarrier(2).WithStall(2)
		steps := codemap.StepsOf([]machine.Instr{machine.Word(setP0, 0x000fe4000170e170), machine.Word(otherP2, 0x000fd20003f4e170).WithStall(between), counted, branch})
		before := []machine.Instr{steps[0].Instr, steps[1].Instr, counted, branch.WithWaitMask(1 << 2)}
		shorten(steps, before, false, 100)
		if got := steps[2].Stall(); got != want {
			t.Errorf("%d cycles between: a stall of %d, want %d", between, got, want)
		}
	}
}

// The second cycle of a stall is dropped together with the wait that needed it. It is kept if the instruction
// counts on another scoreboard (KIT-103).
func TestShorten(t *testing.T) {
	counted, waits := machine.NOP.WithWriteBarrier(2).WithStall(2), machine.NOP.WithWaitMask(1<<2).WithStall(1)
	for _, tt := range []struct {
		name     string
		x, after machine.Instr // in the new code
		unmoved  bool
		want     int
	}{
		{"no more", counted, machine.NOP.WithStall(1), false, 1},
		{"still", counted, waits, false, 2},
		{"on another scoreboard", machine.NOP.WithWriteBarrier(3).WithStall(2), waits, true, 2},
		{"on another one, and nothing is waited for", machine.NOP.WithWriteBarrier(3).WithStall(2), machine.NOP.WithStall(1), true, 2},
		{"on the same one, and another one is waited for", counted, machine.NOP.WithWaitMask(1 << 1).WithStall(1), true, 1},
		{"counted no more", machine.NOP.WithStall(2), machine.NOP.WithStall(1), true, 1},
	} {
		steps := codemap.StepsOf([]machine.Instr{tt.x, tt.after})
		changed := shorten(steps, []machine.Instr{counted, waits}, tt.unmoved, 100)
		if got := steps[0].Stall(); got != tt.want || changed != (got == 1) {
			t.Errorf("%s: stalls for %d", tt.name, got)
		}
	}
}

// An instruction in whose place another one comes issues as early as that can, by its own registers and unit, in both policies that
// this may meet. The policy for blocks with such instructions applies to no other block (MERC-351).
func TestReplaced(t *testing.T) {
	first, second := machinetest.And(1, 2, 20).WithStall(9), machinetest.And(6, 7, 20).WithStall(7)
	for name, policy := range map[string]Policy{"changed": Changed, "early": Early, "renewed": Renewed} {
		for _, differs := range []bool{false, true} {
			before := []machine.Instr{first, second, second}
			steps := codemap.StepsOf(before)
			if differs {
				steps[1].Instr, steps[1].Differs = machinetest.And(3, 1, 20).WithStall(7), true
			}
			c := codeOf(steps, before, 120, 120)
			changed := c.Reschedule(policy)
			switch {
			case changed != differs:
				t.Errorf("%s: changed %t, want %t", name, changed, differs)
			case differs && steps[0].Stall() >= first.Stall():
				t.Errorf("%s: a stall of %d", name, steps[0].Stall())
			}
		}
	}
}
