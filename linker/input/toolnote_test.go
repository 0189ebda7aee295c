package input

import (
	"bytes"
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// A section that shrinks lets what follows it move up, each section to the next place of
// its alignment, and the program headers follow (LOAD-019).
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
	if data, err = withSection(f, 1, []byte("short")); err != nil {
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
