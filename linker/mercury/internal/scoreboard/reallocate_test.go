package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// loads returns code that loads the stack pointer, and then n registers from one address. Its scoreboards are
// such as no compiler would choose.
func loads(n int) []machine.Instr {
	code := []machine.Instr{machinetest.Asm("[B------:R-:W0:-:S01] LDC R1, c[0x0][0x37c]")}
	for i := range n {
		code = append(code, machine.Word(0x0000006402007981|uint64(4+i%200)<<16, 0x0002a2000c1e1900)) // LDG, scoreboards 1, 2
	}
	return append(code, machinetest.Asm("[B------:R-:W-:-:S05] EXIT"))
}

// Code keeps its scoreboards if the rules do not explain them. The decision must not take long if all events
// share scoreboards: the test hangs if it does.
func TestNotReallocated(t *testing.T) {
	for _, n := range []int{3, 300, 3000} {
		if _, _, ok := Reallocate(loads(n), nil, 100, Goal{FreesStack: true}); ok {
			t.Errorf("%d loads: scoreboards that no compiler chose are explained", n)
		}
	}
	if _, refused, ok := Reallocate([]machine.Instr{machinetest.End}, nil, 100, Goal{FreesStack: true}); ok || refused != nil {
		t.Errorf("nothing that a scoreboard counts: explained %v, %v", ok, refused)
	}
}

// If the wait for the stack pointer is dropped, events on higher scoreboards get lower ones.
func TestReallocate(t *testing.T) {
	code := []machine.Instr{
		machinetest.Asm("[B------:R-:W0:-:S01] LDC R1, c[0x0][0x37c]"),
		machinetest.Asm("[B------:R-:W1:-:S07] S2R R0, SR_TID.X"),
		machinetest.Asm("[B------:R-:W1:-:S01] LDC.64 R2, c[0x0][0x380]"),
		machinetest.Asm("[B-1----:R-:W-:Y:S05] IMAD.WIDE R2, R0, 0x4, R2"),
		machinetest.Asm("[B0-----:R-:W-:-:S05] EXIT"),
	}
	allocated, _, ok := Reallocate(code, nil, 100, Goal{FreesStack: true})
	if !ok {
		t.Fatal("not explained")
	}
	for i, want := range []struct {
		writes int
		waits  uint64
	}{{7, 0}, {0, 0}, {0, 0}, {7, 1}, {7, 0}} {
		if x := allocated[i]; x.WriteBarrier() != want.writes || x.WaitMask() != want.waits {
			t.Errorf("instruction %d: scoreboard %d, waits %#x; want %d, %#x", i, x.WriteBarrier(), x.WaitMask(), want.writes, want.waits)
		}
	}
}

// A set contains what was added and not removed, whatever its size.
func TestSet(t *testing.T) {
	s, other := cfg.NewSet(200), cfg.NewSet(200)
	for _, i := range []int{0, 63, 64, 199} {
		s.Add(i)
	}
	other.Add(64)
	if !s.Meets(other) || s.AddAll(other) || !other.AddAll(s) {
		t.Error("64 is in both, 0 was in one")
	}
	s.RemoveAll(other)
	if i, ok := s.First(); ok || s.Meets(other) {
		t.Errorf("%d is still there", i)
	}
	var all []int
	for i := range other.All {
		all = append(all, i)
	}
	if len(all) != 4 || all[3] != 199 || !other.Has(63) || other.Has(62) {
		t.Error(all)
	}
}

// straight returns a schedule of consecutive instructions, in which only exits end blocks.
func straight(t *testing.T, ops ...uint64) *schedule {
	t.Helper()
	code := make([]machine.Instr, len(ops))
	for i, op := range ops {
		code[i].Low = op | 7<<12
		if op == sass.OpEXIT {
			code[i].Low = op // conditional, so that the code continues
		}
	}
	f, ok := cfg.FlowOf(code, nil)
	if !ok {
		t.Fatal("flow not known")
	}
	return &schedule{policy: blockEnds{}, code: code, flow: f}
}

// One queue reads the operands of its instructions in order. Within a block nothing has to wait for them;
// across blocks it does (MERC-134).
func TestInOrder(t *testing.T) {
	for _, test := range []struct {
		name        string
		first, then uint64
		want        bool
	}{
		{"a store, then shared memory", sass.OpSTG, sass.OpLDS, true},
		{"a store, then a load", sass.OpSTG, sass.OpLDG, false},
		{"a load, then a load", sass.OpLDG, sass.OpLDG, true},
		{"an atomic, then a load", sass.OpATOMG, sass.OpLDG, true},
		{"a load, then shared memory", sass.OpLDG, sass.OpLDS, false},
		{"a fused multiply, then an addition of doubles", sass.OpDFMA, sass.OpDADD, true},
		{"MUFU twice", sass.OpMUFU, sass.OpMUFU, true},
		{"FCHK, then BREV", sass.OpFCHK, sass.OpBREV, true},
		{"MUFU, then a conversion to 64 bits", sass.OpMUFU, sass.OpF2F64, false},
		{"of no queue", sass.OpS2UR, sass.OpS2UR, false},
	} {
		if got := straight(t, test.first, test.then).inOrder(0, 1); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
		if straight(t, test.first, sass.OpEXIT, test.then).inOrder(0, 2) {
			t.Errorf("%s: in order beyond the block", test.name)
		}
		if straight(t, test.first, test.then).inOrder(1, 0) {
			t.Errorf("%s: in order backwards", test.name)
		}
	}
	doubles := straight(t, sass.OpDFMA, sass.OpDADD)
	if doubles.sm = 100; doubles.inOrder(0, 1) {
		t.Error("doubles where they are not slow: in order")
	}
}

// Nothing reads the result of an atomic in a loop, and it is not needed after the loop if the code ends there.
// The result gets the lowest free scoreboard, not that of live-out loads. The code before and after is nvlink's
// (MERC-133).
func TestReallocateLoop(t *testing.T) {
	code := []machine.Instr{
		machinetest.Asm("[B------:R-:W0:-:S01] LDC R1, c[0x0][0x37c]"),
		machinetest.Asm("[B------:R-:W1:-:S07] S2R R6, SR_TID.X"),
		machinetest.Asm("[B------:R-:W2:-:S01] LDC.64 R4, c[0x0][0x380]"),
		machinetest.Asm("[B------:R-:W3:-:S07] LDCU UR4, c[0x0][0x1c4]"),
		machinetest.Asm("[B------:R-:W4:-:S02] LDC R7, c[0x0][0x360]"),
		machinetest.Asm("[B-12---:R-:W-:Y:S05] IMAD.WIDE.U32 R2, R6, 0x4, R4"),
		machinetest.Asm("[B----45:R1:W5:-:S02] ATOMG.E.CAS.STRONG.GPU PT, RZ, [R2], R6, R7"),
		machinetest.Asm("[B-1----:R-:W-:Y:S04] IADD3 R6, R7, R6, RZ"),
		machinetest.Asm("[B---3--:R-:W-:Y:S13] ISETP.GE.AND P0, PT, R6, UR4, PT"),
		machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA -0x50"),
		machinetest.Asm("[B------:R-:W-:-:S05] EXIT"),
	}
	allocated, _, ok := Reallocate(code, nil, 100, Goal{FreesStack: true})
	if !ok {
		t.Fatal("not explained")
	}
	for i, want := range []uint64{
		0x000fe20000000800, 0x000e2e0000002100, 0x000e620000000a00, 0x000eae0008000800, 0x000ee40000000800, 0x003fca00078e0004,
		0x01812400001ee107, 0x001fc80007ffe0ff, 0x004fda000bf06270, 0x000fea000383ffff, 0x000fea0003800000,
	} {
		if got := allocated[i].High; got != want {
			t.Errorf("instruction %d: %016x, nvlink's %016x", i, got, want)
		}
	}
}

// In code with textures or reads of surfaces, only their results get the last scoreboard; live-out loads get
// the one before it (MERC-133).
func TestTexturesSetAside(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W2:-:S01] LDG.E R5, desc[UR6][R2.64+0x4]")
	texture := machinetest.Asm("[B------:R-:W5:-:S01] TLD.LZ RZ, R6, R0, UR4, 1D, 0x9")
	surface := machinetest.Asm("[B------:R-:W-:-:S01] SULD R6, [R0], UR8")
	store := machinetest.Asm("[B--2---:R-:W-:-:S04] STG.E desc[UR6][R2.64+0xc], R5")
	sum := machinetest.Asm("[B-----5:R-:W-:Y:S03] FADD R7, R6, R7")
	branch := machinetest.Asm("[B------:R-:W-:-:S05] @P0 EXIT")
	exit := machinetest.Asm("[B------:R-:W-:-:S05] EXIT")
	for _, test := range []struct {
		name string
		code []machine.Instr
		want []int
	}{
		{"a load that goes on", []machine.Instr{load, branch, store, exit}, []int{5}},
		{"a load that does not", []machine.Instr{load, store, exit}, []int{2}},
		{"with a texture", []machine.Instr{load, branch, texture, store, sum, exit}, []int{4, 5}},
		{"with a surface", []machine.Instr{load, branch, surface.WithWriteBarrier(5), store, sum, exit}, []int{4, 5}},
	} {
		s, ok := scheduleOf(test.code, nil, 100, Goal{})
		if !ok {
			t.Fatalf("%s: schedule not known", test.name)
		}
		if got := s.allocate(); !slices.Equal(got, test.want) {
			t.Errorf("%s: scoreboards %v, want %v", test.name, got, test.want)
		}
	}
}

// allocate assigns the scoreboards of all events by the rules alone.
func (s *schedule) allocate() []int {
	a := s.newAllocation()
	for _, t := range s.events {
		if b, ok := a.liveOutBoard(t); ok {
			a.setAside(t, b)
		}
	}
	for _, t := range s.events {
		if a.board[t.number] == unassigned {
			a.enter(a.flow.First[t.at])
			a.count(t, a.choose(t))
		}
	}
	return a.board
}

// MUFU takes a cycle longer on sm_103. That cycle can decide whether a load is complete at the end of its
// block. In that case code for sm_100 keeps its scoreboards on sm_103 (MERC-130).
func TestIsAsOn(t *testing.T) {
	load := machinetest.Into(machinetest.Asm("[B------:R-:W-:-:S01] LDC R0, c[0x0][0x360]"), 10).WithWriteBarrier(1)
	root := machinetest.Asm("[B------:R-:W-:-:S01] MUFU.RSQ R33, R17")
	NOP := machinetest.Asm("[B------:R-:W-:-:S01] NOP")
	differs := 0
	for n := range 60 {
		code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), load, root.WithWriteBarrier(2), machinetest.Add(50, 33, 2)}
		code = append(append(code, slices.Repeat([]machine.Instr{NOP}, n)...), machinetest.MayExit, machinetest.Add(60, 10, 1), machinetest.End)
		g := Goal{FreesStack: true}
		allocated, _, ok := Reallocate(code, nil, 103, g)
		if !ok {
			continue
		}
		if !IsAsOn(103, 100, code, allocated, nil, g) {
			differs++
		}
		if !IsAsOn(103, 103, code, allocated, nil, g) {
			t.Errorf("%d NOPs: not as on its own SM", n)
		}
	}
	if differs != 2 { // for the load and for the stack pointer
		t.Errorf("%d times", differs)
	}
}
