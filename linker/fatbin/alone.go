package fatbin

import (
	"encoding/binary"
	"fmt"
)

// These are offsets in bytes of fields of an entry's header.
const (
	offHeaderSize  = 4
	offPayloadSize = 8
	offOptions     = 20
	offIdent       = 32
	offIdentSize   = 36
	offFlags       = 40
)

// Alone returns a fat binary that contains only e, as it is stored in the file, for the plain architecture: the
// flags of 'a' and 'f' are cleared. A program that can read the compression of e can use the result, even if
// this package cannot (LTO-011). The error is a [FormatError], or for an image a [DecodeError].
func (e *Entry) Alone() ([]byte, error) {
	part := fmt.Sprintf("entry %d", e.Index)
	if e.image != nil {
		return e.aloneImage(part)
	}
	if e.PayloadSize > uint64(len(e.rest)) {
		return nil, &FormatError{part, 8, "payload past the end of the file", e.PayloadSize}
	}
	if len(e.head) < EntryHeaderSize {
		return nil, &FormatError{part, 4, "header is too short", len(e.head)}
	}
	return e.container(e.rest[:e.PayloadSize], e.Flags), nil
}

// aloneImage is Alone for an image of a concatenated entry. It stores the image without compression.
func (e *Entry) aloneImage(part string) ([]byte, error) {
	if len(e.head) < EntryHeaderSize {
		return nil, &FormatError{part, 4, "record of an image is too short", len(e.head)}
	}
	payload, err := e.Decode()
	if err != nil {
		return nil, err
	}
	b := e.container(payload, e.Flags&^compressionFlags)
	le := binary.LittleEndian
	le.PutUint32(b[HeaderSize+offHeaderSize:], uint32(len(e.head)))
	le.PutUint64(b[HeaderSize+offPayloadSize:], uint64(len(payload)))
	return b, nil
}

// container returns a fat binary with one entry, which is e with the given payload and flags.
func (e *Entry) container(payload []byte, flags uint64) []byte {
	le := binary.LittleEndian
	size := uint64(len(e.head)) + uint64(len(payload))
	b := make([]byte, 0, HeaderSize+size)
	b = le.AppendUint32(b, Magic)
	b = le.AppendUint16(b, Version)
	b = le.AppendUint16(b, HeaderSize)
	b = le.AppendUint64(b, size)
	b = append(append(b, e.head...), payload...)
	le.PutUint64(b[HeaderSize+offFlags:], flags&^(FlagSuffixA|FlagSuffixF))
	return b
}
