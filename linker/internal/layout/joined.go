package layout

import (
	"bytes"
	"slices"

	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// A link can select its kernels by -kernels-used, -variables-used or the references of host
// objects. nvlink then lays out the inputs' parts of .nv.constant3 a second time, and keeps only
// the first of equal parts. This is meant to merge the copies of an `inline __constant__` variable.
// Symbols and relocations are not updated. If variables follow a dropped part, code therefore reads
// the wrong ones (E-335).

// joinConstants drops those parts of s that equal an earlier part in bytes and alignment, except words of zeros
// (LAYOUT-990). The null symbol gets the offset of the last compared part that stays (EMIT-016). All parts stay if a
// variable would otherwise no longer be where its symbol is, or a relocation no longer where its
// bytes are (E-335).
func (l *Placed) joinConstants(s *program.Section) {
	halves := s.Sides()
	join := true
	for _, half := range halves {
		if half.Held() != half.Size {
			return
		}
		joined := l.layoutParts(half, true)
		join = join && l.staysRight(s, half, joined.Bytes())
	}
	for _, half := range slices.Backward(halves) {
		u := l.layoutParts(half, join)
		half.Content, half.Size = u.Content, u.size
		l.NullValue = u.last
	}
}

// A userLayout is .nv.constant3 under construction.
type userLayout struct {
	program.Content
	size uint64
	last uint64 // offset of the last compared part; without one the value of the null symbol
}

// layoutParts appends the parts of s. If join is set, it omits those equal to an earlier one.
func (l *Placed) layoutParts(s *program.Side, join bool) (u userLayout) {
	type value struct {
		bytes string
		align uint64
	}
	known := map[value]bool{}
	u.last = l.NullValue
	for _, p := range s.Pieces {
		if v := (value{string(p.Data), p.Align}); join && catalogue.IsJoinable(p.Size, p.Align) && !isZeroWord(p.Data) {
			if known[v] {
				continue
			}
			known[v] = true
		}
		p.Offset = cubin.AlignUp(u.size, p.Align)
		u.Add(p)
		u.size = p.Offset + p.Size
		if catalogue.IsJoinable(p.Size, p.Align) {
			u.last = p.Offset
		}
	}
	return u
}

// isZeroWord reports whether data is a word of 4 or 8 bytes that are all 0.
func isZeroWord(data []byte) bool {
	return len(data) <= 8 && len(bytes.Trim(data, "\x00")) == 0
}

// staysRight reports whether data can replace the contents of a side of s. It can if every variable
// keeps its bytes at its offset and every relocation is still inside data.
func (l *Placed) staysRight(s *program.Section, side *program.Side, data []byte) bool {
	had := side.Bytes()
	both := uint64(min(len(data), len(had)))
	same := func(from, size uint64) bool {
		return size <= both && from <= both-size && bytes.Equal(data[from:from+size], had[from:from+size])
	}
	for _, list := range [][]*program.Symbol{l.Locals, l.Globals} {
		for _, y := range list {
			if side == &s.Side && y.Section == s && !y.IsSection && !same(y.Value, y.Size) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(side.Relocations, func(r program.Relocation) bool { return r.Offset >= uint64(len(data)) })
}
