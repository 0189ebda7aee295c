package cubin_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// cubins calls each with every cubin of the corpus.
func cubins(t *testing.T, each func(name string, data []byte)) {
	t.Helper()
	seen := 0
	err := fs.WalkDir(corpus.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".cubin") {
			return err
		}
		data, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			return err
		}
		seen++
		each(name, data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("%d cubins in the corpus; there were 1,000", seen)
	}
}

// TestWriteWhatWasRead decodes every cubin of the corpus and encodes it again. The bytes are the same except
// for padding, which is zero in these files (CUBIN-001).
func TestWriteWhatWasRead(t *testing.T) {
	cubins(t, func(name string, data []byte) {
		f, err := cubin.Open(name, data)
		if err != nil {
			return // a damaged file; its case describes it
		}
		segments, err := f.Segments()
		if err != nil {
			return
		}
		image := &cubin.Image{Header: f.Header, Segments: segments, Size: uint64(len(data))}
		for i := range f.Sections {
			part, err := f.Data(uint32(i))
			if err != nil {
				return
			}
			image.Sections = append(image.Sections, cubin.ImageSection{Section: f.Sections[i], Data: part})
		}
		again, err := image.Encode()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		g, err := cubin.Open(name, again)
		if err != nil {
			t.Errorf("%s: written again: %v", name, err)
			return
		}
		if diff := cmp.Diff(f.Sections, g.Sections); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(f.Header, g.Header); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	})
}

// TestRecordsRoundTrip writes symbols, relocations and notes and reads them back (CUBIN-001).
func TestRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := cubin.Symbol{
			Index: 1, Bind: cubin.Binding(rapid.IntRange(0, 2).Draw(t, "bind")),
			Type: cubin.SymbolType(rapid.IntRange(0, 13).Draw(t, "type")), Other: rapid.Uint8().Draw(t, "other"),
			Value: rapid.Uint64().Draw(t, "value"), Size: rapid.Uint64().Draw(t, "size"),
		}
		rela := cubin.Relocation{
			Offset: rapid.Uint64().Draw(t, "offset"), Type: rapid.Uint32().Draw(t, "type"),
			Symbol: rapid.Uint32().Draw(t, "symbol"), Addend: rapid.Int64().Draw(t, "addend"),
		}
		rel := rela
		rel.Addend = 0
		owner := rapid.StringMatching(`[A-Za-z ]{0,9}`).Draw(t, "owner")
		desc := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "description")

		symtab := cubin.AppendSymbol(make([]byte, cubin.SymbolSize), want)
		note := cubin.AppendNote(nil, owner, 7, desc)
		f := file(t, []cubin.ImageSection{
			section(cubin.SectionStrTab, 0, []byte{0}),
			section(cubin.SectionSymTab, 1, symtab),
			section(cubin.SectionRel, 2, cubin.AppendRel(nil, rel)),
			section(cubin.SectionRela, 2, cubin.AppendRela(nil, rela)),
			section(cubin.SectionNote, 0, note),
			section(cubin.SectionNote, 0, append(slices.Clone(note), note...)),
		})
		symbols, err := f.Symbols()
		if err != nil || len(symbols) != 2 || symbols[1] != want {
			t.Fatalf("symbols %+v, %v; want %+v", symbols, err, want)
		}
		for i, want := range map[uint32]cubin.Relocation{3: rel, 4: rela} {
			if got, err := f.Relocations(i); err != nil || len(got) != 1 || got[0] != want {
				t.Fatalf("relocations of section %d: %+v, %v; want %+v", i, got, err, want)
			}
		}
		notes, err := f.Notes(5)
		padded := append(desc, make([]byte, -len(desc)&3)...)
		if err != nil || len(notes) != 1 || notes[0].Name != owner || string(notes[0].Desc) != string(padded) {
			t.Fatalf("notes %+v, %v; want %q with %x", notes, err, owner, padded)
		}
		twice, err := f.Notes(6)
		if err != nil || len(twice) != 2 || twice[0].Size != len(note) || twice[1].Size != len(note) {
			t.Fatalf("notes %+v, %v; want two of %d bytes", twice, err, len(note))
		}
	})
}

// TestNoteOfAnySize checks that the next record follows at a multiple of four bytes if the size of a description does not include
// its padding, as in ELF.
func TestNoteOfAnySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		desc := rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "description")
		note := cubin.AppendNote(nil, "owner", 7, desc)
		binary.LittleEndian.PutUint32(note[4:], uint32(len(desc)))
		f := file(t, []cubin.ImageSection{
			section(cubin.SectionStrTab, 0, []byte{0}),
			section(cubin.SectionNote, 0, append(slices.Clone(note), note...)),
		})
		notes, err := f.Notes(2)
		if err != nil || len(notes) != 2 || string(notes[0].Desc) != string(desc) || string(notes[1].Desc) != string(desc) || notes[0].Size != len(note) {
			t.Fatalf("notes %+v, %v; want two with %x", notes, err, desc)
		}
	})
}

// TestSectionPastTheEnd checks that the error contains the place of the invalid offset in the header.
func TestSectionPastTheEnd(t *testing.T) {
	cubins(t, func(name string, data []byte) {
		if !strings.HasSuffix(name, "one-kernel/sm_80/in/k.cubin") {
			return
		}
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		const section, sizeField = 3, 32
		at := int(f.ShOff) + section*cubin.SectionHeaderSize
		damaged := slices.Clone(data)
		damaged[at+sizeField+4] = 1
		if f, err = cubin.Open(name, damaged); err != nil {
			t.Fatal(err)
		}
		_, err = f.Data(section)
		var e *cubin.FormatError
		if !errors.As(err, &e) || e.Offset != int64(at)+24 {
			t.Errorf("%v, want an error at %#x", err, at+24)
		}
	})
}

// TestDamage opens files with random changes. Every call returns a result or a FormatError with the file's name
// (CUBIN-002).
func TestDamage(t *testing.T) {
	var whole []byte
	cubins(t, func(name string, data []byte) {
		if strings.HasSuffix(name, "one-kernel/sm_80/in/k.cubin") {
			whole = data
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		data := append([]byte(nil), whole[:rapid.IntRange(0, len(whole)).Draw(t, "length")]...)
		for range rapid.IntRange(0, 8).Draw(t, "changes") {
			if len(data) > 0 {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			}
		}
		f, err := cubin.Open("x.cubin", data)
		check(t, err)
		if err != nil {
			return
		}
		_, err = f.Symbols()
		check(t, err)
		_, err = f.Segments()
		check(t, err)
		for i := range f.Sections {
			_, err = f.Data(uint32(i))
			check(t, err)
			_, err = f.Relocations(uint32(i))
			check(t, err)
			_, err = f.Notes(uint32(i))
			check(t, err)
		}
	})
}

func check(t *rapid.T, err error) {
	var damaged *cubin.FormatError
	switch {
	case err == nil, errors.Is(err, cubin.ErrNotELF), errors.Is(err, cubin.ErrNotCUDA):
	case !errors.As(err, &damaged):
		t.Fatalf("%v is no FormatError", err)
	case damaged.File != "x.cubin" || damaged.Part == "" || damaged.Msg == "":
		t.Fatalf("%#v does not say where", damaged)
	}
}

func section(typ cubin.SectionType, link uint32, data []byte) cubin.ImageSection {
	return cubin.ImageSection{Section: cubin.Section{Type: typ, Link: link, Size: uint64(len(data)), AddrAlign: 1}, Data: data}
}

// file places sections after a header, without names.
func file(t *rapid.T, sections []cubin.ImageSection) *cubin.File {
	image := &cubin.Image{Header: cubin.Header{
		OSABI: cubin.OSABI, ABIVersion: cubin.ABIVersion, Type: cubin.TypeRelocatable, Version: 1,
		ShEntSize: cubin.SectionHeaderSize, ShNum: uint32(len(sections)) + 1, ShStrNdx: 1,
	}, Sections: make([]cubin.ImageSection, 1)}
	at := uint64(cubin.HeaderSize)
	for _, s := range sections {
		s.Offset = at
		at += uint64(len(s.Data))
		image.Sections = append(image.Sections, s)
	}
	image.Header.ShOff = at
	image.Size = at + uint64(len(image.Sections))*cubin.SectionHeaderSize
	data, err := image.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("x.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestImageTooSmall checks that any part that begins or ends past the end of the file is an error.
func TestImageTooSmall(t *testing.T) {
	section := cubin.ImageSection{Section: cubin.Section{Name: ".x"}}
	placed := cubin.ImageSection{Section: cubin.Section{Name: ".x", Offset: 1000}, Data: []byte{1}}
	for _, m := range []cubin.Image{
		{Size: 256, Segments: make([]cubin.Segment, 1), Header: cubin.Header{PhOff: 1000}},
		{Size: 256, Segments: make([]cubin.Segment, 1), Header: cubin.Header{PhOff: 255}},
		{Size: 256, Sections: []cubin.ImageSection{section}, Header: cubin.Header{ShOff: 1000}},
		{Size: 256, Sections: []cubin.ImageSection{section}, Header: cubin.Header{ShOff: 255}},
		{Size: 256, Sections: []cubin.ImageSection{placed}},
		{Size: 63},
	} {
		if data, err := m.Encode(); err == nil {
			t.Errorf("%+v: %d bytes", m, len(data))
		}
	}
}

// TestNameless checks when a section has no name: the table of names is missing there, ends before the name, or
// is outside the file. At the start of an empty table the name is empty.
func TestNameless(t *testing.T) {
	for _, tt := range []struct {
		names    string
		at       uint64 // offset of the table; 0: directly after the header
		offset   uint32
		name     string
		nameless bool
	}{
		{"\x00.text\x00", 0, 1, ".text", false},
		{"\x00.text\x00", 0, 0, "", false},
		{"\x00.text", 0, 1, "", true},
		{".text", 0, 0, "", true},
		{"\x00.text\x00", 0, 7, "", true},
		{"", 0, 0, "", false},
		{"", 0, 1, "", true},
		{".text", 1 << 20, 0, "", true},
	} {
		const begin = cubin.HeaderSize
		image := &cubin.Image{Header: cubin.Header{
			OSABI: cubin.OSABI, ABIVersion: cubin.ABIVersion, Type: cubin.TypeRelocatable, Version: 1,
			ShEntSize: cubin.SectionHeaderSize, ShNum: 3, ShStrNdx: 1, ShOff: begin + uint64(len(tt.names)),
		}, Sections: []cubin.ImageSection{{}, section(cubin.SectionStrTab, 0, []byte(tt.names)), section(cubin.SectionProgBits, 0, nil)}}
		image.Sections[1].Offset, image.Sections[2].Offset, image.Sections[2].NameOffset = begin, begin, tt.offset
		image.Size = image.Header.ShOff + 3*cubin.SectionHeaderSize
		data, err := image.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if tt.at > 0 {
			binary.LittleEndian.PutUint64(data[image.Header.ShOff+cubin.SectionHeaderSize+24:], tt.at)
		}
		f, err := cubin.Open("x.cubin", data)
		if err != nil {
			t.Fatalf("%+v: %v", tt, err)
		}
		if s := f.Sections[2]; s.Name != tt.name || s.Nameless != tt.nameless {
			t.Errorf("%+v: name %q, nameless %v", tt, s.Name, s.Nameless)
		}
	}
}

// TestProgramHeadersPastTheEnd checks that the error contains the place of the invalid offset in the header.
func TestProgramHeadersPastTheEnd(t *testing.T) {
	cubins(t, func(name string, data []byte) {
		if !strings.HasSuffix(name, "one-kernel/sm_80/in/k.cubin") {
			return
		}
		const sizeField, placeField, numberField = 54, 32, 56
		for field, want := range map[int]string{placeField: "at 0x20: ", sizeField: "at 0x36: "} {
			damaged := slices.Clone(data)
			damaged[numberField], damaged[sizeField] = 1, cubin.SegmentHeaderSize
			damaged[field]++
			if field == placeField {
				binary.LittleEndian.PutUint64(damaged[placeField:], uint64(len(data))+1)
			}
			f, err := cubin.Open(name, damaged)
			if err == nil {
				_, err = f.Segments()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}
