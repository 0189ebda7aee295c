package scoreboard

import (
	"pgregory.net/rapid"
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// An event keeps a scoreboard that no compiler would choose, as long as no event that changes is outstanding at the
// same time. Otherwise the whole code does not change (MERC-150).
func TestRevise(t *testing.T) {
	for _, test := range []struct {
		name string
		code []machine.Instr
		want []int // scoreboards of the results; nil if nothing changes
	}{
		{"by the rules", []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b11), machinetest.MayExit, machinetest.ReadID.WithWriteBarrier(0), machinetest.Multiply.WithWaitMask(0b1), machinetest.End,
		}, []int{7, 0, 7, 7, 0, 7, 7}},
		{"another one in a block without the stack pointer", []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b11), machinetest.MayExit, machinetest.ReadID.WithWriteBarrier(4), machinetest.Multiply.WithWaitMask(0b10000), machinetest.End,
		}, []int{7, 0, 7, 7, 4, 7, 7}},
		{"another one beside the stack pointer", []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(4), machinetest.Multiply.WithWaitMask(0b10001), machinetest.MayExit, machinetest.ReadID.WithWriteBarrier(0), machinetest.Multiply.WithWaitMask(0b1), machinetest.End,
		}, nil},
		{"another one where the stack pointer is still pending", []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b10), machinetest.MayExit, machinetest.ReadID.WithWriteBarrier(4), machinetest.Multiply.WithWaitMask(0b10001), machinetest.End,
		}, nil},
	} {
		allocated, _, ok := Reallocate(test.code, nil, 100, Goal{FreesStack: true})
		if ok != (test.want != nil) {
			t.Errorf("%s: handed out anew: %t", test.name, ok)
			continue
		}
		for i, want := range test.want {
			if got := allocated[i].WriteBarrier(); got != want {
				t.Errorf("%s: instruction %d: scoreboard %d, want %d", test.name, i, got, want)
			}
		}
	}
}

// An allocation that has used exactly its work is done. One that needs more is refused.
func TestAffordable(t *testing.T) {
	for _, tt := range []struct {
		before, after int // the work that is left
		want          *Refusal
	}{{1, 1, nil}, {0, 1, nil}, {1, 0, nil}, {-1, 1, TooMuch}, {1, -1, TooMuch}} {
		r := &revision{before: &allocation{work: tt.before}, after: &allocation{work: tt.after}}
		if got := r.affordable(); got != tt.want {
			t.Errorf("%d and %d left: %v, want %v", tt.before, tt.after, got, tt.want)
		}
	}
}

// A wait that nothing needs is kept if the same event is outstanding on its scoreboard, and moves with that event. If
// another event is outstanding there, the rules do not explain the schedule (MERC-151).
func TestCarriedWaits(t *testing.T) {
	for _, test := range []struct {
		name string
		code []machine.Instr
		want []uint64 // waits; nil if nothing changes
	}{
		{"on a scoreboard that moves", []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.MayExit.WithWaitMask(0b11), machinetest.Multiply, machinetest.End,
		}, []uint64{0, 0, 0b1, 0, 0}},
		{"for nothing, on one that has nothing", []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b100011), machinetest.End,
		}, []uint64{0, 0, 0b100001, 0}},
		{"for nothing, on one that has something now", []machine.Instr{
			machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b11), machinetest.ReadID.WithWriteBarrier(0), machinetest.LoadTwo.WithWriteBarrier(1), machinetest.End.WithWaitMask(0b11),
		}, []uint64{0, 0, 0b1, 0, 0, 0b11}},
	} {
		allocated, _, ok := Reallocate(test.code, nil, 100, Goal{FreesStack: true})
		if ok != (test.want != nil) {
			t.Errorf("%s: handed out anew: %t", test.name, ok)
			continue
		}
		for i, want := range test.want {
			if got := allocated[i].WaitMask(); got != want {
				t.Errorf("%s: instruction %d waits for %06b, want %06b", test.name, i, got, want)
			}
		}
	}
}

// An instruction that counts on a scoreboard stalls for two cycles if the next one waits for that scoreboard
// (MERC-153).
func TestStallUntilCounted(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after []machine.Instr
		want          int // cycles; 0 if the schedule does not change
	}{
		{"the next one waits now", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(1), machinetest.Multiply}, []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(1), machinetest.Multiply.WithWaitMask(1)}, 2},
		{"long enough", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(5), machinetest.Multiply}, []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(5), machinetest.Multiply.WithWaitMask(1)}, 5},
		{"for another one", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(1), machinetest.Multiply}, []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(1), machinetest.Multiply.WithWaitMask(2)}, 1},
		{"no more", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(2), machinetest.Multiply.WithWaitMask(1)}, []machine.Instr{machinetest.ReadID.WithWriteBarrier(0).WithStall(2), machinetest.Multiply}, 0},
	} {
		code := test.after
		ok := (&revision{schedule: &schedule{policy: blockEnds{}, code: test.before, original: test.before}}).stall(code)
		if got := code[0].Stall(); ok != (test.want != 0) || ok && got != test.want {
			t.Errorf("%s: stalls for %d (%t), want %d", test.name, got, ok, test.want)
		}
	}
}

// Events of earlier blocks do not matter at the end of a block (MERC-134).
func TestFlushes(t *testing.T) {
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.MayExit, machinetest.ReadID.WithWriteBarrier(0), machinetest.LoadTwo.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(3).WithStall(15), machinetest.MayExit, machinetest.End}
	s, ok := scheduleOf(code, nil, 100, Goal{})
	if !ok {
		t.Fatal("schedule not known")
	}
	const endOfBlock = 5
	of := func(events ...int) cfg.Set {
		p := cfg.NewSet(len(s.events))
		for _, n := range events {
			p.Add(n)
		}
		return p
	}
	for _, test := range []struct {
		name    string
		pending cfg.Set
		back    cfg.Set
		want    bool
	}{
		{"nothing", of(), of(1, 2), false},
		{"of an earlier block alone", of(0), of(1, 2), false},
		{"of the block", of(1), of(1, 2), true},
		{"of the block and of an earlier one", of(0, 1), of(1, 2), true},
		{"of the block, one not back", of(1, 2), of(1), false},
	} {
		s.flush[endOfBlock] = test.back
		if got := s.flushes(endOfBlock, test.pending); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// The cost of a shared wait is the time until the event itself is complete, or the time that the other events
// then wait longer. An event on which nothing in its block depends costs nothing at the end of the block
// (MERC-152, MERC-991).
func TestLoss(t *testing.T) {
	// The block has ten instructions, of which the third waits for another event.
	cycle := make([]int, 11)
	for i := range cycle {
		cycle[i] = 10 * i
	}
	first, last := make([]int, 10), make([]int, 10)
	for i := range last {
		last[i] = 9
	}
	defs := func(at, latency, consumer, waiter int, reads bool) *event {
		return &event{at: at, latency: latency, consumer: consumer, waiter: waiter, war: reads, pending: cfg.NewSet(10)}
	}
	needed := cfg.NewSets(10, 1) // only by the end of the block
	a := &allocation{schedule: &schedule{policy: blockEnds{}, code: make([]machine.Instr, 10), flow: cfg.Flow{First: first, Last: last}, cycle: cycle, waits: needed}}
	other := func(waiter int) []*event { return []*event{defs(0, 60, waiter, waiter, false)} }
	for _, test := range []struct {
		name     string
		t        *event
		others   []*event
		reserved bool
		want     int
	}{
		{"nothing is pending there", defs(1, 100, 5, 5, false), nil, false, never},
		{"it is for loads that go on", defs(1, 100, 5, 5, false), other(3), true, never - 1},
		{"the other is waited for first", defs(1, 100, 5, 5, false), other(3), false, 100 - 20},
		{"this one is waited for first", defs(1, 100, 2, 2, false), other(8), false, 60 - 20},
		{"this one is waited for first, the other soon after", defs(1, 100, 2, 2, false), other(3), false, 10},
		{"nothing depends on it, waited for at the end", defs(1, 100, never, never, false), other(9), false, 0},
		{"nothing depends on it, waited for before", defs(1, 100, never, never, false), other(3), false, 100 - 20},
		{"operands that nothing depends on, read by then", defs(1, 20, never, never, true), other(3), false, 0},
	} {
		if got := a.loss(test.t, test.others, test.reserved); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
	needed[9].Add(0)
	if got, want := a.loss(defs(1, 100, never, never, false), other(9), false), 100-80; got != want {
		t.Errorf("nothing depends on it, the other needed at the end: %d, want %d", got, want)
	}
}

// A WAR event on which nothing in its block or the next blocks depends shares a scoreboard at no cost, if nothing in its
// block needs the others. If the next blocks need it, the cost depends on when the others complete (KIT-060).
func TestLossOfOperands(t *testing.T) {
	a := &allocation{schedule: &schedule{
		code: make([]machine.Instr, 4), deps: cfg.NewSets(4, 1), exitDeps: cfg.NewSets(4, 1), cycle: []int{0, 10, 12, 20, 24},
		flow: cfg.Flow{Next: [][]int{{1}, {2}, {3}, nil}, First: []int{0, 0, 2, 2}, Last: []int{1, 1, 3, 3}},
	}}
	for _, tt := range []struct {
		name           string
		latency, other int
		needed         int
	}{
		{"all are back", 5, 5, -5},
		{"the other is late", 5, 17, 7},
		{"it is later than the other", 13, 12, 2},
		{"the other is later", 13, 14, 4},
	} {
		x := &event{at: 0, war: true, latency: tt.latency, pending: cfg.NewSet(4)}
		x.pending.Add(2)
		others := []*event{{at: 0, war: true, latency: tt.other}}
		a.deps[2].Clear()
		if got := a.lossOfOperands(x, others, never, true); got != 0 {
			t.Errorf("%s, not needed: %d, want 0", tt.name, got)
		}
		a.deps[2].Add(0)
		if got := a.lossOfOperands(x, others, never, true); got != tt.needed {
			t.Errorf("%s, needed: %d, want %d", tt.name, got, tt.needed)
		}
	}
}

// An event keeps its scoreboard until the block ends if nothing in the block waits for it. A live-out load does so
// too. Other events of earlier blocks do not (KIT-178).
func TestIsTaken(t *testing.T) {
	a := &allocation{schedule: &schedule{policy: blockEnds{}, flow: cfg.Flow{First: []int{0, 1, 1, 1}}, waits: cfg.NewSets(4, 3)}, liveOut: cfg.NewSet(2)}
	a.waits[3].Add(2)
	x := &event{at: 3}
	for _, tt := range []struct {
		name   string
		events []*event
		want   bool
	}{
		{"nothing", nil, false},
		{"of the block", []*event{{at: 1, waiter: never}}, true},
		{"of the block, waited for", []*event{{at: 1, waiter: never}, {number: 2, at: 2, waiter: 3}}, false},
		{"of the block, back at its end", []*event{{at: 2, waiter: 3}}, true},
		{"of an earlier one", []*event{{at: 0, waiter: 3}}, false},
		{"a load that goes on", []*event{{number: 1, at: 0, waiter: never}}, true},
	} {
		a.liveOut.Clear()
		a.liveOut.Add(1)
		if got := a.isTaken(tt.events, x); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// Operands leave the last free scoreboard to others even if it is free only because their own instruction waits for it (KIT-178). One
// that their block reserves is not free (KIT-974).
func TestLeavesFree(t *testing.T) {
	const at, end = 1, 3
	s := &schedule{policy: onDemand{}, flow: cfg.Flow{First: []int{0, 0, 0, 0}, Last: []int{end, end, end, end}}, waits: cfg.NewSets(end+1, 1), defs: make([][]*event, end+1)}
	a := &allocation{schedule: s, before: cfg.NewSets(end+1, 1), some: cfg.NewSet(1), liveOut: cfg.NewSet(1), last: 5}
	a.boards[0].counts = cfg.NewSet(1)
	a.boards[0].counts.Add(0)
	a.before[at].Add(0) // the instruction waits for it
	x := &event{at: at, war: true, consumer: never}
	var active [machine.Scoreboards][]*event
	for b := 1; b < machine.Scoreboards; b++ {
		active[b] = []*event{{at: 0, war: true, waiter: never}}
	}
	if p := (onDemand{reserves: true}); !p.leavesFree(a, x, active, 0) {
		t.Error("takes the last free scoreboard")
	}
	if p := (onDemand{}); p.leavesFree(a, x, active, 0) {
		t.Error("leaves it before 13.5")
	}
	active[5] = nil
	if p := (onDemand{reserves: true}); p.leavesFree(a, x, active, 0) {
		t.Error("leaves a scoreboard that is not the last free one")
	}
	a.liveOut.Add(0)
	if p := (onDemand{reserves: true}); !p.leavesFree(a, x, active, 0) {
		t.Error("takes the last free scoreboard beside one that is reserved")
	}
}

// A result for which an EXIT of its block waits may have the scoreboard that is kept for loads, with later compilers. An operand may
// not, nor a result for which the block waits only because it waits for another one (KIT-390).
func TestMayHaveKept(t *testing.T) {
	for _, tt := range []struct {
		name         string
		policy       policy
		war, depends bool
		waiter       int
		want         bool
	}{
		{"awaited", onDemand{}, false, true, 2, true},
		{"awaited up to 13.0", blockEnds{}, false, true, 2, false},
		{"operand", onDemand{}, true, true, 2, false},
		{"awaited with another one", onDemand{}, false, false, 2, false},
		{"not awaited", onDemand{}, false, true, never, false},
	} {
		a := &allocation{schedule: &schedule{policy: tt.policy, deps: cfg.NewSets(3, 1)}, last: 5, keeps: true}
		if tt.depends {
			a.deps[2].Add(0)
		}
		x := &event{war: tt.war, consumer: never, waiter: tt.waiter}
		if got := a.mayHave(x, 5, false); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
		if a.mayHave(x, 5, true) || !a.mayHave(x, 4, false) {
			t.Errorf("%s: the reserved one, or not another one", tt.name)
		}
	}
}

// needsOne is false for an instruction after the end of the code (MERC-152).
func TestNeedsOneNever(t *testing.T) {
	a := &allocation{schedule: &schedule{policy: blockEnds{}, code: make([]machine.Instr, 1), waits: cfg.NewSets(1, 1)}}
	a.waits[0].Add(0)
	if events := []*event{{}}; a.needsOne(never, events) || !a.needsOne(0, events) {
		t.Error("needed where nothing waits, or not where something does")
	}
}

// A WAR event on which nothing depends shares the scoreboard of other such events at no cost, unless something waits
// for them before its operands are read (MERC-133).
func TestAlike(t *testing.T) {
	first, last, cycle := make([]int, 10), make([]int, 10), make([]int, 11)
	for i := range last {
		last[i], cycle[i] = 9, 10*i
	}
	a := &allocation{schedule: &schedule{policy: blockEnds{}, code: make([]machine.Instr, 10), flow: cfg.Flow{First: first, Last: last}, cycle: cycle}, last: textureBoard}
	operands := func(at, waiter int) *event {
		return &event{at: at, war: true, latency: 12, consumer: never, waiter: waiter, pending: cfg.NewSet(10)}
	}
	for _, test := range []struct {
		waiter int
		alike  bool
	}{{2, false}, {3, true}, {never, true}} {
		var active [machine.Scoreboards][]*event
		active[1] = []*event{operands(0, test.waiter)}
		if b, ok := a.alike(operands(1, never), active, false); ok != test.alike || ok && b != 1 {
			t.Errorf("waited for at %d: scoreboard %d, %t; want %t", test.waiter, b, ok, test.alike)
		}
	}
}

// If no other event is outstanding together with the stack pointer, the new schedule is that of the input, whatever
// the other scoreboards are (MERC-150).
func TestRevisionKeepsTheRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.Multiply.WithWaitMask(1), machinetest.MayExit}
		for range rapid.IntRange(1, 6).Draw(t, "blocks") {
			b := rapid.IntRange(0, machine.Scoreboards-1).Draw(t, "scoreboard")
			code = append(code, machinetest.ReadID.WithWriteBarrier(b).WithStall(rapid.IntRange(2, 15).Draw(t, "stall")), machinetest.Multiply.WithWaitMask(1<<b), machinetest.MayExit)
		}
		code = append(code, machinetest.End)
		allocated, _, ok := Reallocate(code, nil, 100, Goal{FreesStack: true})
		if !ok {
			t.Fatal("not explained")
		}
		for i, x := range allocated[2:] {
			if x != code[i+2] {
				t.Fatalf("instruction %d: %016x, was %016x", i+2, x.High, code[i+2].High)
			}
		}
	})
}

// Seven results share six scoreboards. The last one gets the scoreboard that is waited for last, whatever the time
// between the waits is (MERC-152).
func TestCheapest(t *testing.T) {
	const results = 7
	for _, stall := range []int{1, 4, 12} { // from one wait to the next
		var code []machine.Instr
		for n := range results {
			x := machinetest.ReadID.WithWriteBarrier(min(n, textureBoard)).WithStall(1)
			x.Low |= uint64(4+n) << 16
			code = append(code, x)
		}
		for n := range results {
			x := machinetest.Multiply.WithWaitMask(1 << min(n, textureBoard)).WithStall(stall)
			x.Low += uint64(4+n)<<24 + 0x1e<<16
			x.High += 0x1e
			code = append(code, x)
		}
		s, ok := scheduleOf(append(code, machinetest.End), nil, 100, Goal{})
		if !ok {
			t.Fatal("schedule not known")
		}
		a := s.newAllocation()
		for n, k := range s.events {
			b := a.choose(k)
			if b != k.board {
				t.Errorf("%d cycles between waits, result %d: scoreboard %d, want %d", stall, n, b, k.board)
			}
			a.count(k, b)
		}
	}
}

// The stall of an instruction may be for a result of an earlier instruction. Time in which the code waits for something else counts
// towards that stall, but not if the stall is longer than that result needs (MERC-157).
func TestClock(t *testing.T) {
	early, late := machinetest.ReadID.WithWriteBarrier(0).WithStall(1), machinetest.Multiply.WithStall(1)
	early.Low |= 8 << 16
	late.Low += 0x1e << 16
	late.High += 0x1e
	wait := machinetest.Multiply.WithWaitMask(1)
	wait.Low += 8<<24 + 0x20<<16
	wait.High += 0x20
	last := machinetest.Multiply.WithStall(1)
	last.Low += 0x20<<24 + 0x22<<16
	last.High += 0x22
	for _, test := range []struct{ stall, want int }{{3, 33}, {4, 36}, {9, 41}} {
		s, ok := scheduleOf([]machine.Instr{early, late, wait.WithStall(test.stall), last, machinetest.End}, nil, 100, Goal{})
		if !ok {
			t.Fatal("schedule not known")
		}
		if want := []int{0, 1, 32, test.want}; !slices.Equal(s.cycle[:4], want) {
			t.Errorf("a stall of %d: instructions begin at %v, want %v", test.stall, s.cycle[:4], want)
		}
	}
}

// TestConcerned checks that an event is assigned again if it is outstanding for longer in the new schedule, or if
// another instruction waits for it.
func TestConcerned(t *testing.T) {
	here, ahead := cfg.NewSet(8), cfg.NewSet(8)
	here.Add(3)
	ahead.Add(4)
	before := &event{pending: here, waiter: 4}
	for _, later := range []*event{{pending: here, waiter: 5}, {pending: ahead, waiter: 4}} {
		if !new(revision).concerned(before, later) {
			t.Errorf("%+v is no concern", later)
		}
	}
}
