// Package fatbin reads fat binaries: containers that hold the same device
// program several times, as machine code for different architectures, as PTX,
// or as intermediate code for link-time optimisation.
//
// A fat binary is a header of 16 bytes and a row of entries. Each entry has its
// own header (kind, architecture, flags, an identifier, compiler options) and a
// payload, stored plain, as an LZ4 block or as a zstd frame.
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
// Offsets within an entry count from its start; all numbers are little endian.
// [Parse] lists the entries, [Select] chooses the one for a target (LOAD-002,
// LOAD-017), [Entry.Decode] gives its contents.
package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Magic are the first four bytes of a fat binary, as a little-endian number.
const Magic = 0xba55ed50

// Sizes of the fixed parts, in bytes.
const (
	HeaderSize      = 16
	EntryHeaderSize = 64
)

// Version is the one version of the container that there is.
const Version = 1

// Kind tells what an entry holds.
type Kind uint16

// The kinds of entries that can be linked.
const (
	PTX   Kind = 1
	ELF   Kind = 2
	LTOIR Kind = 8
)

func (k Kind) String() string {
	switch k {
	case PTX:
		return "ptx"
	case ELF:
		return "elf"
	case LTOIR:
		return "ltoir"
	}
	return fmt.Sprintf("kind %d", uint16(k))
}

// Flags of an entry.
const (
	Flag64Bit     = 0x1
	FlagDebug     = 0x2
	FlagLinux     = 0x10
	FlagLZ4       = 0x2000
	FlagZstd      = 0x8000
	FlagScrambled = 0x10000 // LTOIR only: not decoded here
	FlagSuffixA   = 0x100000
	FlagSuffixF   = 0x200000
	FlagCompat    = 0x1000000 // the options are the .nv.compat section of the ELF
)

// Errors that tell Parse's callers what is wrong with the container.
var (
	ErrMagic   = errors.New("not a fat binary")
	ErrVersion = errors.New("unknown version of fat binary")
)

// A FormatError says where in the container something is wrong.
type FormatError struct {
	Part   string // "header", "entry 2"
	Offset int    // from the start of the container, in bytes
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
	Ident          string // name given by the maker; often empty
	Options        []byte // options for the payload's compiler
	CompressedSize uint32 // 0 when plain
	DecodedSize    uint64 // 0 when plain
	Payload        []byte // as stored; borrowed
	// Truncated tells that the payload's size goes past the container.
	Truncated bool
}

// Parse lists the entries of the fat binary at the start of data; what follows
// it is ignored. Parsing stops at the first entry that does not fit.
// The error wraps ErrMagic or ErrVersion, or is a *FormatError.
func Parse(data []byte) ([]Entry, error) {
	le := binary.LittleEndian
	if len(data) < HeaderSize || le.Uint32(data) != Magic {
		return nil, ErrMagic
	}
	if v := le.Uint16(data[4:]); v != Version {
		return nil, fmt.Errorf("%w: %d", ErrVersion, v)
	}
	start := uint64(le.Uint16(data[6:]))
	size := le.Uint64(data[8:])
	if start > uint64(len(data)) {
		return nil, &FormatError{"header", 6, "header is larger than the file", start}
	}
	var entries []Entry
	end := min(size, uint64(len(data))-start) + start
	for at := start; end-at >= EntryHeaderSize; {
		e, length, err := parseEntry(data[:end], at)
		if err != nil {
			return entries, err
		}
		e.Index = len(entries)
		entries = append(entries, e)
		if length > end-at {
			break
		}
		at += length
	}
	return entries, nil
}

// parseEntry reads the entry at offset at, and its length in bytes.
func parseEntry(data []byte, at uint64) (e Entry, length uint64, err error) {
	le := binary.LittleEndian
	b := data[at:]
	headerSize := uint64(le.Uint32(b[4:]))
	size := le.Uint64(b[8:])
	if headerSize < EntryHeaderSize || headerSize > uint64(len(b)) {
		return e, 0, &FormatError{fmt.Sprintf("entry at %#x", at), int(at) + 4, "bad size of the entry's header", headerSize}
	}
	e = Entry{
		Kind:           Kind(le.Uint16(b)),
		CompressedSize: le.Uint32(b[16:]),
		Minor:          le.Uint16(b[24:]),
		Major:          le.Uint16(b[26:]),
		Arch:           int(le.Uint32(b[28:])),
		Flags:          le.Uint64(b[40:]),
		DecodedSize:    le.Uint64(b[56:]),
	}
	switch {
	case e.Flags&FlagSuffixA != 0:
		e.Suffix = 'a'
	case e.Flags&FlagSuffixF != 0:
		e.Suffix = 'f'
	}
	header := b[:headerSize]
	if ident := le.Uint32(b[32:]); ident != 0 {
		e.Ident = string(slice(header, uint64(ident), uint64(le.Uint32(b[36:]))))
	}
	if options := le.Uint32(b[20:]); options != 0 {
		if block := slice(header, uint64(options), 8); block != nil {
			e.Options = slice(header, uint64(le.Uint32(block)), uint64(le.Uint32(block[4:])))
		}
	}
	e.Payload = b[headerSize:]
	if size > uint64(len(e.Payload)) {
		e.Truncated = true
	} else {
		e.Payload = e.Payload[:size:size]
	}
	length = headerSize + size
	if length < size {
		length = ^uint64(0)
	}
	return e, length, nil
}

// slice is b[offset:offset+n], or nil when b does not hold it.
func slice(b []byte, offset, n uint64) []byte {
	if offset > uint64(len(b)) || n > uint64(len(b))-offset {
		return nil
	}
	return b[offset : offset+n]
}

// IsFatbin tells whether data starts like a fat binary.
func IsFatbin(data []byte) bool {
	return len(data) >= 4 && binary.LittleEndian.Uint32(data) == Magic
}

// Name is a name for messages and listings: "sm_90a.elf".
func (e *Entry) Name() string {
	suffix := ""
	if e.Suffix != 0 {
		suffix = string(e.Suffix)
	}
	return fmt.Sprintf("sm_%d%s.%s", e.Arch, suffix, e.Kind)
}

// Text is the PTX in payload: what stands before its padding of zeros.
func Text(payload []byte) []byte { return bytes.TrimRight(payload, "\x00") }
