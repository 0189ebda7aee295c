package advice

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// For code compiled with -lineinfo or -G, the line table maps a reference to its source line. The table has sequences of
// rows, and a relocation fills in the start address of each sequence. This file puts the section number into the high
// bits of these addresses. So one table covers all sections of the file.

// A place is a row of the line table. From this offset in the section on, the code belongs to this source line.
type place struct {
	section uint32
	offset  uint64
	file    string
	line    int
}

// sectionShift is the bit position of the section number in an address.
const sectionShift = 40

// mostPlaces limits the memory for a line table.
const mostPlaces = 1 << 20

// places reads the line table. It skips parts that it cannot read.
func (o *object) places() []place {
	if o.lines != nil {
		return o.lines
	}
	o.lines = []place{}
	s := o.file.Section(".debug_line")
	if s == nil {
		return nil
	}
	data, err := o.file.Data(s.Index)
	if err != nil {
		return nil
	}
	table := slices.Clone(data)
	o.setAddresses(table, s.Index)
	for at := 0; at+4 <= len(table); {
		length := int(binary.LittleEndian.Uint32(table[at:]))
		if length <= 0 || length > len(table)-at-4 || !o.readUnit(table, at) {
			break
		}
		at += 4 + length
	}
	slices.SortStableFunc(o.lines, func(a, b place) int {
		if a.section != b.section {
			return int(a.section) - int(b.section)
		}
		return int(int64(a.offset - b.offset))
	})
	return o.lines
}

// setAddresses writes the section number and the offset into each field of the table that a relocation fills in.
func (o *object) setAddresses(table []byte, section uint32) {
	for i := range o.file.Sections {
		s := &o.file.Sections[i]
		if !s.Type.IsRelocation() || s.Info != section {
			continue
		}
		relocations, err := o.file.Relocations(uint32(i))
		if err != nil {
			continue
		}
		for _, r := range relocations {
			if int(r.Symbol) < len(o.symbols) && r.Offset <= uint64(len(table)) && len(table)-int(r.Offset) >= 8 {
				field := table[r.Offset:]
				addend := uint64(r.Addend)
				if s.Type == cubin.SectionRel {
					addend = binary.LittleEndian.Uint64(field)
				}
				binary.LittleEndian.PutUint64(field, uint64(o.symbols[r.Symbol].Section)<<sectionShift+addend)
			}
		}
	}
}

// Cubins with -lineinfo have no compilation units, but package dwarf reads a line table only through a unit. So these
// are an abbreviation and a unit with nothing but the offset of its line table.
var (
	lineAbbreviation = []byte{1, 0x11, 0, 0x10, 0x06, 0, 0, 0}
	lineUnit         = []byte{12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0}
)

// readUnit adds the lines of the line table at an offset and reports whether the table could be read.
func (o *object) readUnit(table []byte, at int) bool {
	unit := slices.Clone(lineUnit)
	binary.LittleEndian.PutUint32(unit[len(unit)-4:], uint32(at))
	d, err := dwarf.New(lineAbbreviation, nil, nil, unit, table, nil, nil, nil)
	if err != nil {
		return false
	}
	entry, err := d.Reader().Next()
	if err != nil || entry == nil {
		return false
	}
	lines, err := d.LineReader(entry)
	if err != nil || lines == nil {
		return false
	}
	for len(o.lines) < mostPlaces {
		var l dwarf.LineEntry
		if err := lines.Next(&l); err != nil {
			return err == io.EOF
		}
		if l.File != nil && !l.EndSequence {
			o.lines = append(o.lines, place{uint32(l.Address >> sectionShift), l.Address & (1<<sectionShift - 1), l.File.Name, l.Line})
		}
	}
	return false
}

// line returns the source line of code, such as "a.cu:12", or the empty string if it is unknown.
func (o *object) line(section uint32, offset uint64) string {
	lines := o.places()
	at, found := slices.BinarySearchFunc(lines, place{section: section, offset: offset}, func(a, b place) int {
		switch {
		case a.section != b.section:
			return int(a.section) - int(b.section)
		case a.offset < b.offset:
			return -1
		case a.offset > b.offset:
			return 1
		}
		return 0
	})
	if !found {
		at--
	}
	if at < 0 || lines[at].section != section || lines[at].line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", path.Base(lines[at].file), lines[at].line)
}
