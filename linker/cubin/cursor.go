package cubin

import (
	"encoding/binary"
	"fmt"
)

// A FormatError describes an error in a file, with its offset and the value there.
type FormatError struct {
	File   string
	Part   string // ".rela.text.k", "section header 7"
	Offset int64  // from the start of the file
	Msg    string
	Value  any
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: %s: %s at %#x: %v", e.File, e.Part, e.Msg, e.Offset, e.Value)
}

// A cursor reads a part of a file. The package reads numbers only through cursors. A read past the end returns
// zero and sets err, once. The caller checks err when a record is complete.
type cursor struct {
	file *File
	part string
	data []byte // the part
	base int64  // offset of data in the file
	pos  int
	err  error
}

func (c *cursor) fail(msg string, value any) {
	if c.err == nil {
		c.err = &FormatError{c.file.Name, c.part, c.base + int64(c.pos), msg, value}
	}
}

func (c *cursor) bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n > len(c.data)-c.pos {
		c.fail("truncated", fmt.Sprintf("%d bytes wanted, %d left", n, len(c.data)-c.pos))
		return nil
	}
	b := c.data[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

func (c *cursor) u16() uint16 {
	if b := c.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
