package linker

import (
	"bytes"
	"slices"

	"github.com/culink/culink/linker/constpool"
)

// In a link that chooses its kernels, by -kernels-used, -variables-used or what host
// objects refer to, nvlink lays the inputs' parts of .nv.constant3 out once more, and
// of equal parts keeps the first. That is how copies of an `inline __constant__`
// variable become one. Symbols and relocations stay where merge put them: when
// variables lie behind a part that went, code reads others (E-335).

// A userPart is what an input put into .nv.constant3, or into its Mercury half.
type userPart struct {
	offset, size, align uint64
}

// addUserPart notes a part of s, if that is .nv.constant3.
func (m *merged) addUserPart(s *section, p userPart) {
	if s.name == userConstantName || s.original != nil && s.original.name == userConstantName {
		m.userParts[s] = append(m.userParts[s], p)
	}
}

// compared tells whether nvlink looks for an equal part.
func (p userPart) compared() bool { return constpool.Compares(p.size, p.align) }

// joinConstants leaves out the parts of s whose bytes and alignment are those of an
// earlier one, and writes the place of the last compared part that stays into the null
// symbol (EMIT-016). Where that would move a variable from under its symbol, or a
// relocation from what it patches, all parts stay (E-335).
func (l *laidOut) joinConstants(s *section) {
	halves := []*section{s}
	if s.copy != nil {
		halves = append(halves, s.copy)
	}
	join := true
	for _, half := range halves {
		if uint64(len(half.data)) != half.size {
			return
		}
		join = join && l.staysRight(half, l.layoutParts(half, true).data)
	}
	for _, half := range slices.Backward(halves) {
		u := l.layoutParts(half, join)
		half.data, half.size, half.owned, half.parts = u.data, uint64(len(u.data)), true, u.parts
		l.nullValue = u.last
	}
}

// A userLayout is .nv.constant3 as its parts come to it.
type userLayout struct {
	data  []byte
	last  uint64 // place of the last part that is compared; without one what the null symbol has
	parts []part // for the map
}

// layoutParts appends the parts of s, without those equal to an earlier one if join.
func (l *laidOut) layoutParts(s *section, join bool) (u userLayout) {
	type value struct {
		bytes string
		align uint64
	}
	known := map[value]bool{}
	u.last = l.nullValue
	for i, p := range l.userParts[s] {
		data := s.data[p.offset : p.offset+p.size]
		if v := (value{string(data), p.align}); join && p.compared() {
			if known[v] {
				continue
			}
			known[v] = true
		}
		base := alignUp(uint64(len(u.data)), p.align)
		u.data = append(append(u.data, make([]byte, base-uint64(len(u.data)))...), data...)
		if p.compared() {
			u.last = base
		}
		if s.parts != nil {
			moved := s.parts[i]
			moved.offset = base
			u.parts = append(u.parts, moved)
		}
	}
	return u
}

// staysRight tells whether every variable of s has its bytes, and every relocation what
// it patches, at the same place when s holds data instead.
func (l *laidOut) staysRight(s *section, data []byte) bool {
	both := uint64(min(len(data), len(s.data)))
	same := func(from, size uint64) bool {
		return size <= both && from <= both-size && bytes.Equal(data[from:from+size], s.data[from:from+size])
	}
	for _, list := range [][]*symbol{l.locals, l.globals} {
		for _, y := range list {
			if y.section == s && !y.isSection && !same(y.value, y.size) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(s.relocations, func(r relocation) bool { return r.offset >= uint64(len(data)) })
}
