package sound

import (
	"math"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
)

// judging returns a checker for an output of a release with the given sections.
func judging(t *testing.T, toolkit string, relocatable bool, sections ...cubin.Section) *checker {
	t.Helper()
	profile, err := arch.Find(toolkit)
	if err != nil {
		t.Fatal(err)
	}
	target, ok := profile.Parse("sm_80")
	if !ok {
		t.Fatal(toolkit)
	}
	c := &checker{link: Link{Target: target}, out: &output{file: &cubin.File{Sections: sections}}, reported: map[Finding]bool{}}
	c.link.Relocatable = relocatable
	return c
}

// From 13.1 on, memory may have an alignment that is not a power of two if an input has that value as the start of
// extern arrays. With -r it always may. Other sections must not have one (KIT-017).
func TestAlignmentOfExternArrays(t *testing.T) {
	for _, tt := range []struct {
		toolkit     string
		relocatable bool
		section     cubin.Section
		want        bool
	}{
		{"13.1", false, cubin.Section{Name: ".nv.shared.k", Type: cubin.SectionNoBits, AddrAlign: 0x50}, true},
		{"13.4", false, cubin.Section{Name: ".nv.shared.k", Type: cubin.SectionNoBits, AddrAlign: 0x50}, true},
		{"13.4", false, cubin.Section{Name: ".nv.shared.k", Type: cubin.SectionNoBits, AddrAlign: 0x60}, false},
		{"13.4", false, cubin.Section{Name: ".nv.local.k", Type: cubin.SectionNoBits, AddrAlign: 0x50}, false},
		{"13.0", false, cubin.Section{Name: ".nv.shared.k", Type: cubin.SectionNoBits, AddrAlign: 0x50}, false},
		{"13.0", true, cubin.Section{Name: ".nv.shared.k", Type: cubin.SectionShared, AddrAlign: 0x60}, true},
		{"13.0", true, cubin.Section{Name: ".nv.global", Type: cubin.SectionGlobal, AddrAlign: 0x60}, false},
	} {
		c := judging(t, tt.toolkit, tt.relocatable, tt.section)
		c.program = program{objects: []*object{{symbols: []cubin.Symbol{
			{Name: externInstance, Type: cubin.SymData, Other: cubin.OtherShared, Value: 0x50},
			{Name: "variable", Type: cubin.SymData, Other: cubin.OtherShared, Value: 0x60, Size: 4},
		}}}}
		if got := c.startsExterns(&tt.section); got != tt.want {
			t.Errorf("%s: %+v: %v, want %v", tt.toolkit, tt.section, got, tt.want)
		}
	}
}

// Before 13.0, the relocations of slots may lack the flag that sh_info is a section. Later they must have it.
// Relocations of code must always have it (KIT-085).
func TestInfoOfForcedRela(t *testing.T) {
	for _, tt := range []struct {
		toolkit, name string
		want          int
	}{
		{"12.4", ".rela.nv.constant0.k", 0},
		{"12.9", ".rela.nv.constant0.k", 0},
		{"13.0", ".rela.nv.constant0.k", 1},
		{"12.4", ".rela.text.k", 1},
		{"12.4", ".rela.nv.constant3", 1},
	} {
		s := cubin.Section{Name: tt.name, Type: cubin.SectionRela, Info: 1}
		c := judging(t, tt.toolkit, false, s)
		if c.checkInfoLink(tt.name, &s); len(c.findings) != tt.want {
			t.Errorf("%s: %s: %v", tt.toolkit, tt.name, c.findings)
		}
	}
}

// A weak function whose address is only in data is required if the call graph records that its address is taken. Other
// functions are always required (REACH-001), unless the data is a slot of position independent code.
func TestForgottenAddress(t *testing.T) {
	taken := ""
	for _, tt := range []struct {
		name  string
		table string
		bind  cubin.Binding
		as    *string
		want  bool
	}{
		{"weak, not taken", "table", cubin.BindWeak, nil, false},
		{"weak, taken", "table", cubin.BindWeak, &taken, true},
		{"strong, not taken", "table", cubin.BindGlobal, nil, true},
		{"for code that is not reached", "$ADDRESS$f", cubin.BindGlobal, nil, false},
	} {
		f := &entity{name: "f", kind: function, bind: tt.bind, takenAs: tt.as}
		table := &entity{name: tt.table, kind: variable, size: 8, symbol: &cubin.Symbol{}}
		o := &object{symbols: make([]cubin.Symbol, 2), entities: []*entity{nil, f}}
		o.pieces = []*piece{{object: o, section: &cubin.Section{Flags: cubin.FlagAlloc}, atoms: []*entity{table}, relocations: []fixup{{}}}}
		o.pieces[0].relocations[0].Symbol = 1
		c := &checker{program: program{objects: []*object{o}, entities: []*entity{f, table}}}
		if c.reach(); f.required != tt.want {
			t.Errorf("%s: required %v", tt.name, f.required)
		}
	}
}

// Up to 11.8, a call through a pointer may be recorded for a function whose address only a discarded definition takes.
// Later releases have no such record (KIT-073).
func TestPointersOfLostCopies(t *testing.T) {
	for toolkit, want := range map[string]bool{"11.8": true, "12.4": false} {
		c := judging(t, toolkit, false)
		c.out.symbols = []cubin.Symbol{{}, {Name: "k", Index: 1}, {Name: "f", Index: 2}}
		f := &entity{name: "f", kind: function, out: &c.out.symbols[2]}
		k := &entity{name: "k", kind: function, out: &c.out.symbols[1], via: []string{"p"}}
		calls := map[string]bool{}
		c.addPointers(calls, k, k, map[string][]*entity{"p": {f}, "q": {k}})
		if got := len(calls) == 1; got != want {
			t.Errorf("%s: %v", toolkit, calls)
		}
	}
}

// The builds of 13.2 before 13.2.86 drop the work-arounds that a later compiler records (KIT-036). 13.0.48 moves the
// place of a barrier in a collective to its WARPSYNC (KIT-210).
func TestFinalizedRecords(t *testing.T) {
	code := []byte{
		0x48, 0x79, 0x14, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x03, 0, 0xde, 0x3f, 0, // WARPSYNC.COLLECTIVE.ALL
		0x19, 0x78, 0x09, 0x09, 0x10, 0, 0, 0, 0xff, 0x06, 0, 0, 0, 0xde, 0x3f, 0, // SHF
		0x12, 0x78, 0x09, 0x09, 0x0f, 0, 0, 0, 0x02, 0xf8, 0x8e, 0x07, 0, 0xde, 0x3f, 0, // LOP3
		0x1d, 0x73, 0, 0, 0x09, 0, 0, 0, 0, 0, 0x01, 0, 0, 0xde, 0x33, 0, // BAR
	}
	workArounds := nvinfo.Record{Format: nvinfo.Half, Code: nvinfo.NVSALWorkArounds, Value: 1}
	for _, tt := range []struct {
		toolkit string
		told    bool
		place   byte
	}{{"13.0.48", false, 0}, {"13.0.88", false, 48}, {"13.2.51", false, 48}, {"13.2.86", true, 48}, {"13.5", true, 48}} {
		c := judging(t, tt.toolkit, false)
		o := &object{pieces: []*piece{{data: code}}}
		e := &entity{kind: function, object: o, symbol: &cubin.Symbol{}}
		got := c.finalizedRecords(e, []nvinfo.Record{workArounds, {Code: nvinfo.CoopGroupOffsets, Payload: []byte{48, 0, 0, 0}}})
		if last := got[len(got)-1]; (len(got) == 2) != tt.told || last.Payload[0] != tt.place {
			t.Errorf("%s: %v, want the work-arounds %v and the place %d", tt.toolkit, got, tt.told, tt.place)
		}
	}
}

// Releases that copy the notes of inputs do not link them to a tool note, which they do not write. A note keeps the link that it
// has in the input (KIT-129).
func TestLinkOfCopiedNotes(t *testing.T) {
	for _, tt := range []struct {
		toolkit     string
		input, link uint32
		sound       bool
	}{{"12.4", 0, 0, true}, {"12.4", 0, 1, false}, {"12.4", 5, 5, true}, {"12.4", 5, 1, false}, {"13.0", 0, 1, true}, {"13.0", 0, 0, false}, {"13.0", 5, 5, false}} {
		note := cubin.Section{Name: ".note.nv.cuinfo", Link: tt.link}
		c := judging(t, tt.toolkit, false, cubin.Section{}, cubin.Section{Name: ".note.nv.tkinfo"})
		c.program.objects = []*object{{file: &cubin.File{Sections: []cubin.Section{{Name: note.Name, Link: tt.input}}}}}
		if c.checkLink("note", &note, toToolNote); (len(c.findings) == 0) != tt.sound {
			t.Errorf("%s: link %d: %v", tt.toolkit, tt.link, c.findings)
		}
	}
}

// From 13.1 on the number of columns of tensor memory is defined by the linker, whatever the input says. Before, it is an ordinary
// undefined name (KIT-271).
func TestColumnsOfTensorMemory(t *testing.T) {
	given := cubin.Symbol{Name: cubin.TensorMemoryColumns, Bind: cubin.BindWeak, Type: cubin.SymData, Size: 4}
	made := given
	made.Bind, made.Value = cubin.BindGlobal, 0x200
	unset := made
	unset.Value = 0x100
	for _, tt := range []struct {
		toolkit string
		out     cubin.Symbol
		want    int
	}{
		{"13.0", made, 2}, // binding and value
		{"13.1", made, 0},
		{"13.5", made, 0},
		{"13.5", unset, 1},
	} {
		c := judging(t, tt.toolkit, false)
		c.program = program{objects: []*object{{symbols: []cubin.Symbol{given}}}}
		if c.checkStrangers([]cubin.Symbol{{}, tt.out}, false); len(c.findings) != tt.want {
			t.Errorf("%s, value %#x: %v", tt.toolkit, tt.out.Value, c.findings)
		}
	}
}

// A local symbol that no input defines is the null symbol if no variable has its type (MERGE-305): Clang's debug information
// names strings so. A variable has the value -1 (MERGE-900).
func TestLocalOfNoType(t *testing.T) {
	o := &object{symbols: []cubin.Symbol{{}, {Index: 1, Name: ".str"}, {Index: 2, Name: "x", Type: cubin.SymData}}}
	o.entities = []*entity{nil, {kind: linker}, {kind: linker}}
	c := judging(t, "13.5", false)
	for i, want := range map[uint32]uint64{1: 0, 2: math.MaxUint64} {
		target, at := c.targetOf(&piece{object: o}, fixup{Relocation: cubin.Relocation{Symbol: i}})
		if at.delta != want || (target == reloc.Placed) != (i == 1) {
			t.Errorf("symbol %d: target %d, delta %#x, want %#x", i, target, at.delta, want)
		}
	}
}
