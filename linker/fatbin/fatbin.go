// Package fatbin reads fat binaries. A fat binary contains the same device program several times: as machine
// code for different architectures, as PTX, or as intermediate code for link-time optimisation.
//
// It consists of a header of 16 bytes and a sequence of entries. Each entry has its own header (kind,
// architecture, flags, an identifier, compiler options) and a payload, stored plain, as an LZ4 block or as a
// zstd frame.
//
//	offset  header            offset  entry
//	0       magic, 4 bytes    0       kind, 2 bytes
//	4       version, 2        4       size of the entry's header, 4
//	6       header size, 2    8       size of the payload in the file, 8
//	8       size of all       16      compressed size, 4; 0 when plain
//	        entries, 8        20, 32  offsets of options and identifier, 4
//	                          24      version of the payload: minor, major, 2 each
//	                          28      architecture number, 4
//	                          36      length of the identifier, 4
//	                          40      flags, 8
//	                          56      decoded size, 8; 0 when plain
//
// A concatenated entry contains several images in one payload ([Entry.Images]). Offsets within an entry count
// from its start; all numbers are little endian. [Parse] lists the entries, [Select] chooses the one for a
// target (LOAD-002, LOAD-017), and [Entry.Decode] returns its contents.
package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Magic is the first four bytes of a fat binary, as a little-endian number.
const Magic = 0xba55ed50

// Sizes of the fixed parts, in bytes.
const (
	HeaderSize      = 16
	EntryHeaderSize = 64
)

// Version is the only version of the container.
const Version = 1

// Kind is the kind of an entry's contents.
type Kind uint16

// The kinds of entries that can be linked.
const (
	PTX   Kind = 1
	ELF   Kind = 2
	LTOIR Kind = 8
	// Unknown16 is a kind that nvlink tries to link, whereupon it crashes.
	Unknown16 Kind = 16
	// Concat is an entry of several images in one payload (KIT-200).
	Concat Kind = 0x100
)

func (k Kind) String() string {
	switch k {
	case PTX:
		return "ptx"
	case ELF:
		return "elf"
	case LTOIR:
		return "ltoir"
	case Concat:
		return "concat"
	}
	return fmt.Sprintf("kind %d", uint16(k))
}

// Flags of an entry.
const (
	Flag64Bit     = 0x1
	FlagDebug     = 0x2
	FlagLinux     = 0x10
	FlagLegacy    = 0x1000 // compression of old toolkits; not decoded here
	FlagLZ4       = 0x2000
	FlagReserved  = 0x4000 // a compression that nothing uses
	FlagZstd      = 0x8000
	FlagScrambled = 0x10000 // compressed LTOIR; not decoded here
	FlagSuffixA   = 0x100000
	FlagSuffixF   = 0x200000
	FlagCompat    = 0x1000000 // the options are the .nv.compat section of the ELF
)

// Errors of Parse about the container.
var (
	ErrMagic   = errors.New("not a fat binary")
	ErrVersion = errors.New("unknown version of fat binary")
	ErrTotal   = errors.New("size of a fat binary beyond all numbers")
)

// A FormatError describes the place of an error in the container.
type FormatError struct {
	Part   string // "header", "entry 2"
	Offset int64  // from the start of the container, in bytes
	Msg    string
	Value  any
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("fat binary: %s: %s at %#x: %v", e.Part, e.Msg, e.Offset, e.Value)
}

// An Entry is one program in a fat binary.
type Entry struct {
	Index          int
	Kind           Kind
	Major, Minor   uint16 // version of the payload's format
	Arch           int    // 90
	Suffix         byte   // 'a', 'f', or 0
	Flags          uint64
	Ident          []byte // name assigned by the writer, borrowed; often empty
	Options        []byte // options for the payload's compiler
	PayloadSize    uint64 // in the file, including padding
	CompressedSize uint32 // 0 if plain
	DecodedSize    uint64 // 0 if plain

	image *extent // the place of the image in the decoded payload; nil if the entry is not an image

	head []byte // the entry's own header, with identifier and options
	rest []byte // from the start of the payload to the end of the file
}

// Parse lists the entries of the fat binary at the start of data. It ignores the bytes after the fat binary.
// It stops at the first entry that extends past the end of data, and returns the entries before it with the
// error. The error wraps ErrMagic, ErrVersion or ErrTotal, or is a *FormatError.
//
// As in nvlink, the total size in the header only limits where the last entry may start, and the header of an
// entry may have a size other than 64 bytes.
func Parse(data []byte) ([]Entry, error) {
	le := binary.LittleEndian
	if len(data) < HeaderSize || le.Uint32(data) != Magic {
		return nil, ErrMagic
	}
	if v := le.Uint16(data[4:]); v != Version {
		return nil, fmt.Errorf("%w: %d", ErrVersion, v)
	}
	at := uint64(le.Uint16(data[6:]))
	end := at + le.Uint64(data[8:])
	if end < at {
		return nil, ErrTotal
	}
	var entries []Entry
	for at < end {
		if len(entries) > len(data)/EntryHeaderSize+maxOverlapping {
			return entries, &FormatError{"entries", int64(at), "more than the file has room for", len(entries)}
		}
		e, length, err := parseEntry(data, at)
		if err != nil {
			return entries, err
		}
		e.Index = len(entries)
		entries = append(entries, e)
		if length > uint64(len(data))-at {
			break
		}
		at += length
	}
	return entries, nil
}

// maxOverlapping is the number of entries that are allowed in addition to those that fit into the file. More
// entries than fit are possible because an entry may be shorter than its own header.
const maxOverlapping = 1024

// parseEntry reads the entry at offset at. length is its size in bytes.
func parseEntry(data []byte, at uint64) (e Entry, length uint64, err error) {
	le := binary.LittleEndian
	part := func() string { return fmt.Sprintf("entry at %#x", at) }
	b := slice(data, at, EntryHeaderSize)
	if b == nil {
		return e, 0, &FormatError{part(), int64(at), "header past the end of the file", len(data)}
	}
	b = data[at:]
	headerSize := uint64(le.Uint32(b[offHeaderSize:]))
	if headerSize > uint64(len(b)) {
		return e, 0, &FormatError{part(), int64(at) + 4, "header past the end of the file", headerSize}
	}
	e = Entry{
		Kind:           Kind(le.Uint16(b)),
		PayloadSize:    le.Uint64(b[offPayloadSize:]),
		CompressedSize: le.Uint32(b[16:]),
		DecodedSize:    le.Uint64(b[56:]),
		head:           b[:headerSize],
		rest:           b[headerSize:],
	}
	length = headerSize + e.PayloadSize
	if length < headerSize {
		length = ^uint64(0)
	}
	if length == 0 {
		return e, 0, &FormatError{part(), int64(at) + 4, "entry without size", 0}
	}
	e.readTarget(b)
	return e, length, nil
}

// readTarget reads the fields that have the same offsets in the header of an entry and in the record of an
// image. These are version, architecture, flags, identifier and options. b begins with a header or a record.
// For a concatenated entry the options are its table of images.
func (e *Entry) readTarget(b []byte) {
	le := binary.LittleEndian
	e.Minor, e.Major = le.Uint16(b[24:]), le.Uint16(b[26:])
	e.Arch, e.Flags = int(le.Uint32(b[28:])), le.Uint64(b[offFlags:])
	e.Suffix, e.Ident, e.Options = 0, nil, nil
	switch {
	case e.Flags&FlagSuffixA != 0:
		e.Suffix = 'a'
	case e.Flags&FlagSuffixF != 0:
		e.Suffix = 'f'
	}
	if ident := le.Uint32(b[offIdent:]); ident != 0 {
		e.Ident = slice(b, uint64(ident), uint64(le.Uint32(b[offIdentSize:])))
	}
	if options := le.Uint32(b[offOptions:]); options != 0 && e.Kind != Concat {
		if block := slice(b, uint64(options), 8); block != nil {
			e.Options = slice(b, uint64(le.Uint32(block)), uint64(le.Uint32(block[4:])))
		}
	}
}

// slice returns b[offset:offset+n], or nil if b is too short.
func slice(b []byte, offset, n uint64) []byte {
	if offset > uint64(len(b)) || n > uint64(len(b))-offset {
		return nil
	}
	return b[offset : offset+n]
}

// IsFatbin reports whether data begins as a fat binary.
func IsFatbin(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == Magic
}

// Name returns a name for messages and listings, as "sm_90a.elf".
func (e *Entry) Name() string {
	suffix := ""
	if e.Suffix != 0 {
		suffix = string(e.Suffix)
	}
	return fmt.Sprintf("sm_%d%s.%s", e.Arch, suffix, e.Kind)
}

// Text returns the PTX in payload without the padding of zeros.
func Text(payload []byte) []byte { return bytes.TrimRight(payload, "\x00") }

// Size returns the size in bytes of the fat binary at the start of data, as recorded in its header. It is at
// most 1<<63.
func Size(data []byte) uint64 {
	if len(data) < HeaderSize {
		return HeaderSize
	}
	le := binary.LittleEndian
	return uint64(le.Uint16(data[6:])) + min(le.Uint64(data[8:]), 1<<63-1<<16)
}
