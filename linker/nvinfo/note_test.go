package nvinfo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// noteText draws strings without NUL.
func noteText() *rapid.Generator[string] {
	return rapid.Map(rapid.String(), func(s string) string { return strings.ReplaceAll(s, "\x00", "") })
}

// A written record is read back unchanged (INFO-020).
func TestToolNoteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := ToolInfo{
			Version: rapid.Uint32().Draw(t, "version"),
			Object:  noteText().Draw(t, "object"), Tool: noteText().Draw(t, "tool"),
			Release: noteText().Draw(t, "release"), Build: noteText().Draw(t, "build"), Options: noteText().Draw(t, "options"),
		}
		record := want.Append(nil)
		if len(record)%4 != 0 {
			t.Fatalf("record of %d bytes", len(record))
		}
		got, err := DecodeToolInfo(record[24:])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// The notes of a compiler are written byte for byte (INFO-020).
func TestToolNoteOfCompiler(t *testing.T) {
	f := openTestFile(t, "plain.90.cubin")
	s := f.Section(".note.nv.tkinfo")
	notes, err := f.Notes(s.Index)
	if err != nil || len(notes) != 1 {
		t.Fatal(notes, err)
	}
	got, err := DecodeToolInfo(notes[0].Desc)
	if err != nil {
		t.Fatal(err)
	}
	want := ToolInfo{
		Version: NoteVersion, Tool: "ptxas",
		Release: "Cuda compilation tools, release 13.0, V13.0.88",
		Build:   "Build cuda_13.0.r13.0/compiler.36424714_0",
		Options: "-arch sm_90 -m 64 -c  ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	data, _ := f.Data(s.Index)
	if diff := cmp.Diff(string(data), string(want.Append(nil))); diff != "" {
		t.Error(diff)
	}
}

func TestToolNoteDamage(t *testing.T) {
	good := ToolInfo{Version: 2, Tool: "t"}.Append(nil)[24:]
	tests := []struct {
		name string
		desc string
		err  string
	}{
		{"short", string(good[:23]), "tool note is cut off at 0x0: 23 bytes"},
		{"no strings", string(good[:toolInfoHead]), "string of the tool note without end at 0x18: 0"},
		{"offset", string(good[:8]) + "\xff\xff\xff\xff" + string(good[12:]), "string of the tool note lies past its end at 0x8: 4294967295"},
		{"no end", string(good[:24]) + "ab", "string of the tool note without end at 0x18: 0"},
	}
	for _, test := range tests {
		_, err := DecodeToolInfo([]byte(test.desc))
		if text := errorText(err); text != test.err {
			t.Errorf("%s: error %q, want %q", test.name, text, test.err)
		}
	}
}

// OriginOf reads the origin of a file, and MergeOrigins makes that of an output (INFO-021, INFO-022).
func TestOrigin(t *testing.T) {
	if got, want := OriginOf(openTestFile(t, "plain.90.cubin")), (Origin{Virtual: 90, Toolkit: 130}); got != want {
		t.Errorf("plain.90: %v, want %v", got, want)
	}
	old := &cubin.File{Header: cubin.Header{ABIVersion: cubin.ABIVersionLegacy, Flags: 0x4b0550, Version: 124}}
	if got, want := OriginOf(old), (Origin{Virtual: 75, Toolkit: 124}); got != want {
		t.Errorf("ABI 7: %v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		o := Origin{rapid.Uint16().Draw(t, "virtual"), rapid.Uint16().Draw(t, "toolkit")}
		if got := DecodeOrigin(o.Append(nil, false), 0); got != o {
			t.Fatalf("%v is read as %v", o, got)
		}
	})
	good := Origin{80, 130}.Append(nil, false)
	version1 := append([]byte(nil), good...)
	version1[24] = 1
	tests := []struct {
		name    string
		section []byte
		want    Origin
	}{
		{"older note", version1, Origin{80, 129}},
		{"short", good[:31], Origin{}},
		{"longer", append(good[:len(good):len(good)], 1, 2, 3, 4), Origin{80, 130}},
		{"other owner", cubin.AppendNote(nil, "nvidia", NoteTypeCUInfo, good[24:]), Origin{}},
		{"other type", cubin.AppendNote(nil, NoteOwner, 1001, good[24:]), Origin{80, 130}},
		{"nothing", nil, Origin{}},
	}
	for _, test := range tests {
		if got := DecodeOrigin(test.section, 129); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	target, _ := arch.Parse("sm_90")
	if got, want := MergeOrigins(target, []Origin{{90, 128}, {75, 130}, {100, 130}}), (Origin{75, 130}); got != want {
		t.Errorf("merged: %v, want %v", got, want)
	}
	if got, want := MergeOrigins(target, []Origin{{100, 130}}), (Origin{90, 130}); got != want {
		t.Errorf("merged: %v, want %v", got, want)
	}
}

func openTestFile(t testing.TB, name string) *cubin.File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// For sm_100, the toolkit of an object of 12.8 or 12.9 is in the note of its tool, unless the two notes are not
// linked (INFO-024).
func TestOriginBeforeToolkit13(t *testing.T) {
	for name, toolkit := range map[string]uint16{"a": 128, "b": 129} {
		file := "mercury/objects-of-12/sm_100/in/" + name + ".cubin"
		data, err := corpus.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open(file, data)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := OriginOf(f), (Origin{100, toolkit}); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		note := &f.Sections[f.Flags>>24]
		tool := &f.Sections[note.Link]
		for what, breakIt := range map[string]func(){
			"flags of the note":       func() { note.Flags &^= cubin.FlagCUInfo },
			"flags of the tool's":     func() { tool.Flags = 0 },
			"type of the tool's":      func() { tool.Type = cubin.SectionProgBits },
			"size of the tool's":      func() { tool.Size = uint64(noteHead) },
			"link to another section": func() { note.Link = 1 },
			"link to no section":      func() { note.Link = 1 << 20 },
		} {
			was, wasTool := *note, *tool
			breakIt()
			if got := OriginOf(f); got != (Origin{Virtual: 100}) {
				t.Errorf("%s without %s: %v", name, what, got)
			}
			*note, *tool = was, wasTool
		}
	}
}

// The note of 12.8 contains the target, and that of 12.9 the origin of the last input. Below sm_100, where the
// header contains the origin, it is the minimum of the inputs. In later releases it is the minimum too
// (KIT-170).
func TestEarlyOrigins(t *testing.T) {
	for _, tt := range []struct {
		toolkit, target string
		want            uint16
	}{
		{"12.8", "sm_100", 100}, {"12.9", "sm_100", 90}, {"12.8", "sm_90", 75}, {"12.9", "sm_90", 75}, {"13.0", "sm_100", 75},
	} {
		kit, err := arch.Find(tt.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		target, _ := kit.Parse(tt.target)
		want := Origin{tt.want, uint16(kit.API)}
		if got := MergeOrigins(target, []Origin{{75, 128}, {90, 128}}); got != want {
			t.Errorf("%s %s: %v, want %v", tt.toolkit, tt.target, got, want)
		}
	}
}
