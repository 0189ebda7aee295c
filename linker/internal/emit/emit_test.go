package emit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/finalize"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/internal/relocate"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/nvinfo"
)

// settled runs a program through all phases before emit.
func settled(t *testing.T, p *programtest.Program) *relocate.Settled {
	t.Helper()
	log := &diag.Log{}
	code, ok := finalize.Code(layout.Memory(reach.Kernels(reach.Functions(p.Finish())), log), log)
	if !ok {
		t.Fatal(programtest.Said(log))
	}
	s, ok := relocate.Relocations(code, log)
	if !ok {
		t.Fatal(programtest.Said(log))
	}
	return s
}

// numbered returns an emitter with numbered symbols.
func numbered(t *testing.T, p *programtest.Program) *emitter {
	t.Helper()
	s := settled(t, p)
	e := &emitter{Settled: s, strings: newStringTable(0, 0), stringAt: make([]uint32, s.NumSymbols+1), records: make([][]nvinfo.Record, len(s.Functions))}
	e.addRelocationAction()
	e.numberSymbols()
	return e
}

// written returns an emitter with all its tables.
func written(t *testing.T, p *programtest.Program) *emitter {
	t.Helper()
	e := numbered(t, p)
	e.writeAttributes()
	e.writeNotes()
	e.chooseSections()
	e.writeStrings()
	e.writeCallGraph()
	e.writeSymbols()
	return e
}

// file writes the program, and reads it back.
func file(t *testing.T, p *programtest.Program) *cubin.File {
	t.Helper()
	data, err := linked(settled(t, p))
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("out.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sectionNames(e *emitter) string {
	var names []string
	for _, r := range e.table {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

// TestSymbolNumbers checks that local symbols come before global ones, each in order of creation. Symbols that
// are not in the output have number 0 (EMIT-010, EMIT-013, EMIT-014).
func TestSymbolNumbers(t *testing.T) {
	p := programtest.New(t, program.Options{})
	k := p.Kernel("k")
	dead := p.Device("dead")
	f := p.Device("f")
	p.Call(k, f)
	data := p.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 8))
	v := p.Variable("v", data, 0, 4)
	local := p.Local(program.Symbol{Name: "local", Section: data})
	hidden := p.Local(program.Symbol{Name: "hidden", Section: data, Hidden: true})
	inDead := p.Local(program.Symbol{Name: "label", Section: dead.Text})
	empty := p.Data(".nv.constant4", cubin.SectionConstant0+4, nil)
	e := numbered(t, p)
	var names []string
	for _, y := range e.emitted {
		names = append(names, y.Name)
		if e.emitted[e.number(y)-1] != y {
			t.Errorf("%s has number %d", y.Name, e.number(y))
		}
	}
	want := ".note.nv.tkinfo .note.nv.cuinfo .text.k .text.f .nv.global.init local .nv.callgraph .nv.rel.action k f v"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("symbols\n%s, want\n%s", got, want)
	}
	for _, y := range []*program.Symbol{hidden, inDead, dead.Symbol, dead.Text.Symbol, empty.Symbol, k.Shared.Symbol} {
		if n := e.number(y); n != 0 {
			t.Errorf("%s has number %d", y.Name, n)
		}
	}
	if e.numLocal != 8 || e.firstGlobal != 9 || e.number(v) != 11 || e.number(local) != 6 {
		t.Errorf("%d locals, first global %d, v %d, local %d", e.numLocal, e.firstGlobal, e.number(v), e.number(local))
	}
}

// TestParameterBankSymbols checks a link with a Mercury half: the symbols of parameter banks come last, and
// only the plain table has them (MERC-207).
func TestParameterBankSymbols(t *testing.T) {
	p := programtest.New(t, program.Options{Arch: "sm_100"})
	p.Form = program.BothHalves
	k := p.Kernel("k")
	bank := &program.Section{Side: program.Side{Name: cubin.ParameterPrefix + "k", Size: 8}, Fn: k, Group: program.GroupParameters, State: program.Kept}
	p.NameSymbol(bank)
	k.Bind(bank)
	e := numbered(t, p)
	if last := e.emitted[len(e.emitted)-1]; last != bank.Symbol || e.numMercury != len(e.emitted)-1 || e.numLocal != len(e.emitted) {
		t.Errorf("the last of %d symbols is %s; %d in the Mercury half, %d local", len(e.emitted), last.Name, e.numMercury, e.numLocal)
	}
}

// TestStrings checks that each name is stored once, and that names of dead functions are omitted (EMIT-002,
// EMIT-005).
func TestStrings(t *testing.T) {
	p := programtest.New(t, program.Options{})
	k, dead := p.Kernel("k"), p.Device("dead")
	data := p.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 8))
	p.Variable("v", data, 0, 4)
	p.Local(program.Symbol{Name: "v", Section: data})
	p.Local(program.Symbol{Name: "hidden", Section: data, Hidden: true})
	p.Local(program.Symbol{Name: "unnamed", Section: data, Hidden: true, Unnamed: true})
	p.PrototypeStrings = []string{"P", "k"}
	p.AddName(".rela.text.k", k)
	p.AddName(".rela.text.dead", dead)
	gone := p.Data(".nv.constant4", cubin.SectionConstant0+4, make([]byte, 4))
	gone.State = program.Gone
	e := written(t, p)
	names, strs := string(e.Std.Shstrtab.Bytes()), string(e.Std.Strtab.Bytes())
	for _, tt := range []struct {
		table, text, name string
		times             int
	}{
		{".shstrtab", names, ".text.k", 1}, {".shstrtab", names, ".rela.text.k", 1}, {".shstrtab", names, ".symtab_shndx", 1},
		{".shstrtab", names, ".text.dead", 0}, {".shstrtab", names, ".rela.text.dead", 0}, {".shstrtab", names, ".nv.constant4", 0},
		{".strtab", strs, "v", 1}, {".strtab", strs, "hidden", 1}, {".strtab", strs, "unnamed", 0}, {".strtab", strs, "dead", 0},
		{".strtab", strs, ".text.k", 1}, {".strtab", strs, ".text.dead", 0}, {".strtab", strs, ".nv.constant4", 0}, {".strtab", strs, "k", 1}, {".strtab", strs, "P", 1},
	} {
		if n := strings.Count(tt.text, "\x00"+tt.name+"\x00"); n != tt.times {
			t.Errorf("%s stands %d times in %s, want %d", tt.name, n, tt.table, tt.times)
		}
	}
	if !strings.HasPrefix(strs, "\x00P\x00k\x00") {
		t.Errorf(".strtab begins with %q: prototypes come first", strs[:8])
	}
	for _, y := range e.emitted {
		if at := e.stringOf(y, y.Name); !strings.HasPrefix(strs[at:], y.Name+"\x00") {
			t.Errorf("%s is not at %d", y.Name, at)
		}
	}
	for _, r := range e.table {
		if at := e.nameOf(r); !strings.HasPrefix(names[at:], r.Name+"\x00") {
			t.Errorf("%s is not at %d", r.Name, at)
		}
	}
}

// TestNameThatStays checks that the name of a kernel's shared memory stays if host code does not refer to the
// kernel (EMIT-030).
func TestNameThatStays(t *testing.T) {
	onlyK := func(int) func(string, bool) bool { return func(name string, _ bool) bool { return name == "k" } }
	for _, tt := range []struct {
		name string
		opt  program.Options
		want bool
	}{
		{"host code leaves it out", program.Options{HostKernels: onlyK}, true},
		{"host code was known to leave it out", program.Options{HostKernels: onlyK, HostKernelsFirst: true}, false},
		{"an option leaves it out", program.Options{KernelsUsed: []string{"k"}}, false},
	} {
		p := programtest.New(t, tt.opt)
		p.Kernel("k")
		p.Kernel("lost")
		e := written(t, p)
		if got := strings.Contains(string(e.Std.Shstrtab.Bytes()), ".nv.shared.lost"); got != tt.want {
			t.Errorf("%s: the name stays: %v", tt.name, got)
		}
	}
}

// TestSectionOrder checks that groups of sections are in order, and that the sections of a group are in order
// of creation (EMIT-001).
func TestSectionOrder(t *testing.T) {
	p := programtest.New(t, program.Options{})
	k := p.Kernel("k")
	p.Call(k, p.Device("f"))
	p.OwnShared(k, "s", 8, 4)
	p.Device("dead")
	p.Data(".debug_str", cubin.SectionProgBits, make([]byte, 4))
	init := p.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 8))
	p.Bank(k, 0, make([]byte, 0x160))
	p.Data(cubin.UserConstantName, cubin.SectionConstant0+3, make([]byte, 8))
	v := p.Variable("v", init, 0, 4)
	k.Text.Relocations = []program.Relocation{{Type: 2, Symbol: v, Rela: true}}
	p.RegisterRelocations(k.Text, k.Text.Name, true, cubin.FlagInfoLink)
	p.RegisterRelocations(init, init.Name, true, cubin.FlagInfoLink) // empty: it is left out
	e := written(t, p)
	want := ".shstrtab .strtab .symtab .debug_str .note.nv.tkinfo .note.nv.cuinfo .nv.info .nv.callgraph .nv.rel.action " +
		".rela.text.k .nv.constant0.k .nv.constant3 .text.k .text.f .nv.global.init .nv.shared.k"
	if got := sectionNames(e); got != want {
		t.Errorf("sections\n%s, want\n%s", got, want)
	}
	for i, r := range e.table {
		if int(r.index) != i+1 || r.group != program.GroupRelocation && e.plainAt[r.section.ID] != r.index {
			t.Errorf("%s has index %d", r.Name, r.index)
		}
	}
}

// TestCallGraphRecords checks the four groups of records, each with the last added first (REACH-001,
// REACH-002, EMIT-005, EMIT-017). With -r local code has no prototype (REACH-980).
func TestCallGraphRecords(t *testing.T) {
	for _, tt := range []struct {
		name       string
		opt        program.Options
		set        func(p *programtest.Program, k, f, g *program.Function)
		direct     string
		taken      string
		indirect   string
		references string
		prototypes string
	}{
		{"calls", program.Options{}, func(p *programtest.Program, k, f, g *program.Function) { p.Call(k, f, g); p.Call(f, g) }, "k,g k,f f,g", "", "", "", ""},
		{"twice", program.Options{}, func(p *programtest.Program, k, f, g *program.Function) { p.Call(k, f, g, f) }, "k,f k,g k,f", "", "", "", ""},
		{"twice with -r", program.Options{Relocatable: true}, func(p *programtest.Program, k, f, g *program.Function) { p.Call(k, f, g, f) }, "k,g k,f", "", "", "", ""},
		{"pointers", program.Options{}, func(p *programtest.Program, k, f, _ *program.Function) { k.CallsVia.Push("P"); p.Take(f, "P") }, "", "f,P", "k,P", "", ""},
		{"no input says the prototype", program.Options{}, func(p *programtest.Program, k, f, _ *program.Function) { p.Take(f, ""); f.Unsaid = true }, "", "f,", "", "", ""},
		{"an address", program.Options{}, func(p *programtest.Program, k, f, _ *program.Function) { p.Call(k, f); k.Taken.Push(f) }, "k,f", "", "", "k,f", ""},
		{"a prototype", program.Options{}, func(p *programtest.Program, k, f, g *program.Function) {
			p.Call(k, f)
			for _, fn := range []*program.Function{f, g} {
				fn.Prototype = new(string)
				*fn.Prototype = "P"
			}
		}, "k,f", "", "", "", "f,P"},
		{"no prototype of local code with -r", program.Options{Relocatable: true}, func(p *programtest.Program, k, f, g *program.Function) {
			f.Prototype, g.Prototype = new(string), new(string)
			*f.Prototype, *g.Prototype = "P", "P"
			g.Symbol.Bind = cubin.BindLocal
		}, "", "", "", "", "f,P"},
		{"nothing of dead ones", program.Options{}, func(p *programtest.Program, k, f, g *program.Function) {
			p.Call(f, g)
			f.CallsVia.Push("P")
			f.Taken.Push(k)
		}, "", "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, tt.opt)
			k, f, g := p.Kernel("k"), p.Device("f"), p.Device("g")
			p.PrototypeStrings = []string{"P"}
			tt.set(p, k, f, g)
			e := written(t, p)
			group, got := uint32(0), map[uint32][]string{}
			name := func(n uint32) string {
				if int(n) > len(e.emitted) {
					return "?"
				}
				return e.emitted[n-1].Name
			}
			prototype := func(at uint32) string {
				s, _, _ := strings.Cut(string(e.Std.Strtab.Bytes()[at:]), "\x00")
				return s
			}
			for data := e.Std.CallGraph.Bytes(); len(data) > 0; data = data[8:] {
				a, b := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
				switch {
				case a == 0:
					group = b
				case group == cubin.CallsDirect || group == cubin.TakesAddress:
					got[group] = append(got[group], name(a)+","+name(b))
				default:
					got[group] = append(got[group], name(a)+","+prototype(b))
				}
			}
			var prototypes []string
			for data := e.Std.Prototype.Bytes(); len(data) > 0; data = data[8:] {
				prototypes = append(prototypes, name(binary.LittleEndian.Uint32(data))+","+prototype(binary.LittleEndian.Uint32(data[4:])))
			}
			for _, group := range []struct {
				name string
				got  []string
				want string
			}{
				{"direct", got[cubin.CallsDirect], tt.direct}, {"taken", got[cubin.CallsTaken], tt.taken}, {"indirect", got[cubin.CallsIndirect], tt.indirect},
				{"references", got[cubin.TakesAddress], tt.references}, {"prototypes", prototypes, tt.prototypes},
			} {
				if s := strings.Join(group.got, " "); s != group.want {
					t.Errorf("%s: %q, want %q", group.name, s, group.want)
				}
			}
			if (e.Std.Prototype.State == program.Kept) != (tt.prototypes != "") {
				t.Error(".nv.prototype stands in the output, or does not")
			}
		})
	}
}

// TestEncode checks the relocations in each section. The last added comes first (RELOC-202).
func TestEncode(t *testing.T) {
	p := programtest.New(t, program.Options{})
	y := p.Kernel("k").Symbol
	e := numbered(t, p)
	side := &program.Side{
		Relocations: []program.Relocation{{Offset: 1, Symbol: y}, {Offset: 2, Symbol: y, Rela: true, Addend: 7}, {Offset: 3, Symbol: y}, {Offset: 4, Symbol: y, Rela: true}},
		Resolved:    []program.Relocation{{Offset: 9, Symbol: y}},
	}
	for _, tt := range []struct {
		name    string
		typ     cubin.SectionType
		size    int
		offsets []uint64
	}{
		{".rel", cubin.SectionRel, cubin.RelSize, []uint64{3, 1}},
		{".rela", cubin.SectionRela, cubin.RelaSize, []uint64{4, 2}},
		{".nv.resolvedrela", cubin.SectionResolvedRela, cubin.RelaSize, []uint64{9}},
		{".nv.merc.rela", cubin.SectionMercRela, cubin.RelaSize, []uint64{4, 3, 2, 1}},
		{".nv.merc.nv.resolvedrela", cubin.SectionMercResolved, cubin.RelaSize, []uint64{9}},
	} {
		var content program.Side
		content.SetLater(e.entries(tt.typ, side))
		data := slices.Clone(content.Bytes())
		content.SetLater(e.entries(tt.typ, side))
		var parts []byte
		content.WriteParts(uint64(tt.size+1), func(size uint64) []byte {
			parts = append(parts, make([]byte, size)...)
			return parts[len(parts)-int(size):]
		})
		if !bytes.Equal(parts, data) {
			t.Errorf("%s: %x in parts, %x as a whole", tt.name, parts, data)
		}
		var offsets []uint64
		for at := 0; at+tt.size <= len(data); at += tt.size {
			offsets = append(offsets, binary.LittleEndian.Uint64(data[at:]))
			if n := binary.LittleEndian.Uint32(data[at+12:]); n != e.number(y) {
				t.Errorf("%s: symbol %d", tt.name, n)
			}
		}
		if !slices.Equal(offsets, tt.offsets) || len(data) != tt.size*len(tt.offsets) {
			t.Errorf("%s: offsets %d in %d bytes, want %d", tt.name, offsets, len(data), tt.offsets)
		}
	}
}

// TestHeaders checks the references to other sections in section headers.
func TestHeaders(t *testing.T) {
	p := programtest.New(t, program.Options{Arch: "sm_90"})
	k := p.Kernel("k")
	k.RegInfo = 24
	p.Attribute(k, nvinfo.New(nvinfo.SyncStack, 8))
	bank := p.Bank(k, 0, make([]byte, 0x210))
	init := p.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 8))
	bank.Link = 77
	k.Text.Relocations = []program.Relocation{{Type: 2, Symbol: p.Variable("v", init, 0, 4), Rela: true}}
	p.RegisterRelocations(k.Text, k.Text.Name, true, cubin.FlagInfoLink)
	f := file(t, p)
	index := func(name string) uint32 { return f.Section(name).Index }
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	locals := uint32(slices.IndexFunc(symbols, func(y cubin.Symbol) bool { return y.Bind == cubin.BindGlobal }))
	kernel := uint32(slices.IndexFunc(symbols, func(y cubin.Symbol) bool { return y.Name == "k" }))
	for _, tt := range []struct {
		section    string
		typ        cubin.SectionType
		link, info uint32
	}{
		{".symtab", cubin.SectionSymTab, index(".strtab"), locals},
		{".note.nv.cuinfo", cubin.SectionNote, index(".note.nv.tkinfo"), index(".nv.compat")},
		{".text.k", cubin.SectionProgBits, index(".symtab"), 24<<24 | kernel},
		{".nv.info.k", cubin.SectionInfo, index(".symtab"), index(".text.k")},
		{".nv.info", cubin.SectionInfo, index(".symtab"), 0},
		{".rela.text.k", cubin.SectionRela, index(".symtab"), index(".text.k")},
		{".nv.constant0.k", cubin.SectionProgBits, 77, index(".text.k")},
		{".nv.global.init", cubin.SectionProgBits, 0, 0},
		{".nv.callgraph", cubin.SectionCallGraph, index(".symtab"), 0},
	} {
		if s := f.Section(tt.section); s.Type != tt.typ || s.Link != tt.link || s.Info != tt.info {
			t.Errorf("%s: type %#x, link %d, info %#x; want %#x, %d, %#x", tt.section, s.Type, s.Link, s.Info, tt.typ, tt.link, tt.info)
		}
	}
}

// TestFileHeader checks the kind, the flags and the tables in the file header (EMIT-020, EMIT-040).
func TestFileHeader(t *testing.T) {
	for _, tt := range []struct {
		name     string
		opt      program.Options
		form     program.Form
		typ      uint16
		flags    uint32
		segments int
	}{
		{"executable", program.Options{}, 0, cubin.TypeExecutable, 80<<8 | cubin.CodeKindSASS, 3},
		{"-r", program.Options{Relocatable: true}, 0, cubin.TypeRelocatable, 80<<8 | cubin.CodeKindSASS, 0},
		{"of machine code only", program.Options{Arch: "sm_100"}, program.MachineCode, cubin.TypeExecutable, 100<<8 | cubin.CodeKindSASS, 3},
		{"with a Mercury half", program.Options{Arch: "sm_100"}, program.BothHalves, cubin.TypeExecutable, 100<<8 | cubin.CodeKindCapsule, 3},
	} {
		p := programtest.New(t, tt.opt)
		p.Form = tt.form
		p.Kernel("k")
		f := file(t, p)
		if got := f.Flags & 0xffffff; f.Type != tt.typ || got != tt.flags || f.Flags>>24 != f.Section(".note.nv.cuinfo").Index {
			t.Errorf("%s: type %d, flags %#x; want %d, %#x", tt.name, f.Type, f.Flags, tt.typ, tt.flags)
		}
		segments, err := f.Segments()
		if err != nil || len(segments) != tt.segments {
			t.Errorf("%s: %d segments, %v; want %d", tt.name, len(segments), err, tt.segments)
		}
		if f.Sections[f.ShStrNdx].Name != ".shstrtab" || f.ShOff%8 != 0 || f.ShOff+uint64(len(f.Sections))*cubin.SectionHeaderSize+uint64(tt.segments)*cubin.SegmentHeaderSize != uint64(len(f.Bytes())) {
			t.Errorf("%s: section table at %#x of %#x bytes, names in %d", tt.name, f.ShOff, len(f.Bytes()), f.ShStrNdx)
		}
	}
}

// TestSegments checks the program headers: those for the headers themselves, for constants and code, for data,
// and for the headers again (EMIT-021, EMIT-022).
func TestSegments(t *testing.T) {
	p := programtest.New(t, program.Options{})
	k := p.Kernel("k")
	p.Bank(k, 0, make([]byte, 0x160))
	p.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 12))
	global := p.GlobalSection()
	global.Size, global.Align, global.State = 8, 8, program.Kept
	p.OwnShared(k, "s", 24, 4)
	f := file(t, p)
	segments, err := f.Segments()
	if err != nil || len(segments) != 4 {
		t.Fatalf("%d segments, %v", len(segments), err)
	}
	bank, text, init, noBits := f.Section(".nv.constant0.k"), f.Section(".text.k"), f.Section(".nv.global.init"), f.Section(".nv.global")
	const readExec, readWrite = cubin.SegmentRead | cubin.SegmentExec, cubin.SegmentRead | cubin.SegmentWrite
	table := f.PhOff
	for i, want := range []cubin.Segment{
		{Type: cubin.SegmentPHdr, Flags: readExec, Offset: table, FileSize: 4 * cubin.SegmentHeaderSize, MemSize: 4 * cubin.SegmentHeaderSize, Align: 8},
		{Type: cubin.SegmentLoad, Flags: readExec, Offset: bank.Offset, FileSize: text.Offset + text.Size - bank.Offset, MemSize: text.Offset + text.Size - bank.Offset, Align: 8},
		{Type: cubin.SegmentLoad, Flags: readWrite, Offset: init.Offset, FileSize: noBits.Offset - init.Offset, MemSize: noBits.Offset - init.Offset + 8 + 24, Align: 8},
		{Type: cubin.SegmentLoad, Flags: readExec, Offset: table, FileSize: 4 * cubin.SegmentHeaderSize, MemSize: 4 * cubin.SegmentHeaderSize, Align: 8},
	} {
		if segments[i] != want {
			t.Errorf("segment %d: %+v, want %+v", i, segments[i], want)
		}
	}
}

// TestAlignment checks that sections have their own alignment, and that an alignment that is too large is
// refused.
func TestAlignment(t *testing.T) {
	for align, ok := range map[uint64]bool{1: true, 128: true, 4096: true, cubin.MaxPadding * 2: false} {
		p := programtest.New(t, program.Options{})
		s := p.Data(".debug_str", cubin.SectionProgBits, make([]byte, 5))
		s.Align = align
		data, err := linked(settled(t, p))
		if (err == nil) != ok {
			t.Errorf("alignment %d: %v", align, err)
		}
		if err != nil {
			if !strings.Contains(err.Error(), ".debug_str") {
				t.Errorf("the error names no section: %v", err)
			}
			continue
		}
		f, _ := cubin.Open("out", data)
		if out := f.Section(".debug_str"); out.Offset%align != 0 || out.AddrAlign != align {
			t.Errorf("alignment %d: at %#x", align, out.Offset)
		}
	}
}

// TestBytesInTheFile checks the bytes of each section. Zeros follow code that has fewer bytes than its size.
func TestBytesInTheFile(t *testing.T) {
	p := programtest.New(t, program.Options{})
	k := p.Kernel("k")
	k.Text.SetBytes([]byte("some code"))
	k.Text.Size = 12
	p.Data(".debug_str", cubin.SectionProgBits, []byte("one\x00")).Add(program.Piece{Offset: 6, Size: 4, Data: []byte("two\x00")})
	p.ByName[".debug_str"].Size = 10
	f := file(t, p)
	for name, want := range map[string]string{".text.k": "some code\x00\x00\x00", ".debug_str": "one\x00\x00\x00two\x00"} {
		data, err := f.Data(f.Section(name).Index)
		if err != nil || string(data) != want {
			t.Errorf("%s: %q, %v; want %q", name, data, err, want)
		}
	}
	short := p.Data(".debug_loc", cubin.SectionProgBits, make([]byte, 8))
	short.Size = 4
	if _, err := File(settled(t, p), Findings{}); err == nil || !strings.Contains(err.Error(), ".debug_loc") {
		t.Errorf("more bytes than its size: %v", err)
	}
}

// TestSymbolTable checks values, addends and the null symbol (EMIT-015).
func TestSymbolTable(t *testing.T) {
	p := programtest.New(t, program.Options{})
	init := p.Data(cubin.GlobalInitName, cubin.SectionGlobalInit, make([]byte, 16))
	v := p.Variable("v", init, 8, 4)
	v.Addend, v.Other = 2, cubin.OtherManaged
	p.NullValue = 99
	f := file(t, p)
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	if symbols[0].Value != 99 {
		t.Errorf("null symbol %d", symbols[0].Value)
	}
	got := symbols[len(symbols)-1]
	if got.Name != "v" || got.Value != 10 || got.Size != 4 || got.Other != cubin.OtherManaged || got.Section != f.Section(init.Name).Index || got.Bind != cubin.BindGlobal {
		t.Errorf("v: %+v", got)
	}
}

// TestRelocationAction checks that every executable of machine code has .nv.rel.action (EMIT-006).
func TestRelocationAction(t *testing.T) {
	for _, tt := range []struct {
		opt  program.Options
		form program.Form
		want bool
	}{{program.Options{}, 0, true}, {program.Options{Relocatable: true}, 0, false}, {program.Options{Arch: "sm_100"}, program.BothHalves, false}} {
		p := programtest.New(t, tt.opt)
		p.Form = tt.form
		if got := file(t, p).Section(".nv.rel.action") != nil; got != tt.want {
			t.Errorf("%+v, form %d: %v", tt.opt, tt.form, got)
		}
	}
}

// TestFastPaths checks to which targets the code of an output can be finalized (INFO-015).
func TestFastPaths(t *testing.T) {
	instruction := func(op uint16) []byte { return append(binary.LittleEndian.AppendUint16(nil, op), make([]byte, 14)...) }
	plain := func(op uint16) []byte { // a comparison that sets one predicate and combines it with no other
		b := instruction(op)
		binary.LittleEndian.PutUint64(b[8:], 7<<20|7<<23)
		return b
	}
	for _, tt := range []struct {
		name string
		code []byte
		dead bool
		want uint32
	}{
		{"plain code", instruction(0x918), false, 0xffffffff},
		{"double precision", append(instruction(0x918), instruction(0x7228)...), false, ^arch.FastPath103},
		{"another form of it", instruction(0x42b), false, ^arch.FastPath103},
		{"a comparison with a float in it", plain(0x780b), false, ^arch.FastPath103},
		{"that is combined with another", instruction(0x780b), false, 0xffffffff},
		{"with one in a register", plain(0x720b), false, 0xffffffff},
		{"a comparison with a double in it", plain(0x742a), false, 0xffffffff},
		{"that is combined", instruction(0x742a), false, ^arch.FastPath103},
		{"in dead code", instruction(0x228), true, 0},
		{"a part of an instruction", instruction(0x228)[:8], false, 0xffffffff},
	} {
		p := programtest.New(t, program.Options{Arch: "sm_100"})
		k := p.Kernel("k")
		k.Text.SetBytes(tt.code)
		k.Dead = tt.dead
		if got := fastPaths(p.Program); got != tt.want {
			t.Errorf("%s: %#x, want %#x", tt.name, got, tt.want)
		}
	}
}

// TestMercurySections checks that the Mercury half follows the plain one, with code first and the symbols last
// (MERC-202 to MERC-208).
func TestMercurySections(t *testing.T) {
	p := programtest.New(t, program.Options{Arch: "sm_100", Relocatable: true})
	p.Form = program.BothHalves
	p.Finalizer = func(mercury.Function) (mercury.Result, error) { return mercury.Result{}, nil } // nothing changes
	debug := p.Data(".debug_str", cubin.SectionProgBits, []byte("same"))
	user := p.Data(cubin.UserConstantName, cubin.SectionConstant0+3, make([]byte, 8))
	k := p.Kernel("k")
	p.Attribute(k, nvinfo.New(nvinfo.SyncStack, 8))
	for _, tt := range []struct {
		s   *program.Section
		typ cubin.SectionType
	}{{debug, cubin.SectionProgBits}, {user, cubin.SectionMercUser}, {k.Text, cubin.SectionCapMerc}} {
		tt.s.Mercury = &program.Side{Name: cubin.MercuryName(tt.s.Name), Type: tt.typ, Flags: cubin.FlagMercury, Align: 4}
		tt.s.Mercury.SetBytes(slices.Clone(tt.s.Bytes()))
	}
	k.Symbol.MercuryType, k.Symbol.Mercury = cubin.SymFunc, program.MercurySymbol{Value: 4, Size: 28}
	debug.Mercury.Relocations = []program.Relocation{{Type: 0x10002, Symbol: k.Symbol, Rela: true}}
	p.RegisterMercury(debug)
	p.RegisterRelocations(debug, debug.Name, true, cubin.FlagInfoLink)
	f := file(t, p)
	var names []string
	for _, s := range f.Sections {
		if s.Flags&cubin.FlagMercury != 0 {
			names = append(names, s.Name)
		}
	}
	want := ".nv.capmerc.text.k .nv.merc.debug_str .nv.merc.nv.info.k .nv.merc.rela.debug_str .nv.merc.nv.constant.user .nv.merc.symtab"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("sections\n%s, want\n%s", got, want)
	}
	section := f.Section
	for _, name := range []string{".debug_str", cubin.UserConstantName} {
		if plain, inner := section(name), section(cubin.MercuryName(name)); plain.Offset != inner.Offset {
			t.Errorf("the halves of %s are at %#x and %#x", name, plain.Offset, inner.Offset)
		}
	}
	capsule, err := f.Data(section(".nv.capmerc.text.k").Index)
	if err != nil || binary.LittleEndian.Uint32(capsule) != section(".text.k").Index {
		t.Errorf("the capsule begins with %x, %v: want the index of its code", capsule[:4], err)
	}
	for name, want := range map[string][2]uint32{
		".nv.merc.rela.debug_str": {section(".nv.merc.symtab").Index, section(".nv.merc.debug_str").Index},
		".nv.merc.nv.info.k":      {section(".nv.merc.symtab").Index, section(".nv.capmerc.text.k").Index},
	} {
		if s := section(name); s.Link != want[0] || s.Info != want[1] {
			t.Errorf("%s: link %d, info %d; want %d", name, s.Link, s.Info, want)
		}
	}
	symbols, err := f.SymbolsOf(section(".nv.merc.symtab").Index)
	if err != nil {
		t.Fatal(err)
	}
	if y := symbols[len(symbols)-1]; y.Name != "k" || y.Value != 4 || y.Size != 28 || y.Section != section(".nv.capmerc.text.k").Index {
		t.Errorf("k in the Mercury half: %+v", y)
	}
	if s := section(".rela.debug_str"); s == nil || s.Size != 0 {
		t.Errorf("the plain relocations: %+v; want an empty section", s)
	}
}

// TestPaddedNames checks section names that differ in the Mercury half. The plain name is stored in the space
// of the inner name. If the section is not in the output, the inner name stays.
func TestPaddedNames(t *testing.T) {
	for _, tt := range []struct {
		name  string
		form  program.Form
		named bool
		want  string
	}{
		{"machine code only", program.MachineCode, true, ".nv.constant3\x00"},
		{"both halves", program.BothHalves, true, ".nv.constant3\x00" + strings.Repeat("\x00", len(".nv.constant.user")-len(".nv.constant3"))},
		{"both halves, no section", program.BothHalves, false, ".nv.constant.user\x00"},
	} {
		p := programtest.New(t, program.Options{Arch: "sm_100"})
		p.Form = tt.form
		e := numbered(t, p)
		e.named = map[string]bool{".nv.constant3": tt.named}
		if got := string(e.appendName(nil, &program.SectionName{Name: ".nv.constant3"})); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestExtendedNumbers checks that .symtab_shndx follows .symtab from 65,280 created sections on, itself included, and with -r
// from one more on (EMIT-024).
func TestExtendedNumbers(t *testing.T) {
	for _, tt := range []struct {
		relocatable bool
		made        int // without .symtab_shndx
		want        bool
	}{{false, 65278, false}, {false, 65279, true}, {true, 65279, false}, {true, 65280, true}} {
		p := programtest.New(t, program.Options{Relocatable: tt.relocatable})
		p.Kernel("k")
		e := written(t, p)
		e.Names = make([]program.SectionName, tt.made)
		e.table = []*row{{Side: &e.Std.Symtab.Side, section: e.Std.Symtab}}
		e.extendNumbers()
		if got := sectionNames(e) == ".symtab .symtab_shndx"; got != tt.want {
			t.Errorf("%d sections, -r %v: %s", tt.made, tt.relocatable, sectionNames(e))
		}
	}
}

// TestLeakedHeaders checks the bytes of reserved shared memory, which are those of the inner file's section
// table (MERC-205, E-350).
func TestLeakedHeaders(t *testing.T) {
	for _, tt := range []struct {
		size, table uint64
		at          int // of the second header; -1 for none
	}{{0x400, 0x100, 0x140}, {0x100, 0x100, -1}, {0x148, 0x100, 0x140}, {0x80, 0x100, -1}} {
		b := leakedHeaders(tt.size, tt.table, innerFile{names: 0x77, strings: 0x88})
		at := slices.IndexFunc(b, func(c byte) bool { return c != 0 })
		if at != tt.at || uint64(len(b)) != tt.size {
			t.Errorf("%+v: the header at %#x of %#x bytes", tt, at, len(b))
		}
		if tt.size != 0x400 {
			continue
		}
		for offset, want := range map[int]uint64{24: cubin.HeaderSize, 32: 0x77, 64 + 24: cubin.HeaderSize + 0x77, 64 + 32: 0x88} {
			if got := binary.LittleEndian.Uint64(b[at+offset:]); got != want {
				t.Errorf("%#x at %#x of the headers, want %#x", got, offset, want)
			}
		}
	}
}

// TestMercurySegments checks the program headers: the headers twice, then constants, code, data and parameter
// banks.
func TestMercurySegments(t *testing.T) {
	rowOf := func(group program.Group, offset, size, flags uint64) *row {
		return &row{Side: &program.Side{Size: size, Flags: flags}, section: &program.Section{}, group: group, offset: offset}
	}
	e := &emitter{table: []*row{
		rowOf(program.GroupInfo, 0x40, 8, 0), rowOf(program.GroupConstant, 0x100, 8, 0), rowOf(program.GroupConstant, 0x110, 8, 0),
		rowOf(program.GroupText, 0x200, 0x80, 0), rowOf(program.GroupGlobalInit, 0x300, 4, 0), rowOf(program.GroupParameters, 0x400, 0x20, 0),
	}}
	var got []string
	for _, s := range e.mercurySegments(0x1000) {
		got = append(got, fmt.Sprintf("%d:%d:%#x+%#x", s.Type, s.Flags, s.Offset, s.FileSize))
	}
	want := "6:4:0x1000+0x150 1:4:0x1000+0x150 1:4:0x100+0x18 1:5:0x200+0x80 1:6:0x300+0x4 1:4:0x400+0x20"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("segments\n%s, want\n%s", s, want)
	}
}

// linked returns the file. It creates the file as a whole and as a stream, and compares both.
func linked(r *relocate.Settled) ([]byte, error) {
	output, err := File(r, Findings{})
	if err != nil {
		return nil, err
	}
	data, err := output.Bytes()
	var streamed bytes.Buffer
	if n, err := output.WriteTo(&streamed); err != nil || n != int64(len(data)) || !bytes.Equal(streamed.Bytes(), data) {
		return nil, fmt.Errorf("a stream of %d bytes, %v, is not the file of %d", n, err, len(data))
	}
	return data, err
}

// TestStreamLetsGo checks that the pages of inputs are unmapped each time that a certain number of bytes was
// written. With many inputs this happens less often.
func TestStreamLetsGo(t *testing.T) {
	const rounds = 8
	for _, inputs := range []int{1, 2 * readAtOnce / readOfEachFile} {
		gone := 0
		unmaps := make([]func(), inputs)
		for i := range unmaps {
			unmaps[i] = func() { gone++ }
		}
		s := newStream(io.Discard, rounds*readAtOnce, false, unmaps)
		for range rounds {
			s.write(make([]byte, readAtOnce))
		}
		if n, err := s.end(); n != rounds*readAtOnce || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		if want := rounds * readAtOnce / max(readAtOnce, inputs*readOfEachFile) * inputs; gone != want {
			t.Errorf("%d inputs: went %d times, want %d", inputs, gone, want)
		}
	}
}
