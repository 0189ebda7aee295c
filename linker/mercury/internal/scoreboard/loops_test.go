package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// The block before a loop waits for completed events other than loads from memory; the end of the loop's first
// block waits for events of the previous iteration (KIT-144).
func TestWaitsAtLoops(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W-:-:S01] LDG.E R4, desc[UR100][R2.64+0x0]")
	short := machinetest.Move(20, 21).WithStall(1)
	long := short.WithStall(15)
	for _, tt := range []struct {
		name  string
		code  []machine.Instr
		at    int // the instruction
		waits bool
	}{
		{"back before it", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), long, long, long, short, machinetest.Jump(5, 4, false), machinetest.End}, 3, true},
		{"not back", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), long, short, short, short, machinetest.Jump(5, 4, false), machinetest.End}, 3, false},
		{"not back on the short way to it", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), machinetest.Jump(1, 5, false), long, long, long, short, short, machinetest.Jump(7, 6, false), machinetest.End}, 5, false},
		{"back on both ways to it", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), long, long, machinetest.Jump(3, 5, false), short, short, short, machinetest.Jump(7, 6, false), machinetest.End}, 5, true},
		{"a load", append(append([]machine.Instr{load.WithWriteBarrier(0)}, slices.Repeat([]machine.Instr{long}, 25)...), short, machinetest.Jump(27, 26, false), machinetest.End), 25, false},
		{"no loop", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), long, long, long, short, machinetest.Jump(5, 6, false), machinetest.End}, 5, false},
		{"from the round before", []machine.Instr{short, short, machinetest.Jump(2, 4, false), short, machinetest.ReadID.WithWriteBarrier(0), machinetest.Jump(5, 1, false), machinetest.End}, 2, true},
		{"from the round before, beside what is not back", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(2), short, machinetest.Jump(2, 4, false), short, machinetest.ReadID.WithWriteBarrier(0), machinetest.Jump(5, 1, false), machinetest.End}, 2, true},
		{"from the round before, beside a load", []machine.Instr{load.WithWriteBarrier(0), short, machinetest.Jump(2, 4, false), short, machinetest.ReadID.WithWriteBarrier(0), machinetest.Jump(5, 1, false), machinetest.End}, 2, false},
		{"its own", []machine.Instr{short, machinetest.ReadID.WithWriteBarrier(0), long, machinetest.Jump(3, 1, false), machinetest.End}, 3, false},
	} {
		s, known := scheduleOf(tt.code, nil, 100, Goal{From: laterRelease, To: laterRelease})
		if !known {
			t.Fatal(tt.name)
		}
		s = s.onDemand(onDemand{}, true)
		a := s.newAllocation()
		for _, k := range s.events {
			a.count(k, k.board)
		}
		all := cfg.NewSet(len(s.events))
		for _, k := range s.events {
			all.Add(k.number)
		}
		if got, _ := a.waitsFor(tt.at, 0, all); got != tt.waits {
			t.Errorf("%s: waits %v", tt.name, got)
		}
	}
}

// Code of a later compiler is explained by the rules of later compilers (KIT-145).
func TestReallocateLater(t *testing.T) {
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1).WithStall(2), machinetest.Multiply.WithWaitMask(0b10), machinetest.Jump(3, 5, false), machinetest.Multiply.WithStall(15), machinetest.End}
	StackPointerUnused, _, ok := Reallocate(code, nil, 100, Goal{FreesStack: true, From: laterRelease, To: laterRelease})
	if !ok {
		t.Fatal("not explained")
	}
	if StackPointerUnused[0].WriteBarrier() != sass.NoBarrier || StackPointerUnused[1].WriteBarrier() != 0 || !StackPointerUnused[2].WaitsFor(0) || StackPointerUnused[2].WaitsFor(1) {
		t.Errorf("%x", StackPointerUnused)
	}
}

// In code up to 13.0 a reconvergence point waits for loads into uniform registers, but nothing in its block needs them (MERC-980).
func TestReconvergenceWaitsForUniform(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W-:-:S01] LDCU.64 UR4, c[0x0][0x1ac]").WithWriteBarrier(0)
	for _, x := range []machine.Instr{machinetest.Joins, machinetest.Multiply} {
		s, known := scheduleOf([]machine.Instr{load, machinetest.Jump(1, 3, false), machinetest.Multiply, x.WithWaitMask(1), machinetest.Multiply, machinetest.End}, nil, 100, Goal{})
		if !known {
			t.Fatal("not known")
		}
		if got, want := s.deps[3].Has(0) && s.exitDeps[3].Has(0), x.Op() == sass.OpBSYNC; got != want {
			t.Errorf("%#x depends on the load: %t", x.Op(), got)
		}
	}
}

// A reconvergence point, an indirect branch (KIT-144), a trap (KIT-985), YIELD (KIT-996), NANOSLEEP (KIT-979) and an EXIT (KIT-970) wait
// for outstanding results in uniform registers, even if the input does not.
func TestMeetsWithUniform(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W-:-:S01] LDCU.64 UR4, c[0x0][0x1ac]")
	id := machine.Word(0x479c3, 0x000e620000002500) // S2UR UR4, SR_CTAID.X
	byTable := machinetest.Asm("[B------:R-:W-:-:S05] BRX R2, -0x170")
	together := machinetest.Asm("[B------:R-:W-:-:S05] WARPSYNC.ALL")
	yield := machine.Word(0x7946, 0x000fea0003800000)
	sleep := machine.Word(0x3e80000795d, 0x000fea0003c00000)
	for _, of := range []machine.Instr{load, id, machinetest.ReadID} {
		for _, x := range []machine.Instr{machinetest.Joins, byTable, together, machinetest.Trap, yield, sleep, machinetest.MayExit, machinetest.Multiply} {
			code := []machine.Instr{of.WithWriteBarrier(0), machinetest.Jump(1, 3, false), machinetest.Multiply, x.WithWaitMask(0), machinetest.Multiply, machinetest.End}
			s, known := scheduleOf(code, map[int][]int{3: {4, 5}}, 100, Goal{From: laterRelease, To: laterRelease})
			if !known {
				t.Fatal("not known")
			}
			want := of.Op() != machinetest.ReadID.Op() && x.Op() != machinetest.Multiply.Op()
			if got := s.onDemand(onDemand{}, true).waits[3].Has(0); got != want {
				t.Errorf("%v, then %v: it waits: %v", of.Op(), x.Op(), got)
			}
			if s.waits[3].Has(0) {
				t.Errorf("%v, then %v: the schedule of the input changed", of.Op(), x.Op())
			}
			if x.Op() == byTable.Op() {
				continue
			}
			if later, _, ok := Reallocate(code, nil, 100, Goal{To: laterRelease}); !ok || later[3].WaitsFor(0) != want {
				t.Errorf("%v, then %v: rescheduled %t, %x", of.Op(), x.Op(), ok, later)
			}
		}
	}
}

// In the clock of later releases a branch directly after a BAR begins one cycle after it, whatever the BAR stalls (KIT-987).
func TestBarrierBeforeBranch(t *testing.T) {
	bar := machine.Word(0x7b1d, 0x000fec0000010000) // BAR.SYNC.DEFER_BLOCKING 0x0
	for _, tt := range []struct {
		name string
		next machine.Instr
		want int
	}{
		{"a branch", machinetest.Jump(2, 4, false), 1},
		{"another", machinetest.Move(8, 9).WithStall(1), 6},
	} {
		s, known := scheduleOf([]machine.Instr{machinetest.ReadID.WithWriteBarrier(0), bar, tt.next, machinetest.Multiply.WithWaitMask(1), machinetest.End}, nil, 100, Goal{})
		if !known {
			t.Fatal(tt.name)
		}
		if got := s.cycle[2] - s.cycle[1]; got != 6 {
			t.Errorf("%s: %d cycles up to 13.0", tt.name, got)
		}
		if l := s.onDemand(onDemand{}, true); l.cycle[2]-l.cycle[1] != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, l.cycle[2]-l.cycle[1], tt.want)
		}
	}
}

// Instructions of the texture unit whose operands come in uniform registers, and others.
var (
	readsSurface  = machine.Word(0x70ff040004057f99, 0x00435800081ea900) // SULD R5, [R4], UR4
	writesSurface = machine.Word(0x70ff040c02007f9d, 0x0041e2000810a900) // SUST.D.BA.2D.STRONG.SM.TRAP [R2], R12, UR4
	readsTexture  = machine.Word(0x28ff040302057f60, 0x00836200089e01ff) // TEX.LL RZ, R5, R2, R3, UR4
)

// Before a loop the operands of TEX and SULD count as complete, those of SUST do not, and a reconvergence point waits for all of
// these (KIT-920).
func TestUniformOperands(t *testing.T) {
	for _, tt := range []struct {
		name    string
		x       machine.Instr
		flushes bool
	}{{"SULD", readsSurface, true}, {"TEX", readsTexture, true}, {"SUST", writesSurface, false}} {
		long := machinetest.Move(20, 21).WithStall(15)
		code := []machine.Instr{tt.x.WithWaitMask(0).WithReadBarrier(0), long, long, long, machinetest.Jump(4, 4, false), machinetest.Joins, machinetest.End}
		s, known := scheduleOf(code, nil, 100, Goal{From: laterRelease, To: laterRelease})
		if !known || !s.events[0].war {
			t.Fatal(tt.name)
		}
		l := s.onDemand(onDemand{}, true)
		if got := l.flush[3].Has(0); got != tt.flushes {
			t.Errorf("%s: its operands count as complete before the loop: %t", tt.name, got)
		}
		if !l.waits[5].Has(0) {
			t.Errorf("%s: nothing waits for its operands", tt.name)
		}
	}
}

// The end of a loop's header waits for a texture from before the loop, but not for another load, and not if the loop has a texture
// itself (KIT-921).
func TestTextureBeforeLoop(t *testing.T) {
	texture := readsTexture.WithReadBarrier(sass.NoBarrier).WithWriteBarrier(5).WithWaitMask(0)
	load := machinetest.Asm("[B------:R-:W5:-:S02] LDG.E R5, desc[UR6][R2.64+0x4]")
	short := machinetest.Move(20, 21).WithStall(1)
	uses := machinetest.Move(6, 5).WithWaitMask(1 << 5)
	for _, tt := range []struct {
		name         string
		from, inside machine.Instr
		want         bool
	}{{"texture", texture, short, true}, {"load", load, short, false}, {"texture, and one in the loop", texture, texture, false}} {
		code := []machine.Instr{tt.from, machinetest.Jump(1, 2, false), tt.inside, machinetest.Jump(3, 2, false), uses, machinetest.End}
		a := laterAllocation(t, tt.name, code)
		here := cfg.NewSet(len(a.events))
		for _, e := range a.events {
			here.Add(e.number)
		}
		if got := a.endsHead(3, 5, here); got != tt.want {
			t.Errorf("%s: the header waits: %t", tt.name, got)
		}
	}
}

// A branch keeps the wait of the input for a scoreboard on which a DEPBAR waits for a count (MERC-920).
func TestCountedWaitsStay(t *testing.T) {
	texture := readsTexture.WithReadBarrier(sass.NoBarrier).WithWriteBarrier(5).WithWaitMask(0)
	depbar := machine.Word(0x791a|1<<47|5<<44|1<<38, 0x000fc80000000000)
	code := []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), texture, texture, depbar, machinetest.Jump(4, 6, false).WithWaitMask(1 << 5), machinetest.Multiply.WithWaitMask(1), machinetest.End}
	later, _, ok := Reallocate(code, nil, 100, Goal{To: laterRelease})
	if !ok {
		t.Fatal("not explained")
	}
	if got := later[4].WaitMask(); got != 1<<5 {
		t.Errorf("the branch waits for %06b", got)
	}
}
