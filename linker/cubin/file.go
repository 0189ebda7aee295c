package cubin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// ErrNotELF and ErrNotCUDA are errors of [Open] for files of another kind.
var (
	ErrNotELF  = errors.New("not an ELF file")
	ErrNotCUDA = errors.New("not a CUDA ELF64 file")
)

// A Header is the ELF header. A file with more than 65,279 sections has its section counts elsewhere; the Header has
// the true counts.
type Header struct {
	OSABI      uint8
	ABIVersion uint8
	Type       uint16
	Version    uint32
	Entry      uint64
	PhOff      uint64
	ShOff      uint64
	Flags      uint32
	EhSize     uint16
	PhEntSize  uint16
	PhNum      uint16
	ShEntSize  uint16
	ShNum      uint32 // true number of sections
	ShStrNdx   uint32 // true index of the section name table
}

// SM returns the architecture number in e_flags: 90 for sm_90 and sm_90a.
func (h *Header) SM() int {
	if h.ABIVersion <= ABIVersionLegacy {
		return int(h.Flags & 0xff)
	}
	return int(h.Flags >> 8 & 0xffff)
}

// A Section is one section header. [File.Data] returns its bytes.
type Section struct {
	Index      uint32
	NameOffset uint32 // sh_name
	Name       string
	Nameless   bool // sh_name is outside the name table
	Type       SectionType
	Flags      SectionFlags
	Addr       uint64
	Offset     uint64
	Size       uint64
	Link       uint32
	Info       uint32
	AddrAlign  uint64
	EntSize    uint64
}

// A Segment is one program header.
type Segment struct {
	Type     uint32
	Flags    uint32
	Offset   uint64
	VAddr    uint64
	PAddr    uint64
	FileSize uint64
	MemSize  uint64
	Align    uint64
}

// A File is an opened cubin. It uses the bytes that were passed to Open, which must not change while it is in use.
type File struct {
	Name string // as given to Open; used in errors
	Header
	Sections []Section

	data         []byte
	sectionNames string                      // copy of the section name table
	names        atomic.Pointer[copiedNames] // of the table whose strings were last requested
}

// magic is the start of an ELF file.
const magic = "\x7fELF"

// Open reads the header and the section table of a cubin. name is used in errors. [OpenFile] reads a file,
// [NewFile] an io.ReaderAt.
//
// errors.Is(err, ErrNotELF) and errors.Is(err, ErrNotCUDA) distinguish a file of another kind from a damaged
// cubin.
func Open(name string, data []byte) (*File, error) { return OpenInto(nil, name, data) }

// OpenInto is Open, but stores the section headers in room if they fit.
func OpenInto(room []Section, name string, data []byte) (*File, error) {
	f := &File{Name: name, data: data}
	table, err := f.readTables()
	if err != nil {
		return nil, err
	}
	f.readSections(room, table)
	return f, nil
}

// Reread reads f.Sections from the file again, and stores them in room if they fit. The names of the sections are the
// same strings as before.
func (f *File) Reread(room []Section) {
	if f.ShNum > 0 {
		f.readSections(room, f.data[f.ShOff:])
	}
}

// WithMagicAndMachine returns data, a header at least, with the magic number and the machine that a cubin must have. In
// a fat binary linkers read neither, and a cubin may have others (LOAD-057). Data without them is copied.
func WithMagicAndMachine(data []byte) []byte {
	const machineAt = 18
	if string(data[:len(magic)]) == magic && binary.LittleEndian.Uint16(data[machineAt:]) == Machine {
		return data
	}
	data = bytes.Clone(data)
	copy(data, magic)
	binary.LittleEndian.PutUint16(data[machineAt:], Machine)
	return data
}

// Check returns the error that Open would return, without reading the sections.
func Check(name string, data []byte) error {
	f := File{Name: name, data: data}
	_, err := f.readTables()
	return err
}

// readTables reads the header and returns the bytes of the section table.
func (f *File) readTables() (table []byte, err error) {
	if len(f.data) < len(magic) || string(f.data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%s: %w", f.Name, ErrNotELF)
	}
	if err := f.readHeader(); err != nil {
		return nil, err
	}
	return f.sectionTable()
}

// Bytes returns all bytes of the file.
func (f *File) Bytes() []byte { return f.data }

func (f *File) readHeader() error {
	c := &cursor{file: f, part: "ELF header", data: f.data[:min(len(f.data), HeaderSize)]}
	ident := c.bytes(16)
	if ident == nil {
		return c.err
	}
	const class64, littleEndian = 2, 1
	if ident[4] != class64 || ident[5] != littleEndian {
		return fmt.Errorf("%s: %w: class %d, data encoding %d", f.Name, ErrNotCUDA, ident[4], ident[5])
	}
	f.OSABI, f.ABIVersion = ident[7], ident[8]
	f.Type = c.u16()
	if machine := c.u16(); c.err == nil && machine != Machine {
		return fmt.Errorf("%s: %w: e_machine %d", f.Name, ErrNotCUDA, machine)
	}
	f.Version = c.u32()
	f.Entry = c.u64()
	f.PhOff = c.u64()
	f.ShOff = c.u64()
	f.Flags = c.u32()
	f.EhSize = c.u16()
	f.PhEntSize = c.u16()
	f.PhNum = c.u16()
	f.ShEntSize = c.u16()
	f.ShNum = uint32(c.u16())
	f.ShStrNdx = uint32(c.u16())
	return c.err
}

// sectionTable finds the section table and completes the counts of the header.
func (f *File) sectionTable() ([]byte, error) {
	if f.ShOff == 0 {
		f.ShNum, f.ShStrNdx = 0, 0
		return nil, nil
	}
	if f.ShEntSize != SectionHeaderSize {
		return nil, &FormatError{f.Name, "ELF header", 58, "section header size is not 64", f.ShEntSize}
	}
	if f.ShOff > uint64(len(f.data)) {
		return nil, &FormatError{f.Name, "ELF header", 40, "section table lies past the end of the file", f.ShOff}
	}
	// With more than 65,279 sections, the true counts are in section header 0.
	c := &cursor{file: f, part: "section header 0", data: f.data[f.ShOff:], base: int64(f.ShOff)}
	first := c.sectionHeader()
	if c.err != nil {
		return nil, c.err
	}
	if f.ShNum == 0 {
		if first.Size > uint64(len(f.data)) {
			return nil, &FormatError{f.Name, "section header 0", int64(f.ShOff) + 32, "too many sections", first.Size}
		}
		f.ShNum = uint32(first.Size)
	}
	if f.ShStrNdx == ShnXIndex {
		f.ShStrNdx = first.Link
	}
	need := uint64(f.ShNum) * SectionHeaderSize
	if need > uint64(len(f.data))-f.ShOff {
		return nil, &FormatError{f.Name, "ELF header", 60, "section table runs past the end of the file", f.ShNum}
	}
	if f.ShNum > 1 && f.ShStrNdx >= f.ShNum {
		return nil, &FormatError{f.Name, "ELF header", 62, "section name table does not exist", f.ShStrNdx}
	}
	return f.data[f.ShOff : f.ShOff+need], nil
}

func (c *cursor) sectionHeader() (s Section) {
	if b := c.bytes(SectionHeaderSize); b != nil {
		s.read((*[SectionHeaderSize]byte)(b))
	}
	return s
}

// read decodes the section header b.
func (s *Section) read(b *[SectionHeaderSize]byte) {
	le := binary.LittleEndian
	s.NameOffset, s.Type = le.Uint32(b[0:]), SectionType(le.Uint32(b[4:]))
	s.Flags, s.Addr, s.Offset, s.Size = SectionFlags(le.Uint64(b[8:])), le.Uint64(b[16:]), le.Uint64(b[24:]), le.Uint64(b[32:])
	s.Link, s.Info = le.Uint32(b[40:]), le.Uint32(b[44:])
	s.AddrAlign, s.EntSize = le.Uint64(b[48:]), le.Uint64(b[56:])
}

// readSections reads the section table and the names of the sections. It stores the sections in room if they fit.
func (f *File) readSections(room []Section, table []byte) {
	if room == nil || cap(room) < int(f.ShNum) {
		room = make([]Section, f.ShNum)
	}
	f.Sections = room[:f.ShNum]
	for i := range f.Sections {
		s := &f.Sections[i]
		*s = Section{Index: uint32(i)}
		s.read((*[SectionHeaderSize]byte)(table[i*SectionHeaderSize:]))
	}
	if len(f.Sections) <= 1 {
		return // the null section has no name
	}
	data, err := f.Data(f.ShStrNdx)
	if len(f.sectionNames) != len(data) {
		f.sectionNames = string(data) // one copy for all names
	}
	names := f.sectionNames
	for i := range f.Sections {
		s := &f.Sections[i]
		end := -1
		if err == nil && uint64(s.NameOffset) < uint64(len(names)) {
			end = strings.IndexByte(names[s.NameOffset:], 0)
		}
		switch {
		case end >= 0:
			s.Name = names[s.NameOffset:][:end]
		case err != nil || len(names) > 0 || s.NameOffset > 0:
			s.Nameless = true
		}
	}
}

// Data returns the bytes of section i, in the memory of the file. It returns nil for a section without bytes in the
// file: SectionNoBits, and the types for uninitialised memory, whose contents are not stored.
func (f *File) Data(i uint32) ([]byte, error) {
	if int(i) >= len(f.Sections) {
		return nil, &FormatError{f.Name, "section table", int64(f.ShOff), "no such section", i}
	}
	s := &f.Sections[i]
	if !s.HasBytes() {
		return nil, nil
	}
	end := s.Offset + s.Size
	if end < s.Offset || end > uint64(len(f.data)) {
		return nil, &FormatError{f.Name, "section " + s.Name, int64(f.ShOff) + int64(i)*SectionHeaderSize + 24,
			"section runs past the end of the file", fmt.Sprintf("offset %#x, size %#x", s.Offset, s.Size)}
	}
	return f.data[s.Offset:end:end], nil
}

// DataAhead returns the bytes of section i and all bytes that follow it in the file.
func (f *File) DataAhead(i uint32) ([]byte, error) {
	data, err := f.Data(i)
	if err != nil || data == nil {
		return data, err
	}
	return f.data[f.Sections[i].Offset:], nil
}

// HasBytes reports whether the section's contents are stored in the file.
func (s *Section) HasBytes() bool {
	switch s.Type {
	case SectionNull: // the first one has the number of sections in its size
		return s.Index != 0
	case SectionNoBits, SectionGlobal, SectionLocal, SectionShared:
		return false
	case SectionSharedReserved: // only the copy in the Mercury half has bytes
		return s.Flags&FlagMercury != 0
	}
	return true
}

// ConstantBank returns the bank number of a constant section of a relocatable file. It also recognises files of early
// compilers (KIT-211).
func (s *Section) ConstantBank() (bank int, ok bool) {
	switch {
	case s.Type >= SectionConstant0 && s.Type <= SectionConstantLast:
		return int(s.Type - SectionConstant0), true
	case s.Type == SectionEarlyConstant && s.EntSize <= uint64(SectionConstantLast-SectionConstant0):
		return int(s.EntSize), true
	}
	return 0, false
}

// Section finds a section by name. It returns the first match, or nil if there is none.
func (f *File) Section(name string) *Section {
	for i := range f.Sections {
		if f.Sections[i].Name == name {
			return &f.Sections[i]
		}
	}
	return nil
}

// String reads the NUL-terminated string at offset of string table section i.
func (f *File) String(i, offset uint32) (string, error) {
	table, err := f.Data(i)
	if err != nil {
		return "", err
	}
	s := &f.Sections[i]
	if uint64(offset) >= uint64(len(table)) {
		if offset == 0 {
			return "", nil
		}
		return "", &FormatError{f.Name, "section " + s.Name, int64(s.Offset), "string offset past the end of the table", offset}
	}
	end := bytes.IndexByte(table[offset:], 0)
	if end < 0 {
		return "", &FormatError{f.Name, "section " + s.Name, int64(s.Offset) + int64(offset), "string without end", offset}
	}
	return string(table[offset : int(offset)+end]), nil
}

// stringAhead reads a string that may begin or end after its table.
func (f *File) stringAhead(i, offset uint32) (string, bool) {
	if int(i) >= len(f.Sections) || f.Sections[i].Offset > uint64(len(f.data)) {
		return "", false
	}
	at := f.Sections[i].Offset + uint64(offset)
	if at >= uint64(len(f.data)) {
		return "", false
	}
	end := bytes.IndexByte(f.data[at:], 0)
	if end < 0 {
		return "", false
	}
	return string(f.data[at : at+uint64(end)]), true
}

// Segments reads the program headers.
func (f *File) Segments() ([]Segment, error) {
	if f.PhNum == 0 {
		return nil, nil
	}
	if f.PhEntSize != SegmentHeaderSize {
		return nil, &FormatError{f.Name, "ELF header", 54, "program header size is not 56", f.PhEntSize}
	}
	if f.PhOff > uint64(len(f.data)) {
		return nil, &FormatError{f.Name, "ELF header", 32, "program headers lie past the end of the file", f.PhOff}
	}
	c := &cursor{file: f, part: "program headers", data: f.data[f.PhOff:], base: int64(f.PhOff)}
	segments := make([]Segment, f.PhNum)
	for i := range segments {
		segments[i] = Segment{
			Type: c.u32(), Flags: c.u32(), Offset: c.u64(), VAddr: c.u64(),
			PAddr: c.u64(), FileSize: c.u64(), MemSize: c.u64(), Align: c.u64(),
		}
	}
	return segments, c.err
}
