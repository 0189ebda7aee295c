package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// An instruction waits for a result of the previous iteration of a loop. A later instruction still waits for an
// event from before the loop on the same scoreboard (MERC-155).
func TestWaitsOfLoops(t *testing.T) {
	goBack := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA -0x40")
	code := []machine.Instr{
		machinetest.LoadPointer.WithWriteBarrier(0),
		machinetest.ReadID.WithWriteBarrier(1),
		machinetest.LoadTwo.WithWriteBarrier(2).WithWaitMask(0b010), // for the last load of R2
		machinetest.Multiply.WithWaitMask(0b110),                    // for R0, and for R2
		machinetest.LoadTwo.WithWriteBarrier(1),
		goBack,
		machinetest.End,
	}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	if next := s.flow.Next[5]; !slices.Contains(next, 2) {
		t.Fatalf("the branch goes to %v", next)
	}
	r := &revision{schedule: s, before: s.newAllocation(), after: s.newAllocation()}
	for _, event := range s.events {
		r.before.count(event, event.board)
		if event.at > 0 {
			r.after.count(event, event.board)
		}
	}
	w := r.newWaits()
	first := w.firstPass()
	if first[2].before != 0 || first[3].before != 0b110 {
		t.Errorf("the first pass waits for %03b and %03b", first[2].before, first[3].before)
	}
	if masks, explained := w.nextPass(first, w.onBackEdges(first, w.given)); !explained || !slices.Equal(masks, w.given) {
		t.Errorf("waits %03b, explained: %t; want %03b", masks, explained, w.given)
	}
}

// Several instructions count on a scoreboard that has later events of the previous iteration. The first of them
// waits for all of those events, and the others wait for nothing more. Live-out loads do not wait for other
// live-out loads (MERC-155).
func TestWaitsAroundLoop(t *testing.T) {
	goBack := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA -0x40")
	load := machinetest.Asm("[B------:R-:W2:-:S01] LDG.E R5, desc[UR6][R2.64+0x4]")
	for _, test := range []struct {
		name string
		code []machine.Instr
		want []uint64
	}{
		{"special registers", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2), machinetest.Into(machinetest.ReadID, 10).WithWriteBarrier(3), machinetest.Into(machinetest.ReadID, 11).WithWriteBarrier(4), goBack, machinetest.End}, []uint64{0, 0b10, 0, 0, 0, 0}},
		{"loads", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(load, 9).WithWriteBarrier(2), machinetest.Into(load, 10).WithWriteBarrier(3), machinetest.Into(load, 11).WithWriteBarrier(4), goBack, machinetest.End}, make([]uint64, 6)},
	} {
		for i := range test.code[1:4] {
			test.code[i+1] = test.code[i+1].WithWaitMask(0)
		}
		s, ok := scheduleOf(test.code, nil, 100, Goal{To: laterRelease})
		if !ok {
			t.Fatal("schedule not known")
		}
		later := s.onDemand(onDemand{}, true)
		r := &revision{schedule: s, goal: Goal{To: laterRelease}, before: s.newAllocation(), after: later.newAllocation()}
		for _, event := range s.events {
			r.before.count(event, event.board)
			if b, ok := r.after.liveOutBoard(later.events[event.number]); ok {
				r.after.setAside(later.events[event.number], b)
			} else {
				r.after.count(later.events[event.number], min(event.board, 1))
			}
		}
		code, ok := r.assign()
		if !ok {
			t.Fatalf("%s: no end", test.name)
		}
		for i, x := range code {
			if got := x.WaitMask(); got != test.want[i] {
				t.Errorf("%s: instruction %d waits for %06b, want %06b", test.name, i, got, test.want[i])
			}
		}
	}
}

// A wait of the first pass for the next iteration does not remove events that a back edge carries (KIT-144).
func TestWaitForIterationOnBackEdge(t *testing.T) {
	goBack := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA -0x20")
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(1), goBack, machinetest.End}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	if next := s.flow.Next[2]; !slices.Contains(next, 1) {
		t.Fatalf("the branch goes to %v", next)
	}
	r := &revision{schedule: s, before: s.newAllocation(), after: s.newAllocation()}
	for _, event := range s.events {
		r.before.count(event, event.board)
		r.after.count(event, event.board)
	}
	w := r.newWaits()
	masks := []uint64{0, 0, 0b11, 0}
	for _, tt := range []struct {
		name  string
		round uint64
		want  bool
	}{{"waited for", 0, false}, {"for the next iteration", 0b10, true}} {
		first := make([]wait, len(code))
		first[2].round = tt.round
		left := w.onBackEdges(first, masks)[1]
		if got := left.Has(1); got != tt.want || left.Has(0) {
			t.Errorf("%s: carries the result: %t, want %t; the stack pointer: %t", tt.name, got, tt.want, left.Has(0))
		}
	}
	if masks[2] != 0b11 {
		t.Errorf("the wait masks changed: %b", masks)
	}
}

// In code of a later compiler, too, a wait for the next iteration at the head of an inner loop does not remove what a back edge
// carries around it. What needs it at the head of the outer loop waits again (KIT-144.3).
func TestWaitForIterationInInput(t *testing.T) {
	goBack := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA -0x20")
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(1), goBack.WithWaitMask(0b10), machinetest.End}
	for _, tt := range []struct {
		name string
		goal Goal
		had  uint64
		want bool
	}{
		{"13.0", Goal{}, 0b10, false},
		{"later, waited for", Goal{From: laterRelease, To: laterRelease}, 0, false},
		{"later, for the next iteration", Goal{From: laterRelease, To: laterRelease}, 0b10, true},
	} {
		s, ok := scheduleOf(code, nil, 100, tt.goal)
		if !ok {
			t.Fatal("schedule not known")
		}
		r := &revision{schedule: s, goal: tt.goal, before: s.newAllocation(), after: s.newAllocation()}
		for _, event := range s.events {
			r.before.count(event, event.board)
			r.after.count(event, event.board)
		}
		first := make([]wait, len(code))
		first[2].had = tt.had
		if got := r.newWaits().inInput(first)[1].Has(1); got != tt.want {
			t.Errorf("%s: pending around the loop: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// The rules may find a wait that the input does not have. This is allowed if the same event is outstanding in
// both schedules and both passes. Otherwise the rules do not explain the schedule (MERC-151, MERC-155).
func TestUnexplainedWaits(t *testing.T) {
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(1), machinetest.Move(4, 5).WithWaitMask(0b10), machinetest.End}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	r := &revision{schedule: s, before: s.newAllocation(), after: s.newAllocation()}
	for _, event := range s.events {
		r.before.count(event, event.board)
		if event.at > 0 {
			r.after.count(event, event.board)
		}
	}
	w := r.newWaits()
	for _, test := range []struct {
		carried uint64 // in the first pass
		want    bool
	}{{0b100, true}, {0b011, false}, {0, false}} {
		first := make([]wait, len(code))
		first[2] = wait{before: 0b100, carried: test.carried}
		if _, explained := w.nextPass(first, w.onBackEdges(first, w.given)); explained != test.want {
			t.Errorf("%03b carried in the first pass: explained %t, want %t", test.carried, explained, test.want)
		}
	}
}

// The header of a loop waits for a scoreboard with events of the previous iteration and of before the loop (MERC-155.3).
func TestWaitsAtHeader(t *testing.T) {
	loop := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA 0x3c0")
	code := []machine.Instr{
		machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(1), machinetest.Jump(2, 4, false),
		machinetest.Move(4, 5), machinetest.Jump(4, 6, false).WithWaitMask(0b100), machinetest.Into(machinetest.ReadID, 20).WithWriteBarrier(2), loop.WithDistance(-3 * machine.Size), machinetest.End,
	}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	r := &revision{schedule: s, before: s.newAllocation(), after: s.newAllocation()}
	for _, event := range s.events[1:] {
		r.before.count(event, event.board)
		r.after.count(event, 1)
	}
	w := r.newWaits()
	first := make([]wait, len(code))
	for i := range first {
		first[i].carried = machine.EveryBoard
	}
	masks, explained := w.nextPass(first, w.onBackEdges(first, w.given))
	if !explained || masks[4] != 0b10 {
		t.Errorf("the header waits for %03b, explained: %t", masks[4], explained)
	}
}

// An instruction that overwrites an operand of its own depends on no counted operand of it there, but on its results (MERC-990).
func TestOverwrittenOperands(t *testing.T) {
	load := machinetest.Into(machinetest.Asm("[B------:R0:W2:-:S02] LDG.E R5, desc[UR6][R2.64+0x4]"), 3)
	for _, test := range []struct {
		register uint64
		operands bool
	}{{2, true}, {3, false}} {
		code := []machine.Instr{machinetest.ReadID.WithWriteBarrier(1), load, machinetest.Move(test.register, 9).WithWaitMask(0b101), machinetest.End}
		s, known := scheduleOf(code, nil, 100, Goal{})
		if !known {
			t.Fatal("not known")
		}
		operands, results := s.defs[1][0], s.defs[1][1]
		if got := s.deps[2].Has(operands.number); got != test.operands || s.deps[2].Has(results.number) == test.operands {
			t.Errorf("R%d depends on the operands: %t", test.register, got)
		}
		if want := 6 + 2*2; operands.latency != want {
			t.Errorf("the operands are read after %d cycles, want %d", operands.latency, want)
		}
	}
}

// An EXIT waits for operands of the texture unit that come in uniform registers, and for no others of loads (MERC-992).
func TestTexturesBeforeExit(t *testing.T) {
	for _, test := range []struct {
		name  string
		from  machine.Instr
		waits bool
	}{
		{"TEX.LL RZ, R5, R2, R3, UR4", machine.Word(0x28ff040302057f60, 0x00836200089e01ff), true},
		{"SULD R5, [R4], UR4", machine.Word(0x70ff040004057f99, 0x00435800081ea900), true},
		{"LDG R5, desc[UR6][R2.64]", machinetest.Asm("[B------:R1:W2:-:S02] LDG.E R5, desc[UR6][R2.64+0x4]"), false},
	} {
		code := []machine.Instr{machinetest.ReadID.WithWriteBarrier(3), test.from.WithWaitMask(0), machinetest.End}
		s, known := scheduleOf(code, nil, 100, Goal{})
		if !known {
			t.Fatal(test.name)
		}
		if operands := s.defs[1][0]; !operands.war || s.exitDeps[2].Has(operands.number) != test.waits {
			t.Errorf("%s: the EXIT waits for the operands: %t", test.name, !test.waits)
		}
	}
}

// What overwrites the uniform register with the descriptor of a surface write waits for its operands.
func TestDescriptorOfSurfaceWrite(t *testing.T) {
	write := machine.Word(0x70ff040c02007f9d, 0x0041e2000810a900) // SUST.D.BA.2D.STRONG.SM.TRAP [R2], R12, UR4
	move := machine.Word(0x0000000000047882, 0x000fc40000000000)  // UMOV UR4, 0x0
	code := []machine.Instr{write.WithWaitMask(0), move.WithWaitMask(1), machinetest.End}
	s, known := scheduleOf(code, nil, 100, Goal{})
	if !known || len(s.events) != 1 || !s.events[0].war {
		t.Fatalf("no schedule, or %d events", len(s.events))
	}
	if !s.deps[1].Has(0) {
		t.Error("the move does not wait for the operands of the surface write")
	}
}

// In code of 12.8 and 12.9 the first instruction of a collective operation does not wait for what it needs, because the
// instruction before it waits for everything. It gets that wait (MERC-981).
func TestBeginningOfCollective(t *testing.T) {
	begin := machine.Word(0x0000000000007948, 1<<(86-64)|0x000fea0003800000)
	end := machinetest.Asm("[B------:R-:W-:-:S05] ENDCOLLECTIVE")
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), begin.WithWaitMask(0b10), machinetest.Multiply, end, machinetest.End}
	for _, early := range []bool{false, true} {
		s, ok := scheduleOf(code, nil, 100, Goal{From: arch.Scheduler{Early: early}})
		if !ok {
			t.Fatal("schedule not known")
		}
		if got := s.waits[3].Has(1); got != early {
			t.Errorf("early %t: it waits: %t", early, got)
		}
	}
}

// For later releases, code of 13.0 is scheduled even if the rules do not explain its waits (MERC-150).
func TestUnexplainedWaitsOfLaterReleases(t *testing.T) {
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(0), machinetest.Move(4, 5).WithWaitMask(0b1), machinetest.Move(6, 9), machinetest.End}
	for _, later := range []bool{false, true} {
		_, _, ok := Reallocate(code, nil, 100, Goal{FreesStack: true, To: arch.Scheduler{Later: later}})
		if ok != later {
			t.Errorf("later releases %t: scheduled %t", later, ok)
		}
	}
}

// The end of a collective operation waits for everything outstanding, on every scoreboard (MERC-134).
func TestEndOfCollectiveWaits(t *testing.T) {
	endCollective := machinetest.Asm("[B------:R-:W-:-:S05] ENDCOLLECTIVE")
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b11), endCollective, machinetest.End}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	a := s.newAllocation()
	here := cfg.NewSet(len(s.events))
	if waits, _ := a.waitsFor(3, 5, here); waits {
		t.Error("it waits for nothing")
	}
	here.Add(1)
	for _, test := range []struct {
		at    int
		waits bool
	}{{3, true}, {4, false}} {
		if waits, _ := a.waitsFor(test.at, 5, here); waits != test.waits {
			t.Errorf("instruction %d waits: %t, want %t", test.at, waits, test.waits)
		}
	}
}

// The waits of instructions show what they depend on, and which events the ends of blocks also wait for. The
// waits of collective operations and returns show nothing (MERC-134, MERC-155).
func TestReadWaits(t *testing.T) {
	endCollective := machinetest.Asm("[B------:R-:W-:-:S05] ENDCOLLECTIVE")
	beginCollective := machine.Word(0x0000000000007948, 1<<(86-64)|0x000fea0003800000)
	complete := machinetest.Asm("[B------:R-:W-:-:S05] RET.ABS R20")
	call := machinetest.Asm("[B------:R-:W-:-:S05] CALL.ABS")
	goBack := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA 0x3c0")
	for _, test := range []struct {
		name          string
		code          []machine.Instr
		at            int
		waits         []int // events
		flush, learns bool
	}{
		{"a result that is needed", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b10), machinetest.End}, 2, []int{1}, false, false},
		{"one that is pending and not waited for", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2), machinetest.Multiply.WithWaitMask(0b10), machinetest.End}, 3, []int{1}, false, false},
		{"a wait for what is not needed", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2), machinetest.Multiply.WithWaitMask(0b110), machinetest.End}, 3, []int{1, 2}, false, true},
		{"all of a warp", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2), endCollective.WithWaitMask(0b10), machinetest.End}, 3, []int{0, 1, 2}, false, false},
		{"what begins for a warp", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2), beginCollective.WithWaitMask(0b10), endCollective, machinetest.End}, 3, nil, false, false},
		{"a call", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2), call.WithWaitMask(0b10), machinetest.End}, 3, []int{0, 1, 2}, false, false},
		{"an end that counts where something is back", []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(1), machinetest.Move(4, 5).WithStall(15), machinetest.Move(6, 7).WithStall(15), machinetest.Move(8, 10).WithStall(15),
			machinetest.LoadTwo.WithWriteBarrier(1), machinetest.Move(11, 12), goBack.WithDistance(-2 * machine.Size), machinetest.End,
		}, 5, []int{2}, true, false},
		{"a return", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2), complete.WithWaitMask(0b10)}, 3, []int{0, 1, 2}, false, false},
	} {
		s, ok := scheduleOf(test.code, nil, 100, Goal{})
		if !ok {
			t.Fatalf("%s: schedule not known", test.name)
		}
		var waits []int
		for n := range s.waits[test.at].All {
			waits = append(waits, n)
		}
		if !slices.Equal(waits, test.waits) || s.flush[test.at].Some() != test.flush || s.learned[test.at].Some() != test.learns {
			t.Errorf("%s: waits for %v, flush %t, learned %t", test.name, waits, s.flush[test.at].Some(), s.learned[test.at].Some())
		}
	}
}

// In the first pass an event is pending until something waits for its scoreboard for another reason than a back edge, on each way
// apart. A collective operation and a fence free nothing there (MERC-155).
func TestFirstPass(t *testing.T) {
	wait := machinetest.Multiply.WithWaitMask(0b100)
	for _, test := range []struct {
		name string
		on   machine.Instr // the instruction on one of the two ways
		mask uint64
		want bool
	}{
		{"no wait", machinetest.Multiply, 0, true},
		{"a wait on one way", wait, 0b100, true},
		{"a wait on both ways", wait, 0b1100, false},
		{"another scoreboard", wait, 0b10, true},
		{"a fence", machinetest.Asm("[B012345:R-:W-:-:S01] NOP"), 0b1100, true},
	} {
		e := &event{board: 2}
		s := &schedule{
			code: []machine.Instr{machinetest.ReadID, machinetest.Multiply, test.on, test.on, wait}, events: []*event{e},
			defs: [][]*event{{e}, nil, nil, nil, nil}, deps: cfg.NewSets(5, 1), flow: cfg.Flow{Next: [][]int{{1}, {2, 3}, {4}, {4}, {0}}},
		}
		s.on = s.boards(func(t *event) int { return t.board })
		s.deps[4].Add(0)
		first := s.newSets()
		for i := range 4 {
			mask := uint64(0)
			if i == 2 || i == 3 && test.mask>>3 == 1 {
				mask = test.mask & 0b111
			}
			s.passFirst(i, mask, first)
		}
		if got := s.needsFirst(4, 2, first[4]); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
		if s.needsFirst(4, 3, first[4]) {
			t.Errorf("%s: needs an event of another scoreboard", test.name)
		}
	}
}

// The end of a loop's first block waits for the previous iteration, unless it needs one of the outstanding
// events, or all of them are complete before another loop (KIT-144, MERC-155).
func TestWaitsForIteration(t *testing.T) {
	for _, tt := range []struct {
		name                string
		isHead, deps, flush bool
		last                machine.Instr
		want                bool
	}{
		{"for the next round", true, false, false, machinetest.MayExit, true},
		{"no loop", false, false, false, machinetest.MayExit, false},
		{"what it needs", true, true, false, machinetest.MayExit, false},
		{"before another loop", true, false, true, machinetest.MayExit, false},
		{"before a call", true, false, false, machine.Word(sass.OpCALLRel, 0), false},
	} {
		s := &schedule{
			flow: cfg.Flow{First: make([]int, 2), Last: []int{1, 1}}, cycle: make([]int, 3),
			code: []machine.Instr{machine.NOP, tt.last}, events: []*event{{}}, defs: make([][]*event, 2),
			waits: cfg.NewSets(2, 1), local: cfg.NewSets(2, 1), flush: cfg.NewSets(2, 1), loops: map[int]cfg.Loop{},
		}
		one := cfg.NewSet(1)
		one.Add(0)
		if tt.isHead {
			s.loops[1] = cfg.Loop{}
		}
		if tt.deps {
			s.waits[1].Add(0)
		}
		if tt.flush {
			s.local[1].Add(0)
			s.flush[1].Add(0)
		}
		a := &allocation{schedule: s, board: []int{0}, before: cfg.NewSets(2, 1)}
		if got := a.waitsForIteration(1, 0, one, one); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// The end of a block needs a load from before a loop, but does not wait for it in the input: the head of the loop waits for its
// scoreboard. It does not wait in a later release either (KIT-976).
func TestDoesWithout(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W5:-:S02] LDG.E R5, desc[UR6][R2.64+0x4]")
	code := []machine.Instr{
		machinetest.LoadPointer, machinetest.Into(load, 20), machinetest.Into(load, 22).WithWaitMask(1 << 5),
		machinetest.Jump(3, 5, false), machinetest.Add(50, 20, 5).WithWaitMask(0), machinetest.Move(30, 31), machinetest.Jump(6, 2, false), machinetest.Add(51, 22, 5), machinetest.End,
	}
	later, refusal, ok := Reallocate(code, nil, 100, Goal{To: laterRelease})
	if !ok || later[4].WaitsFor(5) || !later[2].WaitsFor(5) {
		t.Errorf("%t %v %x", ok, refusal, later)
	}
}
