package input

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// An elfFile is what the loader looks at in an ELF file before the link proper
// opens it: header fields and the section table, of cubins and of host objects
// alike. nvlink ignores a cubin whose tables leave the file, without a word
// (LOAD-012), so the checks stand here and not in package cubin, whose errors
// speak.
type elfFile struct {
	data      []byte
	sections  []elfSection
	nameTable []byte // of the sections' names
	hasNames  bool   // the header says which section that is, and it is a table of strings
}

type elfSection struct {
	nameOffset uint32
	typ        cubin.SectionType
	flags      cubin.SectionFlags
	offset     uint64
	size       uint64
	link       uint32
	entSize    uint64
}

// hasELFMagic tells an ELF file.
func hasELFMagic(data []byte) bool { return bytes.HasPrefix(data, []byte("\x7fELF")) }

// Offsets of the ELF64 header fields that the loader reads.
const (
	offClass      = 4
	offEncoding   = 5
	offOSABI      = 7
	offABIVersion = 8
	offType       = 16
	offMachine    = 18
	offVersion    = 20
	offPhOff      = 32
	offShOff      = 40
	offFlags      = 48
	offPhEntSize  = 54
	offPhNum      = 56
	offShEntSize  = 58
	offShNum      = 60
	offShStrNdx   = 62
)

const (
	class64         = 2
	littleEndian    = 1
	typeRelocatable = 1
	typeExecutable  = 2
)

// u16 reads a header field; 0 where the file ends before it.
func u16(data []byte, offset int) uint16 {
	if len(data) < offset+2 {
		return 0
	}
	return binary.LittleEndian.Uint16(data[offset:])
}

// u32 reads four bytes.
func u32(data []byte) uint32 { return binary.LittleEndian.Uint32(data) }

// openELF checks the tables of an ELF64 file: 64-byte section headers, 56-byte
// program headers if there are any, and every table and section with bytes
// inside the file (LOAD-012). The sections stand in room if they fit.
func openELF(data []byte, room []elfSection) (*elfFile, bool) {
	if len(data) < cubin.HeaderSize || data[offClass] != class64 || data[offEncoding] != littleEndian {
		return nil, false
	}
	le := binary.LittleEndian
	size := uint64(len(data))
	inside := func(offset, n uint64) bool { return offset <= size && n <= size-offset }

	phNum := uint64(le.Uint16(data[offPhNum:]))
	if phNum > 0 && le.Uint16(data[offPhEntSize:]) != cubin.SegmentHeaderSize ||
		!inside(le.Uint64(data[offPhOff:]), phNum*cubin.SegmentHeaderSize) {
		return nil, false
	}
	shOff := le.Uint64(data[offShOff:])
	shNum := uint64(le.Uint16(data[offShNum:]))
	if shOff == 0 || le.Uint16(data[offShEntSize:]) != cubin.SectionHeaderSize || !inside(shOff, cubin.SectionHeaderSize) {
		return nil, false
	}
	shStrNdx := uint64(le.Uint16(data[offShStrNdx:]))
	if shNum == 0 { // counts that the header has no room for stand in that of section 0
		shNum = le.Uint64(data[shOff+32:])
	}
	if shStrNdx == cubin.ShnXIndex {
		shStrNdx = uint64(le.Uint32(data[shOff+40:]))
	}
	if shNum > size/cubin.SectionHeaderSize || !inside(shOff, shNum*cubin.SectionHeaderSize) {
		return nil, false
	}
	f := &elfFile{data: data, sections: slices.Grow(room[:0], int(shNum))[:shNum]}
	for i := range f.sections {
		f.sections[i] = readSection(data[shOff+uint64(i)*cubin.SectionHeaderSize:])
		if s := &f.sections[i]; s.hasBytes() && !inside(s.offset, s.size) {
			return nil, false
		}
	}
	f.findNames(shStrNdx)
	return f, true
}

// openMember opens an ELF file in an archive, where nvlink looks at nothing but
// class and section table: a file of any type and machine counts, a table that
// goes past the end is read as far as it goes. The error is for a table that
// starts there. f was that of the member before, whose sections make room.
func (f *elfFile) openMember(data []byte) error {
	f.data, f.sections, f.nameTable, f.hasNames = data, f.sections[:0], nil, false
	if len(data) < cubin.HeaderSize || data[offClass] != class64 || u16(data, offShEntSize) != cubin.SectionHeaderSize {
		return nil
	}
	shOff := binary.LittleEndian.Uint64(data[offShOff:])
	if shOff > uint64(len(data)) {
		return fmt.Errorf("section table at %#x, past the end of the file", shOff)
	}
	if shOff == 0 {
		return nil
	}
	table := data[shOff:]
	for range u16(data, offShNum) {
		if len(table) == 0 {
			break
		}
		var header [cubin.SectionHeaderSize]byte // what is cut off reads as zeros
		table = table[copy(header[:], table):]
		f.sections = append(f.sections, readSection(header[:]))
	}
	f.findNames(uint64(u16(data, offShStrNdx)))
	return nil
}

// readSection reads one header of the section table.
func readSection(header []byte) elfSection {
	le := binary.LittleEndian
	return elfSection{
		nameOffset: le.Uint32(header),
		typ:        cubin.SectionType(le.Uint32(header[4:])),
		flags:      cubin.SectionFlags(le.Uint64(header[8:])),
		offset:     le.Uint64(header[24:]),
		size:       le.Uint64(header[32:]),
		link:       le.Uint32(header[40:]),
		entSize:    le.Uint64(header[56:]),
	}
}

// findNames finds the names of sections in section shStrNdx.
func (f *elfFile) findNames(shStrNdx uint64) {
	if shStrNdx >= uint64(len(f.sections)) || f.sections[shStrNdx].typ != cubin.SectionStrTab {
		return
	}
	f.nameTable, f.hasNames = f.bytes(&f.sections[shStrNdx]), true
}

// hasBytes reports whether the section is stored in the file.
func (s *elfSection) hasBytes() bool {
	return s.typ == cubin.SectionNull || (&cubin.Section{Type: s.typ}).HasBytes()
}

// bytes are the section's contents, as far as they lie in the file.
func (f *elfFile) bytes(s *elfSection) []byte {
	size := uint64(len(f.data))
	if !s.hasBytes() || s.offset > size {
		return nil
	}
	return f.data[s.offset : s.offset+min(s.size, size-s.offset)]
}

// section finds a section by name; nil when there is none.
func (f *elfFile) section(name string) *elfSection {
	for i := range f.sections {
		if isAt(f.nameTable, f.sections[i].nameOffset, name) {
			return &f.sections[i]
		}
	}
	return nil
}

// isAt reports whether bytesAt is a name, without a look for its end.
func isAt(table []byte, offset uint32, name string) bool {
	if uint64(offset) >= uint64(len(table)) {
		return name == ""
	}
	rest, ok := bytes.CutPrefix(table[offset:], []byte(name))
	return ok && (len(rest) == 0 || rest[0] == 0)
}

// bytesAt are the bytes of the NUL-terminated string at offset of a string table; none when
// the table does not hold it.
func bytesAt(table []byte, offset uint32) []byte {
	if uint64(offset) >= uint64(len(table)) {
		return nil
	}
	s, _, _ := bytes.Cut(table[offset:], []byte{0})
	return s
}
