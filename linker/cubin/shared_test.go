package cubin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// TestOpenBounded: CONF-016. Names and sections that lie in one place count, each time that they are used again.
func TestOpenBounded(t *testing.T) {
	const length, symbols = 1000, 50
	strings := []byte("\x00.strtab\x00.symtab\x00" + strings.Repeat("n", length) + "\x00")
	symbol := make([]byte, SymbolSize)
	binary.LittleEndian.PutUint32(symbol, uint32(bytes.IndexByte(strings, 'n')))
	table := append(make([]byte, SymbolSize), bytes.Repeat(symbol, symbols)...)
	section := func(name string, typ SectionType, data []byte, link uint32, at uint64) ImageSection {
		return ImageSection{Section: Section{Name: name, Type: typ, Offset: at, Size: uint64(len(data)), Link: link}, Data: data}
	}
	for _, tt := range []struct {
		name   string
		tables int // symbol tables, all of the same bytes
		again  uint64
	}{
		{"one table", 1, symbols * length},
		{"five tables", 5, 5 * symbols * length},
	} {
		image := Image{Header: Header{Type: TypeRelocatable, EhSize: HeaderSize, ShEntSize: SectionHeaderSize}}
		image.Sections = append(image.Sections, ImageSection{}, section(".strtab", SectionStrTab, strings, 0, HeaderSize))
		at := uint64(HeaderSize + len(strings))
		for range tt.tables {
			image.Sections = append(image.Sections, section(".symtab", SectionSymTab, table, 1, at))
		}
		image.Header.ShOff, image.Header.ShNum = at+uint64(len(table)), uint32(len(image.Sections))
		image.Size = image.Header.ShOff + uint64(len(image.Sections))*SectionHeaderSize
		data, err := image.Encode()
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open("f", data)
		if err != nil {
			t.Fatal(err)
		}
		var bad *FormatError
		if err := f.checkShared(tt.again - 2*uint64(len(data))); !errors.As(err, &bad) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err := f.checkShared(tt.again + uint64(tt.tables*len(table))); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
