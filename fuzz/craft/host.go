package craft

import "encoding/binary"

// A Section is one section of a host object.
type Section struct {
	Name  string
	Data  []byte
	Type  uint32 // 0: contents
	Link  uint32 // number of another section
	Entry uint64 // size of an entry of a table
}

// HostObject returns a relocatable ELF64 file for x86-64. It has the given sections, numbered from 1, and then the name
// table.
func HostObject(sections ...Section) []byte {
	le := binary.LittleEndian
	b := make([]byte, 64)
	names := []byte{0}
	table := make([]byte, 64)
	add := func(s Section) {
		h := make([]byte, 64)
		le.PutUint32(h, uint32(len(names)))
		le.PutUint32(h[4:], s.Type)
		le.PutUint64(h[24:], uint64(len(b)))
		le.PutUint64(h[32:], uint64(len(s.Data)))
		le.PutUint32(h[40:], s.Link)
		le.PutUint64(h[48:], 8)
		le.PutUint64(h[56:], s.Entry)
		table = append(table, h...)
		names = append(names, s.Name+"\x00"...)
		b = pad(append(b, s.Data...))
	}
	for _, s := range sections {
		s.Type = max(s.Type, typeContents)
		add(s)
	}
	nameTable := append(append([]byte(nil), names...), ".shstrtab\x00"...)
	add(Section{Name: ".shstrtab", Data: nameTable, Type: typeNames})
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[16:], 1)
	le.PutUint16(b[18:], 62)
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[40:], uint64(len(b)))
	le.PutUint16(b[52:], 64)
	le.PutUint16(b[58:], 64)
	le.PutUint16(b[60:], uint16(len(table)/64))
	le.PutUint16(b[62:], uint16(len(table)/64-1))
	return append(b, table...)
}

// Types of sections.
const (
	typeContents = 1
	typeSymbols  = 2
	typeNames    = 3
)

// Defining adds a symbol table to the sections of a host object. The table defines global functions in the first
// section.
func Defining(sections []Section, functions ...string) []Section {
	const symbolSize, globalFunction = 24, 1<<4 | 2
	symbols, names := make([]byte, symbolSize), []byte{0}
	for _, fn := range functions {
		y := make([]byte, symbolSize)
		binary.LittleEndian.PutUint32(y, uint32(len(names)))
		y[4], y[6] = globalFunction, 1
		symbols, names = append(symbols, y...), append(names, fn+"\x00"...)
	}
	return append(sections,
		Section{Name: ".symtab", Data: symbols, Type: typeSymbols, Link: uint32(len(sections) + 2), Entry: symbolSize},
		Section{Name: ".strtab", Data: names, Type: typeNames})
}

// RDC returns a host object in the form that nvcc writes for relocatable device code: a fat binary, its wrapper, a
// module id, and then more sections.
func RDC(fatbin []byte, moduleID string, more ...Section) []byte {
	return HostObject(append([]Section{
		{Name: "__nv_module_id", Data: []byte(moduleID + "\x00")},
		{Name: "__nv_relfatbin", Data: fatbin},
		{Name: ".nvFatBinSegment", Data: make([]byte, 24)},
	}, more...)...)
}

// Narrow changes a host object from [HostObject] or [RDC] to a 32-bit object.
func Narrow(object []byte) []byte {
	le := binary.LittleEndian
	shOff, shNum := le.Uint64(object[40:]), le.Uint16(object[60:])
	b := append([]byte(nil), object[:shOff]...)
	clear(b[28:64])
	b[4] = 1
	le.PutUint32(b[32:], uint32(shOff))
	for i, field := range []uint16{52, 0, 0, 40, shNum, le.Uint16(object[62:])} {
		le.PutUint16(b[40+2*i:], field)
	}
	for i := range uint64(shNum) {
		wide, narrow := object[shOff+64*i:], make([]byte, 40)
		copy(narrow, wide[:8])
		for to, from := range map[int]int{8: 8, 16: 24, 20: 32, 32: 48} {
			copy(narrow[to:to+4], wide[from:])
		}
		b = append(b, narrow...)
	}
	return b
}
