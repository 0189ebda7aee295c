package mercury

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// MERC-106, MERC-107: capsules of 12.8 become those of later compilers, in which CALL and RET have records and
// loads from shared memory have none; capsules of 12.9 stay.
func TestRenew(t *testing.T) {
	for name, wantEarly := range map[string]bool{"a": true, "b": false, "c": false} {
		file := "mercury/objects-of-12/sm_100/in/" + name + ".cubin"
		f := must(cubin.Open(file, must(corpus.Files.ReadFile(file))(t)))(t)
		for i := range f.Sections {
			code, ok := strings.CutPrefix(f.Sections[i].Name, ".nv.capmerc")
			if !ok {
				continue
			}
			text := bytesOf(t, f, code)
			renewed, early := Renew(must(f.Data(uint32(i)))(t), text)
			if early != wantEarly {
				t.Errorf("%s%s: early %v, want %v", name, code, early, wantEarly)
			}
			if !early {
				continue
			}
			c := must(OpenCapsule(renewed, Place{}))(t)
			for _, m := range c.Instructions() {
				switch x := machine.Decode(text[m.First*InstructionSize:]); x.Low & 0xfff {
				case 0x943, 0x950:
					if len(m.Record) != shortRecord {
						t.Errorf("%s%s: instruction %d has the record %x", name, code, m.First, m.Record)
					}
				case 0x984:
					if m.size != 0 {
						t.Errorf("%s%s: instruction %d has the record %x", name, code, m.First, m.Record)
					}
				}
			}
		}
	}
}

// MERC-106: what is damaged stays so, whatever its length.
func TestRenewDamaged(t *testing.T) {
	whole := binary.LittleEndian.AppendUint32(make([]byte, 4), earlyForm|3)
	whole = append(whole, 3, 0, 0, 0, countAlone, 7) // two instructions, and what fills the function
	text := bytes.Repeat(machine.NOP.Append(nil), 16)
	for n := range len(whole) + 1 {
		renewed, early := Renew(whole[:n], text)
		if want := n >= earlyHeader; early != want {
			t.Errorf("%d bytes: early %v, want %v", n, early, want)
		}
		if _, err := OpenCapsule(renewed, Place{}); (err == nil) != (n == len(whole)) {
			t.Errorf("%d bytes: error %v", n, err)
		}
	}
	if renewed, _ := Renew(whole, nil); !bytes.HasSuffix(renewed, whole[earlyHeader:]) {
		t.Errorf("without code the capsule became %x", renewed)
	}
}

// MERC-108: the NOP behind a WARPSYNC leaves its time where that is more than a cycle; a NOP that waits stays.
func TestWithoutNOPs(t *testing.T) {
	warpsync := machine.Word(0x7948, 0x03800000_00000000>>8).WithStall(5).WithYield(false)
	waiting := machine.NOP.WithStall(2)
	waiting = waiting.WithWaitMask(1)
	record := make([]byte, 16)
	record[0] = 1
	end := []byte{countAlone, 1}
	two := append([]byte{countBefore, 1}, record...)
	c := must(OpenCapsule(capsuleOf(record, two, record, end), Place{}))(t)
	tests := []struct {
		name   string
		nop    machine.Instr
		want   int // 0: the NOP stays
		yields bool
	}{
		{"a cycle", machine.NOP.WithStall(1), 5, false},
		{"two cycles", machine.NOP.WithStall(2), 7, false},
		{"so many cycles that others may go on", machine.NOP.WithStall(7), 12, true},
		{"too many cycles", machine.NOP.WithStall(11), 0, false},
		{"a wait", waiting, 0, false},
	}
	for _, test := range tests {
		var steps []step
		for i, x := range []machine.Instr{machine.NOP.WithStall(1), warpsync, test.nop, machine.NOP.WithStall(1)} {
			steps = append(steps, step{Instr: x, old: i})
		}
		got := c.withoutNOPs(steps, true)
		switch {
		case test.want == 0:
			if len(got) != 4 {
				t.Errorf("%s: the NOP went", test.name)
			}
		case len(got) != 3 || got[1].Stall() != test.want || got[1].Yields() != test.yields || !got[1].absorbs:
			t.Errorf("%s: %d instructions, a stall of %d, yields: %v; want 3 and %d, %v", test.name, len(got), got[1].Stall(), got[1].Yields(), test.want, test.yields)
		}
	}
}

// MERC-108: the cycle of the NOP behind a WARPSYNC goes to what stands before the instruction that needs it.
func TestRetimeEarly(t *testing.T) {
	warpsync := machine.Word(0x7948, 0x03800000_00000000>>8).WithStall(5).WithYield(false)
	add := machine.Word(0x0000000002047221, 0x004fe20000000000).WithStall(1)     // FADD R4, R2, R0
	move := machine.Word(0x0000000600287202, 0x000fe20000000f00).WithStall(1)    // MOV R40, R6
	product := machine.Word(0x000000040808723c, 0x000fe2000000180a).WithStall(1) // HMMA of R4
	unknown := machine.Word(0x0000000000007fff, 0x000fe20000000000).WithStall(1)
	tests := []struct {
		name string
		code []machine.Instr // a NOP stands third
		want []int
	}{
		{"nothing needs it", []machine.Instr{move, warpsync, machine.NOP.WithStall(1), move, move}, []int{1, 5, 1, 1}},
		{"the next one needs it", []machine.Instr{add, warpsync, machine.NOP.WithStall(1), product}, []int{1, 6, 1}},
		{"a later one needs it", []machine.Instr{add, warpsync.WithStall(4), machine.NOP.WithStall(1), move, product}, []int{1, 4, 2, 1}},
		{"something is not known", []machine.Instr{move, warpsync, machine.NOP.WithStall(1), unknown}, []int{1, 6, 1}},
	}
	for _, test := range tests {
		steps := stepsOf(test.code...)
		steps[1].absorbs = true
		steps = slices.Delete(steps, 2, 3)
		retimeEarlyBlock(steps, test.code, 120)
		for i, x := range steps {
			if x.Stall() != test.want[i] {
				t.Errorf("%s: instruction %d stalls %d, want %d", test.name, i, x.Stall(), test.want[i])
			}
		}
	}
}

// MERC-160: a NOP stands behind a fence of the CTA, in the place of a DEPBAR that 12.9 puts there, if that is not the program's; it
// takes over what the fence stalls beyond its own time.
func TestBehindFences(t *testing.T) {
	fence := machine.Word(0x7992, 0x000fec0000008000)
	depbar := machine.Word(0x000080000000791a, 0x000fc80000000000).WithStall(4)
	record := make([]byte, 16)
	record[0] = 1
	end := []byte{countAlone, 1}
	for _, test := range []struct {
		name   string
		fence  int // what it stalls
		next   machine.Instr
		record []byte // of the next one
		want   []int
		yields bool // of the NOP
	}{
		{"alone", 6, machine.NOP.WithStall(1), record, []int{6, 1, 1}, false},
		{"long", 8, machine.NOP.WithStall(1), record, []int{6, 2, 1}, false},
		{"so long that others may go on", 9, machine.NOP.WithStall(1), record, []int{6, 3, 1}, true},
		{"DEPBAR of the compiler", 6, depbar, []byte{1<<countBits | countAlone, 0}, []int{6, 1}, false},
		{"DEPBAR of the program", 6, depbar, record, []int{6, 1, 4}, false},
	} {
		c := must(OpenCapsule(capsuleOf(record, test.record, end), Place{}))(t)
		got, found := c.behindFences(stepsOf(fence.WithStall(test.fence), test.next))
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

// MERC-160: branches and lines go behind the NOP of a fence, call frames speak of what is before it.
func TestPlacesBehindFences(t *testing.T) {
	fence := machine.Word(0x7992, 0x000fec0000008000)
	record := make([]byte, 16)
	record[0] = 1
	c := must(OpenCapsule(capsuleOf(record, record, []byte{countAlone, 1}), Place{}))(t)
	steps, _ := c.behindFences(stepsOf(fence.WithStall(6), machine.NOP.WithStall(1)))
	m := newMap(3, 8*InstructionSize, steps)
	if to, frame := m.Offset(InstructionSize), m.beforeParts(InstructionSize); to != 2*InstructionSize || frame != InstructionSize {
		t.Errorf("what comes behind a fence is at %#x, for call frames at %#x", to, frame)
	}
}

// MERC-109: the shortest of several NOPs comes last; where it is last, and where others wait, all stay. One alone beside a
// stall of 15 cycles says something else of other warps.
func TestRemainderLast(t *testing.T) {
	long, short, two := machine.NOP.WithStall(15), machine.NOP.WithStall(3), machine.NOP.WithStall(2)
	keeps, other := two, machinetest.MovesR21
	keeps = keeps.WithYield(false)
	tests := []struct {
		is, want []machine.Instr
	}{
		{[]machine.Instr{short, long, long}, []machine.Instr{long, long, short}},
		{[]machine.Instr{long, long, short}, nil},
		{[]machine.Instr{short}, nil},
		{[]machine.Instr{other.WithStall(15), keeps}, []machine.Instr{other.WithStall(15), two}},
		{[]machine.Instr{keeps, other.WithStall(15)}, []machine.Instr{two, other.WithStall(15)}},
		{[]machine.Instr{other.WithStall(14), keeps}, nil},
		{[]machine.Instr{short, short}, nil},
		{[]machine.Instr{long, short, long}, []machine.Instr{long, long, short}},
	}
	for _, test := range tests {
		var steps []step
		for i, x := range test.is {
			steps = append(steps, step{Instr: x, old: i})
		}
		changed := remainderLast(steps)
		want := test.want
		if want == nil {
			want = test.is
		}
		if changed != (test.want != nil) {
			t.Errorf("%v: changed %v", test.is, changed)
		}
		for i := range steps {
			if steps[i].Instr != want[i] {
				t.Errorf("%v: instruction %d is %x, want %x", test.is, i, steps[i].Instr, want[i])
			}
		}
	}
}
