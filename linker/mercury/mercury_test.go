package mercury

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/reloc"
)

// A map keeps the order of places, and the end is the new end.
func TestMap(t *testing.T) {
	m := Map{dropped: []uint64{0x10, 0x20, 0x50}, size: 0x100, after: 0x80}
	for _, c := range []struct{ old, want uint64 }{
		{0, 0}, {0x10, 0x10}, {0x20, 0x10}, {0x30, 0x10}, {0x34, 0x14}, {0x50, 0x30}, {0x60, 0x30}, {0x100, 0x80},
	} {
		if got := m.Offset(c.old); got != c.want {
			t.Errorf("Offset(%#x) is %#x, want %#x", c.old, got, c.want)
		}
	}
	if got := (Map{}).Offset(0x123); got != 0x123 {
		t.Errorf("the zero map moves 0x123 to %#x", got)
	}
}

// An operand is looked for by its place in the Mercury form, and not after the end.
func TestSharedOperand(t *testing.T) {
	nops := func(n int) (text []byte) {
		for range n {
			text = machine.NOP.Append(text)
		}
		return text
	}
	text := append(machine.Word(0x7802, 0).Append(nil), machine.Word(0x7988, 0).Append(nil)...) // MOV, STS
	text = append(text, nops(14)...)
	capsule := []byte{0, 0, 0, 0, 1, 0, 0, 0xc0, 3, 0, 0, 0, 3, 0, 0, 0, 0x50, 7}
	c, err := OpenCapsule(capsule, Place{})
	if err != nil {
		t.Fatal(err)
	}
	code := c.Code(text)
	for _, want := range []struct {
		offset, machine uint64
		typ             uint32
		ok              bool
	}{
		{0x0c, 0, reloc.Abs32At32, true}, {0x14, 0x10, reloc.Abs24At40, true}, {0x2c, 0x10, reloc.Abs24At40, true}, {0x30, 0, 0, false},
	} {
		machine, typ, ok := code.SharedOperand(text, want.offset)
		if machine != want.machine || typ != want.typ || ok != want.ok {
			t.Errorf("operand at %#x: %#x, %d, %t", want.offset, machine, typ, ok)
		}
	}
}

// sampleFunction is a recorded kernel that loses fences.
func sampleFunction(t testing.TB) Function {
	t.Helper()
	b := recorded[0]
	p := b.pair(t, readRecorded(t, b.String()+".in"), readRecorded(t, b.String()+".out"))
	for _, s := range samples(t, p.link, p.in, p.out) {
		if s.Name == "fences" {
			return Function{Text: s.Text, Capsule: s.Capsule, Entry: true, Input: 100, Target: 100,
				TextAt: Place{"f", ".text.fences", 0x1000}, CapsuleAt: Place{"f", ".nv.capmerc.text.fences", 0x2000}}
		}
	}
	t.Fatal("no function fences is recorded")
	return Function{}
}

// MERC-102: damage is an error that says where.
func TestDamage(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(*Function)
		want   string
	}{
		{"short capsule", func(f *Function) { f.Capsule = f.Capsule[:11] }, "f: .nv.capmerc.text.fences: capsule is shorter than its header at 0x2000: 11"},
		{"form", func(f *Function) { f.Capsule[4] = 2 }, "unknown form of capsule at 0x2004"},
		{"number", func(f *Function) { f.Capsule[11] = 0xff }, "too short for its instructions at 0x2008"},
		{"record", func(f *Function) { f.Capsule[16] = 0x07 }, "unknown kind of record at 0x2010"},
		{"end", func(f *Function) { f.Capsule = f.Capsule[:len(f.Capsule)-2] }, "capsule ends before its last record"},
		{"more", func(f *Function) { f.Capsule = append(f.Capsule, 0, 0) }, "bytes after the last record"},
		{"code", func(f *Function) { f.Text = f.Text[:len(f.Text)-16] }, "not of as many instructions as the machine code"},
		{"half code", func(f *Function) { f.Text = f.Text[:len(f.Text)-8] }, "f: .text.fences: machine code is not a whole number of instructions at 0x1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := sampleFunction(t)
			f.Text, f.Capsule = slices.Clone(f.Text), slices.Clone(f.Capsule)
			c.damage(&f)
			_, err := Finalize(f)
			var format *cubin.FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// The input is borrowed, never changed.
func TestInputStays(t *testing.T) {
	f := sampleFunction(t)
	text, capsule := slices.Clone(f.Text), slices.Clone(f.Capsule)
	if r, err := Finalize(f); err != nil || !r.Map.Moved() {
		t.Fatalf("moved %v, error %v", r.Map.Moved(), err)
	}
	if !bytes.Equal(text, f.Text) || !bytes.Equal(capsule, f.Capsule) {
		t.Error("Finalize changed its input")
	}
}

// A device function, and a kernel that calls, keep everything (MERC-110).
func TestOpenFunctionsStay(t *testing.T) {
	f := sampleFunction(t)
	f.Entry = false
	if r, err := Finalize(f); err != nil || r.Changes != Clean || !bytes.Equal(r.Text, f.Text) {
		t.Errorf("device function: %v, %v", r.Changes, err)
	}
	f.Entry = true
	f.Text = slices.Clone(f.Text)
	f.Text[0], f.Text[1] = 0x43, 0x79 // CALL.ABS
	if r, err := Finalize(f); err != nil || r.Changes != Clean || !bytes.Equal(r.Text, f.Text) {
		t.Errorf("kernel with a call: %v, %v", r.Changes, err)
	}
}

// KIT-050: code whose distances close is timed anew.
func TestClosedDistancesAreTiming(t *testing.T) {
	f := sampleFunction(t)
	f.Entry, f.ClosesDistances = false, true
	f.Text = machinetest.DoubleAdd.Append(machine.NOP.WithStall(1).Append(nil))
	f.Capsule = capsuleOf(append([]byte{countBefore, 1, 1}, make([]byte, 15)...))
	r, err := Finalize(f)
	if err != nil || r.Changes != Distances|Timing || !r.Map.Moved() {
		t.Errorf("%v, moved %v, error %v", r.Changes, r.Map.Moved(), err)
	}
}

func TestChangesString(t *testing.T) {
	for c, want := range map[Changes]string{
		Clean: "clean", Fences: "fences", Fences | Scoreboards: "fences+scoreboards", Timing: "timing", Target: "target",
	} {
		if got := c.String(); got != want {
			t.Errorf("%d is %q, want %q", c, got, want)
		}
	}
}

// FuzzFinalize: whatever the bytes, an error or a result, and the result's capsule fits
// its code.
func FuzzFinalize(f *testing.F) {
	p := recorded[0].pair(f, readRecorded(f, recorded[0].String()+".in"), readRecorded(f, recorded[0].String()+".out"))
	for _, s := range samples(f, p.link, p.in, p.out) {
		f.Add(s.Text, s.Capsule, s.Entry)
	}
	f.Fuzz(func(t *testing.T, text, capsule []byte, entry bool) {
		r, err := Finalize(Function{Text: text, Capsule: capsule, Entry: entry, Input: 100, Target: 103})
		if err != nil {
			return
		}
		c, err := OpenCapsule(r.Capsule, Place{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Machine()*InstructionSize != len(r.Text) {
			t.Fatalf("capsule of %d instructions for %d bytes of code", c.Machine(), len(r.Text))
		}
	})
}

// FuzzDebug: whatever the bytes of debug sections, an error or a result.
func FuzzDebug(f *testing.F) {
	p := recorded[2].pair(f, readRecorded(f, recorded[2].String()+".in"), readRecorded(f, recorded[2].String()+".out"))
	for _, section := range []string{".debug_line", ".nv_debug_line_sass", ".debug_frame"} {
		f.Add(bytesOf(f, p.in, section))
	}
	m := Map{dropped: []uint64{0x10, 0x20}, size: 0x100, after: 0x80}
	code := &Code{starts: []start{{0, 0}, {0x10, 0x10}, {0x30, 0x20}}, size: 0x80}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, _, err := Lines(data, LineCopy{Section: data, Number: func(at uint64) uint32 { return uint32(at % 5) }}, Place{}, false, func(at uint64) Outcome {
			outcome := Outcome{Map: m, Number: uint32(at % 5), Kept: at%3 > 0}
			if at%7 == 0 {
				outcome.Replaced = code
			}
			return outcome
		})
		if err == nil && len(out) > 16*len(data) {
			t.Errorf("%d bytes became %d", len(data), len(out))
		}
		become := func(name string) (Map, bool) { return m, len(name)%2 == 0 }
		_ = Registers(slices.Clone(data), Place{}, become) // must not panic
		_ = m.Frame(slices.Clone(data), Place{})
		_ = code.AddFrames(data, [][]byte{data})
	})
}

// MERC-116: an advance is as far as the code that it passes is long now, in each of its forms, also as the last thing of an entry.
func TestFrameAdvances(t *testing.T) {
	steps := slices.Insert(stepsOf(machine.NOP, machine.NOP, machine.NOP, machine.NOP), 1, step{Instr: machine.NOP, inserted: true, old: 1})
	m := newMap(4, padded(len(steps))*InstructionSize, steps)
	const was, is = 2 * InstructionSize / codeAlignment, 3 * InstructionSize / codeAlignment
	for name, tt := range map[string]struct{ rules, want []byte }{
		"in the opcode":  {[]byte{frameAdvance | was}, []byte{frameAdvance | is}},
		"in one byte":    {[]byte{frameAdvance1, was}, []byte{frameAdvance1, is}},
		"in two bytes":   {[]byte{frameAdvance2, was, 0}, []byte{frameAdvance2, is, 0}},
		"in four bytes":  {[]byte{frameAdvance4, was, 0, 0, 0}, []byte{frameAdvance4, is, 0, 0, 0}},
		"and a register": {[]byte{frameAdvance1, was, frameOffset | 2, 4}, []byte{frameAdvance1, is, frameOffset | 2, 4}},
	} {
		entry := append(bytes.Repeat([]byte{0xff}, frameHead), tt.rules...)
		if err := m.Frame(entry, Place{}); err != nil || !bytes.Equal(entry[frameHead:], tt.want) {
			t.Errorf("%s: % x, %v; want % x", name, entry[frameHead:], err, tt.want)
		}
	}
	for name, rules := range map[string][]byte{"no byte": {frameAdvance1}, "one of two": {frameAdvance2, 0}, "three of four": {frameAdvance4, 0, 0, 0}} {
		if err := m.Frame(append(bytes.Repeat([]byte{0xff}, frameHead), rules...), Place{}); err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
}
