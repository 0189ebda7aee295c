package linker

import (
	"cmp"
	"math"
	"slices"
)

// When the user's constants are too large for their bank, nvlink packs them: only the
// bytes of variables stay, each variable at a place of its own. What goes are the
// gaps between the inputs' parts, and the copies of weak variables that lost.

// packConstants gives the variables of s new places: global ones first, by falling
// alignment and rising size, the local ones by rising size, ties in the order that
// nvlink's sort gives, from its end. A variable is aligned to its own size, to 8 bytes
// at most, whatever the inputs asked for. Relocations move along with the variable
// that they patch. It fails if a variable has no size (LAYOUT-061).
func (l *laidOut) packConstants(s *section) bool {
	var variables []*packed
	used := l.usedConstants(s)
	for i, list := range [][]*symbol{l.locals, l.globals} {
		for _, y := range list {
			if y.section != s || y.isSection {
				continue
			}
			if used != nil && !used[y] && !containsAny(y.name, l.options.VariablesUsed) {
				y.hidden, y.unnamed = true, true
				continue
			}
			if y.size == 0 {
				return false
			}
			v := &packed{symbol: y, was: y.value}
			if i == 1 {
				v.align = packedAlign(y.size)
			}
			variables = append(variables, v)
		}
	}
	old, align := s.data, uint64(1)
	s.data, s.owned, s.size, s.parts = nil, true, 0, nil
	order := listSort(variables, func(a, b *packed) bool {
		return a.align < b.align || a.align == b.align && a.symbol.size > b.symbol.size
	})
	for _, v := range slices.Backward(order) {
		y := v.symbol
		y.value, align = alignUp(s.size, packedAlign(y.size)), max(align, v.align)
		if s.size = y.value + y.size; y.size > maxConstant || s.size > maxConstant {
			if y.size > math.MaxUint32 {
				break // no file has so much
			}
			continue // the message tells the size
		}
		s.data = append(s.data, make([]byte, s.size-uint64(len(s.data)))...)
		if v.was < uint64(len(old)) {
			copy(s.data[y.value:], old[v.was:])
		}
		l.addPart(s, part{origin: y.definedIn, offset: y.value, size: y.size})
	}
	s.align = align
	s.kept, s.gone = s.size > 0, s.size == 0
	slices.SortStableFunc(variables, func(a, b *packed) int { return cmp.Compare(a.was, b.was) })
	for i := range s.relocations {
		r := &s.relocations[i]
		n, found := slices.BinarySearchFunc(variables, r.offset, func(v *packed, at uint64) int { return cmp.Compare(v.was, at) })
		if !found {
			n--
		}
		if n >= 0 && r.offset-variables[n].was < variables[n].symbol.size {
			r.offset += variables[n].symbol.value - variables[n].was
		}
	}
	return true
}

// usedConstants gives the variables of s that something refers to, when -kernels-used or
// -variables-used ask for no others than these and those that they name; else nil.
func (l *laidOut) usedConstants(s *section) map[*symbol]bool {
	if !l.options.selectsByName() || l.options.keepsDeadCode() {
		return nil
	}
	used := map[*symbol]bool{}
	for _, from := range l.sections {
		if from.dead() {
			continue
		}
		for _, r := range from.relocations {
			if r.symbol != nil && r.symbol.section == s {
				used[r.symbol] = true
			}
		}
	}
	return used
}

// A packed variable is one that packConstants moves.
type packed struct {
	symbol *symbol
	align  uint64 // by which it is sorted: nvlink knows that of a global one only
	was    uint64 // its old place
}

func packedAlign(size uint64) uint64 { return min(size, 8) }
