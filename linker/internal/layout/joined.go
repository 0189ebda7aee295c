package layout

import (
	"bytes"
	"slices"

	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// In a link that chooses its kernels, by -kernels-used, -variables-used or what host
// objects refer to, nvlink lays the inputs' parts of .nv.constant3 out once more, and
// of equal parts keeps the first. That is how copies of an `inline __constant__`
// variable become one. Symbols and relocations stay where merge put them: when
// variables lie after a part that went, code reads others (E-335).

// joinConstants leaves out the parts of s whose bytes and alignment are those of an
// earlier one, and writes the place of the last compared part that stays into the null
// symbol (EMIT-016). Where that would move a variable from under its symbol, or a
// relocation from what it patches, all parts stay (E-335).
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

// A userLayout is .nv.constant3 as its parts come to it.
type userLayout struct {
	program.Content
	size uint64
	last uint64 // place of the last part that is compared; without one what the null symbol has
}

// layoutParts appends the parts of s, without those equal to an earlier one if join.
func (l *Placed) layoutParts(s *program.Side, join bool) (u userLayout) {
	type value struct {
		bytes string
		align uint64
	}
	known := map[value]bool{}
	u.last = l.NullValue
	for _, p := range s.Pieces {
		if v := (value{string(p.Data), p.Align}); join && catalogue.IsJoinable(p.Size, p.Align) {
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

// staysRight reports whether every variable of a side of s has its bytes, and every
// relocation what it patches, at the same place when the side holds data instead.
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
