package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// If the user's constants are too large for their bank, nvlink packs them. Only the bytes of variables stay,
// and each variable gets a new offset. The gaps between the inputs' parts, and the discarded copies of weak
// variables, are dropped.

// packConstants assigns the variables of s new offsets. Global ones come first, by decreasing alignment and
// increasing size. Local ones follow by increasing size. Equal ones are in the reverse of the order that
// nvlink's sort produces. A variable is aligned to its size, but at most to 8 bytes, whatever alignment the
// inputs request. Relocations move with the variable that contains them. packConstants fails if a variable has
// size 0 (LAYOUT-061).
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
	size, align := uint64(0), uint64(1)
	if l.Options.ReserveNullPointer {
		size = maxPackedAlign // LAYOUT-110
	}
	order := listSort(variables, func(a, b *packed) bool {
		return a.align < b.align || a.align == b.align && a.symbol.Size > b.symbol.Size
	})
	for _, v := range slices.Backward(order) {
		y := v.symbol
		y.Value, align = cubin.AlignUp(size, packedAlign(y.Size)), max(align, v.align)
		if size = y.Value + y.Size; y.Size > math.MaxUint32 {
			break // no file is so large
		}
	}
	sides := s.Sides()
	for _, side := range sides {
		repack(side, order, size)
		side.Align = align
	}
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
	for _, side := range sides {
		movePacked(side.Relocations, variables)
	}
	return true
}

// repack moves the contents of one half of the constants to their new offsets. It omits contents beyond the
// end of the bank, but the size in the error message includes them.
func repack(side *program.Side, order []*packed, size uint64) {
	old := side.Bytes()
	side.Reset()
	for _, v := range slices.Backward(order) {
		y := v.symbol
		if y.Size > cubin.MaxConstant || y.Value+y.Size > cubin.MaxConstant {
			continue
		}
		data := make([]byte, y.Size)
		if v.was < uint64(len(old)) {
			copy(data, old[v.was:])
		}
		side.Add(program.Piece{Origin: y.DefinedIn, Offset: y.Value, Size: y.Size, Data: data})
	}
	side.Size = size
}

// movePacked moves relocations along with the variables that contain them. variables is sorted by their old
// places.
func movePacked(relocations []program.Relocation, variables []*packed) {
	for i := range relocations {
		r := &relocations[i]
		n, found := slices.BinarySearchFunc(variables, r.Offset, func(v *packed, at uint64) int { return cmp.Compare(v.was, at) })
		if !found {
			n--
		}
		if n >= 0 && r.Offset-variables[n].was < variables[n].symbol.Size {
			r.Offset += variables[n].symbol.Value - variables[n].was
		}
	}
}

// usedConstants returns the variables of s that live sections refer to. With -kernels-used or
// -variables-used the link has only these variables and those that the options name. Without these options it
// returns nil.
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
	align  uint64 // the sort key; nvlink knows it for global variables only
	was    uint64 // its old offset
}

// maxPackedAlign is the largest alignment of a packed variable.
const maxPackedAlign = 8

func packedAlign(size uint64) uint64 { return min(size, maxPackedAlign) }
