// Package craft makes small containers for tests: fat binaries, host objects and archives. It writes any values, valid
// or not, and checks nothing.
package craft

import (
	"encoding/binary"

	"github.com/pierrec/lz4/v4"
)

// An Entry is one program of a fat binary.
type Entry struct {
	Kind     uint16
	Arch     uint32
	Flags    uint64 // flags in addition to those for 64 bits, Linux and the compression
	Ident    string
	Options  string
	Payload  []byte
	Compress string  // "", "lz4", "zstd", "zstd-forms" or "zstd-matches"
	Images   []Entry // images of a concatenated entry, each with its kind, architecture, flags, texts and payload
}

// Fatbin makes a fat binary.
func Fatbin(entries ...Entry) []byte {
	var body []byte
	for _, e := range entries {
		body = append(body, e.encode()...)
	}
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0xba55ed50)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint16(b, 16)
	b = le.AppendUint64(b, uint64(len(body)))
	return append(b, body...)
}

// Offsets of fields in the header of an entry.
const (
	EntryKind           = 0
	EntryVersion        = 2
	EntryHeaderSize     = 4
	EntryPayloadSize    = 8
	EntryCompressedSize = 16
	EntryOptionsOffset  = 20
	EntryFormat         = 24
	EntryArch           = 28
	EntryIdentOffset    = 32
	EntryIdentSize      = 36
	EntryFlags          = 40
	EntryDecodedSize    = 56

	// ImageOffset and ImageSize are the offsets of fields in the record of an image. In the header of an entry, the fields
	// with sizes have the same offsets.
	ImageOffset = 4
	ImageSize   = 8
)

func (e Entry) encode() []byte {
	le := binary.LittleEndian
	header := e.texts(make([]byte, 64))
	if e.Images != nil {
		le.PutUint32(header[EntryOptionsOffset:], uint32(len(header)))
		var table []byte
		table, e.Payload = images(e.Images)
		header = append(header, table...)
	}
	flags := e.Flags ^ 0x11
	stored := e.Payload
	switch e.Compress {
	case "lz4":
		flags |= 0x2000
		stored = LZ4(e.Payload)
	case "zstd":
		flags |= 0x8000
		stored = Zstd(e.Payload)
	case "zstd-forms":
		flags |= 0x8000
		stored = ZstdForms(e.Payload)
	case "zstd-headers":
		flags |= 0x8000
		stored = ZstdHeaders(e.Payload)
	case "zstd-matches":
		flags |= 0x8000
		stored = ZstdMatches(e.Payload)
	}
	if e.Compress != "" {
		le.PutUint32(header[EntryCompressedSize:], uint32(len(stored)))
		le.PutUint64(header[EntryDecodedSize:], uint64(len(e.Payload)))
	}
	payload := pad(append([]byte(nil), stored...))
	le.PutUint16(header[EntryKind:], e.Kind)
	le.PutUint16(header[EntryVersion:], 0x101)
	le.PutUint32(header[EntryHeaderSize:], uint32(len(header)))
	le.PutUint64(header[EntryPayloadSize:], uint64(len(payload)))
	le.PutUint16(header[EntryFormat:], 8)
	le.PutUint16(header[EntryFormat+2:], 1)
	le.PutUint32(header[EntryArch:], e.Arch)
	le.PutUint64(header[EntryFlags:], flags)
	return append(header, payload...)
}

// texts appends the identifier and the options to the fixed part of an entry's header or of an image's record.
func (e *Entry) texts(header []byte) []byte {
	le := binary.LittleEndian
	if e.Ident != "" {
		le.PutUint32(header[EntryIdentOffset:], uint32(len(header)))
		le.PutUint32(header[EntryIdentSize:], uint32(len(e.Ident)))
		header = pad(append(header, e.Ident+"\x00"...))
	}
	if e.Options != "" {
		le.PutUint32(header[EntryOptionsOffset:], uint32(len(header)))
		header = le.AppendUint32(header, uint32(len(header)+8))
		header = le.AppendUint32(header, uint32(len(e.Options)))
		header = pad(append(header, e.Options+"\x00"...))
	}
	return header
}

// images returns the table of images of a concatenated entry, and its payload.
func images(list []Entry) (table, payload []byte) {
	le := binary.LittleEndian
	for _, e := range list {
		record := make([]byte, 64)
		le.PutUint16(record[EntryKind:], e.Kind)
		le.PutUint16(record[EntryVersion:], 0x101)
		le.PutUint32(record[ImageOffset:], uint32(len(payload)))
		le.PutUint64(record[ImageSize:], uint64(len(e.Payload)))
		le.PutUint16(record[EntryFormat:], 8)
		le.PutUint16(record[EntryFormat+2:], 1)
		le.PutUint32(record[EntryArch:], e.Arch)
		le.PutUint64(record[EntryFlags:], e.Flags^0x11)
		table = append(table, e.texts(record)...)
		payload = append(payload, e.Payload...)
	}
	head := le.AppendUint32(nil, uint32(len(list)))
	return append(le.AppendUint32(head, uint32(len(table)+8)), table...), payload
}

// pad appends zeros to b up to a multiple of eight bytes.
func pad(b []byte) []byte {
	return append(b, make([]byte, -len(b)&7)...)
}

// LZ4 compresses b to one block.
func LZ4(b []byte) []byte {
	out := make([]byte, lz4.CompressBlockBound(len(b)))
	var c lz4.CompressorHC
	n, err := c.CompressBlock(b, out)
	if err != nil || n == 0 {
		panic("craft: payload does not compress")
	}
	return out[:n]
}
