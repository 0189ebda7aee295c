package craft

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Offsets of ELF64 header fields that Overlap and LongNames change.
const (
	elfSections   = 40 // offset of the section table
	elfCount      = 60
	elfNames      = 62
	sectionSize   = 64
	sectionType   = 4
	sectionOffset = 24
	sectionLength = 32
	symbolSize    = 24
	typeSymTab    = 2
)

// An elf is an ELF file that this repository made.
type elf []byte

func (e elf) sections() []elf {
	le := binary.LittleEndian
	table := e[le.Uint64(e[elfSections:]):]
	var list []elf
	for i := range int(le.Uint16(e[elfCount:])) {
		list = append(list, table[i*sectionSize:(i+1)*sectionSize])
	}
	return list
}

func (e elf) contents(section elf) []byte {
	le := binary.LittleEndian
	at := le.Uint64(section[sectionOffset:])
	return e[at : at+le.Uint64(section[sectionLength:])]
}

// Overlap changes a cubin. All sections whose names begin with prefix get the offset and the size of the first of them.
func Overlap(cubin []byte, prefix string) []byte {
	e := elf(bytes.Clone(cubin))
	sections := e.sections()
	names := e.contents(sections[binary.LittleEndian.Uint16(e[elfNames:])])
	var first elf
	for _, s := range sections {
		name, _, _ := bytes.Cut(names[binary.LittleEndian.Uint32(s):], []byte{0})
		switch {
		case !strings.HasPrefix(string(name), prefix):
		case first == nil:
			first = s
		default:
			copy(s[sectionOffset:sectionLength+8], first[sectionOffset:sectionLength+8])
		}
	}
	return e
}

// LongNames changes a cubin. The name of symbol first+i becomes the string table from byte i to its end.
func LongNames(cubin []byte, first int) []byte {
	e := elf(bytes.Clone(cubin))
	sections := e.sections()
	for _, s := range sections {
		if binary.LittleEndian.Uint32(s[sectionType:]) != typeSymTab {
			continue
		}
		names := e.contents(sections[binary.LittleEndian.Uint32(s[40:])])
		for i := 1; i < len(names)-1; i++ {
			names[i] = 'a'
		}
		symbols := e.contents(s)
		for i := first; i < len(symbols)/symbolSize; i++ {
			binary.LittleEndian.PutUint32(symbols[i*symbolSize:], uint32(i))
		}
	}
	return e
}

// OverlappingEntries returns a fat binary of n entries of 64 bytes. The identifier of each entry is the whole rest of
// the file.
func OverlappingEntries(n int) []byte {
	le := binary.LittleEndian
	b := Fatbin()
	le.PutUint64(b[8:], uint64(64*n))
	for i := range n {
		entry := make([]byte, 64)
		le.PutUint16(entry, 2)
		le.PutUint32(entry[EntryHeaderSize:], 64)
		le.PutUint32(entry[EntryArch:], 80)
		le.PutUint64(entry[EntryFlags:], 0x11)
		le.PutUint32(entry[32:], 4)
		le.PutUint32(entry[36:], uint32(64*(n-i)-4))
		b = append(b, entry...)
	}
	return b
}
