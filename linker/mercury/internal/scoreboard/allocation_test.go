package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// A block may be reached from another block whose scoreboards are not assigned yet. Events from there do not count,
// even if they had a scoreboard in the input. Events from a block with assigned scoreboards count (MERC-133).
func TestMeetsAtSuccessors(t *testing.T) {
	toLast := machinetest.Asm("[B------:R-:W-:-:S05] BRA 0x3d0").WithDistance(2 * machine.Size)
	toThird := machinetest.Asm("[B------:R-:W-:-:S05] @P0 BRA 0x3d0").WithDistance(3 * machine.Size)
	id, add1, load := machinetest.Into(machinetest.ReadID, 10).WithWriteBarrier(0), machinetest.Add(50, 10, 0), machinetest.Into(machinetest.LoadTwo, 20)
	for _, test := range []struct {
		name          string
		second, third machine.Instr // blocks, the third of which comes first (MERC-159)
		at            int
		want          int
	}{
		{"in the block that comes first", machinetest.LoadPointer, add1, 5, 0},
		{"in the one that comes last", add1, machinetest.LoadPointer, 3, 1},
	} {
		code := []machine.Instr{id, toThird, test.second, load, toLast, test.third, machinetest.Into(load, 30), machinetest.Add(51, 10, 0), machinetest.Add(52, 20, 1), machinetest.Add(53, 30, 1), machinetest.End}
		s, ok := scheduleOf(code, nil, 100, Goal{})
		if !ok {
			t.Fatal("schedule not known")
		}
		boards := s.allocate()
		for _, k := range s.events {
			if s.original[s.order[k.at]] == load && boards[k.number] != test.want {
				t.Errorf("%s: scoreboard %d, want %d", test.name, boards[k.number], test.want)
			}
		}
	}
}

// An atomic whose result is written to no register gets the last scoreboard if any load from memory in the code
// writes a register (MERC-133).
func TestAtomicsWithoutRegister(t *testing.T) {
	var register sass.Registers
	register.Add(sass.General, 4, 1)
	for _, test := range []struct {
		name  string
		op    uint64
		other sass.Registers
		want  bool
	}{
		{"atomics without registers", sass.OpATOMG, sass.Registers{}, false},
		{"a load", sass.OpLDG, register, true},
		{"an atomic with a register", sass.OpATOMG, register, true},
		{"a texture", sass.OpTEX, register, false},
	} {
		code := []machine.Instr{machine.Word(sass.OpATOMG, 0), machine.Word(test.op, 0), machinetest.End}
		flow, ok := cfg.FlowOf(code, nil)
		if !ok {
			t.Fatal("flow not known")
		}
		atomic := &event{long: true, consumer: never}
		s := &schedule{policy: blockEnds{}, code: code, flow: flow, defs: make([][]*event, len(code)), events: []*event{atomic, {at: 1, long: true, number: 1, registers: test.other}}}
		a := s.newAllocation()
		if b, got := a.liveOutBoard(atomic); got != test.want || got && b != a.last {
			t.Errorf("beside %s: scoreboard %d, %t", test.name, b, got)
		}
	}
}

// The scoreboard of groups of asynchronous copies is reserved even if nothing waits for them (MERC-133).
func TestCopiesSetAside(t *testing.T) {
	group := machinetest.Asm("[B------:R-:W0:-:S02] LDGDEPBAR")
	explained(t, "a group of copies", []machine.Instr{machinetest.ReadID.WithWriteBarrier(1), machinetest.Multiply.WithWaitMask(0b10), group, machinetest.End})
}

// A scoreboard on which a DEPBAR waits for a count is reserved if the instructions that count on it complete in
// order or in groups (MERC-133).
func TestCountedBoards(t *testing.T) {
	depbar := func(board uint64) machine.Instr { return machine.Word(0x791a|1<<47|board<<44, 0x000fc80000000000) }
	group := machinetest.Asm("[B------:R-:W0:-:S02] LDGDEPBAR")
	texture := machinetest.Asm("[B------:R-:W-:Y:S01] TEX")
	several := machine.Word(0x791a|1<<47|1<<33, 0x000fc80000000000) // DEPBAR, another scoreboard as well
	for _, tt := range []struct {
		name  string
		code  []machine.Instr
		want  boardSet
		known bool
	}{
		{"groups of copies", []machine.Instr{group}, 0b1, true},
		{"groups that are waited for", []machine.Instr{group, depbar(0)}, 0b1, true},
		{"groups that there are none of", []machine.Instr{machinetest.ReadID.WithWriteBarrier(0), depbar(0)}, 0, true},
		{"textures", []machine.Instr{texture.WithWriteBarrier(5), depbar(5)}, 0b100000, true},
		{"operands of textures", []machine.Instr{texture.WithReadBarrier(4), depbar(4)}, 0b10000, true},
		{"textures on another one", []machine.Instr{texture.WithWriteBarrier(5), depbar(4)}, 0, true},
		{"textures that nothing waits for a count of", []machine.Instr{texture.WithWriteBarrier(5)}, 0, true},
		{"several", []machine.Instr{several}, 0, false},
		{"groups, and a reduction", []machine.Instr{group, reduce.WithReadBarrier(0), depbar(0)}, 0b1, false},
		{"groups, and a reduction on another one", []machine.Instr{group, reduce.WithReadBarrier(1), depbar(1)}, 0b1, true},
	} {
		if got, known := countedBoards(tt.code); got != tt.want || known != tt.known {
			t.Errorf("%s: %b, %v, want %b, %v", tt.name, got, known, tt.want, tt.known)
		}
	}
}

// The NOP after a fence depends on the fence. If there is no NOP, the next instruction depends on it. The NOP, and
// the CCTL after a wider fence, wait for all scoreboards. This frees no scoreboard, and instructions that need an
// outstanding event wait again (MERC-160).
func TestBarrier(t *testing.T) {
	fence := machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA")
	invalidate := machinetest.Asm("[B------:R-:W-:-:S02] CCTL.IVALL")
	for _, tt := range []struct {
		name   string
		behind machine.Instr
		waits  func(board int) uint64
	}{
		{"a NOP", machine.NOP, func(int) uint64 { return machine.EveryBoard }},
		{"a CCTL", invalidate, func(int) uint64 { return machine.EveryBoard }},
		{"another fence", fence, func(b int) uint64 { return 1 << b }},
		{"a move", machinetest.Move(60, 61), func(b int) uint64 { return 1 << b }},
	} {
		with := func(pointer machine.Instr, b int) []machine.Instr {
			return []machine.Instr{
				pointer, machinetest.LoadTwo.WithWriteBarrier(b), fence.WithReadBarrier(b + 1), tt.behind.WithWaitMask(tt.waits(b + 1)),
				machinetest.Into(machinetest.ReadID, 10).WithWriteBarrier(b + 1), machinetest.Add(50, 10, b+1), machinetest.Multiply.WithWaitMask(1 << b), machinetest.End,
			}
		}
		explained(t, tt.name, with(machinetest.LoadPointer, 0))
		code := with(machinetest.LoadPointer.WithWriteBarrier(0), 1)
		allocated, _, ok := Reallocate(code, nil, 100, Goal{FreesStack: true})
		if !ok {
			t.Fatalf("%s: not explained", tt.name)
		}
		for i, want := range []uint64{0, 0, 0, tt.waits(1), 0, 0b10, 0b1, 0} {
			if got := allocated[i].WaitMask(); got != want {
				t.Errorf("%s: instruction %d waits for %06b, want %06b", tt.name, i, got, want)
			}
		}
	}
}

// Two events share a scoreboard, and the first wait for either is at the end of the block. If the end needs only the
// new result, the cost is the time for which the older event is still outstanding there. If it also needs the older
// event, the cost is the time for which the new result is outstanding (MERC-152).
func TestLossAtEnd(t *testing.T) {
	cycle, first, last := []int{0, 10, 20, 30}, make([]int, 3), []int{2, 2, 2}
	a := &allocation{schedule: &schedule{policy: blockEnds{}, code: make([]machine.Instr, 3), flow: cfg.Flow{First: first, Last: last}, cycle: cycle, waits: cfg.NewSets(3, 2)}}
	defs := func(number, at, latency, consumer int) *event {
		return &event{number: number, at: at, latency: latency, consumer: consumer, waiter: 2, pending: cfg.NewSet(3)}
	}
	result, other := defs(1, 1, 48, 2), defs(0, 0, 18, never)
	if got, want := a.loss(result, []*event{other}, false), 18-20; got != want {
		t.Errorf("back at the end: %d, want %d", got, want)
	}
	a.waits[2].Add(0)
	if got, want := a.loss(result, []*event{other}, false), 48-10; got != want {
		t.Errorf("needed at the end: %d, want %d", got, want)
	}
}

// The last scoreboard that is not the texture unit's is reserved for loads if the code has loads other than textures
// (MERC-133).
func TestKeeps(t *testing.T) {
	for _, test := range []struct {
		first, second uint64
		want          bool
	}{{sass.OpTEX, sass.OpTEX, false}, {sass.OpLDG, sass.OpLDG, true}, {sass.OpTEX, sass.OpLDG, true}} {
		code := []machine.Instr{machine.Word(test.first, 0), machine.Word(test.second, 0), machinetest.End}
		flow, ok := cfg.FlowOf(code, nil)
		if !ok {
			t.Fatal("flow not known")
		}
		var register sass.Registers
		register.Add(sass.General, 4, 1)
		s := &schedule{policy: blockEnds{}, code: code, flow: flow, defs: make([][]*event, len(code)), events: []*event{{at: 0, long: true, registers: register}, {at: 1, long: true, number: 1, registers: register}}}
		if a := s.newAllocation(); a.keeps != test.want {
			t.Errorf("%#x and %#x: kept: %t", test.first, test.second, a.keeps)
		}
	}
}

// The last scoreboard is reserved in a block that has a live-out load, even if that is its last instruction (MERC-970).
func TestReservedByLast(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W5:-:S02] LDG.E R5, desc[UR6][R2.64+0x4]")
	for _, test := range []struct {
		name string
		code []machine.Instr
		want bool
	}{
		{"last", []machine.Instr{machinetest.Jump(0, 3, false), machinetest.Move(20, 21), load, machinetest.Add(50, 5, 5), machinetest.End}, true},
		{"before", []machine.Instr{machinetest.Jump(0, 3, false), load, machinetest.Move(20, 21), machinetest.Add(50, 5, 5), machinetest.End}, true},
		{"needed in the block", []machine.Instr{machinetest.Jump(0, 4, false), machinetest.Move(20, 21), load, machinetest.Add(50, 5, 5), machinetest.End}, false},
	} {
		s, known := scheduleOf(test.code, nil, 100, Goal{})
		if !known {
			t.Fatal(test.name)
		}
		a := s.newAllocation()
		if b, ok := a.liveOutBoard(a.events[0]); ok {
			a.setAside(a.events[0], b)
		}
		if got := a.hasLiveOut(1); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// inBlocks returns an allocation of nine instructions in three blocks of three, in which nothing is pending or waited for. It has
// two events: one of the first instruction, and one of the fourth.
func inBlocks() (a *allocation, first, second *event) {
	const count = 9
	first, second = &event{}, &event{at: 3, number: 1}
	s := &schedule{code: make([]machine.Instr, count), events: []*event{first, second}}
	s.waits, s.flush = s.newSets(), s.newSets()
	for i := range count {
		s.flow.First, s.flow.Last = append(s.flow.First, i/3*3), append(s.flow.Last, i/3*3+2)
	}
	return &allocation{schedule: s, pending: cfg.NewSets(2, count)}, first, second
}

// A wait for an event of an earlier block counts only in the block of the event that would share its scoreboard (KIT-973).
func TestFirstWait(t *testing.T) {
	for _, tt := range []struct {
		name    string
		pending int // until that instruction
		wait    int // the instruction that waits
		want    int
	}{
		{"next", 4, 4, 4},
		{"at the end of the block", 5, 5, 5},
		{"in the next block", 7, 7, never},
		{"for what is no longer pending", 3, 5, never},
	} {
		a, earlier, own := inBlocks()
		for i := 1; i <= tt.pending; i++ {
			a.pending[earlier.number].Add(i)
		}
		a.waits[tt.wait].Add(earlier.number)
		if got := a.firstWait([]*event{earlier}, own); got != tt.want {
			t.Errorf("%s: instruction %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A scoreboard is waited for at the end of a block if one of its events is pending there and has completed by then (MERC-134).
func TestFlushedEnds(t *testing.T) {
	for _, tt := range []struct {
		name           string
		pending, flush []int // the ends before which the event of the first block is pending, and at which it is complete
		want           []int
	}{
		{"complete in its own block", nil, []int{2}, []int{2}},
		{"complete in a later block", []int{2, 5}, []int{5}, []int{5}},
		{"complete where it is not pending", nil, []int{5}, nil},
		{"pending where it is not complete", []int{2, 5}, nil, nil},
		{"complete behind the blocks asked for", []int{2, 5, 8}, []int{8}, nil},
	} {
		a, first, _ := inBlocks()
		a.boards[1].events = []*event{first}
		for _, i := range tt.pending {
			a.pending[first.number].Add(i)
		}
		for _, i := range tt.flush {
			a.flush[i].Add(first.number)
		}
		if got := a.flushed(1, 0, 6); !slices.Equal(got, tt.want) {
			t.Errorf("%s: at %v, want %v", tt.name, got, tt.want)
		}
	}
}
