package cubin_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// symbolFile returns a file whose symbols have the given section indices. A table of extended indices follows
// the symbols. The names of the symbols are in strings, at the end of the file.
func symbolFile(t *testing.T, indices []uint16, extended []uint32, strings string, nameOffset uint32) *cubin.File {
	t.Helper()
	le := binary.LittleEndian
	var symbols, table []byte
	for _, i := range indices {
		symbols = le.AppendUint32(symbols, nameOffset)
		symbols = append(symbols, 0x11, 0)
		symbols = le.AppendUint16(symbols, i)
		symbols = append(symbols, make([]byte, 16)...)
	}
	for _, e := range extended {
		table = le.AppendUint32(table, e)
	}
	header := cubin.Header{
		OSABI: cubin.OSABI, ABIVersion: cubin.ABIVersion, Type: cubin.TypeRelocatable, Version: 1,
		EhSize: cubin.HeaderSize, ShEntSize: cubin.SectionHeaderSize, ShOff: cubin.HeaderSize, ShNum: 4,
	}
	at := uint64(cubin.HeaderSize + 4*cubin.SectionHeaderSize)
	sections := []cubin.ImageSection{
		{},
		{Section: cubin.Section{Type: cubin.SectionSymTab, Offset: at, Size: uint64(len(symbols)), Link: 3, EntSize: cubin.SymbolSize}, Data: symbols},
		{Section: cubin.Section{Type: cubin.SectionSymTabShNdx, Offset: at + uint64(len(symbols)), Size: uint64(len(table)), Link: 1, EntSize: 4}, Data: table},
		{Section: cubin.Section{Type: cubin.SectionStrTab, Offset: at + uint64(len(symbols)+len(table)), Size: uint64(len(strings))}, Data: []byte(strings)},
	}
	image := &cubin.Image{Header: header, Sections: sections, Size: at + uint64(len(symbols)+len(table)+len(strings))}
	data, err := image.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("extended", data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// If a symbol has section 0xffff, its section is in the table of extended indices, provided that the table is
// long enough. Other symbols contain their section.
func TestExtendedIndices(t *testing.T) {
	const other = cubin.ShnXIndex
	f := symbolFile(t, []uint16{0, other, 2, other, other}, []uint32{9, 70000, 8, 70001}, "\x00", 0)
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var got []uint32
	for _, y := range symbols {
		got = append(got, y.Section)
	}
	if want := []uint32{0, 70000, 2, 70001, other}; !slices.Equal(got, want) {
		t.Errorf("sections %d, want %d", got, want)
	}
}

// A name must begin before the end of the file, and may end there.
func TestNamesAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		offset uint32
		want   string
		ok     bool
	}{{1, "ab", true}, {3, "", true}, {4, "", false}, {5, "", false}} {
		f := symbolFile(t, []uint16{0}, nil, "\x00ab\x00", c.offset)
		symbols, err := f.Symbols()
		if (err == nil) != c.ok || c.ok && symbols[0].Name != c.want {
			t.Errorf("offset %d: %v, %v", c.offset, symbols, err)
		}
	}
}
