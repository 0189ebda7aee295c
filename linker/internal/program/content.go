package program

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/culink/culink/linker/reloc"
)

// The bytes of a section are made once, in the output. Until then a side has pieces, most
// of them borrowed from inputs, and the values that relocations came to. Only what has to
// be read as a whole before, or is made anew, is put together earlier.

// A Piece is what one input, or the linker, put into a section.
type Piece struct {
	Origin string // input; empty for the linker's own; set by merge, layout, tell
	What   string // says more than the symbols in it do; may be empty; set by layout, tell
	Offset uint64 // in the section; set by merge, layout, tell
	Size   uint64 // set by merge, layout, tell
	Align  uint64 // that it asked for; set by merge
	Data   []byte // its bytes, borrowed; nil in memory without contents; set by merge, layout
}

// Content is the bytes of a side.
type Content struct {
	Pieces []Piece // in rising order; they stay as a record when the bytes are made anew
	whole  []byte  // the bytes, once they have been put together; ours to write to
	values []value // to write into the pieces
}

// A value is what a relocation came to, or a word if it has no type.
type value struct {
	typ    *reloc.Type
	offset uint64
	reloc.Value
}

func (v *value) write(b []byte) error {
	if v.typ == nil {
		binary.LittleEndian.PutUint32(b[v.offset:], uint32(v.Symbol))
		return nil
	}
	return v.typ.Apply(b, v.offset, v.Value)
}

// Add appends a piece.
func (c *Content) Add(p Piece) {
	c.Pieces = append(c.Pieces, p)
	if c.whole != nil && p.Data != nil {
		c.whole = append(append(c.whole, make([]byte, p.Offset-uint64(len(c.whole)))...), p.Data...)
	}
}

// Held is how many bytes the file has: fewer than the side's size for what takes room in
// memory only.
func (c *Content) Held() uint64 {
	if c.whole != nil {
		return uint64(len(c.whole))
	}
	for i := len(c.Pieces) - 1; i >= 0; i-- {
		if p := &c.Pieces[i]; len(p.Data) > 0 {
			return p.Offset + uint64(len(p.Data))
		}
	}
	return 0
}

// Bytes returns the bytes, for reading only.
func (c *Content) Bytes() []byte {
	if c.whole == nil && len(c.values) == 0 {
		switch {
		case c.Held() == 0:
			return nil
		case len(c.Pieces) == 1 && c.Pieces[0].Offset == 0:
			return c.Pieces[0].Data
		}
	}
	return c.Writable()
}

// Writable returns the bytes, for writing too.
func (c *Content) Writable() []byte {
	if c.whole == nil {
		whole := make([]byte, c.Held())
		c.WriteTo(whole)
		c.setBytes(whole)
	}
	return c.whole
}

// setBytes makes data the bytes; nil for no contents.
func (c *Content) setBytes(data []byte) {
	c.whole, c.values = data, nil
	if data == nil {
		c.Pieces = nil
	}
}

// Present reports whether there are contents, be they empty.
func (c *Content) Present() bool {
	return c.whole != nil || slices.ContainsFunc(c.Pieces, func(p Piece) bool { return p.Data != nil })
}

// Written reports whether Parts are all of the bytes: no value has to be written into them.
func (c *Content) Written() bool { return c.whole != nil || len(c.values) == 0 }

// A Part of the bytes of a side, between zeros.
type Part struct {
	Offset uint64
	Data   []byte
}

// Parts yields the bytes in rising order, before any value is written into them.
func (c *Content) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		if c.whole != nil {
			yield(Part{0, c.whole})
			return
		}
		for i := range c.Pieces {
			if p := &c.Pieces[i]; len(p.Data) > 0 && !yield(Part{p.Offset, p.Data}) {
				return
			}
		}
	}
}

// WriteTo writes the bytes to b, which has Held bytes or more, and is zero.
func (c *Content) WriteTo(b []byte) {
	if c.whole != nil {
		copy(b, c.whole)
		return
	}
	for i := range c.Pieces {
		p := &c.Pieces[i]
		copy(b[min(p.Offset, uint64(len(b))):], p.Data)
	}
	b = b[:c.Held()]
	for i := range c.values {
		_ = c.values[i].write(b) // Write has looked at the offset
	}
}

// Write writes what a relocation of type t at offset came to, after the last Add. It fails with a
// [*reloc.RangeError] when offset is not inside the bytes.
func (c *Content) Write(t *reloc.Type, offset uint64, v reloc.Value) error {
	switch held := c.Held(); {
	case offset >= held:
		return &reloc.RangeError{Type: t, Offset: offset, Size: held}
	case c.whole != nil:
		return t.Apply(c.whole, offset, v)
	}
	c.values = append(c.values, value{t, offset, v})
	return nil
}

// PutUint32 writes the word at offset, which is inside the bytes.
func (c *Content) PutUint32(offset uint64, word uint32) {
	v := value{offset: offset, Value: reloc.Value{Symbol: uint64(word)}}
	if c.whole != nil {
		_ = v.write(c.whole)
		return
	}
	c.values = append(c.values, v)
}
