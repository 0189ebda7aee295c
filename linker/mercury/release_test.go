package mercury

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// These tests check the passes for finalizers after 13.0, one instruction at a time.

// textOf returns the machine code of a function: the given instructions, and the branch to itself at the end.
func textOf(code ...machine.Instr) []byte {
	var text []byte
	for _, x := range append(code, machinetest.Asm("BRA -0x10")) {
		text = x.Append(text)
	}
	for len(text)%(8*machine.Size) != 0 || len(text) < 9*machine.Size {
		text = machine.NOP.Append(text)
	}
	return text
}

func stepsOf(code ...machine.Instr) []codemap.Step {
	return codemap.StepsOf(code)
}

// If the instruction before a call waits for an event that it does not need, the wait moves to the call
// (KIT-040).
func TestWaitAtCalls(t *testing.T) {
	for _, tt := range []struct {
		name         string
		before       machine.Instr
		stays, moves uint64
	}{
		{"nothing is needed", machinetest.MovesR21, 0, 1},
		{"one is needed", machinetest.MovesR4, 2, 1},
	} {
		steps := stepsOf(machinetest.LoadsSP, machinetest.LoadsR4, tt.before, machinetest.Calls)
		if !waitAtCalls(steps, 100) {
			t.Errorf("%s: nothing moved", tt.name)
		}
		if got := steps[2].WaitMask(); got != tt.stays {
			t.Errorf("%s: %#x stays, want %#x", tt.name, got, tt.stays)
		}
		if got := steps[3].WaitMask(); got != tt.moves|0x20 {
			t.Errorf("%s: the call waits for %#x", tt.name, got)
		}
	}
}

// Instructions that depend through memory on an mbarrier or a fence keep their waits before a call (KIT-040).
func TestComesAfter(t *testing.T) {
	op := func(low uint64) machine.Instr { return machine.Word(low, 0) }
	exchange, fence, load := op(0x406ff75b2), op(0x73c6), op(0x7984)
	for _, tt := range []struct {
		name      string
		x, before machine.Instr
		want      bool
	}{
		{"an arrival after an exchange", op(0xffffff79a7), exchange, true},
		{"a store after an exchange", op(0x7988), exchange, true},
		{"a move after an exchange", op(0x7202), exchange, false},
		{"an arrival after a fence", op(0xffffff79a7), fence, true},
		{"an atomic after a fence", op(0x7f8c), fence, true},
		{"a load from memory after a fence", op(0x7981), fence, true},
		{"a store after a fence", op(0x7988), fence, false},
		{"an arrival after a load", op(0xffffff79a7), load, false},
	} {
		if got := comesAfter(tt.x, tt.before); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A NOP is inserted before each BSYNC (KIT-041).
func TestAtJoins(t *testing.T) {
	record := append([]byte{1}, make([]byte, 15)...)
	twice := machinetest.Several(2, record)
	for _, tt := range []struct {
		name    string
		steps   []codemap.Step
		records [][]byte
		want    int
	}{
		{"one", stepsOf(machinetest.MovesR21, machinetest.Joins), [][]byte{record, record}, 3},
		{"there is a NOP", stepsOf(machine.NOP, machinetest.Joins), [][]byte{twice}, 2},
		{"a NOP of its own", stepsOf(machine.NOP, machinetest.Joins), [][]byte{record, record}, 3},
		{"some break away", stepsOf(machinetest.MovesR21, machine.Word(machinetest.Joins.Low, machine.NOP.High|1<<(72-64))), [][]byte{record, record}, 3},
		{"threads do not meet", stepsOf(machinetest.MovesR21, machinetest.JoinsAlone), [][]byte{record, record}, 2},
	} {
		c, err := capsule.Open(machinetest.Capsule(append(tt.records, machinetest.AsTheyAre(14))...), capsule.Place{})
		if err != nil {
			t.Fatal(err)
		}
		if got := atJoins(c, tt.steps, true); len(got) != tt.want {
			t.Errorf("%s: %d instructions, want %d", tt.name, len(got), tt.want)
		}
		if i := slices.IndexFunc(atJoins(c, tt.steps, false), func(x codemap.Step) bool { return x.Inserted && (x.WaitMask() != 3 || x.Stall() != unoptimized) }); i >= 0 {
			t.Errorf("%s: without optimisation the NOP is scheduled", tt.name)
		}
	}
}

// The NOP that is part of a BSYNC or a BREAK is dropped. Its waits are kept, and so are other NOPs (KIT-206).
func TestWithoutPads(t *testing.T) {
	record := append([]byte{1}, make([]byte, 15)...)
	twice := machinetest.Several(2, record)
	breaks := machine.Word(0x7942, machine.NOP.High|1<<(72-64))
	waiting := machine.NOP.WithWaitMask(2)
	for _, tt := range []struct {
		name    string
		steps   []codemap.Step
		records [][]byte
		want    []uint64 // wait masks of the remaining instructions
	}{
		{"before a BSYNC", stepsOf(waiting, machinetest.Joins), [][]byte{twice}, []uint64{2}},
		{"after a BREAK", stepsOf(breaks, machine.NOP), [][]byte{twice}, []uint64{0}},
		{"one that waits, after a BREAK", stepsOf(breaks, waiting), [][]byte{twice}, []uint64{0, 2}},
		{"a NOP of its own", stepsOf(waiting, machinetest.Joins), [][]byte{record, record}, []uint64{2, 0}},
		{"of another instruction", stepsOf(machinetest.MovesR21, machine.NOP), [][]byte{twice}, []uint64{machinetest.MovesR21.WaitMask(), 0}},
	} {
		c, err := capsule.Open(machinetest.Capsule(append(tt.records, machinetest.AsTheyAre(14))...), capsule.Place{})
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, x := range withoutPads(c, tt.steps) {
			got = append(got, x.WaitMask())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A BSSY refers to the BSYNC of its own barrier. If the BSYNC is of another barrier, it refers to the NOP
// before it, as branches do (KIT-041).
func TestAnnouncesJoins(t *testing.T) {
	const announces = 0x7945
	for _, tt := range []struct {
		name    string
		barrier uint64
		want    int64 // in instructions, from the next one on
	}{
		{"of its barrier", 0, 2},
		{"of another", 1, 1},
	} {
		bssy := machine.Word(announces|tt.barrier<<16, machine.NOP.High|1<<(73-64)).WithDistance(machine.Size)
		code := []machine.Instr{bssy, machinetest.MovesR21, machinetest.Joins}
		record := append([]byte{1}, make([]byte, 15)...)
		c, err := capsule.Open(machinetest.Capsule(record, record, record, machinetest.AsTheyAre(14)), capsule.Place{})
		if err != nil {
			t.Fatal(err)
		}
		steps := atJoins(c, stepsOf(code...), true)
		got, err := codemap.New(len(code), 16*machine.Size, steps).Instructions(steps, capsule.Place{})
		if err != nil || got[0].Distance() != tt.want*machine.Size {
			t.Errorf("%s: %#x, %v; want %#x", tt.name, got[0].Distance(), err, tt.want*machine.Size)
		}
	}
}

// The record of an integer matrix product is shortened to the bytes that identify it. Half-precision products,
// and records without operands, do not change (KIT-173).
func TestShortensProducts(t *testing.T) {
	integers := machinetest.Asm("IMMA.16832.S8.S8 R8, R6, R0, R8")
	halves := machinetest.Asm("HMMA R8, R16, R2, R8")
	record := func(first ...byte) []byte { return append(first, make([]byte, 32-len(first))...) }
	for _, tt := range []struct {
		name    string
		product machine.Instr
		record  []byte
		want    []byte
	}{
		{"integers", integers, record(2, 0x5a, 8, 0x26), []byte{0x42, 0x5a, 8, 0x26}},
		{"thin integers", integers, record(2, 0x5a, 16, 0x26), []byte{0x42, 0x5a, 16, 0x26}},
		{"short already", integers, []byte{0x42, 0x5a, 8, 0x26}, []byte{0x42, 0x5a, 8, 0x26}},
		{"halves", halves, record(2, 0x5a, 0, 0x26), record(2, 0x5a, 0, 0x26)},
	} {
		for shortens, want := range map[bool][]byte{true: tt.want, false: tt.record} {
			f := Function{Text: textOf(tt.product), Input: 100, Target: 100}
			f.Capsule = machinetest.Capsule(tt.record, machinetest.AsTheyAre(15))
			f.ShortensProducts = shortens
			r, err := Finalize(f)
			if err != nil {
				t.Fatal(tt.name, err)
			}
			if got := machinetest.Capsule(want, machinetest.AsTheyAre(15)); !slices.Equal(r.Capsule, got) || !slices.Equal(r.Text, f.Text) {
				t.Errorf("%s, shortened %v: capsule %x, want %x", tt.name, shortens, r.Capsule, got)
			}
		}
	}
}

// TestWithoutSelfMoves checks which moves of a register to itself are dropped (KIT-143).
func TestWithoutSelfMoves(t *testing.T) {
	moves := func(to, from uint64) machine.Instr {
		return machine.Word(0x7202|to<<16|from<<32, machine.NOP.High).WithBoundedStall(2)
	}
	record := append([]byte{1}, make([]byte, 15)...)
	twice := machinetest.Several(2, record)
	for _, tt := range []struct {
		name    string
		code    []machine.Instr
		records [][]byte
		want    int
	}{
		{"the first of two", []machine.Instr{machinetest.MovesR21, moves(8, 8), moves(9, 11)}, [][]byte{record, twice}, 2},
		{"the second", []machine.Instr{machinetest.MovesR21, moves(8, 10), moves(9, 9)}, [][]byte{record, twice}, 2},
		{"both", []machine.Instr{machinetest.MovesR21, moves(8, 8), moves(9, 9)}, [][]byte{record, twice}, 3},
		{"none", []machine.Instr{machinetest.MovesR21, moves(8, 10), moves(9, 11)}, [][]byte{record, twice}, 3},
		{"on its own", []machine.Instr{machinetest.MovesR21, moves(8, 8)}, [][]byte{record, record}, 2},
		{"before everything", []machine.Instr{moves(8, 8).WithBoundedStall(0), moves(9, 11)}, [][]byte{twice}, 1},
	} {
		c, err := capsule.Open(machinetest.Capsule(append(tt.records, machinetest.AsTheyAre(14))...), capsule.Place{})
		if err != nil {
			t.Fatal(err)
		}
		steps := stepsOf(tt.code...)
		took := func(list []codemap.Step) (cycles int) {
			for _, x := range list {
				cycles += x.Stall()
			}
			return cycles
		}
		if got := withoutSelfMoves(c, slices.Clone(steps)); len(got) != tt.want || took(got) != took(steps) {
			t.Errorf("%s: %d instructions for %d cycles, want %d for %d", tt.name, len(got), took(got), tt.want, took(steps))
		}
	}
}

// TestUnschedule checks that unoptimized code is recognised, and that its schedule is removed (KIT-042).
func TestUnschedule(t *testing.T) {
	dummy, fence := machinetest.Asm("[B------:R-:W-:Y:S01] @!PT LDS RZ, [RZ]"), machinetest.Asm("MEMBAR.ALL.CTA")
	if !isUnoptimized([]machine.Instr{dummy, fence, machine.NOP.WithStall(unoptimized)}) || isUnoptimized([]machine.Instr{dummy, fence}) {
		t.Error("cannot tell such code behind what works around hazards")
	}
	before := stepsOf(dummy)
	if unschedule(before); before[0].Instr != dummy {
		t.Error("a load that is never done does not stay")
	}
	code := []machine.Instr{machinetest.Asm("[B01----:R1:W0:Y:S15] LDC R1, c[0x0][0x37c]")}
	steps := stepsOf(code...)
	if !isUnoptimized(code) || isUnoptimized([]machine.Instr{machinetest.LoadsSP}) {
		t.Error("cannot tell code that was compiled without optimisation")
	}
	unschedule(steps)
	if !isUnoptimized([]machine.Instr{steps[0].Instr}) {
		t.Error("cannot tell such code of the compilers that write it so")
	}
	if want := uint64(0x000fc00000000800); steps[0].High != want {
		t.Errorf("%#x, want %#x", steps[0].High, want)
	}
}

// An addition of two numbers becomes IADD. The first number may be negated, the second may be uniform, and
// there may be one carry in and one out. An addition of three numbers does not change (KIT-043).
func TestWithTwoAdds(t *testing.T) {
	for _, tt := range []struct {
		name           string
		low, high      uint64
		wantLow, wants uint64
		changes        bool
	}{
		{"registers", 0x0000001904047210, 0x000fc60007ffe0ff, 0x0000001904047235, 0x000fc600078e0000, true},
		{"negated", 0x000000ff10107210, 0x000fce0007ffe1ff, 0x000000ff10107235, 0x000fce00078e0100, true},
		{"a number", 0x0000008001017810, 0x001fe20007ffe0ff, 0x0000008001017835, 0x001fe200078e0000, true},
		{"with a carry", 0x8000000aff0d7210, 0x000fc60007f1e0ff, 0x8000000aff0d7235, 0x000fc60007800000, true},
		{"carried", 0x800000ff040d7210, 0x000fc600007fe4ff, 0x800000ff040d7235, 0x000fc600000e0400, true},
		{"a number, carried", 0x00012345040b7810, 0x000fc600007fe4ff, 0x00012345040b7835, 0x000fc600000e0400, true},
		{"two carries", 0x0000001904047210, 0x000fc600078fe0ff, 0x0000001904047210, 0x000fc600078fe0ff, false},
		{"uniform", 0x0000002603037c10, 0x004fca000fffe0ff, 0x0000002603037c35, 0x004fca000f8e0000, true},
		{"three", 0x0000001204197210, 0x000fe40007ffe011, 0x0000001204197210, 0x000fe40007ffe011, false},
	} {
		steps := stepsOf(machine.Word(tt.low, tt.high))
		changed := withTwoAdds(steps)
		if x := steps[0].Instr; x.Low != tt.wantLow || x.High != tt.wants || changed != tt.changes {
			t.Errorf("%s: %#x %#x", tt.name, x.Low, x.High)
		}
	}
}

// TestLetsNextStart checks that a PREEXIT is found (KIT-037).
func TestLetsNextStart(t *testing.T) {
	preexit := machinetest.Asm("[B------:R-:W-:-:S01] PREEXIT")
	if LetsNextStart(machinetest.MovesR21.Append(nil)) || !LetsNextStart(preexit.Append(machinetest.MovesR21.Append(nil))) {
		t.Error("PREEXIT is not found")
	}
}
