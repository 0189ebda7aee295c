package mercury

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// sampleFunction returns a recorded kernel that loses fences.
func sampleFunction(t testing.TB) Function {
	t.Helper()
	b := recorded[0]
	p := b.pair(t, readRecorded(t, b.String()+".in"), readRecorded(t, b.String()+".out"))
	for _, s := range samples(t, p.link, p.in, p.out) {
		if s.Name == "fences" {
			return Function{Text: s.Text, Capsule: s.Capsule, Entry: true, Input: 100, Target: 100,
				TextAt: capsule.Place{File: "f", Part: ".text.fences", Offset: 0x1000}, CapsuleAt: capsule.Place{File: "f", Part: ".nv.capmerc.text.fences", Offset: 0x2000}}
		}
	}
	t.Fatal("no function fences is recorded")
	return Function{}
}

// Damage leads to an error that contains its place (MERC-102).
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

// Finalize does not change its input.
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

// A device function, and a kernel that calls other functions, keep all their fences (MERC-110).
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

// If the issue distances of FP64 instructions are removed, the code is scheduled again (KIT-050).
func TestClosedDistancesAreTiming(t *testing.T) {
	f := sampleFunction(t)
	f.Entry, f.ClosesDistances = false, true
	f.Text = machinetest.DoubleAdd.Append(machine.NOP.WithStall(1).Append(nil))
	f.Capsule = machinetest.Capsule(machinetest.Several(2, append([]byte{1}, make([]byte, 15)...)))
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

// FuzzFinalize checks that any bytes lead to an error or a result, and that the capsule of a result
// fits its code.
func FuzzFinalize(f *testing.F) {
	p := recorded[0].pair(f, readRecorded(f, recorded[0].String()+".in"), readRecorded(f, recorded[0].String()+".out"))
	for _, s := range samples(f, p.link, p.in, p.out) {
		f.Add(s.Text, s.Capsule, s.Entry)
	}
	f.Fuzz(func(t *testing.T, text, records []byte, entry bool) {
		r, err := Finalize(Function{Text: text, Capsule: records, Entry: entry, Input: 100, Target: 103})
		if err != nil {
			return
		}
		c, err := capsule.Open(r.Capsule, capsule.Place{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Machine()*machine.Size != len(r.Text) {
			t.Fatalf("capsule of %d instructions for %d bytes of code", c.Machine(), len(r.Text))
		}
	})
}

// FuzzDebug checks that any bytes of debug sections lead to an error or a result.
func FuzzDebug(f *testing.F) {
	p := recorded[2].pair(f, readRecorded(f, recorded[2].String()+".in"), readRecorded(f, recorded[2].String()+".out"))
	for _, section := range []string{".debug_line", ".nv_debug_line_sass", ".debug_frame"} {
		f.Add(bytesOf(f, p.in, section))
	}
	m := codemap.New(8, 0x100, slices.Delete(stepsOf(slices.Repeat([]machine.Instr{machine.NOP}, 8)...), 1, 3))
	sample := sampleFunction(f)
	code := machinetest.Must(capsule.Open(sample.Capsule, capsule.Place{}))(f).Code(sample.Text)
	f.Fuzz(func(t *testing.T, data []byte) {
		out, _, err := codemap.Lines(data, codemap.LineCopy{Section: data, Number: func(at uint64) uint32 { return uint32(at % 5) }}, capsule.Place{}, false, func(at uint64) codemap.Outcome {
			outcome := codemap.Outcome{Map: m, Number: uint32(at % 5), Kept: at%3 > 0}
			if at%7 == 0 {
				outcome.Replaced = code
			}
			return outcome
		})
		if err == nil && len(out) > 16*len(data) {
			t.Errorf("%d bytes became %d", len(data), len(out))
		}
		become := func(name string, offset int) codemap.Outcome {
			outcome := codemap.Outcome{Map: m, Kept: len(name)%2 == 0}
			if offset%3 == 0 {
				outcome.Replaced = code
			}
			return outcome
		}
		_ = codemap.Registers(slices.Clone(data), data, capsule.Place{}, codemap.RegisterPolicy{Paired: len(data)%2 == 0}, become) // must not panic
		_ = m.Frame(slices.Clone(data), 0, capsule.Place{})
		_ = codemap.AddFrames(code, data, [][]byte{data})
	})
}
