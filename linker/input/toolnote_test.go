package input

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/nvinfo"
)

// If a section shrinks, the following sections move up, each to the next multiple of its alignment. The program
// headers refer to the new places (LOAD-019).
func TestWithSection(t *testing.T) {
	section := func(name string, offset, align uint64, data string) cubin.ImageSection {
		return cubin.ImageSection{Section: cubin.Section{Name: name, Type: cubin.SectionProgBits, Offset: offset, Size: uint64(len(data)), AddrAlign: align}, Data: []byte(data)}
	}
	image := cubin.Image{
		Header: cubin.Header{OSABI: cubin.OSABI, ABIVersion: cubin.ABIVersion, Type: 2, EhSize: cubin.HeaderSize, PhEntSize: cubin.SegmentHeaderSize, PhNum: 2,
			ShEntSize: cubin.SectionHeaderSize, ShNum: 6, ShOff: 200, PhOff: 200 + 6*cubin.SectionHeaderSize},
		Sections: []cubin.ImageSection{{}, section("note", 64, 4, "a note of 40 bytes, which becomes short."), section("copied", 104, 4, "12345678"),
			section("copy", 104, 4, "12345678"), section("code", 128, 64, "code of 16 bytes"), section("data", 144, 4, "data")},
		Segments: []cubin.Segment{{Offset: 200 + 6*cubin.SectionHeaderSize, FileSize: 112, MemSize: 112}, {Offset: 104, FileSize: 44, MemSize: 48}},
		Size:     200 + 6*cubin.SectionHeaderSize + 2*cubin.SegmentHeaderSize,
	}
	data, err := image.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("x", data)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = withSection(f, 1, []byte("short"), 8); err != nil {
		t.Fatal(err)
	}
	if f, err = cubin.Open("x", data); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		offset uint64
		data   string
	}{{64, "short"}, {72, "12345678"}, {72, "12345678"}, {128, "code of 16 bytes"}, {144, "data"}} {
		got, err := f.Data(uint32(i + 1))
		if s := f.Sections[i+1]; err != nil || s.Offset != want.offset || !bytes.Equal(got, []byte(want.data)) {
			t.Errorf("section %d: %q at %d, %v; want %q at %d", i+1, got, s.Offset, err, want.data, want.offset)
		}
	}
	segments, err := f.Segments()
	if err != nil {
		t.Fatal(err)
	}
	if f.ShOff != 152 || f.PhOff != 152+6*cubin.SectionHeaderSize || segments[0].Offset != f.PhOff {
		t.Errorf("section table at %d, program headers at %d and %d", f.ShOff, f.PhOff, segments[0].Offset)
	}
	if g := segments[1]; g.Offset != 72 || g.FileSize != 76 || g.MemSize != 80 {
		t.Errorf("segment %+v", g)
	}
}

// The compiler's note is replaced by the note that nvlink's built-in compiler would write. A file that has this
// note already stays the same to the byte (LOAD-019, JIT-050).
func TestOwnNote(t *testing.T) {
	made := func(object, options string) []byte {
		data, err := cubintext.Parse("k.txt", fmt.Sprintf("cutext 1\nheader sm=90\nsection .shstrtab\nsection .note.nv.tkinfo\n\ttkinfo tool=\"ptxas\" version=\"V\" build=\"B\" options=%q object=%q\n", options, object))
		if err != nil {
			t.Fatal(err)
		}
		return append(data, "behind"...) // bytes that nothing refers to, so that a rewritten file would lack them
	}
	library := &LibraryCompiler{Build: "its own"}
	for _, tt := range []struct {
		name            string
		ptxas           PTXAS
		object, options string
		changed         bool
		want            nvinfo.ToolInfo
	}{
		{"without -g", PTXAS{}, "", "-arch sm_90 -m 64", false, nvinfo.ToolInfo{Build: "B", Options: "-arch sm_90 -m 64"}},
		{"with -g", PTXAS{}, compiledOutput, compiledInput + " -g -o " + compiledOutput + " -m 64", true, nvinfo.ToolInfo{Build: "B", Object: "elf.o", Options: "-g -m 64"}},
		{"in the library", PTXAS{Library: library}, "", "-m 64", true, nvinfo.ToolInfo{Build: "its own", Options: "-m 64"}},
		{"in the library, with -g", PTXAS{Library: library}, "x", "-g", true, nvinfo.ToolInfo{Build: "its own", Object: "elf.o", Options: "-g"}},
	} {
		data := made(tt.object, tt.options)
		got := tt.ptxas.ownNote(data, 8)
		f, err := cubin.Open("x", got)
		if err != nil {
			t.Fatal(err)
		}
		notes, err := f.Notes(uint32(slices.IndexFunc(f.Sections, func(s cubin.Section) bool { return s.Name == ".note.nv.tkinfo" })))
		if err != nil || len(notes) != 1 {
			t.Fatalf("%s: %d notes, %v", tt.name, len(notes), err)
		}
		tool, err := nvinfo.DecodeToolInfo(notes[0].Desc)
		if err != nil || tool.Build != tt.want.Build || tool.Object != tt.want.Object || tool.Options != tt.want.Options {
			t.Errorf("%s: %+v, %v", tt.name, tool, err)
		}
		if bytes.Equal(got, data) == tt.changed {
			t.Errorf("%s: changed: %v", tt.name, !tt.changed)
		}
	}
	parse := func(notes string) []byte {
		data, err := cubintext.Parse("k.txt", "cutext 1\nheader sm=90\nsection .shstrtab\nsection .note.nv.tkinfo\n"+notes)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const note = "\ttkinfo tool=\"ptxas\" build=\"B\" object=\"x\"\n"
	for _, data := range [][]byte{nil, []byte("no cubin"), parse(""), parse(note + note)} {
		if got := (&PTXAS{Library: library}).ownNote(data, 8); !bytes.Equal(got, data) {
			t.Errorf("%q becomes %q", data, got)
		}
	}
}
