package linker

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// TestHeadersOfMercuryHalf checks that tables of the Mercury half are found by their names (MERC-781), and that sections for
// debuggers have the plain headers in both halves (MERC-782).
func TestHeadersOfMercuryHalf(t *testing.T) {
	whole, err := corpus.Files.ReadFile("basic/one-kernel/sm_100/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("a", whole)
	if err != nil {
		t.Fatal(err)
	}
	link := func(data []byte) *Result {
		return Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100", AllowUndefinedGlobals: true}, []Input{{Name: "a.cubin", Data: data}})
	}
	const typ, info, align, entsize = 4, 44, 48, 56 // places in a header
	want, tables, copies := link(whole), 0, 0
	for i := range f.Sections {
		s := &f.Sections[i]
		forge := func(at int, value byte) []byte {
			data := bytes.Clone(whole)
			data[int(f.ShOff)+i*cubin.SectionHeaderSize+at] = value
			return data
		}
		var places []int
		switch {
		case s.Name == ".nv.merc.nv.info", strings.HasPrefix(s.Name, ".nv.merc.rela."):
			places, tables = []int{typ, info}, tables+1
		case strings.HasPrefix(s.Name, ".nv.merc.debug"):
			places, copies = []int{align, entsize}, copies+1
		case s.Name == cubin.DebugFrameName:
			r := link(forge(align, 8))
			if r.Output == nil {
				t.Fatal(r.Log.Diagnostics)
			}
			out, err := cubin.Open("out", r.Output)
			if err != nil {
				t.Fatal(err)
			}
			if c := out.Section(cubin.MercuryName(s.Name)); c == nil || c.AddrAlign != 8 {
				t.Errorf("the copy of %s: %+v, want alignment 8", s.Name, c)
			}
		}
		for _, at := range places {
			for _, value := range []byte{0, 1, 5} {
				if r := link(forge(at, value)); !bytes.Equal(r.Output, want.Output) {
					t.Errorf("%s: %d at %d of its header changes the output: %v", s.Name, value, at, r.Log.Diagnostics)
				}
			}
		}
	}
	if want.Output == nil || tables < 2 || copies < 1 {
		t.Errorf("%d tables and %d sections for debuggers: %v", tables, copies, want.Log.Diagnostics)
	}
}

// TestTablesOfOtherTypes checks that a table of the Mercury half with another type is damage from 13.5 on (MERC-310).
func TestTablesOfOtherTypes(t *testing.T) {
	whole, err := corpus.Files.ReadFile("basic/one-kernel/sm_100/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("a", whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".nv.merc.nv.info", ".nv.merc.rela.debug_frame"} {
		data := bytes.Clone(whole)
		binary.LittleEndian.PutUint32(data[int(f.ShOff)+int(f.Section(name).Index)*cubin.SectionHeaderSize+4:], 1)
		r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100", Toolkit: "13.5"}, []Input{{Name: "a.cubin", Data: data}})
		if r.Output != nil || len(r.Log.Diagnostics) == 0 || !strings.Contains(r.Log.Diagnostics[0].Error(), "not of the type of its name") {
			t.Errorf("%s: %d bytes, %v", name, len(r.Output), r.Log.Diagnostics)
		}
	}
}

// TestSizesOfRecords checks the sizes of records in the headers of tables of relocations (DIAG-780) and of the Mercury symbol table,
// whose names are those of .symtab (MERC-783).
func TestSizesOfRecords(t *testing.T) {
	const name, link, info, entsize, damaged = 0, 40, 44, 56, "damaged"
	for _, tt := range []struct {
		arch, section, toolkit string
		at                     int
		value                  byte
		want                   string // part of the message; empty if the field does not count
	}{
		{"sm_80", ".rela.debug_frame", "", entsize, 3, damaged},
		{"sm_80", ".rela.debug_frame", "", entsize, 24, ""},
		{"sm_100", ".rela.debug_frame", "", entsize, 8, damaged},
		{"sm_100", ".nv.merc.rela.debug_frame", "", entsize, 8, damaged},
		{"sm_100", ".nv.merc.rela.debug_frame", "", entsize, 73, damaged},
		{"sm_100", ".nv.merc.rela.debug_frame", "", entsize, 24, ""},
		{"sm_100", ".rela.debug_frame", "", name, 3, damaged},                                // MERC-314
		{"sm_100", ".nv.merc.rela.debug_frame", "13.5", info, 1, "unexpected reloc section"}, // MERC-781
		{"sm_100", ".nv.merc.symtab", "", entsize, 8, damaged},
		{"sm_100", ".nv.merc.symtab", "", link, 1, ""},
		{"sm_100", ".nv.merc.symtab", "13.5", link, 1, damaged},
	} {
		whole, err := corpus.Files.ReadFile("basic/one-kernel/" + tt.arch + "/in/k.cubin")
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open("a", whole)
		if err != nil {
			t.Fatal(err)
		}
		s := f.Section(tt.section)
		if s == nil {
			t.Fatalf("%s: no section %s", tt.arch, tt.section)
		}
		data := bytes.Clone(whole)
		data[int(f.ShOff)+int(s.Index)*cubin.SectionHeaderSize+tt.at] = tt.value
		links := func(data []byte) *Result {
			return Link(t.Context(), Options{ToolName: "nvlink", Arch: tt.arch, Toolkit: tt.toolkit}, []Input{{Name: "a.cubin", Data: data}})
		}
		r := links(data)
		switch {
		case tt.want == "" && !bytes.Equal(r.Output, links(whole).Output):
			t.Errorf("%+v: another output, %v", tt, r.Log.Diagnostics)
		case tt.want != "" && (r.Output != nil || len(r.Log.Diagnostics) == 0 || !strings.Contains(r.Log.Diagnostics[0].Error(), tt.want)):
			t.Errorf("%+v: %d bytes, %v", tt, len(r.Output), r.Log.Diagnostics)
		}
	}
}
