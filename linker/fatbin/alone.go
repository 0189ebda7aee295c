package fatbin

import (
	"encoding/binary"
	"fmt"
)

// offFlags is where the header of an entry has its flags.
const offFlags = 40

// Alone returns a fat binary that holds only e, as it is in the file, for the plain
// architecture: without the flags of 'a' and 'f'. So code that is compressed in a way
// that nothing here reads can be handed to a program that reads it (LTO-011). The error
// is a [FormatError].
func (e *Entry) Alone() ([]byte, error) {
	part := fmt.Sprintf("entry %d", e.Index)
	if e.PayloadSize > uint64(len(e.rest)) {
		return nil, &FormatError{part, 8, "payload past the end of the file", e.PayloadSize}
	}
	if len(e.head) < EntryHeaderSize {
		return nil, &FormatError{part, 4, "header is too short", len(e.head)}
	}
	le := binary.LittleEndian
	size := uint64(len(e.head)) + e.PayloadSize
	b := make([]byte, 0, HeaderSize+size)
	b = le.AppendUint32(b, Magic)
	b = le.AppendUint16(b, Version)
	b = le.AppendUint16(b, HeaderSize)
	b = le.AppendUint64(b, size)
	b = append(append(b, e.head...), e.rest[:e.PayloadSize]...)
	le.PutUint64(b[HeaderSize+offFlags:], e.Flags&^(FlagSuffixA|FlagSuffixF))
	return b, nil
}
