package layout

import (
	"bytes"
	"slices"

	"github.com/culink/culink/linker/constpool"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// In a link that chooses its kernels, by -kernels-used, -variables-used or what host
// objects refer to, nvlink lays the inputs' parts of .nv.constant3 out once more, and
// of equal parts keeps the first. That is how copies of an `inline __constant__`
// variable become one. Symbols and relocations stay where merge put them: when
// variables lie after a part that went, code reads others (E-335).

// compared reports whether nvlink looks for an equal part.
func compared(p program.UserPart) bool { return constpool.Compares(p.Size, p.Align) }

// joinConstants leaves out the parts of s whose bytes and alignment are those of an
// earlier one, and writes the place of the last compared part that stays into the null
// symbol (EMIT-016). Where that would move a variable from under its symbol, or a
// relocation from what it patches, all parts stay (E-335).
func (l *Placed) joinConstants(s *program.Section) {
	halves := []*program.Section{s}
	if s.Copy != nil {
		halves = append(halves, s.Copy)
	}
	join := true
	for _, half := range halves {
		if uint64(len(half.Data)) != half.Size {
			return
		}
		join = join && l.staysRight(half, l.layoutParts(half, true).data)
	}
	for _, half := range slices.Backward(halves) {
		u := l.layoutParts(half, join)
		half.Data, half.Size, half.Owned, half.Parts = u.data, uint64(len(u.data)), true, u.parts
		l.NullValue = u.last
	}
}

// A userLayout is .nv.constant3 as its parts come to it.
type userLayout struct {
	data  []byte
	last  uint64         // place of the last part that is compared; without one what the null symbol has
	parts []program.Part // for the map
}

// layoutParts appends the parts of s, without those equal to an earlier one if join.
func (l *Placed) layoutParts(s *program.Section, join bool) (u userLayout) {
	type value struct {
		bytes string
		align uint64
	}
	known := map[value]bool{}
	u.last = l.NullValue
	for i, p := range l.UserParts[s] {
		data := s.Data[p.Offset : p.Offset+p.Size]
		if v := (value{string(data), p.Align}); join && compared(p) {
			if known[v] {
				continue
			}
			known[v] = true
		}
		base := cubin.AlignUp(uint64(len(u.data)), p.Align)
		u.data = append(append(u.data, make([]byte, base-uint64(len(u.data)))...), data...)
		if compared(p) {
			u.last = base
		}
		if s.Parts != nil {
			moved := s.Parts[i]
			moved.Offset = base
			u.parts = append(u.parts, moved)
		}
	}
	return u
}

// staysRight reports whether every variable of s has its bytes, and every relocation what
// it patches, at the same place when s holds data instead.
func (l *Placed) staysRight(s *program.Section, data []byte) bool {
	both := uint64(min(len(data), len(s.Data)))
	same := func(from, size uint64) bool {
		return size <= both && from <= both-size && bytes.Equal(data[from:from+size], s.Data[from:from+size])
	}
	for _, list := range [][]*program.Symbol{l.Locals, l.Globals} {
		for _, y := range list {
			if y.Section == s && !y.IsSection && !same(y.Value, y.Size) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(s.Relocations, func(r program.Relocation) bool { return r.Offset >= uint64(len(data)) })
}
