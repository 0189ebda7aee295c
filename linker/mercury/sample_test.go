package mercury

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/sass"
)

// A sample is a function of a relocatable file, and nvlink's code for it in a link of that file alone.
type sample struct {
	Link, Name        string
	Entry             bool
	WaitsAtExit       bool
	Input, Target     int
	Text, Capsule     []byte
	Targets           map[uint64][]uint64
	Relocations       []cubin.Relocation // of Text, sorted
	Section           uint32             // number of .text in the output
	NvText, NvCapsule []byte
}

// samples returns the functions that are in both files.
func samples(t testing.TB, link string, in, out *cubin.File) []sample {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	symbols, err := in.Symbols()
	must(err)
	entry := map[string]bool{}
	for _, y := range symbols {
		entry[y.Name] = entry[y.Name] || y.Other&cubin.OtherEntry != 0
	}
	data := func(f *cubin.File, name string) []byte {
		t.Helper()
		s := f.Section(name)
		if s == nil {
			return nil
		}
		b, err := f.Data(s.Index)
		must(err)
		return b
	}
	module, err := nvinfo.Decode(data(in, ".nv.merc.nv.info"))
	must(err)
	waits := slices.ContainsFunc(module, func(r nvinfo.Record) bool { return r.Code == nvinfo.GenErrbarAtExit })
	var list []sample
	for _, s := range out.Sections {
		name, ok := strings.CutPrefix(s.Name, ".text.")
		if !ok || in.Section(s.Name) == nil {
			continue
		}
		capsule := ".nv.capmerc" + s.Name
		x := sample{
			Link: link, Name: name, Entry: entry[name], WaitsAtExit: waits, Input: in.SM(), Target: out.SM(), Section: s.Index,
			Text: data(in, s.Name), Capsule: data(in, capsule),
			NvText: data(out, s.Name), NvCapsule: data(out, capsule),
		}
		fn, err := hazard.FunctionOf(in, in.Section(s.Name))
		must(err)
		x.Targets = fn.Tables
		if r := in.Section(".rela" + s.Name); r != nil {
			x.Relocations, err = in.Relocations(r.Index)
			must(err)
			slices.SortFunc(x.Relocations, func(a, b cubin.Relocation) int { return int(a.Offset) - int(b.Offset) })
		}
		list = append(list, x)
	}
	return list
}

// finalize runs Finalize on the sample.
func (s sample) finalize() (Result, error) {
	return Finalize(Function{
		Text: slices.Clone(s.Text), Capsule: slices.Clone(s.Capsule), Entry: s.Entry, WaitsAtExit: s.WaitsAtExit,
		Targets: s.Targets, Input: s.Input, Target: s.Target,
		TextAt:    capsule.Place{File: s.Link, Part: ".text." + s.Name},
		CapsuleAt: capsule.Place{File: s.Link, Part: ".nv.capmerc.text." + s.Name},
	})
}

// operandFields holds the first bit and the width of the field of machine code that a relocation writes, by type. Such
// relocations also write to the capsule.
var operandFields = map[uint32][2]uint{55: {32, 32}, 59: {32, 16}, 66: {38, 16}, 115: {37, 17}}

// check compares the result of Finalize for the sample with nvlink's and returns the changes. Relocated fields
// are taken from nvlink's code.
func (s sample) check(t testing.TB) Changes {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s: %s", s.Link, s.Name, fmt.Sprintf(format, args...))
	}
	r, err := s.finalize()
	if err != nil {
		fail("%v", err)
		return 0
	}
	if r.Changes&Target != 0 { // only NVIDIA's code generator makes this code
		return r.Changes
	}
	if len(r.Text) != len(s.NvText) {
		fail("%v: code is %#x bytes, nvlink's %#x", r.Changes, len(r.Text), len(s.NvText))
		return r.Changes
	}
	text := slices.Clone(r.Text)
	var operands []capsule.Operand
	for _, rel := range s.Relocations {
		at := r.Map.Offset(rel.Offset)
		typ, _ := reloc.Lookup(rel.Type)
		for _, a := range typ.Actions {
			for bit := uint(a.At); bit < uint(a.At)+uint(a.Width); bit++ {
				i, mask := at+uint64(bit/8), byte(1)<<(bit%8)
				text[i] = text[i]&^mask | s.NvText[i]&mask
			}
		}
		if size := capsule.OperandSize(rel.Type); size > 0 {
			field := operandFields[rel.Type]
			word := binary.LittleEndian.Uint64(s.NvText[at+uint64(field[0]/8):])
			value := uint32(word >> (field[0] % 8) & (1<<field[1] - 1))
			operands = append(operands, capsule.Operand{Machine: int(at / machine.Size), Size: size, Value: value})
		}
	}
	StackPointerUnused := false
	for i := 0; i < len(text); i += machine.Size {
		x, y := machine.Decode(text[i:]), machine.Decode(s.NvText[i:])
		if x == y {
			continue
		}
		if r.Changes&(Scoreboards|Timing) != 0 && sass.SameButSchedule(text[i:i+machine.Size], s.NvText[i:i+machine.Size]) {
			StackPointerUnused = true
			continue
		}
		fail("%v: code at %#x is %016x %016x, nvlink's %016x %016x", r.Changes, i, x.High, x.Low, y.High, y.Low)
		break
	}
	if r.Changes&Scoreboards != 0 && !StackPointerUnused {
		fail("nvlink left the scoreboards")
	}
	data := slices.Clone(r.Capsule)
	c, err := capsule.Open(data, capsule.Place{})
	if err != nil {
		fail("%v", err)
		return r.Changes
	}
	c.Patch(operands)
	capsule.SetText(data, s.Section)
	if len(data) != len(s.NvCapsule) {
		fail("capsule is %#x bytes, nvlink's %#x", len(data), len(s.NvCapsule))
		return r.Changes
	}
	for i, b := range data {
		if b != s.NvCapsule[i] {
			fail("capsule at %#x is %#x, nvlink's %#x", i, b, s.NvCapsule[i])
			break
		}
	}
	return r.Changes
}
