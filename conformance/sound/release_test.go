package sound

import (
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// judging returns a checker of an output of a release that has these sections.
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

// KIT-017: from 13.1 on memory may have an alignment that is no power of two where an input says that extern arrays
// begin there; with -r, always; nothing else may.
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

// KIT-085: before 13.0 relocations of slots may leave out that their info is a section; later they may not, and
// those of code never.
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

// REACH-001: a weak function whose address only data holds is required where the call graph says that its address is
// taken, or where it is no weak one.
func TestForgottenAddress(t *testing.T) {
	taken := ""
	for _, tt := range []struct {
		name string
		bind cubin.Binding
		as   *string
		want bool
	}{
		{"weak, not taken", cubin.BindWeak, nil, false},
		{"weak, taken", cubin.BindWeak, &taken, true},
		{"strong, not taken", cubin.BindGlobal, nil, true},
	} {
		f := &entity{name: "f", kind: function, bind: tt.bind, takenAs: tt.as}
		table := &entity{name: "table", kind: variable, size: 8, symbol: &cubin.Symbol{}}
		o := &object{symbols: make([]cubin.Symbol, 2), entities: []*entity{nil, f}}
		o.pieces = []*piece{{object: o, section: &cubin.Section{Flags: cubin.FlagAlloc}, atoms: []*entity{table}, relocations: []fixup{{}}}}
		o.pieces[0].relocations[0].Symbol = 1
		c := &checker{program: program{objects: []*object{o}, entities: []*entity{f, table}}}
		if c.reach(); f.required != tt.want {
			t.Errorf("%s: required %v", tt.name, f.required)
		}
	}
}

// KIT-073: up to 11.8 a call through a pointer may be one of a function whose address only a copy that lost has taken;
// later no such call stands there.
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
