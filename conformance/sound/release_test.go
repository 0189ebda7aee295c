package sound

import (
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
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
// functions are always required (REACH-001).
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
