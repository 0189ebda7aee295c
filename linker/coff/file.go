package coff

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// A File is an object file with decoded tables.
type File struct {
	data     []byte
	header   header
	sections []section
}

type section struct {
	name   string
	offset uint64
	size   uint64
}

// Open reads the tables of an object file. size is the nominal length of the file in bytes. data may be
// shorter, as for the last member of a truncated archive, but it contains the tables. Sections with contents must
// be inside the nominal length.
func Open(data []byte, size uint64) (*File, error) {
	h, err := readHeader(data)
	if err != nil {
		return nil, err
	}
	if h.sections+h.count*sectionSize > uint64(len(data)) {
		return nil, ErrTruncated
	}
	f, table := &File{data: data, header: h}, data[h.sections:]
	for range h.count {
		s := section{name: string(table[:8]), size: uint64(le.Uint32(table[16:])), offset: uint64(le.Uint32(table[20:]))}
		if s.offset == 0 || s.size == 0 { // it has no contents in the file
			s.offset, s.size = 0, 0
		}
		if s.offset+s.size > size {
			return nil, ErrTruncated
		}
		f.sections, table = append(f.sections, s), table[sectionSize:]
	}
	return f, f.findNames()
}

// nameSize is the number of significant bytes of a name in the string table.
const nameSize = 8

// slack is a number of bytes after the end of a file in which nvlink.exe looks for the string table, and finds no name.
const slack = 1 << 12

// findNames replaces names that refer to the string table. Such a name is a slash and a decimal offset, or two
// slashes and an offset in base 64. If the table is missing, or is truncated before the name, the name is empty. If the
// table would begin far after the end of the file, nvlink.exe does not end by itself, and the file is damaged (E-391).
func (f *File) findNames() error {
	table := f.strings()
	for i := range f.sections {
		s := &f.sections[i]
		text, isOffset := strings.CutPrefix(s.name, "/")
		if !isOffset {
			s.name = upToNUL([]byte(s.name))
			continue
		}
		offset := leadingNumber(text)
		if digits, ok := strings.CutPrefix(text, "/"); ok {
			if offset, ok = base64Number(digits); !ok {
				return ErrBase64
			}
		}
		s.name = ""
		if f.header.symbols == 0 {
			continue
		}
		said, outside := tableSize(table), f.header.symbolsEnd > uint64(len(f.data))+slack
		if offset < 0 || offset >= int64(len(table)) && (outside || offset >= int64(said) && said > 0) {
			return &NameError{i, offset, said}
		}
		if offset < int64(len(table)) {
			s.name = upToNUL(table[offset:])
		}
	}
	return nil
}

// strings returns the string table and the bytes after it.
func (f *File) strings() []byte {
	if f.header.symbols == 0 {
		return nil
	}
	return f.data[min(f.header.symbolsEnd, uint64(len(f.data))):]
}

// base64Number parses a number in base 64, most significant digit first, and truncates it to 32 bits. ok is false
// if a character is not a digit of base 64.
func base64Number(digits string) (n int64, ok bool) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var value uint32
	for i := range len(digits) {
		digit := strings.IndexByte(alphabet, digits[i])
		if digit < 0 {
			return 0, false
		}
		value = value<<6 | uint32(digit)
	}
	return int64(value), true
}

// tableSize returns the size in bytes that a string table records for itself, or 0 if there is no table.
func tableSize(table []byte) uint32 {
	if len(table) < 4 {
		return 0
	}
	return le.Uint32(table)
}

// upToNUL returns a name of at most nameSize bytes.
func upToNUL(text []byte) string {
	text = text[:min(nameSize, len(text))]
	if i := bytes.IndexByte(text, 0); i >= 0 {
		text = text[:i]
	}
	return string(text)
}

// leadingNumber parses a number as C's atoi does. It returns 0 if there is none.
func leadingNumber(text string) int64 {
	text = strings.TrimLeft(text, " \t")
	end := 0
	for end < len(text) && ('0' <= text[end] && text[end] <= '9' || end == 0 && (text[0] == '-' || text[0] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(text[:end], 10, 64)
	return n
}

// A Section contains the contents of a section.
type Section struct {
	Data []byte // borrowed; the part inside the file
	Size uint64 // bytes, from the section table
	Rest []byte // from the contents to the end of the file; nil for a section without contents
}

// Section returns the last section of that name. Only the first 8 bytes of the name count. ok is false if there
// is no such section.
func (f *File) Section(name string) (s Section, ok bool) {
	name = name[:min(nameSize, len(name))]
	for _, s := range slices.Backward(f.sections) {
		if s.name != name {
			continue
		}
		if s.size == 0 {
			return Section{}, true
		}
		rest := f.data[min(s.offset, uint64(len(f.data))):]
		return Section{rest[:min(s.size, uint64(len(rest)))], s.size, rest}, true
	}
	return Section{}, false
}
