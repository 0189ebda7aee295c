package program

import (
	"encoding/binary"
	"iter"
	"slices"
	"sort"

	"github.com/culink/culink/linker/reloc"
)

// The bytes of a section are assembled only once, in the output. Until then a side holds pieces, most of which
// are memory of the inputs, and the values of relocations. Sections are assembled earlier only if they are read
// as a whole or regenerated.

// A Piece is the contribution of one input, or of the linker, to a section.
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
	Pieces []Piece   // in ascending order; they stay as a record if the bytes are regenerated
	whole  []byte    // the assembled bytes, which may be modified
	values [][]value // to write into the pieces
	later  *Later    // creates the bytes instead
}

// A Later creates bytes when they are written. The bytes consist of entries of one size.
type Later struct {
	Size  uint64                      // of all; set by emit
	Entry uint64                      // size of one; set by emit
	Fill  func(b []byte, from uint64) // b is some of the entries, from offset from on; set by emit
}

// A value is what a relocation writes to a place. Without a type it is a plain word.
type value struct {
	typ    *reloc.Type
	offset uint64
	reloc.Value
}

// write writes v to b, which holds the bytes of the side from offset from on.
func (v *value) write(b []byte, from uint64) {
	if place := b[v.offset-from:]; v.typ == nil {
		binary.LittleEndian.PutUint32(place, uint32(v.Symbol))
	} else {
		v.typ.ApplyAt(place, v.offset, v.Value)
	}
}

// end is the offset after the bytes that v changes.
func (v *value) end() uint64 {
	if v.typ == nil {
		return v.offset + 4
	}
	return v.offset + v.typ.Size()
}

// Add appends a piece.
func (c *Content) Add(p Piece) {
	if c.whole != nil && p.Data != nil {
		c.whole = append(append(c.whole, make([]byte, p.Offset-uint64(len(c.whole)))...), p.Data...)
		p.Data = c.whole[p.Offset:]
	}
	c.Pieces = append(c.Pieces, p)
}

// Expect makes room for the pieces of inputs to come, if those that are merged have added many. merged is their number.
func (c *Content) Expect(inputs, merged int) {
	const many = 16
	if n := len(c.Pieces); n >= many && n == cap(c.Pieces) && merged > 0 {
		c.Pieces = slices.Grow(c.Pieces, min(n*(inputs-merged)/merged+1, n+inputs-merged))
	}
}

// Assemble copies the bytes of pieces when they are added, if there are none yet. It reserves space for size bytes. The
// contents are then in memory once if a later phase reads them as a whole, and the memory of inputs is not needed.
func (c *Content) Assemble(size uint64) {
	if len(c.Pieces) == 0 && c.whole == nil {
		c.whole = make([]byte, 0, size)
	}
}

// OriginAt returns the input that the byte at an offset came from, or an empty string for the linker itself.
func (c *Content) OriginAt(offset uint64) string {
	i := sort.Search(len(c.Pieces), func(i int) bool { return c.Pieces[i].Offset+c.Pieces[i].Size > offset })
	if i == len(c.Pieces) || c.Pieces[i].Offset > offset {
		return ""
	}
	return c.Pieces[i].Origin
}

// Held returns the number of bytes that the side has in the file. It is less than the size of the side if a
// part exists only in memory.
func (c *Content) Held() uint64 {
	if c.whole != nil {
		return uint64(len(c.whole))
	}
	if c.later != nil {
		return c.later.Size
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
	if c.whole == nil && len(c.values) == 0 && c.later == nil {
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

// setBytes replaces the bytes by data. If data is nil, there are no contents.
func (c *Content) setBytes(data []byte) {
	c.whole, c.values, c.later = data, nil, nil
	if data == nil {
		c.Pieces = nil
	}
}

// Present reports whether there are contents, even if empty.
func (c *Content) Present() bool {
	return c.whole != nil || c.later != nil || slices.ContainsFunc(c.Pieces, func(p Piece) bool { return p.Data != nil })
}

// Written reports whether Parts yields the final bytes. It does not if values are still to be written.
func (c *Content) Written() bool { return c.whole != nil || len(c.values) == 0 && c.later == nil }

// A Part is a run of bytes of a side. Between two parts the bytes are zero.
type Part struct {
	Offset uint64
	Data   []byte
}

// Parts yields the bytes in ascending order, before any values are written to them.
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

// WriteTo writes the bytes to b. b must be zero and have at least Held bytes.
func (c *Content) WriteTo(b []byte) {
	if c.whole != nil {
		copy(b, c.whole)
		return
	}
	if c.later != nil {
		c.later.Fill(b[:c.later.Size], 0)
		return
	}
	for i := range c.Pieces {
		p := &c.Pieces[i]
		copy(b[min(p.Offset, uint64(len(b))):], p.Data)
	}
	b = b[:c.Held()]
	for _, list := range c.values {
		for i := range list {
			list[i].write(b, 0)
		}
	}
}

// WriteParts writes the bytes in parts of about most bytes. Each part is written to a zeroed buffer that room
// returns.
func (c *Content) WriteParts(most uint64, room func(size uint64) []byte) {
	switch held := c.Held(); {
	case c.whole == nil && c.later != nil:
		for at := uint64(0); at < held; {
			size := min(held-at, max(most-most%c.later.Entry, c.later.Entry))
			c.later.Fill(room(size), at)
			at += size
		}
	case c.whole != nil || held <= most || !c.inOrder(most):
		c.WriteTo(room(held))
	default:
		left := joined{lists: c.values}
		for w := range c.windows(most) {
			b := room(w.to - w.from)
			for _, p := range w.pieces {
				copy(b[p.Offset-w.from:], p.Data)
			}
			for v := left.first(); v != nil && v.offset < w.to; v = left.first() {
				v.write(b, w.from)
				left.drop()
			}
		}
	}
}

// A window contains some pieces and the zeros after them.
type window struct {
	from, to uint64
	pieces   []Piece
}

// windows yields the pieces in windows of at least least bytes. The last window may be smaller.
func (c *Content) windows(least uint64) iter.Seq[window] {
	return func(yield func(window) bool) {
		held, first, from := c.Held(), 0, uint64(0)
		for i := range c.Pieces {
			to := held
			if i+1 < len(c.Pieces) {
				to = min(held, c.Pieces[i+1].Offset)
			}
			if to-from < least && to < held || to == from {
				continue
			}
			if !yield(window{from, to, c.Pieces[first : i+1]}) {
				return
			}
			first, from = i+1, to
		}
	}
}

// inOrder reports whether the values of each window follow those of the windows before, and no value extends
// from one window into the next.
func (c *Content) inOrder(most uint64) bool {
	held, left := c.Held(), joined{lists: c.values}
	for w := range c.windows(most) {
		for v := left.first(); v != nil && v.offset < w.to; v = left.first() {
			if v.offset < w.from || v.end() > w.to && w.to < held {
				return false
			}
			left.drop()
		}
	}
	return left.first() == nil
}

// joined is a sequence of lists of values, none of which is empty.
type joined struct {
	lists [][]value
	at    int // in the first list
}

// first returns the first value, or nil if there is none.
func (j *joined) first() *value {
	if len(j.lists) == 0 {
		return nil
	}
	return &j.lists[0][j.at]
}

func (j *joined) drop() {
	if j.at++; j.at == len(j.lists[0]) {
		j.lists, j.at = j.lists[1:], 0
	}
}

// Values collects the values of relocations for one side. The side receives them when they are complete. For a
// side that is Borrowed, several collections can be made at the same time.
type Values struct {
	side *Content
	list []value
	room int
}

// Values returns an empty collection for the side. It is called after the last Add. room is the expected number
// of values.
func (c *Content) Values(room int) Values { return Values{side: c, room: room} }

// Borrowed reports whether no bytes of the side have been assembled yet.
func (c *Content) Borrowed() bool { return c.whole == nil }

// Write records the value of a relocation of type t at offset. It returns a [*reloc.RangeError] if offset is
// outside the bytes.
func (v *Values) Write(t *reloc.Type, offset uint64, to reloc.Value) error {
	switch held := v.side.Held(); {
	case offset >= held:
		return &reloc.RangeError{Type: t, Offset: offset, Size: held}
	case v.side.whole != nil:
		return t.Apply(v.side.whole, offset, to)
	}
	if v.list == nil {
		v.list = make([]value, 0, v.room)
	}
	v.list = append(v.list, value{t, offset, to})
	return nil
}

// Take adds the values after the existing ones.
func (c *Content) Take(v Values) {
	if len(v.list) > 0 {
		c.values = append(c.values, v.list)
	}
}

// PutUint32 writes the word at offset, which must be inside the bytes.
func (c *Content) PutUint32(offset uint64, word uint32) {
	v := value{offset: offset, Value: reloc.Value{Symbol: uint64(word)}}
	if c.whole != nil {
		v.write(c.whole, 0)
		return
	}
	c.values = append(c.values, []value{v})
}
