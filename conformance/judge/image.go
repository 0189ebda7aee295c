package judge

import (
	"cmp"
	"fmt"

	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// The image of a cubin is the part that a loader reads: headers, sections and segments, without the tool note and
// without file offsets. A linker with another name, or with another order in the file, can write the same image. For any
// file that is not a cubin, the image is its bytes.
//
// The comparison here decides whether two images are the same. The structural comparison of package diff explains how
// they differ. Its first difference usually causes the others.

// compareImages compares the images of two files, key by key.
func compareImages(name string, want, got []byte) []Difference {
	w, err := cubin.Open(name, want)
	if err != nil {
		return compareBytes(FacetImage, "bytes", want, got)
	}
	g, err := cubin.Open(name, got)
	if err != nil {
		return []Difference{{Facet: FacetImage, Key: "header", Want: "a cubin", Got: err.Error()}}
	}
	var c imageComparison
	c.value("header.osabi", w.OSABI, g.OSABI)
	c.value("header.abiversion", w.ABIVersion, g.ABIVersion)
	c.value("header.type", w.Type, g.Type)
	c.value("header.version", w.Version, g.Version)
	c.value("header.entry", w.Entry, g.Entry)
	c.value("header.flags", w.Flags, g.Flags)
	c.value("header.sections", w.ShNum, g.ShNum)
	c.value("header.shstrndx", w.ShStrNdx, g.ShStrNdx)
	for i := range min(len(w.Sections), len(g.Sections)) {
		c.section(w, g, i)
	}
	c.segments(w, g)
	if len(c.differences) == 0 {
		return nil
	}
	if explained := explain(want, got); len(explained) > 0 {
		return explained
	}
	return c.differences
}

// explain returns the structural differences of two cubins with different images, the most important first.
func explain(want, got []byte) []Difference {
	report, err := diff.Compare(want, got, diff.Options{Ignore: []string{"note.tkinfo.0", "section" + nvinfo.ToolNote + ".size"}})
	if err != nil {
		return nil
	}
	var out []Difference
	for _, d := range report.Differences {
		if d.Rank < diff.RankLayout {
			out = append(out, Difference{Facet: FacetImage, Key: d.Key, Want: orNone(d.A), Got: orNone(d.B)})
		}
	}
	return out
}

// orNone returns a value of package diff, or "none" if the value is absent.
func orNone(value string) string {
	if value == diff.Absent {
		return "none"
	}
	return value
}

type imageComparison struct {
	differences []Difference
}

func (c *imageComparison) value(key string, want, got any) {
	if want != got {
		c.differences = append(c.differences, Difference{Facet: FacetImage, Key: key, Want: valueText(want), Got: valueText(got)})
	}
}

func (c *imageComparison) section(want, got *cubin.File, i int) {
	w, g := want.Sections[i], got.Sections[i]
	key := "section" + w.Name
	if w.Name == "" {
		key = fmt.Sprintf("section.%d", i)
	}
	c.value(key+".name", w.Name, g.Name)
	c.value(key+".type", w.Type, g.Type)
	c.value(key+".flags", w.Flags, g.Flags)
	c.value(key+".address", w.Addr, g.Addr)
	c.value(key+".link", w.Link, g.Link)
	c.value(key+".info", w.Info, g.Info)
	c.value(key+".align", w.AddrAlign, g.AddrAlign)
	c.value(key+".entsize", w.EntSize, g.EntSize)
	if w.Name == nvinfo.ToolNote {
		return
	}
	c.value(key+".size", w.Size, g.Size)
	wantData, wantErr := want.Data(uint32(i))
	gotData, gotErr := got.Data(uint32(i))
	c.value(key+".readable", wantErr == nil, gotErr == nil)
	c.differences = append(c.differences, compareBytes(FacetImage, key+".bytes", wantData, gotData)...)
}

// segments compares program headers. It does not compare offsets, because a tool note of another length moves sections
// and changes the padding between them. Instead it compares the sections at the start and at the end of a segment.
func (c *imageComparison) segments(want, got *cubin.File) {
	w, wantErr := want.Segments()
	g, gotErr := got.Segments()
	c.value("segments.readable", wantErr == nil, gotErr == nil)
	c.value("segments.count", len(w), len(g))
	for i := range min(len(w), len(g)) {
		key := fmt.Sprintf("segment.%d", i)
		c.value(key+".begins", sectionAt(want, w[i].Offset), sectionAt(got, g[i].Offset))
		if w[i].FileSize|g[i].FileSize == 0 {
			c.value(key, withoutPlace(w[i]), withoutPlace(g[i]))
			continue // its end is inside padding
		}
		c.value(key+".ends", sectionUntil(want, w[i].Offset+w[i].FileSize), sectionUntil(got, g[i].Offset+g[i].FileSize))
		c.value(key, withoutPlace(w[i]), withoutPlace(g[i]))
	}
}

// withoutPlace returns a segment without its position in the file. MemSize becomes the difference to the size in the
// file.
func withoutPlace(s cubin.Segment) cubin.Segment {
	s.MemSize -= s.FileSize
	s.Offset, s.FileSize = 0, 0
	return s
}

// sectionAt returns the name of the first section with bytes at a file offset.
func sectionAt(f *cubin.File, offset uint64) string {
	for _, s := range f.Sections {
		if s.Offset == offset && s.Size > 0 {
			return s.Name
		}
	}
	if offset == f.PhOff {
		return "program headers"
	}
	return "between sections"
}

// sectionUntil returns the name of the last section that ends at or before a file offset, and the number of bytes
// between its end and the offset.
func sectionUntil(f *cubin.File, offset uint64) string {
	end, name := uint64(0), "the start"
	for _, s := range f.Sections {
		if e := s.Offset + s.Size; s.HasBytes() && e <= offset && e >= end {
			end, name = e, s.Name
		}
	}
	if headers := f.PhOff + uint64(f.PhNum)*cubin.SegmentHeaderSize; headers <= offset && headers >= end {
		end, name = headers, "program headers"
	}
	return fmt.Sprintf("%s + %#x", name, offset-end)
}

// valueText formats a value of a header.
func valueText(value any) string {
	switch v := value.(type) {
	case string:
		return cmp.Or(v, "no name")
	case bool, fmt.Stringer:
		return fmt.Sprint(v)
	case cubin.Segment:
		return fmt.Sprintf("type %#x, flags %#x, address %#x, %#x more bytes in memory, alignment %#x", v.Type, v.Flags, v.VAddr, v.MemSize, v.Align)
	}
	return fmt.Sprintf("%#x", value)
}
