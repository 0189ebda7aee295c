package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// laterRelease is for the compilers from 13.1 on.
var laterRelease = arch.Scheduler{Later: true}

// A branch waits only for events that it needs; other instructions wait for the events that they need
// (KIT-060).
func TestBranchesWaitForWhatTheyNeed(t *testing.T) {
	code := []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(2), machinetest.LoadTwo.WithWriteBarrier(1).WithStall(15), machinetest.MayExit.WithWaitMask(0b10), machinetest.MayExit, machinetest.Multiply.WithWaitMask(0b1), machinetest.End}
	later, _, ok := Reallocate(code, nil, 100, Goal{To: laterRelease})
	if !ok {
		t.Fatal("not explained")
	}
	for i, want := range []uint64{0, 0, 0, 0, 0b11, 0} {
		if got := later[i].WaitMask(); got != want {
			t.Errorf("instruction %d waits for %06b, want %06b", i, got, want)
		}
	}
}

// A fence after another one waits for it (KIT-062).
func TestCountsFences(t *testing.T) {
	fence := machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA")
	counted, _, ok := Reallocate([]machine.Instr{fence, fence, machinetest.End}, nil, 100, Goal{To: laterRelease, CountsFences: true})
	if !ok || counted[0].ReadBarrier() != 0 || !counted[1].WaitsFor(0) {
		t.Errorf("%v %v", ok, counted)
	}
}

// Of two fences the first waits for the mbarrier for which the second waits in the input. Where the first is counted, the second waits for
// its scoreboard (KIT-360).
func TestFirstFence(t *testing.T) {
	first, second := machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA"), machinetest.Asm("[B-1----:R-:W-:-:S06] MEMBAR.ALL.CTA")
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), tryWait.WithWriteBarrier(1), first, second, machinetest.End}
	for _, tt := range []struct {
		sm         int
		schedules  bool
		waits, and uint64
	}{{100, true, 1 << 1, 1 << 1}, {120, true, 1 << 1, 0}, {120, false, 0, 1 << 1}} {
		got, refused, ok := Reallocate(code, nil, tt.sm, Goal{To: laterRelease, CountsFences: tt.sm == 100, SchedulesFences: tt.schedules})
		if !ok || got[2].WaitMask() != tt.waits || got[3].WaitMask() != tt.and {
			t.Errorf("sm_%d: %v %v, waits %06b and %06b", tt.sm, ok, refused, got[2].WaitMask(), got[3].WaitMask())
		}
	}
}

// The first of two fences also waits for a counted fence before it, for which the second waits in the input (KIT-360).
func TestFirstFenceAfterFence(t *testing.T) {
	counted, first, second := machinetest.Asm("[B------:R0:W-:-:S06] MEMBAR.SC.CTA"), machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA"), machinetest.Asm("[B0-----:R-:W-:-:S06] MEMBAR.ALL.CTA")
	code := []machine.Instr{counted, first, second, machinetest.End}
	got, refused, ok := Reallocate(code, nil, 100, Goal{To: laterRelease, CountsFences: true, SchedulesFences: true})
	if !ok || got[1].WaitMask() != 1<<got[0].ReadBarrier() || got[1].ReadBarrier() == sass.NoBarrier || got[2].WaitMask() != 1<<got[1].ReadBarrier() {
		t.Errorf("%v %v: %v", ok, refused, got)
	}
}

// The DEPBAR that waits for a counted fence has no wait mask for it, and nothing after it waits for the fence again (MERC-255).
func TestFenceIsAwaited(t *testing.T) {
	fence := machinetest.Asm("[B------:R1:W-:-:S06] MEMBAR.SC.CTA")
	code := []machine.Instr{fence, makeRoom.CountingOn(1), machinetest.Asm("[B------:R-:W-:-:S05] RET.ABS R20"), machinetest.End}
	got, refused, ok := Reallocate(code, nil, 100, Goal{To: laterRelease})
	if !ok || got[1].WaitMask() != 0 || got[1].CountsOn() != got[0].ReadBarrier() || got[2].WaitMask() != 0 {
		t.Errorf("%v %v: %v", ok, refused, got)
	}
}

// FP64 results are counted. Operands are counted too if the function may return before they are read
// (KIT-063).
func TestCountsDoubles(t *testing.T) {
	add := machinetest.Asm("[B------:R-:W-:Y:S08] DADD R4, R4, R6")
	counted, _, ok := Reallocate([]machine.Instr{add, add, machinetest.End}, nil, 100, Goal{To: laterRelease, CountsDoubles: true})
	if !ok || counted[0].WriteBarrier() == sass.NoBarrier || !counted[1].WaitsFor(counted[0].WriteBarrier()) || counted[0].ReadBarrier() != sass.NoBarrier {
		t.Errorf("%v %x", ok, counted)
	}
}

// Results of double precision are counted in code with on-demand waits too, if its compiler does not count them (KIT-710).
func TestCountsDoublesOfLater(t *testing.T) {
	add := machinetest.Asm("[B------:R-:W-:Y:S08] DADD R4, R4, R6")
	code := []machine.Instr{add, add, machinetest.End}
	if !HasUncountedDoubles(code) {
		t.Error("nothing is uncounted")
	}
	counted, refused, ok := Reallocate(code, nil, 100, Goal{From: laterRelease, To: laterRelease, CountsDoubles: true})
	if !ok || counted[0].WriteBarrier() == sass.NoBarrier || !counted[1].WaitsFor(counted[0].WriteBarrier()) {
		t.Errorf("%v %v %x", ok, refused, counted)
	}
	if HasUncountedDoubles(counted) {
		t.Error("something is still uncounted")
	}
}

// Operands are also counted if nothing in the block needs the results (KIT-063).
func TestCountsOperands(t *testing.T) {
	add := machinetest.Asm("[B------:R-:W-:Y:S08] DADD R4, R4, R6")
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want bool
	}{
		{"needed", []machine.Instr{add, add, machinetest.MayExit, machinetest.End}, false},
		{"not needed", []machine.Instr{add, machinetest.MayExit, machinetest.End}, true},
		{"needed in another block", []machine.Instr{add, machinetest.MayExit, add, machinetest.End}, true},
	} {
		counted, _, ok := Reallocate(tt.code, nil, 100, Goal{To: laterRelease, CountsDoubles: true})
		if got := ok && counted[0].ReadBarrier() != sass.NoBarrier; got != tt.want {
			t.Errorf("%s: operands are counted: %v", tt.name, got)
		}
	}
}

// loopsAround continues through an inner loop when it searches for a path around the loop without waits
// (KIT-144). An instruction of the head waits too if it counts on the scoreboard itself (KIT-953).
func TestLoopsAround(t *testing.T) {
	short := machinetest.Move(20, 21).WithStall(1)
	wait := machinetest.Multiply.WithWaitMask(0b1) // for readID
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want bool
	}{
		{"nothing waits", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), short, machinetest.Jump(2, 7, false), short, machinetest.Jump(4, 3, false), short, machinetest.Jump(6, 1, true), machinetest.End}, true},
		{"all wait", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), short, machinetest.Jump(2, 7, false), short, machinetest.Jump(4, 3, false), wait, machinetest.Jump(6, 1, true), machinetest.End}, false},
		{"the head counts on it", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), machinetest.LoadTwo.WithWriteBarrier(0), machinetest.Jump(2, 7, false), short, machinetest.Jump(4, 3, false), short, machinetest.Jump(6, 1, true), machinetest.End}, false},
		{"one way waits", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), short, machinetest.Jump(2, 7, false), machinetest.Jump(3, 5, false), wait, short, machinetest.Jump(6, 1, true), machinetest.End}, true},
	} {
		a := laterAllocation(t, tt.name, tt.code)
		if got := a.loopsAround(2, 0, a.loops[2]); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// The loss is as expected for a result on which nothing in its block depends, and which shares the scoreboard
// of an earlier one (KIT-060).
func TestLossOfResult(t *testing.T) {
	constant := machinetest.Into(machinetest.LoadPointer, 10)
	id, other := machinetest.Into(machinetest.ReadID, 10), machinetest.Into(machinetest.ReadID, 12)
	use := machinetest.Add(50, 10, 0)
	useBoth := machinetest.Add(51, 12, 1)
	short := machinetest.Move(20, 21).WithStall(1)
	for _, tt := range []struct {
		name string
		code []machine.Instr // instructions 0 and 1 are the other one and the result
		want int
	}{
		{"the block behind, by MERC-159, needs the other", []machine.Instr{id.WithStall(1), other.WithStall(1), machinetest.Jump(2, 5, false), short, machinetest.End, use, use, machinetest.End}, 26},
		{"one further on does", []machine.Instr{id.WithStall(1), other.WithStall(1), machinetest.Jump(2, 5, false), use, machinetest.End, short, machinetest.End}, 0},
		{"it is needed there", []machine.Instr{id.WithStall(1), other.WithStall(1), machinetest.Jump(2, 5, false), short, machinetest.End, use, useBoth, machinetest.End}, 25},
		{"and back long before", []machine.Instr{id.WithStall(15), other.WithStall(15), short.WithStall(15), short.WithStall(15), machinetest.Jump(4, 6, false), machinetest.End, useBoth, machinetest.End}, -33},
		{"something in the block does", []machine.Instr{id.WithStall(1), other.WithStall(15), short.WithStall(15), use, machinetest.Jump(4, 6, false), machinetest.End, useBoth, machinetest.End}, 1},
		{"and the result, which is needed, is back by then (KIT-956)", []machine.Instr{id.WithStall(1), other.WithStall(15), short.WithStall(15), short.WithStall(15), use, machinetest.Jump(5, 7, false), machinetest.End, useBoth, machinetest.End}, -13},
		{"it is back by the end, and the other is not", []machine.Instr{constant.WithStall(1), other.WithStall(15), short.WithStall(15), short.WithStall(3), machinetest.Jump(4, 6, false), machinetest.End, useBoth, machinetest.End}, 9},
		{"one way on, on which it is needed", []machine.Instr{id.WithStall(15), other.WithStall(15), short.WithStall(10), machinetest.Jump(3, 4, true).WithStall(5), useBoth, machinetest.End}, -13},
	} {
		code := slices.Clone(tt.code)
		code[0], code[1] = code[0].WithWriteBarrier(0), code[1].WithWriteBarrier(1)
		a := laterAllocation(t, tt.name, code)
		if got := a.loss(a.events[1], a.events[:1], false); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// The loss is as expected before a loop, where the end of a block waits for what is complete. That wait is none for others that are
// not, or that come from an earlier block (KIT-971).
func TestLossBeforeLoop(t *testing.T) {
	constant, id, other := machinetest.Into(machinetest.LoadPointer, 10), machinetest.Into(machinetest.ReadID, 10), machinetest.Into(machinetest.ReadID, 12)
	use, useOther := machinetest.Add(50, 10, 0), machinetest.Add(51, 12, 1)
	short := machinetest.Move(20, 21).WithStall(1)
	convert := machinetest.Count(12, 30).WithStall(3)
	for _, tt := range []struct {
		name  string
		code  []machine.Instr
		first int // the number of the others
		want  int
	}{
		{"the other is not complete", []machine.Instr{constant.WithWriteBarrier(0).WithStall(1), other.WithWriteBarrier(1).WithStall(15), short.WithStall(15), short.WithStall(3), short, short, machinetest.Jump(6, 5, false), use, useOther, machinetest.End}, 1, 0},
		{"the end itself needs the other", []machine.Instr{id.WithWriteBarrier(0).WithStall(1), other.WithWriteBarrier(1).WithStall(15), short.WithStall(15), short.WithStall(15), use, useOther, machinetest.Jump(6, 5, false), machinetest.End}, 1, -13},
		{"of others of an earlier block one is complete", []machine.Instr{
			constant.WithWriteBarrier(0).WithStall(15), id.WithWriteBarrier(0).WithStall(1), machinetest.MayExit, short.WithStall(15), convert.WithWriteBarrier(1), short.WithStall(7),
			useOther, machinetest.Jump(7, 6, false), use, machinetest.End,
		}, 2, 1},
	} {
		a := laterAllocation(t, tt.name, tt.code)
		if got := a.loss(a.events[tt.first], a.events[:tt.first], false); got != tt.want {
			t.Errorf("%s: %d cycles, want %d", tt.name, got, tt.want)
		}
	}
}

// What the next block uses after a WARPSYNC is live-out, although the WARPSYNC waits for it (KIT-972). What it only waits for is not.
func TestLiveOutBehindWarpsync(t *testing.T) {
	id := machine.Word(0x479c3, 0x000e620000002500).WithWriteBarrier(0) // S2UR UR4, SR_CTAID.X
	together := machinetest.Asm("[B------:R-:W-:-:S05] WARPSYNC.ALL")
	for _, uses := range []bool{true, false} {
		x := machinetest.Move(20, 21)
		if uses {
			x = machinetest.Asm("[B------:R-:W-:Y:S13] ISETP.GE.AND P0, PT, R6, UR4, PT")
		}
		code := []machine.Instr{id, machinetest.Jump(1, 3, false), machinetest.End, together, x, machinetest.End}
		s, known := scheduleOf(code, nil, 100, Goal{From: laterRelease, To: laterRelease})
		if !known {
			t.Fatal("not known")
		}
		a := s.onDemand(onDemand{}, true).newAllocation()
		if got := a.isLiveOut(a.events[0], 1); got != uses {
			t.Errorf("used %t: live-out %t", uses, got)
		}
	}
}

// Operands share no scoreboard with others, like them, of an earlier block that something in the block needs (KIT-973).
func TestTogether(t *testing.T) {
	first, second, third := machinetest.Asm("[B------:R0:W-:-:S02] STG.E desc[UR4][R2.64+0xc], R5"), machinetest.Asm("[B------:R0:W-:-:S01] STG.E desc[UR4][R8.64+0x0], R12"), machinetest.Asm("[B------:R0:W-:-:S04] STG.E desc[UR4][R20.64+0x0], R8")
	for _, tt := range []struct {
		name string
		then machine.Instr
		want bool
	}{
		{"nothing needs the others", machinetest.Move(30, 31), true},
		{"one of them is needed", machinetest.Move(5, 31).WithWaitMask(1), false},
	} {
		code := []machine.Instr{first, machinetest.Jump(1, 6, false), second, third, tt.then, machinetest.Move(22, 23), machinetest.End}
		a := laterAllocation(t, tt.name, code)
		if got := a.policy.together(a, a.events[2], a.events[:2]); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// laterAllocation returns the allocation of code of a later release, which waits on demand, with the scoreboards that the code has.
func laterAllocation(t *testing.T, name string, code []machine.Instr) *allocation {
	t.Helper()
	s, known := scheduleOf(code, nil, 100, Goal{From: laterRelease, To: laterRelease})
	if !known {
		t.Fatal(name)
	}
	a := s.onDemand(onDemand{}, true).newAllocation()
	for _, k := range a.events {
		a.count(k, k.board)
	}
	return a
}

// From 13.1 on the wait of a WARPSYNC.COLLECTIVE for a result in a uniform register counts, so that the ENDCOLLECTIVE does not wait for
// it again. Its other waits do not count (KIT-365).
func TestCollectiveAwaitsUniform(t *testing.T) {
	uniform := machinetest.Asm("[B------:R-:W1:-:S01] LDCU UR6, c[0x0][0x1c4]")
	for _, tt := range []struct {
		load  machine.Instr
		again bool
	}{{uniform, false}, {machinetest.LoadTwo.WithWriteBarrier(1), true}} {
		begin := machinetest.Asm("[B------:R-:W-:-:S05] WARPSYNC.COLLECTIVE 0x0").WithWaitMask(0b10)
		end := machinetest.Asm("[B------:R-:W-:-:S10] ENDCOLLECTIVE").WithWaitMask(0b10)
		got, refused, ok := Reallocate([]machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Move(4, 1).WithWaitMask(1), tt.load, begin, end, machinetest.End}, nil, 100, Goal{To: laterRelease})
		want := uint64(0)
		if tt.again {
			want = 1 << got[2].WriteBarrier()
		}
		if !ok || got[4].WaitMask() != want {
			t.Errorf("%v %v: waits %06b, want %06b", ok, refused, got[4].WaitMask(), want)
		}
	}
}
