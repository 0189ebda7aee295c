// Package coff reads the object files of Windows as nvlink.exe does: the headers, the sections and their names.
//
// A COFF file consists of a header, a table of sections of 40 bytes each, their contents, a symbol table and,
// directly after it, a string table. A /bigobj has a longer header with room for more sections.
//
//	offset  COFF (20 bytes)             offset  /bigobj (56 bytes)
//	0       machine, 2 bytes            0       0, 0xffff: 2 bytes each
//	2       sections, 2                 4       version, 2; 6: machine, 2
//	8       offset of the symbols, 4    44      sections, 4
//	12      symbols, 4                  48      offset of the symbols, 4
//	16      size of the optional        52      symbols, 4
//	        header, 2; 18: flags, 2
//
// All numbers are little endian.
package coff

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// These are errors of files that cannot be read. nvlink.exe has a message for each.
var (
	ErrTruncated = errors.New("the file ends before its sections")
	ErrBigEndian = errors.New("the flags say big endian")
	ErrBase64    = errors.New("the name of a section is no offset in base 64")
)

// A NameError reports a section whose name is outside the string table.
type NameError struct {
	Section int    // number in the table of sections, from 0
	Offset  int64  // of the name, in the table of strings
	Size    uint32 // of that table, in bytes
}

func (e *NameError) Error() string {
	return fmt.Sprintf("coff: the name of section %d is at %#x of a table of %#x bytes", e.Section, e.Offset, e.Size)
}

// Sizes in bytes.
const (
	HeaderSize    = 20
	BigHeaderSize = 56
	sectionSize   = 40
	symbolSize    = 18
	bigSymbolSize = 20
)

// machines lists the machines whose host objects nvlink.exe reads: x86-64, x86, and 64-bit Arm (WIN-001).
var machines = map[uint16]bool{0x8664: true, 0x14c: true, 0xaa64: true}

// bigVersion is the first version of a file with the longer header that has sections. Older versions contain
// intermediate code of the host's compiler.
const bigVersion = 2

// Is reports whether data begins like an object file of a supported machine.
func Is(data []byte) bool { return isBig(data) || len(data) >= 2 && machines[le.Uint16(data)] }

var le = binary.LittleEndian

func isBig(data []byte) bool {
	const signature = 0xffff0000
	return len(data) >= 8 && le.Uint32(data) == signature && le.Uint16(data[4:]) >= bigVersion && machines[le.Uint16(data[6:])]
}

// A header contains the fields of both formats.
type header struct {
	sections   uint64 // offset of their table
	count      uint64
	symbols    uint64 // offset of their table; 0: none
	symbolsEnd uint64
	symbolSize int
}

func readHeader(data []byte) (header, error) {
	if isBig(data) {
		if len(data) < BigHeaderSize {
			return header{}, ErrTruncated
		}
		return header{BigHeaderSize, uint64(le.Uint32(data[44:])), uint64(le.Uint32(data[48:])), endOfSymbols(data[48:], bigSymbolSize), bigSymbolSize}, nil
	}
	if len(data) < HeaderSize {
		return header{}, ErrTruncated
	}
	const bigEndian = 0x8080 // of either kind
	if le.Uint16(data[18:])&bigEndian != 0 {
		return header{}, ErrBigEndian
	}
	return header{HeaderSize + uint64(le.Uint16(data[16:])), uint64(le.Uint16(data[2:])), uint64(le.Uint32(data[8:])), endOfSymbols(data[8:], symbolSize), symbolSize}, nil
}

// endOfSymbols returns the end of the symbols, where the table of strings begins. fields begins with their offset and
// number, and size is that of a symbol. The sum has 32 bits, as in nvlink.exe (WIN-962).
func endOfSymbols(fields []byte, size uint32) uint64 {
	return uint64(le.Uint32(fields) + size*le.Uint32(fields[4:]))
}
