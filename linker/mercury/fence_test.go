package mercury

import (
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// A fence does not change if its stall is already right, or if no fence follows it (KIT-061).
func TestStallFencesOnly(t *testing.T) {
	fence := machinetest.Asm("MEMBAR.ALL.CTA")
	stalls := fence
	stalls = stalls.WithStall(1)
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want []bool // stalls as fences do
	}{
		{"none", nil, nil},
		{"one", []machine.Instr{fence}, []bool{false}},
		{"two", []machine.Instr{fence, fence}, []bool{true, false}},
		{"three", []machine.Instr{fence, fence, fence}, []bool{true, true, false}},
		{"another between", []machine.Instr{fence, machine.NOP, fence}, []bool{false, false, false}},
		{"another before", []machine.Instr{machine.NOP, fence, fence}, []bool{false, true, false}},
		{"one that stalls", []machine.Instr{stalls, fence}, []bool{false, false}},
	} {
		steps, any := stepsOf(tt.code...), false
		changed := stallFences(steps)
		for i, x := range steps {
			got := x.Instr != tt.code[i]
			any = any || got
			if got != tt.want[i] || got && (x.Stall() != fenceStall || x.Yields()) {
				t.Errorf("%s: instruction %d is %#x", tt.name, i, x.High)
			}
		}
		if changed != any {
			t.Errorf("%s: changed %v", tt.name, changed)
		}
	}
}

// A fence that precedes another one gets the stall of fences (KIT-061).
func TestStallFences(t *testing.T) {
	fence := machinetest.Asm("MEMBAR.ALL.CTA")
	steps := stepsOf(fence, fence, machinetest.End)
	if !stallFences(steps) || steps[0].Stall() != fenceStall || steps[0].Yields() || steps[1].Instr != fence {
		t.Errorf("%#x, %#x", steps[0].High, steps[1].High)
	}
}

// In unoptimized code a fence that precedes another one waits, and is counted, like that one (KIT-061).
func TestScheduleFences(t *testing.T) {
	fence := machinetest.Asm("MEMBAR.ALL.CTA")
	scheduled := fence.WithReadBarrier(1).WithWaitMask(0b11).WithBoundedStall(15)
	steps := stepsOf(fence, fence, scheduled, machinetest.End)
	if !scheduleFences(steps) || steps[0].Instr != scheduled || steps[1].Instr != scheduled || steps[2].Instr != scheduled {
		t.Errorf("%v", steps)
	}
	if scheduleFences(stepsOf(fence, fence, machinetest.End)) {
		t.Error("fences without a schedule change")
	}
}

// A NOP follows a fence of scope CTA. The NOP replaces the DEPBAR that 12.9 inserts there, unless the DEPBAR is
// the program's own. It gets that part of the fence's stall that exceeds the time of the fence itself
// (MERC-160).
func TestBehindFences(t *testing.T) {
	fence := machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA")
	depbar := machinetest.Asm("[B------:R-:W-:Y:S04] DEPBAR.LE SB0, 0x0").WithStall(4)
	record := make([]byte, 16)
	record[0] = 1
	end := machinetest.AsTheyAre(2)
	for _, test := range []struct {
		name   string
		fence  int // the fence's stall
		next   machine.Instr
		record []byte // of the next instruction
		want   []int
		yields bool // of the NOP
	}{
		{"alone", 6, machine.NOP.WithStall(1), record, []int{6, 1, 1}, false},
		{"long", 8, machine.NOP.WithStall(1), record, []int{6, 2, 1}, false},
		{"so long that others may go on", 9, machine.NOP.WithStall(1), record, []int{6, 3, 1}, true},
		{"DEPBAR of the compiler", 6, depbar, machinetest.AsTheyAre(1), []int{6, 1}, false},
		{"DEPBAR of the program", 6, depbar, record, []int{6, 1, 4}, false},
	} {
		c := machinetest.Must(capsule.Open(machinetest.Capsule(record, test.record, end), capsule.Place{}))(t)
		got, found := padAfterFences(c, stepsOf(fence.WithStall(test.fence), test.next))
		if !found || len(got) != len(test.want) {
			t.Errorf("%s: %d instructions, want %d", test.name, len(got), len(test.want))
			continue
		}
		for i, x := range got {
			if x.Stall() != test.want[i] {
				t.Errorf("%s: instruction %d stalls %d, want %d", test.name, i, x.Stall(), test.want[i])
			}
		}
		if x := got[1]; !x.IsBarrier() || x.Yields() != test.yields || x.HasBoard() {
			t.Errorf("%s: the NOP is %x", test.name, x.High)
		}
	}
}

// If a fence is dropped, waits for it are dropped where no other event may be outstanding on its scoreboard. A
// wait of the dropped fence for another fence is kept (KIT-141).
func TestWaitsForDroppedFences(t *testing.T) {
	weakest, fence := machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA"), machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.GPU")
	counted := weakest.WithReadBarrier(2)
	for _, tt := range []struct {
		name   string
		before []machine.Instr
		fence  machine.Instr
		waits  bool
	}{
		{"nothing", nil, counted, false},
		{"something on another scoreboard", []machine.Instr{machine.NOP.WithWriteBarrier(3)}, counted, false},
		{"something on its own", []machine.Instr{machine.NOP.WithWriteBarrier(2)}, counted, true},
		{"something that was waited for", []machine.Instr{machine.NOP.WithWriteBarrier(2), machine.NOP.WithWaitMask(1 << 2)}, counted, false},
		{"something that it waits for itself", []machine.Instr{machine.NOP.WithWriteBarrier(2)}, counted.WithWaitMask(1 << 2), false},
		{"another fence that it waits for", []machine.Instr{machinetest.Asm("[B------:R2:W-:-:S06] MEMBAR.SC.CTA")}, counted.WithWaitMask(1 << 2), true},
	} {
		code := append(tt.before, tt.fence, fence.WithWaitMask(1<<2))
		flow, _ := cfg.FlowOf(code, nil)
		kept := withoutFences(stepsOf(code...), flow, cfg.NewSet(len(code)), true)
		if got := kept[len(kept)-1].WaitsFor(2); len(kept) != len(tt.before)+1 || got != tt.waits {
			t.Errorf("%s: %d instructions, waits: %v", tt.name, len(kept), got)
		}
	}
}

// A work-around is kept in a kernel with SYNCS, the instructions on mbarriers. ARRIVES, with which a copy arrives at one, does not
// count (MERC-112).
func TestFencesBesideBarriers(t *testing.T) {
	weakest, fence := machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA"), machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.GPU")
	for _, tt := range []struct {
		name  string
		other machine.Instr
		want  int // instructions that stay
	}{
		{"nothing", machine.NOP, 2},
		{"SYNCS", machine.Word(sass.OpSYNCS, 0), 3},
		{"SYNCS.CCTL", machine.Word(sass.OpSYNCSInvalidate, 0), 3},
		{"SYNCS.EXCH", machine.Word(sass.OpSYNCSExchange, 0), 3},
		{"ARRIVES", machine.Word(sass.OpARRIVES, 0), 2},
	} {
		kept := withoutFences(stepsOf(weakest, fence, tt.other), cfg.Flow{}, cfg.NewSet(3), true)
		if len(kept) != tt.want {
			t.Errorf("beside %s: %d instructions, want %d", tt.name, len(kept), tt.want)
		}
	}
}

// A fence that looks like a work-around is kept if it ends a Mercury instruction. 12.8 and 12.9 write
// fence.acq_rel.cta before another fence in this way (MERC-112).
func TestOwnFenceStays(t *testing.T) {
	weakest, fence := machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA"), machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.GPU")
	for _, own := range []bool{false, true} {
		ends, want := cfg.NewSet(2), 1
		if ends.Add(1); own {
			ends.Add(0)
			want = 2
		}
		if kept := withoutFences(stepsOf(weakest, fence), cfg.Flow{}, ends, true); len(kept) != want {
			t.Errorf("own %v: %d instructions, want %d", own, len(kept), want)
		}
	}
}
