package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// When the user's constants are too large for their bank, nvlink packs them: only the
// bytes of variables stay, each variable at a place of its own. What goes are the
// gaps between the inputs' parts, and the copies of weak variables that lost.

// packConstants returns the variables of s new places: global ones first, by falling
// alignment and rising size, the local ones by rising size, ties in the order that
// nvlink's sort gives, from its end. A variable is aligned to its own size, to 8 bytes
// at most, whatever the inputs asked for. Relocations move along with the variable
// that they patch. It fails if a variable has no size (LAYOUT-061).
func (l *Placed) packConstants(s *program.Section) bool {
	var variables []*packed
	var dropped []*program.Symbol
	used := l.usedConstants(s)
	for i, list := range [][]*program.Symbol{l.Locals, l.Globals} {
		for _, y := range list {
			if y.Section != s || y.IsSection {
				continue
			}
			if used != nil && !used[y] && !program.ContainsAny(y.Name, l.Options.VariablesUsed) {
				dropped = append(dropped, y)
				continue
			}
			if y.Size == 0 {
				return false
			}
			v := &packed{symbol: y, was: y.Value}
			if i == 1 {
				v.align = packedAlign(y.Size)
			}
			variables = append(variables, v)
		}
	}
	old, align := s.Bytes(), uint64(1)
	s.Reset()
	if l.Options.ReserveNullPointer {
		s.Size = maxPackedAlign // LAYOUT-110
	}
	order := listSort(variables, func(a, b *packed) bool {
		return a.align < b.align || a.align == b.align && a.symbol.Size > b.symbol.Size
	})
	for _, v := range slices.Backward(order) {
		y := v.symbol
		y.Value, align = cubin.AlignUp(s.Size, packedAlign(y.Size)), max(align, v.align)
		if s.Size = y.Value + y.Size; y.Size > cubin.MaxConstant || s.Size > cubin.MaxConstant {
			if y.Size > math.MaxUint32 {
				break // no file has so much
			}
			continue // the message tells the size
		}
		data := make([]byte, y.Size)
		if v.was < uint64(len(old)) {
			copy(data, old[v.was:])
		}
		s.Add(program.Piece{Origin: y.DefinedIn, Offset: y.Value, Size: y.Size, Data: data})
	}
	s.Align = align
	if s.State = program.Kept; s.Size == 0 {
		s.State = program.Gone
	}
	for _, y := range dropped {
		if l.Options.PreserveRelocs && s.State == program.Kept {
			y.Other |= cubin.OtherInternal
		} else {
			y.Hidden, y.Unnamed = true, true
		}
	}
	slices.SortStableFunc(variables, func(a, b *packed) int { return cmp.Compare(a.was, b.was) })
	for i := range s.Relocations {
		r := &s.Relocations[i]
		n, found := slices.BinarySearchFunc(variables, r.Offset, func(v *packed, at uint64) int { return cmp.Compare(v.was, at) })
		if !found {
			n--
		}
		if n >= 0 && r.Offset-variables[n].was < variables[n].symbol.Size {
			r.Offset += variables[n].symbol.Value - variables[n].was
		}
	}
	return true
}

// usedConstants returns the variables of s that something refers to, when -kernels-used or
// -variables-used ask for no others than these and those that they name; else nil.
func (l *Placed) usedConstants(s *program.Section) map[*program.Symbol]bool {
	if o := l.Options; !o.SelectsByName() || o.Debug || o.Relocatable {
		return nil
	}
	used := map[*program.Symbol]bool{}
	for _, from := range l.Sections {
		if from.Dead() {
			continue
		}
		for _, r := range from.Relocations {
			if r.Symbol != nil && r.Symbol.Section == s {
				used[r.Symbol] = true
			}
		}
	}
	return used
}

// A packed variable is one that packConstants moves.
type packed struct {
	symbol *program.Symbol
	align  uint64 // by which it is sorted: nvlink knows that of a global one only
	was    uint64 // its old place
}

// maxPackedAlign is the largest alignment of what is packed.
const maxPackedAlign = 8

func packedAlign(size uint64) uint64 { return min(size, maxPackedAlign) }
