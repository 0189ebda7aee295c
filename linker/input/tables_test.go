package input

import (
	"testing"
	"testing/fstest"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/platform"
)

// hasSoundTables finds which attributes and which relocations with addend of a cubin are valid
// (KIT-095).
func TestSoundTables(t *testing.T) {
	for _, tt := range []struct {
		name, records string
		whole         bool
	}{
		{"none", "", true},
		{"one without payload", "\x03\x19\x00\x00", true},
		{"one without payload, cut off", "\x03", true},
		{"one with payload", "\x04\x19\x04\x00abcd", true},
		{"an empty payload", "\x04\x19\x00\x00", true},
		{"a payload that is cut off", "\x04\x19\x04\x00abc", false},
		{"a length that is cut off", "\x04\x19\x00", false},
		{"format 0", "\x00\x19\x00\x00", false},
		{"format 5 after another one", "\x01\x19\x00\x00\x05\x19\x00\x00", false},
	} {
		if got := areWholeRecords([]byte(tt.records)); got != tt.whole {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.whole)
		}
	}

	const entries = "\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	relocations := elfSection{typ: 4, size: 24, entSize: 24, link: 1}
	with := func(change func(r, table *elfSection)) *elfFile {
		f := &elfFile{data: []byte(entries), hasNames: true, sections: []elfSection{relocations, {typ: 2, size: 72, entSize: 24}}}
		change(&f.sections[0], &f.sections[1])
		return f
	}
	for _, tt := range []struct {
		name   string
		change func(r, table *elfSection)
		sound  bool
	}{
		{"against symbol 2 of 3", func(_, _ *elfSection) {}, true},
		{"against symbol 2 of 2", func(_, table *elfSection) { table.size = 48 }, false},
		{"a table of dynamic symbols", func(_, table *elfSection) { table.typ = 11 }, true},
		{"a table of something else", func(_, table *elfSection) { table.typ = 3 }, false},
		{"a table of records without size", func(_, table *elfSection) { table.entSize = 0 }, false},
		{"linked to nothing", func(r, _ *elfSection) { r.link = 2 }, false},
		{"empty and linked to nothing", func(r, _ *elfSection) { r.link, r.size = 2, 0 }, true},
		{"records of another size", func(r, _ *elfSection) { r.entSize = 16 }, false},
		{"without addend", func(r, _ *elfSection) { r.typ, r.entSize, r.link = 9, 16, 2 }, true},
		{"a note of nothing", func(r, _ *elfSection) { r.typ, r.size = 7, 0 }, true},
		{"a note of the origin", func(r, _ *elfSection) { r.typ, r.flags, r.size = 7, 0x1000040, 32 }, true},
		{"a shorter one", func(r, _ *elfSection) { r.typ, r.flags, r.size = 7, 0x1000040, 31 }, false},
		{"a note of the tool", func(r, _ *elfSection) { r.typ, r.flags, r.size = 7, 0x2000000, 48 }, true},
		{"a shorter one", func(r, _ *elfSection) { r.typ, r.flags, r.size = 7, 0x2000000, 47 }, false},
		{"a note of both", func(r, _ *elfSection) { r.typ, r.flags, r.size = 7, 0x3000000, 32 }, true},
	} {
		if got := with(tt.change).hasSoundTables(); got != tt.sound {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.sound)
		}
	}

	const entries32 = "\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x00\x00" // type 1 against symbol 2
	with32 := func(symbols, size uint64) *elfFile {
		return &elfFile{data: []byte(entries32), hasNames: true, sections: []elfSection{
			{typ: 4, size: 12, entSize: size, link: 1}, {typ: 2, size: 16 * symbols, entSize: 16}}}
	}
	if !with32(3, 12).hasSoundTables() || with32(2, 12).hasSoundTables() || with32(3, 24).hasSoundTables() {
		t.Error("a file of 32 bits: relocations have another size than 12, or another symbol")
	}

	nameless := with(func(_, _ *elfSection) {})
	nameless.hasNames = false
	if nameless.hasSoundTables() {
		t.Error("sections without names are sound")
	}
}

// From 13.1 on a host object whose tables are invalid ends the link, but not in an archive (KIT-095).
func TestSoundTablesOfHostObject(t *testing.T) {
	attributes := func(format byte) []byte {
		return craft.HostObject(craft.Section{Name: ".text", Data: make([]byte, 16)}, craft.Section{Name: "x", Type: uint32(cubin.SectionInfo), Data: []byte{format, 0, 0, 0}})
	}
	for _, tt := range []struct {
		name, toolkit string
		data          []byte
		exit          int
	}{
		{"a.o", "13.1", attributes(byte(nvinfo.NoValue)), diag.ExitOK},
		{"a.o", "13.1", attributes(9), diag.ExitFatal},
		{"a.o", "13.0", attributes(9), diag.ExitOK},
		{"a.a", "13.1", craft.Archive(craft.Member{Name: "a.o/", Data: attributes(9)}), diag.ExitOK},
	} {
		var log diag.Log
		Load(t.Context(), Options{Arch: "sm_90", Platform: platform.Linux.Name, Toolkit: tt.toolkit, Files: []string{tt.name}, FS: fstest.MapFS{tt.name: {Data: tt.data}}}, &log)
		if got := log.ExitStatus(); got != tt.exit {
			t.Errorf("%s by %s: exit status %d, want %d: %v", tt.name, tt.toolkit, got, tt.exit, log.Diagnostics)
		}
	}
}
