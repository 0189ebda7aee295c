package fatbin

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
)

// concat returns a concatenated entry of PTX and machine code for two targets, stored with a given compression.
func concat(compress string) []byte {
	return craft.Fatbin(craft.Entry{Kind: uint16(Concat), Compress: compress, Images: []craft.Entry{
		{Kind: uint16(PTX), Arch: 80, Options: "-O1", Payload: []byte(strings.Repeat("text ", 20))},
		{Kind: uint16(ELF), Arch: 80, Payload: []byte(strings.Repeat("code for 80 ", 20))},
		{Kind: uint16(ELF), Arch: 90, Flags: FlagSuffixA, Payload: []byte(strings.Repeat("code for 90a ", 20))},
	}})
}

// TestImages checks that images are chosen and decoded like entries (KIT-200).
func TestImages(t *testing.T) {
	for _, compress := range []string{"", "lz4", "zstd"} {
		entries, err := Parse(concat(compress))
		if err != nil || len(entries) != 1 || entries[0].Kind != Concat {
			t.Fatal(entries, err)
		}
		if entries[0].Options != nil {
			t.Errorf("%q: the table of images is read as options: %q", compress, entries[0].Options)
		}
		images, err := Expand(entries)
		if err != nil || len(images) != 3 || images[2].Name() != "sm_90a.elf" || string(images[0].Options) != "-O1" || images[1].Options != nil {
			t.Fatalf("%q: %v, %v", compress, images, err)
		}
		all, err := entries[0].Decode()
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"text text", "code for 80 code", "code for 90a code"} {
			e := &images[i]
			got, err := e.Decode()
			if err != nil || !strings.HasPrefix(string(got), want) {
				t.Errorf("%q: %s: %q, %v", compress, e.Name(), got, err)
			}
			if same, err := e.Image(all); err != nil || string(same) != string(got) {
				t.Errorf("%q: %s: cut from all: %q, %v", compress, e.Name(), same, err)
			}
		}
	}
}

// TestImagesWithIdentifiers checks that the identifier of an image is part of its record, even if no options
// follow it (KIT-200).
func TestImagesWithIdentifiers(t *testing.T) {
	for _, ident := range []string{"a", "1234567", "12345678", "/dir/file.cu"} {
		entries, err := Parse(craft.Fatbin(craft.Entry{Kind: uint16(Concat), Images: []craft.Entry{
			{Kind: uint16(PTX), Arch: 80, Ident: ident, Options: "-O1"}, {Kind: uint16(ELF), Arch: 80, Ident: ident}, {Kind: uint16(ELF), Arch: 90, Ident: ident},
		}}))
		if err != nil {
			t.Fatal(err)
		}
		images, err := Expand(entries)
		if err != nil || len(images) != 3 || images[2].Name() != "sm_90.elf" || string(images[2].Ident) != ident || string(images[0].Options) != "-O1" {
			t.Errorf("%q: %v, %v", ident, images, err)
		}
	}
}

// TestDamagedImages checks that a table of images that extends past its header is an error with its place. The
// images inside the header are read. An image is cut off at the end of the payload (KIT-200).
func TestDamagedImages(t *testing.T) {
	const table = HeaderSize + EntryHeaderSize
	const record1 = table + tableHead + EntryHeaderSize + 16 // the first image has options
	le := binary.LittleEndian
	for _, tt := range []struct {
		name   string
		damage func(b []byte)
		images int
		want   string
	}{
		{"count", func(b []byte) { le.PutUint32(b[table:], 4) }, 3, "entry 0 (concat): record of image 3 past the end of the header at 0x118: 280"},
		{"no images", func(b []byte) { le.PutUint32(b[table:], 0) }, 0, ""},
		{"size of the table", func(b []byte) { le.PutUint32(b[table+4:], 1<<30) }, 3, ""},
		{"place of the table", func(b []byte) { le.PutUint32(b[HeaderSize+offOptions:], 1<<20) }, 0, "table of images past the end of the header at 0x14: 1048576"},
		{"options", func(b []byte) { le.PutUint32(b[record1+offOptions:], 1<<20) }, 2, "options of image 1 past the end of the header at 0xac: 1048576"},
		{"size of options", func(b []byte) { le.PutUint32(b[table+tableHead+EntryHeaderSize+4:], 1<<31) }, 1, "record of image 1 past the end of the header at 0x80000098: 280"},
	} {
		b := concat("zstd")
		tt.damage(b)
		entries, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		images, err := Expand(entries)
		var f *FormatError
		if len(images) != tt.images || (err != nil) != (tt.want != "") || err != nil && (!errors.As(err, &f) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %d images, %v; want %d, %q", tt.name, len(images), err, tt.images, tt.want)
		}
	}
	for _, tt := range []struct {
		at    int
		value uint32
		size  int
		err   error
	}{
		{craft.ImageOffset, 1 << 20, 0, nil}, {craft.ImageSize, 1 << 20, 240 + 260, nil}, {craft.ImageSize, 0, 0, nil}, {craft.ImageSize + 4, 9, 0, ErrTooLarge},
	} {
		b := concat("zstd")
		le.PutUint32(b[record1+tt.at:], tt.value)
		entries, _ := Parse(b)
		images, err := Expand(entries)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := images[1].Decode(); len(out) != tt.size || !errors.Is(err, tt.err) {
			t.Errorf("%d at %d: %d bytes, %v", tt.value, tt.at, len(out), err)
		}
		all, err := entries[0].Decode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := images[1].Image(all); tt.value != 0 && !errors.Is(err, ErrImage) {
			t.Errorf("%d at %d: Image: %v", tt.value, tt.at, err)
		}
	}
	// An image is also an entry of its own.
	entries, _ := Parse(concat("lz4"))
	images, _ := Expand(entries)
	b, err := images[0].Alone()
	if err != nil {
		t.Fatal(err)
	}
	if alone, err := Parse(b); err != nil || len(alone) != 1 || alone[0].Name() != "sm_80.ptx" || string(alone[0].Options) != "-O1" {
		t.Error(alone, err)
	} else if out, err := alone[0].Decode(); err != nil || string(Text(out[:100])) != strings.Repeat("text ", 20) {
		t.Errorf("%q, %v", out, err)
	}
	// An empty header has no table.
	if _, err := (&Entry{Kind: Concat}).Images(); err == nil {
		t.Error("an entry without header has images")
	}
}
