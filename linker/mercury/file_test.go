package mercury

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/nvinfo"
)

// A pair is a relocatable file and the output of nvlink for this file alone.
type pair struct {
	link    string
	in, out *cubin.File
	maps    map[string]codemap.Map // of the functions that are in both files
}

// bytesOf returns the bytes of a section, or nil if there is no such section.
func bytesOf(t testing.TB, f *cubin.File, name string) []byte {
	t.Helper()
	s := f.Section(name)
	if s == nil {
		return nil
	}
	return machinetest.Must(f.Data(s.Index))(t)
}

// A reference is a relocation with the name of its symbol.
type reference struct {
	cubin.Relocation
	name string
}

// references returns the entries of a relocation section, by their offset.
func references(t testing.TB, f *cubin.File, section, symtab string) map[uint64]reference {
	t.Helper()
	s := f.Section(section)
	if s == nil {
		return nil
	}
	symbols := machinetest.Must(f.SymbolsOf(f.Section(symtab).Index))(t)
	list := map[uint64]reference{}
	for _, r := range machinetest.Must(f.Relocations(s.Index))(t) {
		list[r.Offset] = reference{r, symbols[r.Symbol].Name}
	}
	return list
}

// become returns the map of a function's code from the input to the output. The second result is false if the
// output has dropped the function.
func (p pair) become(function string) (codemap.Map, bool) {
	return p.maps[function], p.in.Section(".text."+function) == nil || p.out.Section(".text."+function) != nil
}

// check compares the functions of a pair and everything that refers to them. total counts the functions by
// their changes.
func (p pair) check(t testing.TB, total map[string]int) {
	t.Helper()
	p.maps = map[string]codemap.Map{}
	checkSizes(t, p.in)
	generated := false // only NVIDIA's code generator makes this code, so offsets cannot be compared
	for _, s := range samples(t, p.link, p.in, p.out) {
		changes := s.check(t)
		total[changes.String()]++
		generated = generated || changes&Target != 0
		if r, err := s.finalize(); err == nil && r.Map.Moved() {
			p.maps[s.Name] = r.Map
		}
	}
	if generated {
		return
	}
	for name, m := range p.maps {
		p.checkAttributes(t, name, m)
		p.checkTables(t, name, m)
	}
	p.checkFrames(t)
	p.checkLines(t, ".debug_line")
	p.checkLines(t, ".nv_debug_line_sass")
	p.checkRegisters(t)
	p.checkAddends(t, ".rela.debug_info")
	p.checkAddends(t, ".rela.debug_loc")
}

// checkAttributes compares the attributes (MERC-116).
func (p pair) checkAttributes(t testing.TB, name string, m codemap.Map) {
	t.Helper()
	theirs := machinetest.Must(nvinfo.Decode(bytesOf(t, p.out, ".nv.info."+name)))(t)
	for _, r := range machinetest.Must(nvinfo.Decode(bytesOf(t, p.in, ".nv.info."+name)))(t) {
		if r.Format != nvinfo.Sized || r.Code == 0x0a || r.Code == 0x0f { // those name symbols
			continue
		}
		got := m.Record(r)
		if !slices.ContainsFunc(theirs, func(r nvinfo.Record) bool {
			return r.Code == got.Code && bytes.Equal(r.Payload, got.Payload)
		}) {
			t.Errorf("%s: %s: attribute %v is % x, nvlink has no such", p.link, name, got.Code, got.Payload)
		}
	}
}

// checkTables compares the jump tables (MERC-116).
func (p pair) checkTables(t testing.TB, name string, m codemap.Map) {
	t.Helper()
	got := slices.Clone(bytesOf(t, p.in, ".nv.constant2."+name))
	var places []uint64
	for at := range references(t, p.in, ".nv.merc.rela.nv.constant.optimizer."+name, ".nv.merc.symtab") {
		places = append(places, at)
	}
	m.Words(got, places)
	if want := bytesOf(t, p.out, ".nv.constant2."+name); !bytes.Equal(got, want) {
		t.Errorf("%s: %s: constants are % x, nvlink's % x", p.link, name, got, want)
	}
}

// frames returns the frame entries of a file by function.
func frames(t testing.TB, f *cubin.File) map[string][]byte {
	t.Helper()
	data := bytesOf(t, f, ".debug_frame")
	list := map[string][]byte{}
	relocations := references(t, f, ".rela.debug_frame", ".symtab")
	for at := uint64(0); at < uint64(len(data)); {
		end := at + 12 + binary.LittleEndian.Uint64(data[at+4:])
		if r, ok := relocations[at+20]; ok {
			list[r.name] = data[at:end]
		}
		at = end
	}
	return list
}

// checkFrames compares the call frames (MERC-116).
func (p pair) checkFrames(t testing.TB) {
	t.Helper()
	theirs := frames(t, p.out)
	for name, entry := range frames(t, p.in) {
		m, kept := p.become(name)
		want, there := theirs[name]
		if !kept || !there {
			continue
		}
		got := slices.Clone(entry)
		if err := m.Frame(got, 0, capsule.Place{File: p.link, Part: ".debug_frame"}); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(got[28:], want[28:]) {
			t.Errorf("%s: %s: frame is % x, nvlink's % x", p.link, name, got[28:], want[28:])
		}
	}
}

// checkLines compares the line tables (MERC-116, MERC-117).
func (p pair) checkLines(t testing.TB, section string) {
	t.Helper()
	relocations := references(t, p.in, ".rela"+section, ".symtab")
	got, places, err := codemap.Lines(bytesOf(t, p.in, section), codemap.LineCopy{}, capsule.Place{File: p.link, Part: section}, false, func(at uint64) codemap.Outcome {
		m, kept := p.become(relocations[at].name)
		return codemap.Outcome{Map: m, Kept: kept} // the functions of an input are in the order of the output
	})
	if err != nil {
		t.Error(err)
		return
	}
	if want := bytesOf(t, p.out, section); !bytes.Equal(got, want) {
		t.Errorf("%s: %s differs: %d bytes, nvlink's %d", p.link, section, len(got), len(want))
		return
	}
	theirs, kept := references(t, p.out, ".rela"+section, ".symtab"), 0
	for at, r := range relocations {
		moved, ok := places.Offset(at)
		if !ok {
			continue
		}
		if now, there := theirs[moved]; there && now.name == r.name {
			kept++
		} else if r.name != "" { // section symbols: nvlink resolves these
			t.Errorf("%s: %s: %s is at %#x, where nvlink has %q", p.link, section, r.name, moved, now.name)
		}
	}
	if kept != len(theirs) {
		t.Errorf("%s: %s has %d relocations, nvlink's %d", p.link, section, kept, len(theirs))
	}
}

// checkRegisters compares the debug information about registers (MERC-116, MERC-126).
func (p pair) checkRegisters(t testing.TB) {
	t.Helper()
	const section = ".nv_debug_info_reg_sass"
	got := slices.Clone(bytesOf(t, p.in, section))
	become := func(name string, _ int) codemap.Outcome {
		m, kept := p.become(name)
		return codemap.Outcome{Map: m, Kept: kept}
	}
	if err := codemap.Registers(got, nil, capsule.Place{File: p.link, Part: section}, codemap.RegisterPolicy{}, become); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(got, bytesOf(t, p.out, section)) {
		t.Errorf("%s: %s differs", p.link, section)
	}
}

// checkAddends compares the addends of relocations against functions (MERC-116).
func (p pair) checkAddends(t testing.TB, section string) {
	t.Helper()
	theirs := references(t, p.out, section, ".symtab")
	for at, r := range references(t, p.in, section, ".symtab") {
		want, there := theirs[at]
		if m, moved := p.maps[r.name]; there && moved && int64(m.Offset(uint64(r.Addend))) != want.Addend {
			t.Errorf("%s: %s at %#x: addend %d, nvlink's %d", p.link, section, at, m.Offset(uint64(r.Addend)), want.Addend)
		}
	}
}
