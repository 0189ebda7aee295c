package input

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/cubin"
)

// An elfFile is the part of an ELF file that the loader reads before the link itself opens the file. It has header
// fields and the section table, of a cubin or a host object. nvlink ignores a cubin whose tables extend past the end
// of the file, without a message (LOAD-012). These checks are therefore made here and not in package cubin, which
// reports errors.
type elfFile struct {
	data      []byte
	sections  []elfSection
	nameTable []byte // names of the sections
	hasNames  bool   // the header refers to a string table for nameTable
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

// hasELFMagic reports whether data begins as an ELF file.
func hasELFMagic(data []byte) bool { return bytes.HasPrefix(data, []byte("\x7fELF")) }

// Offsets of the header fields that the loader reads. Those from offPhOff on are for ELF64.
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
)

// An elfClass describes the layout of the tables of a file of one ELF class.
type elfClass struct {
	header, segment, section uint64 // sizes of the ELF header and of one header of each table
	phOff, shOff             int    // offsets of the header fields with the places of the tables
	counts                   int    // offset of e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx
	word                     func(data []byte) uint64
	read                     func(header []byte) elfSection
	relaSize                 uint64                         // of a relocation with an addend
	relaSymbol               func(relocation []byte) uint64 // its symbol
}

var (
	elf64 = elfClass{
		header: cubin.HeaderSize, segment: cubin.SegmentHeaderSize, section: cubin.SectionHeaderSize,
		phOff: offPhOff, shOff: offShOff, counts: offPhEntSize, word: binary.LittleEndian.Uint64, read: readSection,
		relaSize: cubin.RelaSize, relaSymbol: func(relocation []byte) uint64 { return uint64(u32(relocation[12:])) },
	}
	elf32 = elfClass{
		header: 52, segment: 32, section: 40,
		phOff: 28, shOff: 32, counts: 42, word: func(data []byte) uint64 { return uint64(u32(data)) }, read: readSection32,
		relaSize: 12, relaSymbol: func(relocation []byte) uint64 { return uint64(u32(relocation[4:]) >> 8) },
	}
)

// classOf returns the class of an ELF file. A file of any class other than 64-bit is read as a 32-bit file
// (LOAD-015).
func classOf(data []byte) *elfClass {
	if data[offClass] == class64 {
		return &elf64
	}
	return &elf32
}

// These are the five 16-bit numbers at elfClass.counts, in order.
const (
	countPhEntSize = 2 * iota
	countPhNum
	countShEntSize
	countShNum
	countShStrNdx
)

func (c *elfClass) count(data []byte, field int) uint64 { return uint64(u16(data, c.counts+field)) }

const (
	class64         = 2
	littleEndian    = 1
	typeRelocatable = 1
	typeExecutable  = 2
)

// u16 reads a header field of 16 bits. It returns 0 if the file ends before the field.
func u16(data []byte, offset int) uint16 {
	if len(data) < offset+2 {
		return 0
	}
	return binary.LittleEndian.Uint16(data[offset:])
}

// u32 reads four bytes.
func u32(data []byte) uint32 { return binary.LittleEndian.Uint32(data) }

// openELF checks the tables of an ELF file (LOAD-012). Section headers must have the size for the class, and so must
// program headers if there are any. Every table, and every section with bytes, must be inside the file. The sections
// are stored in room if they fit.
func openELF(data []byte, room []elfSection) (*elfFile, bool) {
	if len(data) <= offEncoding || data[offEncoding] != littleEndian {
		return nil, false
	}
	return openTables(data, room)
}

// openELF is the function openELF for the release of the link. Early releases do not check program headers (KIT-626)
// and take a file without a section table for one without sections (KIT-684).
func (l *loader) openELF(data []byte, room []elfSection) (*elfFile, bool) {
	if !l.target.Profile.Input.IgnoresSegments {
		return openELF(data, room)
	}
	if len(data) <= offEncoding || data[offEncoding] != littleEndian {
		return nil, false
	}
	if c := classOf(data); l.target.Profile.Input.OpensSectionless && uint64(len(data)) >= c.header && c.word(data[c.shOff:]) == 0 && c.count(data, countShNum) == 0 {
		return &elfFile{data: data}, true
	}
	return openSections(data, room)
}

// withoutSections returns the header of an ELF64 file, which may be cut off, as that of a file without sections.
func withoutSections(data []byte) []byte {
	header := make([]byte, cubin.HeaderSize)
	copy(header, data)
	for _, field := range []struct{ at, size int }{{offShOff, 8}, {offShEntSize, 6}} {
		clear(header[field.at : field.at+field.size])
	}
	return header
}

// openTables is openELF for a file of any byte order, which it reads as little-endian.
func openTables(data []byte, room []elfSection) (*elfFile, bool) {
	c := classOf(data)
	size := uint64(len(data))
	if size < c.header {
		return nil, false
	}
	phNum, phOff := c.count(data, countPhNum), c.word(data[c.phOff:])
	if phNum > 0 && c.count(data, countPhEntSize) != c.segment || phOff > size || phNum*c.segment > size-phOff {
		return nil, false
	}
	return openSections(data, room)
}

// openSections reads the section headers of a file of any byte order.
func openSections(data []byte, room []elfSection) (*elfFile, bool) {
	c := classOf(data)
	size := uint64(len(data))
	if size < c.header {
		return nil, false
	}
	inside := func(offset, n uint64) bool { return offset <= size && n <= size-offset }
	shOff := c.word(data[c.shOff:])
	shNum, shStrNdx := c.count(data, countShNum), c.count(data, countShStrNdx)
	if shOff == 0 || c.count(data, countShEntSize) != c.section || !inside(shOff, c.section) {
		return nil, false
	}
	// If a count does not fit into the header, it is in section header 0.
	first := c.read(data[shOff:])
	if shNum == 0 {
		shNum = first.size
	}
	if shStrNdx == cubin.ShnXIndex {
		shStrNdx = uint64(first.link)
	}
	if shNum > size/c.section || !inside(shOff, shNum*c.section) {
		return nil, false
	}
	f := &elfFile{data: data, sections: slices.Grow(room[:0], int(shNum))[:shNum]}
	for i := range f.sections {
		f.sections[i] = c.read(data[shOff+uint64(i)*c.section:])
		if s := &f.sections[i]; s.hasBytes() && !inside(s.offset, s.size) {
			return nil, false
		}
	}
	f.findNames(shStrNdx)
	return f, true
}

// openMember opens an ELF file in an archive. nvlink reads only its class and section table, and accepts any type and
// machine. If the table extends past the end of the file, it is read up to the end. If it starts past the end,
// openMember returns an error. f holds the previous member, whose slice of sections is reused.
func (f *elfFile) openMember(data []byte) error {
	f.data, f.sections, f.nameTable, f.hasNames = data, f.sections[:0], nil, false
	if len(data) <= offClass {
		return nil
	}
	c := classOf(data)
	if uint64(len(data)) < c.header || c.count(data, countShEntSize) != c.section {
		return nil
	}
	shOff := c.word(data[c.shOff:])
	if shOff > uint64(len(data)) {
		return fmt.Errorf("section table at %#x, past the end of the file", shOff)
	}
	if shOff == 0 {
		return nil
	}
	table := data[shOff:]
	for range c.count(data, countShNum) {
		if len(table) == 0 {
			break
		}
		if uint64(len(table)) < c.section { // the truncated part reads as zeros
			table = append(bytes.Clone(table), make([]byte, c.section-uint64(len(table)))...)
		}
		f.sections = append(f.sections, c.read(table))
		table = table[c.section:]
	}
	f.findNames(c.count(data, countShStrNdx))
	return nil
}

// readSection reads one section header of an ELF64 file.
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

// readSection32 is readSection for an ELF32 file.
func readSection32(header []byte) elfSection {
	return elfSection{
		nameOffset: u32(header),
		typ:        cubin.SectionType(u32(header[4:])),
		flags:      cubin.SectionFlags(u32(header[8:])),
		offset:     uint64(u32(header[16:])),
		size:       uint64(u32(header[20:])),
		link:       u32(header[24:]),
		entSize:    uint64(u32(header[36:])),
	}
}

// findNames uses section shStrNdx as the string table of section names.
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

// bytes returns that part of a section's contents that is in the file.
func (f *elfFile) bytes(s *elfSection) []byte {
	size := uint64(len(f.data))
	if !s.hasBytes() || s.offset > size {
		return nil
	}
	return f.data[s.offset : s.offset+min(s.size, size-s.offset)]
}

// section finds a section by name. It returns nil if there is none.
func (f *elfFile) section(name string) *elfSection {
	for i := range f.sections {
		if isAt(f.nameTable, f.sections[i].nameOffset, name) {
			return &f.sections[i]
		}
	}
	return nil
}

// hostSection finds a section of a host object.
func (f *elfFile) hostSection(name string) (coff.Section, bool) {
	s := f.section(name)
	if s == nil {
		return coff.Section{}, false
	}
	return coff.Section{Data: f.bytes(s), Size: s.size, Rest: f.data[min(s.offset, uint64(len(f.data))):]}, true
}

// isAt reports whether the string at an offset of a table is name, as bytesAt would return it. It does not search for
// the end of the string.
func isAt(table []byte, offset uint32, name string) bool {
	if uint64(offset) >= uint64(len(table)) {
		return name == ""
	}
	rest, ok := bytes.CutPrefix(table[offset:], []byte(name))
	return ok && (len(rest) == 0 || rest[0] == 0)
}

// bytesAt returns the bytes of the NUL-terminated string at an offset of a string table. It returns nil if the
// offset is outside the table.
func bytesAt(table []byte, offset uint32) []byte {
	if uint64(offset) >= uint64(len(table)) {
		return nil
	}
	s, _, _ := bytes.Cut(table[offset:], []byte{0})
	return s
}
