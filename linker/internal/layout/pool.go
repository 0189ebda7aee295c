package layout

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// When the compiler's constants are too many for the bank of some kernel, nvlink makes one pool of
// those of all kernels, in which equal constants have one place, and puts it into the bank of each
// kernel (LAYOUT-112). Constants of some sizes get a place there and their operands keep the
// old one: such code would read another value, so that a pool with one that it really changes is
// refused (E-030).

// A constantPool is the common bank while it grows.
type constantPool struct {
	data    []byte
	align   uint64
	byValue map[alignedBytes]uint64 // places of constants; equal ones of other alignments have their own
	pieces  []program.Piece
	stays   []pooledConstant // whose operands do not follow
}

// pooledConstants is the name of the section in which nvlink makes the pool.
const pooledConstants = "TEMP_OCG_CONSTANTS"

type alignedBytes struct {
	bytes string
	align uint64
}

// A pooledConstant is one constant of the compiler with its bytes.
type pooledConstant struct {
	symbol *program.Symbol
	data   []byte
}

// poolCompilerConstants fills the banks of all kernels with one pool. It reports whether that
// helps: the pool fits into a bank, and every operand finds its value there.
func (l *Placed) poolCompilerConstants(banks map[*Kernel]*compilerBank) bool {
	p := &constantPool{align: 1, byValue: map[alignedBytes]uint64{}}
	places := map[*program.Symbol]uint64{}
	seen := map[*program.Section]bool{}
	bySection := map[*program.Section]*compilerBank{}
	for _, b := range banks {
		switch {
		case b.section == nil || len(b.parts) == 0 && isWhole(b.section) && b.size <= cubin.MaxConstant: // as it is
			continue
		case b.section.Mercury != nil: // what is in it are jump tables, and code is moved only later
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
				seen[part.from] = true
				p.addPart(part, places)
			}
		}
	}
	if uint64(len(p.data)) > cubin.MaxConstant || !p.serves() {
		return false
	}
	l.AddPassing(pooledConstants)
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

// isWhole reports whether s has constants without symbols, which nothing divides.
func isWhole(s *program.Section) bool { return s.Size > 0 && len(s.Internals) == 0 }

// addPart adds the constants of one section, by their places there. What lies inside of a larger
// one moves with it.
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

// add returns the place of a constant of s: that of an equal one, or a new one, aligned as s is. A zero
// of 4 or 8 bytes always has a place of its own.
func (p *constantPool) add(data []byte, s *program.Section) uint64 {
	isZero := len(data) <= 8 && len(bytes.Trim(data, "\x00")) == 0
	shared := catalogue.IsJoinable(uint64(len(data)), s.Align) && !isZero
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

// serves reports whether each operand that stays finds the bytes of its constant in the pool.
func (p *constantPool) serves() bool {
	for _, c := range p.stays {
		at := c.symbol.Value % cubin.MaxConstant // as much as an operand has room for
		if at > uint64(len(p.data)) || !bytes.HasPrefix(p.data[at:], c.data) {
			return false
		}
	}
	return true
}
