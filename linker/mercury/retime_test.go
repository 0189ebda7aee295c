package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// KIT-106: the stalls of code follow from what it has become; what is not explained gets no shorter.
func TestRetime(t *testing.T) {
	together := machine.Word(0x0000000000007948, 0x000fea0003800000)   // WARPSYNC.ALL
	collective := machine.Word(0x0000000000007948, 0x000fea0003c00000) // WARPSYNC.COLLECTIVE
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
		steps := stepsOf(tt.code...)
		withTwoAdds(steps)
		m := newMap(len(tt.code), padded(len(tt.code))*InstructionSize, steps)
		m.retime(steps, tt.code, Function{Input: 120, Finalizer: arch.Finalizer{Retimes: true}})
		for i, x := range steps {
			if got := x.Stall(); got != tt.want[i] {
				t.Errorf("%s: instruction %d stalls for %d, want %d", tt.name, i, got, tt.want[i])
			}
		}
	}
}

// MERC-132: on sm_103 the unit of conversions is free after four cycles of a power of two, and does not
// count bits; and logic compares halves.
func TestHurry(t *testing.T) {
	const power, reciprocal = 2, 4
	product := machine.Word(0x000000ffff077224, 0x000fc000078e0008) // IMAD R7, RZ, RZ, R8
	compare := machine.Word(0x0000000405007234, 0x000fc00003f20000) // HSETP2 P1, R5, R4
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
		steps := stepsOf(tt.code...)
		m := newMap(len(tt.code), padded(len(tt.code))*InstructionSize, steps)
		if changed := m.hurry(steps, Function{Input: 100, Target: 103}); changed != tt.changed {
			t.Errorf("%s: changed %v", tt.name, changed)
		}
		for i, x := range steps {
			if got := x.Stall(); got != tt.want[i] {
				t.Errorf("%s: instruction %d stalls for %d, want %d", tt.name, i, got, tt.want[i])
			}
		}
	}
}

// KIT-106: how long predicates take depends on who writes and who reads them.
func TestAfterPredicate(t *testing.T) {
	compare := machine.Word(0x000000040500720c, 0x000fc00003f06270) // ISETP.GE.AND P0, PT, R5, R4, PT
	pair := machine.Word(0x000000040600720c, 0x000fc00003f14270)    // ISETP.GT.S64.AND P0, PT, R6, R4, PT
	logic := machine.Word(0x000000000000781c, 0x000fc00003f0e0ff)   // PLOP3 P0, which reads none
	selects := machine.Word(0x0000000403007207, 0x000fc00000000000) // SEL R0, R3, R4, P0
	onGuard := machinetest.Move(1, 2)
	onGuard.Low &^= 7 << 12 // @P0
	for _, tt := range []struct {
		name     string
		from, to machine.Instr
		want     int
	}{
		{"a comparison, an operand", compare, selects, 5},
		{"of pairs, an operand", pair, selects, 6},
		{"a comparison, a condition", compare, onGuard, 13},
		{"of pairs, a condition", pair, onGuard, 14},
		{"logic, an operand", logic, selects, 5},
		{"a comparison, an exit", compare, machine.Word(0x000000000000094d, 0x000fc00003800000), 13},
	} {
		from, _ := machine.NewAct(tt.from, 120)
		to, _ := machine.NewAct(tt.to, 120)
		if got := to.After(&from); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// KIT-107.
func TestMayYield(t *testing.T) {
	for _, tt := range []struct {
		name  string
		x     machine.Instr
		stall int
		since int
		want  bool
	}{
		{"one cycle", machinetest.Move(1, 2), 1, 20, false},
		{"two cycles, soon", machinetest.Move(1, 2), 2, 9, false},
		{"two cycles, later", machinetest.Move(1, 2), 2, 10, true},
		{"three cycles", machinetest.Move(1, 2), 3, 0, true},
		{"counted", machinetest.Move(1, 2).WithWriteBarrier(1), 11, 20, false},
		{"counted, for long", machinetest.Move(1, 2).WithWriteBarrier(1), 12, 0, true},
		{"a NOP", machine.NOP, 3, 0, true},
	} {
		x, _ := machine.NewAct(tt.x, 120)
		if got := x.MayYield(tt.stall, tt.since); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// KIT-108.
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
		var block []machine.Act
		for _, x := range append([]machine.Instr{first}, tt.then...) {
			if x.Stall() < 3 {
				x = x.WithYield(false)
			}
			a, _ := machine.NewAct(x, 120)
			block = append(block, a)
		}
		if got := reuses(block, 0, 0); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// KIT-108: what reads pairs keeps both if both are read again, and is read in as many places.
func TestReusesOfPairs(t *testing.T) {
	pair := func(to, from uint64) machine.Instr { // IADD.64 to, from, R20
		return machine.Word(0x1400007235|to<<16|from<<24, 0x000fc000078e0200)
	}
	one := func(from uint64) machine.Instr { return machinetest.And(2, from, 21) }
	wide := machine.Word(0x0000000807047225, 0x000fc000078e0008) // IMAD.WIDE R4, R7, R8, R8
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
		var block []machine.Act
		for _, x := range append([]machine.Instr{tt.first}, tt.then...) {
			x = x.WithYield(false)
			a, _ := machine.NewAct(x, 120)
			block = append(block, a)
		}
		if got := reuses(block, 0, tt.place); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// KIT-108: halves and doubles have rooms of their own, and moves of general registers to uniform ones keep what they read.
func TestReusesInRooms(t *testing.T) {
	halves := machine.Word(0x0000001400017231, 0x000fc00000000000) // HFMA2 R1, R0, R20, R0
	double := machine.Word(0x000000140416722b, 0x000fc00000000004) // DFMA R22, R4, R20, R4
	moves := machine.Word(0x00000000040472ca, 0x000fc000000e0000)  // R2UR UR4, R4
	compares := machine.Word(0x0000001404017233, 0x000fc00003804000)
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
		var block []machine.Act
		for _, x := range tt.code {
			x = x.WithYield(false)
			a, _ := machine.NewAct(x, tt.sm)
			block = append(block, a)
		}
		if got := reuses(block, 0, tt.place); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// KIT-106: products of 64 bits read the upper half of an addend later and have that of their result later; halves are
// done by a unit of their own, and what tells which of two pairs is less by another one than what adds them.
func TestAfterRegisters(t *testing.T) {
	wide := func(to, factor, addend uint64) machine.Instr { // IMAD.WIDE to, factor, 5, addend
		return machine.Word(0x0000000500007825|to<<16|factor<<24, 0x000fc000078e0000|addend)
	}
	product := func(to uint64) machine.Instr { return machine.Word(0x0000000807007224|to<<16, 0x000fc000078e0009) } // IMAD to, R7, R8, R9
	upper := machine.Word(0x000000080a047227, 0x000fc000078e00ff)                                                   // IMAD.HI R4, R10, R8, RZ
	half := func(to uint64) machine.Instr {
		return machine.Word(0x000000ff00007431|to<<16|0xff<<24, 0x000fc000000001ff)
	}
	float := machine.Word(0x0000000804017220, 0x000fc00000000000) // FMUL R1, R4, R8
	pair := machine.Word(0x0000001406047235, 0x000fc000078e0200)  // IADD.64 R4, R6, R20
	order := machine.Word(0x0000001404047217, 0x000fc00003ffe400) // IMNMX.64 R4, R4, R20
	tells := machine.Word(0x000000140400720c, 0x000fc00003f14270) // ISETP.64 P0, R4, R20
	exclusive := machine.Word(0x000000040000735d, 0x000fc00003800000)
	for _, tt := range []struct {
		name     string
		from, to machine.Instr
		want     int
	}{
		{"the lower half of an addend", machinetest.Move(4, 1), wide(12, 10, 4), 5},
		{"the upper half", machinetest.Move(5, 1), wide(12, 10, 4), 3},
		{"a factor", machinetest.Move(10, 1), wide(12, 10, 4), 5},
		{"the upper half of a product", product(5), wide(12, 10, 4), 2},
		{"the lower half of a product", product(4), wide(12, 10, 4), 4},
		{"a constant of halves", half(5), wide(12, 10, 4), 3},
		{"the lower half of a result", wide(4, 10, 12), machinetest.Move(1, 4), 3},
		{"its upper half", wide(4, 10, 12), machinetest.Move(1, 5), 5},
		{"one to another", wide(4, 10, 12), wide(12, 10, 4), 4},
		{"an upper half as a factor", upper, wide(12, 4, 14), 6},
		{"a lower half as a factor", wide(4, 10, 12), wide(12, 4, 14), 4},
		{"halves to floats", half(4), float, 5},
		{"halves to halves", half(4), machine.Word(0x0000000804047231, 0x000fc00000000002), 4},
		{"pairs to a sum", pair, machine.Word(0x0000001404047235, 0x000fc000078e0200), 4},
		{"pairs to the lesser one", pair, order, 6},
		{"pairs to a comparison", pair, tells, 6},
		{"the lesser one to a comparison", order, tells, 4},
		{"the lesser one to a sum", order, machine.Word(0x0000001404067235, 0x000fc000078e0200), 6},
		{"threads alone", machinetest.Move(4, 1), exclusive, 4},
	} {
		from, _ := machine.NewAct(tt.from, 120)
		to, _ := machine.NewAct(tt.to, 120)
		if got := to.After(&from); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// KIT-106: what takes no fixed time writes over results of fixed time later.
func TestRewrites(t *testing.T) {
	double := machine.Word(0x000000080a04722b, 0x000fc00000000002) // DFMA R4, R10, R8, R2
	loads := machine.Word(0x00007300ff0577ac, 0x000fc00008000800)  // LDCU UR5
	moves := machine.Word(0x0000000000057882, 0x000fc00000000000)  // UMOV UR5, 0
	adds := machine.Word(0x0000000404057890, 0x000fc0000fffe0ff)   // UIADD3 UR5, UR4, 4
	for _, tt := range []struct {
		name     string
		from, to machine.Instr
		want     int
	}{
		{"double precision", machinetest.Move(4, 1), double, 6},
		{"its upper half", machinetest.Move(5, 1), double, 6},
		{"uniform, moved", moves, loads, 4},
		{"uniform, added", adds, loads, 11},
	} {
		from, _ := machine.NewAct(tt.from, 120)
		to, _ := machine.NewAct(tt.to, 120)
		if got := to.After(&from); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// KIT-190: what adds the window of shared memory keeps nothing, and others keep what they read as if it were not there.
func TestPassWindows(t *testing.T) {
	const short, none = "\x41\x00\x00\x0a", "\x41\x00\x04\x0a"
	window := machine.Word(0x0000000006037211, 0x000fc200078ec0ff).WithYield(false)                        // LEA R3, R6, R0, 0x18
	keeps := func(x machine.Instr) machine.Instr { x = x.WithReuse(0, true).WithReuse(1, true); return x } // its first two operands
	first := machinetest.And(1, 4, 20)
	first = first.WithYield(false)
	for _, tt := range []struct {
		name       string
		code, want []machine.Instr
		record     string
	}{
		{"it takes no room", []machine.Instr{first, window, first}, []machine.Instr{keeps(first), window, first}, short},
		{"it keeps nothing", []machine.Instr{keeps(window), window, first}, []machine.Instr{window, window, first}, short},
		{"what no rule explains", []machine.Instr{first, window, keeps(first)}, []machine.Instr{keeps(first), window, keeps(first)}, short},
		{"made so", []machine.Instr{keeps(first), window, first}, []machine.Instr{keeps(first), window, first}, short},
		{"another addition", []machine.Instr{first, window, first}, []machine.Instr{first, window, first}, none},
	} {
		for passes, want := range map[bool][]machine.Instr{true: tt.want, false: tt.code} {
			var records [][]byte
			for _, x := range tt.code {
				record := none
				if x.Op() == sass.OpLEA {
					record = tt.record
				}
				records = append(records, []byte(record))
			}
			f := Function{Text: textOf(tt.code...), Capsule: capsuleOf(append(records, []byte{countAlone | 0x80, 6})...), Input: 100, Target: 100}
			f.PassesWindows = passes
			r, err := Finalize(f)
			if err != nil {
				t.Fatal(tt.name, err)
			}
			if got := body(r.Text); !slices.Equal(got, body(textOf(want...))) {
				t.Errorf("%s, passing %v:\n%x\n%x", tt.name, passes, got, want)
			}
		}
	}
}

// KIT-108: the second operand of a sum of floats stands in the third place.
func TestReusesOfSums(t *testing.T) {
	sum, _ := machine.NewAct(machine.Word(0x0000000804017221, 0x000fc00000000000).WithYield(false), 120) // FADD R1, R4, R8
	last := sum
	for place, want := range [operandPlaces]bool{true, false, true} {
		if got := reuses([]machine.Act{sum, last}, 0, place); got != want {
			t.Errorf("place %d: %v", place, got)
		}
	}
}

// KIT-108: products of matrices keep their second factor for one another, and before sm_120 their first one.
func TestReusesOfProducts(t *testing.T) {
	product := machine.Word(0x000000080410723c, 0x000fc00000001810) // HMMA R16, R4, R8, R16
	other := machine.Word(0x0000000c0610723c, 0x000fc00000001810)   // HMMA R16, R6, R12, R16
	for _, tt := range []struct {
		name string
		sm   int
		then []machine.Instr
		want [operandPlaces]bool
	}{
		{"both factors", 100, []machine.Instr{product}, [operandPlaces]bool{true, true, false}},
		{"the second alone", 120, []machine.Instr{product}, [operandPlaces]bool{false, true, false}},
		{"for another instruction", 100, []machine.Instr{machinetest.And(1, 4, 8)}, [operandPlaces]bool{}},
		{"behind another product", 100, []machine.Instr{other, product}, [operandPlaces]bool{}},
		{"behind another instruction", 100, []machine.Instr{machinetest.And(1, 6, 12), product}, [operandPlaces]bool{true, true, false}},
		{"it is written", 100, []machine.Instr{machinetest.Move(4, 1), product}, [operandPlaces]bool{false, true, false}},
	} {
		var block []machine.Act
		for _, x := range append([]machine.Instr{product}, tt.then...) {
			x = x.WithYield(false)
			a, _ := machine.NewAct(x, tt.sm)
			block = append(block, a)
		}
		for place, want := range tt.want {
			if got := reuses(block, 0, place); got != want {
				t.Errorf("%s: place %d %v", tt.name, place, got)
			}
		}
	}
}

// KIT-109: the time stays as it is.
func TestSpace(t *testing.T) {
	product := machine.Word(0x000000021008723c, 0x000fc00000001808) // HMMA
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
		{"no product", 100, []machine.Instr{machinetest.Move(3, 4).WithStall(15), machine.NOP.WithStall(5), machinetest.Move(1, 2)}, nil},
	} {
		spaced := spaceBlock(stepsOf(tt.code...), tt.sm)
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

// KIT-109: each addition of nothing has a place of its own in the capsule.
func TestCapsuleOfSpace(t *testing.T) {
	product := machine.Word(0x000000021008723c, 0x000fc00000001808).WithStall(15)
	record := append([]byte{2, 0x5a, 0, 0x26}, make([]byte, 28)...)
	alone := []byte{countAlone | 0x80, 0}
	f := Function{Text: textOf(machinetest.Move(1, 2).WithStall(1), product, machine.NOP.WithStall(14)), Input: 120, Target: 120, Finalizer: arch.Finalizer{AddsNothing: true}}
	f.Capsule = capsuleOf(alone, record, alone, []byte{countAlone | 0x80, 6})
	r, err := Finalize(f)
	if err != nil {
		t.Fatal(err)
	}
	if want := capsuleOf(alone, record, alone, alone, []byte{countAlone, 6}); !slices.Equal(r.Capsule, want) {
		t.Errorf("capsule %x, want %x", r.Capsule, want)
	}
	if got := r.Map.Offset(3 * InstructionSize); got != 4*InstructionSize {
		t.Errorf("what was behind the NOP is at %#x", got)
	}
}

// KIT-106: without a table for an indirect branch nothing is known of where blocks begin, but each ends where
// code leaves or branches, be that its first instruction.
func TestBlocksOfUnknownFlow(t *testing.T) {
	indirect := machine.Word(0xfffffffc02a87949, 0x000fea000383ffff) // BRX
	jump := machine.Word(0x0000000000007947, 0x000fea0003800000)     // BRA to the next one
	code := []machine.Instr{machinetest.ReadID, indirect, jump, jump, machinetest.Multiply, machinetest.MayExit, machinetest.End, machinetest.ReadID}
	steps := stepsOf(code...)
	var got []int
	for block := range newMap(len(code), padded(len(code))*InstructionSize, steps).blocks(steps, Function{}) {
		got = append(got, len(block))
	}
	if want := []int{2, 1, 1, 2, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("blocks of %v instructions, want %v", got, want)
	}
}

// KIT-050: where double precision comes closer before sm_120, an access behind it comes no closer to the one before.
func TestAccessesStayApart(t *testing.T) {
	store := machine.Word(0x0000000c08007986, 0x000fe2000c101904) // STG [R8], R12
	convert := machine.Word(0x0000001500167312, 0x000fc00000201c00)
	code := []machine.Instr{store.WithStall(1), convert.WithWriteBarrier(0).WithStall(1), store.WithStall(1), machinetest.End}
	steps := stepsOf(code...)
	m := newMap(len(code), padded(len(code))*InstructionSize, steps)
	m.retime(steps, code, Function{Input: 103, Finalizer: arch.Finalizer{Retimes: true, ClosesDistances: true}})
	if got := steps[0].Stall() + steps[1].Stall(); got != 4 {
		t.Errorf("accesses are %d cycles apart, want 4", got)
	}
}

// MERC-132: the unit of conversions takes time of its own before sm_120.
func TestConverts(t *testing.T) {
	for _, tt := range []struct {
		x    machine.Instr
		sm   int
		want int
	}{
		{machinetest.Count(1, 2), 100, 8}, {machinetest.Count(1, 2), 103, 0}, {machinetest.Count(1, 2), 110, 8}, {machinetest.Count(1, 2), 120, 0}, {machinetest.Count(1, 2), 121, 0},
		{machinetest.Function(2, 1, 2), 100, 8}, {machinetest.Function(2, 1, 2), 103, 4}, {machinetest.Function(2, 1, 2), 110, 8}, {machinetest.Function(2, 1, 2), 120, 0},
		{machinetest.Function(4, 1, 2), 103, 8}, {machinetest.Move(1, 2), 100, 0}, {machinetest.DoubleAdd, 103, 0},
	} {
		if a, _ := machine.NewAct(tt.x, tt.sm); a.Converts != tt.want {
			t.Errorf("operation %#x on sm_%d converts for %d cycles, want %d", tt.x.Op(), tt.sm, a.Converts, tt.want)
		}
	}
}

// KIT-055: what reads results of a product of matrices begins no sooner than it did, or when they are there for sure; what would stall
// for longer than it can say begins later.
func TestFollowProducts(t *testing.T) {
	results := sass.Registers{R: [4]uint64{1 << 4}}
	plain := func(stall int) machine.Act {
		return machine.Act{Instr: machinetest.Move(1, 2).WithStall(stall), Unit: machine.AnyUnit}
	}
	for _, tt := range []struct {
		name    string
		op      uint64
		between uint64 // cycles that were between
		want    []int
	}{
		{"as before", sass.OpHMMA, 10, []int{0, 1, 11, 12}},
		{"as long as it takes", sass.OpHMMA, 40, []int{0, 13, 28, 29}},
		{"integers", sass.OpIMMA, 40, []int{0, 12, 27, 28}},
	} {
		product := machine.Act{Instr: machine.Word(tt.op, machine.NOP.High).WithStall(1), Writes: results}
		reader := plain(1)
		reader.Reads = results
		acts := []machine.Act{product, plain(1), reader}
		old := &timing{acts: acts, begin: []int{0, 1, int(tt.between) + 1, int(tt.between) + 2}}
		now := newTiming(acts)
		now.old = old
		now.follow(old, true, false)
		if !slices.Equal(now.begin, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, now.begin, tt.want)
		}
	}
}
