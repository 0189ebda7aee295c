package object

import (
	"slices"
	"testing"
	"time"

	"github.com/culink/culink/linker/cubin"
)

// A table of the Mercury half is about the first section of that half that has its name. It keeps the section that its header names
// if that has the name too (MERC-781). A forged file may have many tables, and the time stays linear.
func TestNameTables(t *testing.T) {
	sections := []cubin.Section{
		{}, {Name: ".debug_frame"},
		{Name: ".nv.capmerc.text.f", Flags: cubin.FlagMercury}, {Name: ".nv.capmerc.text.f", Flags: cubin.FlagMercury},
		{Name: ".nv.merc.nv.info.f", Info: 1, Flags: cubin.FlagMercury}, {Name: ".nv.merc.nv.info.f", Info: 3, Flags: cubin.FlagMercury},
		{Name: ".nv.merc.rela.debug_frame", Info: 1, Flags: cubin.FlagMercury}, {Name: ".nv.merc.debug_frame", Flags: cubin.FlagMercury},
		{Name: ".nv.merc.nv.info", Info: 3, Flags: cubin.FlagMercury}, {Name: ".nv.merc.rela.none", Info: 5, Flags: cubin.FlagMercury},
	}
	const many = 60000
	o := &Object{File: &cubin.File{Sections: slices.Concat(sections, slices.Repeat(sections[len(sections)-1:], many))}}
	began := time.Now()
	o.nameTables()
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("%d tables take %v", many, took)
	}
	for i, want := range map[int]cubin.Section{
		4: {Type: cubin.SectionMercInfo, Info: 2}, 5: {Type: cubin.SectionMercInfo, Info: 3}, 6: {Type: cubin.SectionMercRela, Info: 7},
		8: {Type: cubin.SectionMercInfo}, 9: {Type: cubin.SectionMercRela, Info: 5},
	} {
		if s := o.File.Sections[i]; s.Type != want.Type || s.Info != want.Info {
			t.Errorf("section %d, %s: type %#x about %d, want %#x about %d", i, s.Name, s.Type, s.Info, want.Type, want.Info)
		}
	}
}
