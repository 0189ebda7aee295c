// Package nvinfo reads and writes the metadata of cubins: the attributes of .nv.info and .nv.info.<function>
// (EIATTR_*), the compatibility records of .nv.compat (EICOMPAT_ATTR_*), and the notes .note.nv.tkinfo,
// .note.nv.cuinfo and .note.nv.cuver.
//
// Attributes and Compats are tables that describe every code. docs/attributes.md is generated from them.
package nvinfo

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
)

// Attributes and compatibility records have the same form: a format byte, a code byte and two bytes of value.
// Only a sized record is longer: its two bytes are the length of the payload that follows (INFO-007). There is
// no padding and no count. The records follow each other until the section ends. As in nvlink, a record of an
// unknown format has four bytes too (INFO-007).

// A Format is the first byte of a record. It determines the length of the record.
type Format uint8

// The formats, with the names that cuobjdump prints.
const (
	NoValue Format = 1 // EIFMT_NVAL: the attribute's presence is the information
	Byte    Format = 2 // EIFMT_BVAL: the value is the first byte
	Half    Format = 3 // EIFMT_HVAL: the value is a 16-bit number
	Sized   Format = 4 // EIFMT_SVAL: a payload follows
)

func (f Format) String() string {
	switch f {
	case NoValue:
		return "EIFMT_NVAL"
	case Byte:
		return "EIFMT_BVAL"
	case Half:
		return "EIFMT_HVAL"
	case Sized:
		return "EIFMT_SVAL"
	}
	return fmt.Sprintf("format %#02x", uint8(f))
}

// headSize is the length in bytes of a record without payload.
const headSize = 4

// MaxPayload is the maximum size of a payload in bytes.
const MaxPayload = 0xffff

// A Record is one attribute or compatibility record.
type Record struct {
	Format  Format
	Code    Code
	Value   uint16 // bytes 2 and 3; not used by Sized records
	Payload []byte // of a Sized record; borrowed if the record was decoded
}

// Size returns the size of r in a section, in bytes.
func (r Record) Size() int {
	if r.Format == Sized {
		return headSize + len(r.Payload)
	}
	return headSize
}

// Words returns the number of whole 32-bit words in the payload.
func (r Record) Words() int { return len(r.Payload) / 4 }

// Word returns the 32-bit word i of the payload, or 0 if there is none.
func (r Record) Word(i int) uint32 {
	if i < 0 || i >= r.Words() {
		return 0
	}
	return binary.LittleEndian.Uint32(r.Payload[4*i:])
}

// WithWord returns r with word i replaced. It does not change the payload of r itself. A record without a word
// i is returned unchanged.
func (r Record) WithWord(i int, word uint32) Record {
	if i < 0 || i >= r.Words() {
		return r
	}
	r.Payload = append([]byte(nil), r.Payload...)
	binary.LittleEndian.PutUint32(r.Payload[4*i:], word)
	return r
}

// New returns a Sized record whose payload is words.
func New(code Code, words ...uint32) Record {
	payload := make([]byte, 0, 4*len(words))
	for _, w := range words {
		payload = binary.LittleEndian.AppendUint32(payload, w)
	}
	return Record{Format: Sized, Code: code, Payload: payload}
}

// A FormatError reports a damaged record. It has the offset of the record in the section, and the value there.
type FormatError struct {
	Offset int // from the start of the section
	Msg    string
	Value  any
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s at %#x: %v", e.Msg, e.Offset, e.Value)
}

// Decode reads the records of a section. The payloads use the memory of data. If a record is damaged, Decode
// returns the records before it and a *FormatError.
//
// Decoding is lossless: [Encode] of the records returns data.
func Decode(data []byte) ([]Record, error) { return DecodeAhead(data, len(data)) }

// DecodeAhead reads the records of a section of size bytes as nvlink does. The last record may extend beyond
// the section if data is longer (DIAG-302).
func DecodeAhead(data []byte, size int) ([]Record, error) { return AppendRecords(nil, data, size) }

// AppendRecords appends the records that DecodeAhead reads to records.
func AppendRecords(records []Record, data []byte, size int) ([]Record, error) {
	n := 0
	for _, err := range Records(data, size) {
		if err == nil {
			n++
		}
	}
	records = slices.Grow(records, n)
	for r, err := range Records(data, size) {
		if err != nil {
			return records, err
		}
		records = append(records, r)
	}
	return records, nil
}

// Records yields the records that DecodeAhead reads, one by one. If a record is damaged, a *FormatError follows
// the records before it.
func Records(data []byte, size int) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for at := 0; at < size; {
			rest := data[at:]
			if len(rest) < headSize {
				yield(Record{}, &FormatError{at, "record is cut off", fmt.Sprintf("%d of 4 bytes", len(rest))})
				return
			}
			r := Record{Format: Format(rest[0]), Code: Code(rest[1])}
			value := binary.LittleEndian.Uint16(rest[2:])
			if r.Format == Sized {
				if int(value) > len(rest)-headSize {
					yield(Record{}, &FormatError{at, "payload runs past the end of the section", value})
					return
				}
				r.Payload = rest[headSize : headSize+int(value) : headSize+int(value)]
			} else {
				r.Value = value
			}
			if !yield(r, nil) {
				return
			}
			at += r.Size()
		}
	}
}

// Append appends the bytes of r to b. The payload must not be longer than MaxPayload.
func Append(b []byte, r Record) []byte {
	b = append(b, uint8(r.Format), uint8(r.Code))
	if r.Format != Sized {
		return binary.LittleEndian.AppendUint16(b, r.Value)
	}
	payload := r.Payload[:min(len(r.Payload), MaxPayload)]
	b = binary.LittleEndian.AppendUint16(b, uint16(len(payload)))
	return append(b, payload...)
}

// Encode returns the bytes of records in order.
func Encode(records []Record) []byte {
	size := 0
	for _, r := range records {
		size += r.Size()
	}
	b := make([]byte, 0, size)
	for _, r := range records {
		b = Append(b, r)
	}
	return b
}
