package cubin

import (
	"encoding/binary"
	"fmt"
)

// An Image is a cubin for which all offsets and numbers are decided. [Image.Encode] only encodes it. If parts
// overlap, the later one is kept, in the order sections, section table, program headers, file header. The text
// form can thus describe damaged files too.
type Image struct {
	Header   Header
	Sections []ImageSection // including the null section
	Segments []Segment
	Size     uint64 // length of the file in bytes
}

// An ImageSection is a section header and the bytes at its Offset.
type ImageSection struct {
	Section
	Data []byte // nil for sections without bytes in the file
}

// Encode returns the bytes of the file. It fails if a part does not fit in Size.
func (m *Image) Encode() ([]byte, error) {
	out := make([]byte, m.Size)
	for i := range m.Sections {
		s := &m.Sections[i]
		if len(s.Data) == 0 {
			continue
		}
		if s.Offset > m.Size || uint64(len(s.Data)) > m.Size-s.Offset {
			return nil, fmt.Errorf("section %s: %d bytes at %#x do not fit into %d", s.Name, len(s.Data), s.Offset, m.Size)
		}
		copy(out[s.Offset:], s.Data)
	}
	if need := uint64(len(m.Sections)) * SectionHeaderSize; need > 0 && (m.Header.ShOff > m.Size || need > m.Size-m.Header.ShOff) {
		return nil, fmt.Errorf("section table: %d bytes at %#x do not fit into %d", need, m.Header.ShOff, m.Size)
	}
	if len(m.Sections) > 0 {
		m.putSections(out[m.Header.ShOff:])
	}
	if need := uint64(len(m.Segments)) * SegmentHeaderSize; need > 0 && (m.Header.PhOff > m.Size || need > m.Size-m.Header.PhOff) {
		return nil, fmt.Errorf("program headers: %d bytes at %#x do not fit into %d", need, m.Header.PhOff, m.Size)
	}
	if len(m.Segments) > 0 {
		m.putSegments(out[m.Header.PhOff:])
	}
	if m.Size < HeaderSize {
		return nil, fmt.Errorf("ELF header does not fit into %d bytes", m.Size)
	}
	m.Header.put(out)
	return out, nil
}

// AppendHeader appends the header of the file to b.
func (m *Image) AppendHeader(b []byte) []byte {
	b = append(b, make([]byte, HeaderSize)...)
	m.Header.put(b[len(b)-HeaderSize:])
	return b
}

// AppendTables appends the section table and then the program headers to b.
func (m *Image) AppendTables(b []byte) []byte {
	sections := len(m.Sections) * SectionHeaderSize
	at := len(b)
	b = append(b, make([]byte, sections+len(m.Segments)*SegmentHeaderSize)...)
	m.putSections(b[at:])
	m.putSegments(b[at+sections:])
	return b
}

func (m *Image) putSections(b []byte) {
	for i := range m.Sections {
		m.Sections[i].PutHeader(b[i*SectionHeaderSize:])
	}
}

func (m *Image) putSegments(b []byte) {
	for i := range m.Segments {
		m.Segments[i].put(b[i*SegmentHeaderSize:])
	}
}

func (h *Header) put(b []byte) {
	copy(b, "\x7fELF\x02\x01\x01")
	b[7], b[8] = h.OSABI, h.ABIVersion
	le := binary.LittleEndian
	le.PutUint16(b[16:], h.Type)
	le.PutUint16(b[18:], Machine)
	le.PutUint32(b[20:], h.Version)
	le.PutUint64(b[24:], h.Entry)
	le.PutUint64(b[32:], h.PhOff)
	le.PutUint64(b[40:], h.ShOff)
	le.PutUint32(b[48:], h.Flags)
	le.PutUint16(b[52:], h.EhSize)
	le.PutUint16(b[54:], h.PhEntSize)
	le.PutUint16(b[56:], h.PhNum)
	le.PutUint16(b[58:], h.ShEntSize)
	if h.ShNum <= ShnLoReserve { // nvlink writes the first reserved number unchanged (EMIT-024)
		le.PutUint16(b[60:], uint16(h.ShNum))
	}
	if h.ShStrNdx < ShnLoReserve {
		le.PutUint16(b[62:], uint16(h.ShStrNdx))
	} else {
		le.PutUint16(b[62:], ShnXIndex)
	}
}

// PutHeader writes the header of s to the first SectionHeaderSize bytes of b.
func (s *Section) PutHeader(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b, s.NameOffset)
	le.PutUint32(b[4:], uint32(s.Type))
	le.PutUint64(b[8:], uint64(s.Flags))
	le.PutUint64(b[16:], s.Addr)
	le.PutUint64(b[24:], s.Offset)
	le.PutUint64(b[32:], s.Size)
	le.PutUint32(b[40:], s.Link)
	le.PutUint32(b[44:], s.Info)
	le.PutUint64(b[48:], s.AddrAlign)
	le.PutUint64(b[56:], s.EntSize)
}

func (g *Segment) put(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b, g.Type)
	le.PutUint32(b[4:], g.Flags)
	le.PutUint64(b[8:], g.Offset)
	le.PutUint64(b[16:], g.VAddr)
	le.PutUint64(b[24:], g.PAddr)
	le.PutUint64(b[32:], g.FileSize)
	le.PutUint64(b[40:], g.MemSize)
	le.PutUint64(b[48:], g.Align)
}

// AppendSymbol appends the 24 bytes of y to b. If the section number is above ShnLoReserve and is not a special
// one, ShnXIndex is written, and the true number must be stored in .symtab_shndx. Like nvlink, AppendSymbol
// writes ShnLoReserve itself unchanged (EMIT-044).
func AppendSymbol(b []byte, y Symbol) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, y.NameOffset)
	b = append(b, uint8(y.Bind)<<4|uint8(y.Type), y.Other)
	section := uint16(y.Section)
	if y.Section > ShnLoReserve && y.Section != ShnAbs && y.Section != ShnCommon {
		section = ShnXIndex
	}
	b = le.AppendUint16(b, section)
	b = le.AppendUint64(b, y.Value)
	return le.AppendUint64(b, y.Size)
}

// AppendRel appends the 16 bytes of r, an entry without addend, to b.
func AppendRel(b []byte, r Relocation) []byte {
	b = binary.LittleEndian.AppendUint64(b, r.Offset)
	return binary.LittleEndian.AppendUint64(b, uint64(r.Symbol)<<32|uint64(r.Type))
}

// AppendRela appends the 24 bytes of r to b.
func AppendRela(b []byte, r Relocation) []byte {
	return binary.LittleEndian.AppendUint64(AppendRel(b, r), uint64(r.Addend))
}

// AppendNote appends a note record, padded to four bytes. As in NVIDIA's tools, the size of the description
// includes its padding.
func AppendNote(b []byte, owner string, typ uint32, desc []byte) []byte {
	le := binary.LittleEndian
	padded := (len(desc) + 3) &^ 3
	b = le.AppendUint32(b, uint32(len(owner)+1))
	b = le.AppendUint32(b, uint32(padded))
	b = le.AppendUint32(b, typ)
	b = append(b, owner...)
	b = append(b, make([]byte, 4-len(owner)%4)...)
	b = append(b, desc...)
	return append(b, make([]byte, padded-len(desc))...)
}
