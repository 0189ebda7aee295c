package craft

import (
	"encoding/binary"
	"fmt"
)

// AMD64 is the machine number of x86-64 in a Windows object file.
const AMD64 = 0x8664

// A COFF is a Windows object file.
type COFF struct {
	Machine   uint16
	Flags     uint16 // flags in the header
	Big       bool   // the long header, for many sections
	Sections  []Section
	Functions []string // functions that the first section defines
}

// Encode returns the file: header, sections, their contents, a symbol for the file and for each function, and names of
// more than 8 bytes.
func (c COFF) Encode() []byte {
	const sectionSize = 40
	le := binary.LittleEndian
	header, symbols := make([]byte, 20), make([]byte, 18)
	if c.Big {
		header, symbols = make([]byte, 56), make([]byte, 20)
	}
	table := make([]byte, sectionSize*len(c.Sections))
	names := make([]byte, 4)
	long := func(name string) (offset int) {
		offset = len(names)
		names = append(names, name+"\x00"...)
		return offset
	}
	var contents []byte
	for i, s := range c.Sections {
		h, name := table[i*sectionSize:], s.Name
		if len(name) > 8 {
			name = fmt.Sprintf("/%d", long(name))
		}
		copy(h[:8], name)
		if len(s.Data) > 0 {
			le.PutUint32(h[16:], uint32(len(s.Data)))
			le.PutUint32(h[20:], uint32(len(header)+len(table)+len(contents)))
			contents = pad(append(contents, s.Data...))
		}
		le.PutUint32(h[36:], 0x40500040) // readable data
	}
	copy(symbols, ".file")
	le.PutUint16(symbols[12:], 0xfffe)
	typeAt := len(symbols) - 4 // the class is behind it
	one := make([]byte, len(symbols))
	for _, name := range c.Functions {
		clear(one)
		le.PutUint32(one[4:], uint32(long(name)))
		one[12] = 1        // the section
		one[typeAt] = 0x20 // a function
		one[typeAt+2] = 2  // an external symbol
		symbols = append(symbols, one...)
	}
	le.PutUint32(names, uint32(len(names)))
	at, count := uint32(len(header)+len(table)+len(contents)), uint32(1+len(c.Functions))
	if c.Big {
		le.PutUint32(header, 0xffff0000)
		le.PutUint16(header[4:], 2)
		le.PutUint16(header[6:], c.Machine)
		copy(header[12:], "\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8")
		le.PutUint32(header[44:], uint32(len(c.Sections)))
		le.PutUint32(header[48:], at)
		le.PutUint32(header[52:], count)
	} else {
		le.PutUint16(header, c.Machine)
		le.PutUint16(header[2:], uint16(len(c.Sections)))
		le.PutUint32(header[8:], at)
		le.PutUint32(header[12:], count)
		le.PutUint16(header[18:], c.Flags)
	}
	out := append(header, table...)
	out = append(out, contents...)
	out = append(out, symbols...)
	return append(out, names...)
}

// RDCWindows makes a COFF host object in the form that nvcc writes for relocatable device code on Windows. See [RDC].
func RDCWindows(fatbin []byte, moduleID string, more ...Section) COFF {
	return COFF{Machine: AMD64, Sections: append([]Section{
		{Name: ".text", Data: []byte{0xc3}},
		{Name: "__nv_relfatbin", Data: fatbin},
		{Name: ".nvFatBinSegment", Data: make([]byte, 24)},
		{Name: "__nv_module_id", Data: []byte(moduleID + "\x00")},
	}, more...)}
}
