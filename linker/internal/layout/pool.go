package layout

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// If compiler-generated constants are too large for the bank of some kernel, nvlink builds one pool from
// the constants of all kernels. Equal constants share one offset in the pool, and every kernel's bank gets
// the whole pool (LAYOUT-112). Constants of some sizes move into the pool while the operands that refer to
// them keep the old offset. Such code would read another value. culink therefore refuses a pool that
// changes any such value (E-030).

// A constantPool is the common bank under construction.
type constantPool struct {
	data    []byte
	align   uint64
	byValue map[alignedBytes]uint64 // offsets of constants; equal bytes with another alignment have another offset
	pieces  []program.Piece
	stays   []pooledConstant // constants whose operands keep the old offset
}

// pooledConstants is the name of the temporary section that nvlink creates for the pool.
const pooledConstants = "TEMP_OCG_CONSTANTS"

type alignedBytes struct {
	bytes string
	align uint64
}

// A pooledConstant is one compiler-generated constant with its bytes.
type pooledConstant struct {
	symbol *program.Symbol
	data   []byte
}

// poolCompilerConstants fills the banks of all kernels with one pool. It reports whether it succeeded. The
// pool must fit into a bank, and every operand must find its value there.
func (l *Placed) poolCompilerConstants(banks map[*Kernel]*compilerBank) bool {
	p := &constantPool{align: 1, byValue: map[alignedBytes]uint64{}}
	l.AddPassing(pooledConstants) // -v counts it even if no pool helps (LAYOUT-107)
	places := map[*program.Symbol]uint64{}
	seen := map[*program.Section]bool{}
	bySection := map[*program.Section]*compilerBank{}
	null := l.NullValue
	for _, b := range banks {
		switch {
		case b.section == nil || len(b.parts) == 0 && isWhole(b.section) && b.size <= cubin.MaxConstant: // unchanged
			continue
		case b.section.Mercury != nil: // it holds jump tables, and code moves only later
			return false
		case isWhole(b.section) || slices.ContainsFunc(b.parts, func(part constantPart) bool { return isWhole(part.from) }):
			return false
		}
		bySection[b.section] = b
	}
	for _, s := range slices.Backward(l.Sections) { // the newest bank first
		b := bySection[s]
		if b == nil {
			continue
		}
		for _, part := range append([]constantPart{{from: s}}, b.parts...) {
			if !seen[part.from] {
				p.addPart(part, places)
			}
			if place, ok := p.addDiscarded(part.from, l.Discarded[part.from], seen[part.from]); ok {
				null = place
			}
			seen[part.from] = true
		}
	}
	if uint64(len(p.data)) > cubin.MaxConstant || !p.serves() {
		return false
	}
	l.NullValue = null
	for y, value := range places {
		y.Value = value
	}
	for s := range bySection {
		s.Reset()
		s.State, s.Align = program.Kept, p.align
		for _, piece := range p.pieces {
			s.Add(piece)
		}
		s.Size = uint64(len(p.data))
		s.FillUp()
	}
	return true
}

// hasDiscarded reports whether a bank contains constants of a discarded copy (KIT-690).
func (l *Placed) hasDiscarded(banks map[*Kernel]*compilerBank) bool {
	for _, b := range banks {
		isCopied := func(part constantPart) bool { return l.Discarded[part.from] != nil }
		if b.section != nil && l.Discarded[b.section] != nil || slices.ContainsFunc(b.parts, isCopied) {
			return true
		}
	}
	return false
}

// isWhole reports whether s has constants without symbols, and so cannot be divided.
func isWhole(s *program.Section) bool { return s.Size > 0 && len(s.Internals) == 0 }

// addPart adds the constants of one section, in the order of their offsets. A constant inside
// a larger one moves with it.
func (p *constantPool) addPart(part constantPart, places map[*program.Symbol]uint64) {
	s, old := part.from, part.from.Bytes()
	list := slices.Clone(s.Internals)
	slices.SortStableFunc(list, func(a, b *program.Symbol) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(b.Size, a.Size))
	})
	p.align = max(p.align, s.Align)
	var outer *program.Symbol
	for _, y := range list {
		if outer != nil && y.Value+y.Size <= outer.Value+outer.Size {
			if place, ok := places[outer]; ok {
				places[y] = place + y.Value - outer.Value
			}
			continue
		}
		outer = y
		c := pooledConstant{symbol: y, data: make([]byte, y.Size)}
		if from := y.Value - part.offset; from < uint64(len(old)) {
			copy(c.data, old[from:])
		}
		place := p.add(c.data, s)
		if catalogue.IsJoinable(y.Size, s.Align) {
			places[y] = place
		} else {
			p.stays = append(p.stays, c)
		}
	}
}

// addDiscarded adds the constants at some offsets of s, those of the discarded copies of a weak function. A copy has no
// symbols, so it is one constant of its whole size, and no operand refers to it. A copy of a size that is not compared is
// added again for each bank. addDiscarded returns the place of the last copy that nvlink moves, which becomes the value of
// the null symbol.
func (p *constantPool) addDiscarded(s *program.Section, offsets []uint64, again bool) (place uint64, ok bool) {
	for _, piece := range s.Pieces {
		_, isDiscarded := slices.BinarySearch(offsets, piece.Offset)
		switch isJoinable := catalogue.IsJoinable(piece.Size, s.Align); {
		case !isDiscarded, again && isJoinable:
		case isJoinable:
			place, ok = p.add(piece.Data, s), true
		default:
			p.add(piece.Data, s)
		}
	}
	return place, ok
}

// add returns the offset of a constant of s. Equal constants share an offset; a new one is aligned as s is.
// A zero of 4 or 8 bytes always has its own offset.
func (p *constantPool) add(data []byte, s *program.Section) uint64 {
	shared := catalogue.IsJoinable(uint64(len(data)), s.Align) && !isZeroWord(data)
	key := alignedBytes{string(data), s.Align}
	if place, ok := p.byValue[key]; ok && shared {
		return place
	}
	place := cubin.AlignUp(uint64(len(p.data)), s.Align)
	p.data = append(p.data, make([]byte, place-uint64(len(p.data)))...)
	p.data = append(p.data, data...)
	p.pieces = append(p.pieces, program.Piece{
		Origin: s.Fn.Symbol.DefinedIn, What: ConstantsOf + s.Fn.Symbol.Name, Offset: place, Size: uint64(len(data)), Data: data,
	})
	if shared {
		p.byValue[key] = place
	}
	return place
}

// serves reports whether each operand that keeps its old offset finds the bytes of its constant there.
func (p *constantPool) serves() bool {
	for _, c := range p.stays {
		at := c.symbol.Value % cubin.MaxConstant // the range of the operand field
		if at > uint64(len(p.data)) || !bytes.HasPrefix(p.data[at:], c.data) {
			return false
		}
	}
	return true
}
