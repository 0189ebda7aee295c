package craft

import (
	"encoding/binary"
	"fmt"
)

// AMD64 is the machine number of x86-64 in a Windows object file.
const AMD64 = 0x8664

// A COFF is a Windows object file.
type COFF struct {
	Machine  uint16
	Flags    uint16 // of the header
	Big      bool   // the long header, for many sections
	Sections []Section
}

// Encode returns the file: header, sections, their contents, one symbol, and the names of more than 8 bytes.
func (c COFF) Encode() []byte {
	const sectionSize = 40
	le := binary.LittleEndian
	header, symbol := make([]byte, 20), make([]byte, 18)
	if c.Big {
		header, symbol = make([]byte, 56), make([]byte, 20)
	}
	table := make([]byte, sectionSize*len(c.Sections))
	names := make([]byte, 4)
	var contents []byte
	for i, s := range c.Sections {
		h, name := table[i*sectionSize:], s.Name
		if len(name) > 8 {
			name = fmt.Sprintf("/%d", len(names))
			names = append(names, s.Name+"\x00"...)
		}
		copy(h[:8], name)
		if len(s.Data) > 0 {
			le.PutUint32(h[16:], uint32(len(s.Data)))
			le.PutUint32(h[20:], uint32(len(header)+len(table)+len(contents)))
			contents = pad(append(contents, s.Data...))
		}
		le.PutUint32(h[36:], 0x40500040) // readable data
	}
	le.PutUint32(names, uint32(len(names)))
	symbols := uint32(len(header) + len(table) + len(contents))
	if c.Big {
		le.PutUint32(header, 0xffff0000)
		le.PutUint16(header[4:], 2)
		le.PutUint16(header[6:], c.Machine)
		copy(header[12:], "\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8")
		le.PutUint32(header[44:], uint32(len(c.Sections)))
		le.PutUint32(header[48:], symbols)
		le.PutUint32(header[52:], 1)
	} else {
		le.PutUint16(header, c.Machine)
		le.PutUint16(header[2:], uint16(len(c.Sections)))
		le.PutUint32(header[8:], symbols)
		le.PutUint32(header[12:], 1)
		le.PutUint16(header[18:], c.Flags)
	}
	copy(symbol, ".file")
	le.PutUint16(symbol[12:], 0xfffe)
	out := append(header, table...)
	out = append(out, contents...)
	out = append(out, symbol...)
	return append(out, names...)
}

// RDCWindows makes a COFF host object in the form that the compiler writes for relocatable device code; see [RDC].
func RDCWindows(fatbin []byte, moduleID string, more ...Section) COFF {
	return COFF{Machine: AMD64, Sections: append([]Section{
		{Name: ".text", Data: []byte{0xc3}},
		{Name: "__nv_relfatbin", Data: fatbin},
		{Name: ".nvFatBinSegment", Data: make([]byte, 24)},
		{Name: "__nv_module_id", Data: []byte(moduleID + "\x00")},
	}, more...)}
}
