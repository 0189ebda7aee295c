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

// MERC-155: what the round before of a loop makes an instruction wait for does not spare a later
// one its wait for what came before the loop, on the same scoreboard.
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
	for _, token := range s.tokens {
		r.before.count(token, token.board)
		if token.at > 0 {
			r.after.count(token, token.board)
		}
	}
	w := r.newWaits()
	first := w.firstPass()
	if first[2].before != 0 || first[3].before != 0b110 {
		t.Errorf("the first pass waits for %03b and %03b", first[2].before, first[3].before)
	}
	if masks, explained := w.nextPass(first, w.ofRounds(w.given)); !explained || !slices.Equal(masks, w.given) {
		t.Errorf("waits %03b, explained: %t; want %03b", masks, explained, w.given)
	}
}

// MERC-155: of instructions that count on a scoreboard on which something behind them is pending from the round before
// the first one waits for all of it, and the others for nothing more. Loads that go on into other blocks do not wait for
// another such.
func TestWaitsAgain(t *testing.T) {
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
		for _, token := range s.tokens {
			r.before.count(token, token.board)
			if b, ok := r.after.farBoard(later.tokens[token.number]); ok {
				r.after.setAside(later.tokens[token.number], b)
			} else {
				r.after.count(later.tokens[token.number], min(token.board, 1))
			}
		}
		code, ok := r.colour()
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

// MERC-151, MERC-155: a wait that the rules say and the input has not is no matter where the same is pending on both
// sides in both passes; else the schedule is not explained.
func TestUnexplainedWaits(t *testing.T) {
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(1), machinetest.Move(4, 5).WithWaitMask(0b10), machinetest.End}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	r := &revision{schedule: s, before: s.newAllocation(), after: s.newAllocation()}
	for _, token := range s.tokens {
		r.before.count(token, token.board)
		if token.at > 0 {
			r.after.count(token, token.board)
		}
	}
	w := r.newWaits()
	for _, test := range []struct {
		carried uint64 // in the first pass
		want    bool
	}{{0b100, true}, {0b011, false}, {0, false}} {
		first := make([]wait, len(code))
		first[2] = wait{before: 0b100, carried: test.carried, sure: true}
		if _, explained := w.nextPass(first, w.ofRounds(w.given)); explained != test.want {
			t.Errorf("%03b carried in the first pass: explained %t, want %t", test.carried, explained, test.want)
		}
	}
}

// MERC-150: later releases schedule code of 13.0 also where the rules do not tell what it waits for.
func TestUnexplainedWaitsOfLaterReleases(t *testing.T) {
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(0), machinetest.Move(4, 5).WithWaitMask(0b1), machinetest.Move(6, 9), machinetest.End}
	for _, later := range []bool{false, true} {
		_, _, ok := Reallocate(code, nil, 100, Goal{FreesStack: true, To: arch.Scheduler{Later: later}})
		if ok != later {
			t.Errorf("later releases %t: scheduled %t", later, ok)
		}
	}
}

// MERC-134: where a warp ends to do something together it waits for all that is pending, whatever
// that is on.
func TestEndOfCollectiveWaits(t *testing.T) {
	endCollective := machinetest.Asm("[B------:R-:W-:-:S05] ENDCOLLECTIVE")
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b11), endCollective, machinetest.End}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	a := s.newAllocation()
	here := cfg.NewSet(len(s.tokens))
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

// MERC-134, MERC-155: what instructions depend on is read from their waits, and what the ends of blocks wait for
// besides. Of what a warp does together, and of returns, nothing is learned.
func TestReadWaits(t *testing.T) {
	endCollective := machinetest.Asm("[B------:R-:W-:-:S05] ENDCOLLECTIVE")
	beginCollective := machine.Word(0x0000000000007948, 1<<(86-64)|0x000fea0003800000)
	leave := machinetest.Asm("[B------:R-:W-:-:S05] RET.ABS R20")
	call := machinetest.Asm("[B------:R-:W-:-:S05] CALL.ABS")
	goBack := machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA 0x3c0")
	for _, test := range []struct {
		name          string
		code          []machine.Instr
		at            int
		waits         []int // tokens
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
		{"a return", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 9).WithWriteBarrier(2), leave.WithWaitMask(0b10)}, 3, []int{0, 1, 2}, false, false},
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

// MERC-155: a wait of a round explains one for what was made since the last wait for something else, the instruction
// of that wait itself included.
func TestExplainsByRounds(t *testing.T) {
	s := &schedule{policy: blockEnds{}, needs: cfg.NewSets(9, 3), tokens: []*token{{number: 0, at: 1, board: 2}, {number: 1, at: 3, board: 2}, {number: 2, at: 3, board: 4}}}
	for _, test := range []struct {
		token int
		last  lastWait
		want  bool
	}{
		{1, lastWait{round: 5, other: 3}, true},
		{1, lastWait{round: 3, other: 0}, false}, // made by the wait of the round
		{0, lastWait{round: 5, other: 3}, false}, // back by then
		{1, lastWait{round: 3, other: 5}, false},
		{2, lastWait{round: 5, other: 3}, false}, // on another scoreboard
		{1, lastWait{}, false},
	} {
		s.needs[6] = cfg.NewSet(3)
		s.needs[6].Add(test.token)
		if got := test.last.explains(s, 6, 2); got != test.want {
			t.Errorf("token %d, %+v: %t, want %t", test.token, test.last, got, test.want)
		}
	}
}

// KIT-144, MERC-155: the end of the first block of a loop waits for the next round where it needs nothing that is pending,
// and not all is back before a loop that begins behind.
func TestWaitsForRound(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		isHead, needs, flush bool
		last                 machine.Instr
		want                 bool
	}{
		{"for the next round", true, false, false, machinetest.MayExit, true},
		{"no loop", false, false, false, machinetest.MayExit, false},
		{"what it needs", true, true, false, machinetest.MayExit, false},
		{"before another loop", true, false, true, machinetest.MayExit, false},
		{"before a call", true, false, false, machine.Word(sass.OpCALLRel, 0), false},
	} {
		s := &schedule{
			code: []machine.Instr{machine.NOP, tt.last}, tokens: []*token{{}}, made: make([][]*token, 2),
			waits: cfg.NewSets(2, 1), own: cfg.NewSets(2, 1), flush: cfg.NewSets(2, 1), loops: map[int]cfg.Loop{},
		}
		one := cfg.NewSet(1)
		one.Add(0)
		if tt.isHead {
			s.loops[1] = cfg.Loop{}
		}
		if tt.needs {
			s.waits[1].Add(0)
		}
		if tt.flush {
			s.own[1].Add(0)
			s.flush[1].Add(0)
		}
		a := &allocation{schedule: s, board: []int{0}}
		if got := a.waitsForRound(1, 0, one, one); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
