package linker

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// The compiler's constants of a function have a symbol each. nvlink takes them over
// symbol by symbol: what no symbol covers is zero, what follows the last one is cut
// off. A section without symbols is taken whole, and stays with its function.

// findConstants lists the symbols of the input in each section of compiler constants.
func (in *merger) findConstants() {
	in.constants = map[uint32][]*cubin.Symbol{}
	for i := range in.object.symbols {
		y := &in.object.symbols[i]
		if y.Type == cubin.SymSection || y.Size == 0 || int(y.Section) >= len(in.object.file.Sections) {
			continue
		}
		s := &in.object.file.Sections[y.Section]
		if bank, ok := s.ConstantBank(); ok && bank == compilerBankNumber && s.Info != 0 && s.HasBytes() {
			in.constants[y.Section] = append(in.constants[y.Section], y)
		}
	}
}

// contents gives the bytes of section i that nvlink takes (MERGE-019). Constants may
// lie inside of others, but must not overlap by a part.
func (in *merger) contents(i uint32) []byte {
	data := in.object.data(i)
	list := slices.Clone(in.constants[i])
	if len(list) == 0 {
		return data
	}
	slices.SortStableFunc(list, func(a, b *cubin.Symbol) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(b.Size, a.Size))
	})
	var taken []byte
	for _, y := range list {
		end := y.Value + y.Size
		switch has := uint64(len(taken)); {
		case max(y.Value, y.Size) > uint64(len(data))+maxConstant:
			in.log.Add(damagedInput(in.object.name, in.object.damaged(".symtab", int64(y.Index)*cubin.SymbolSize, "constant "+y.Name+" is larger than its bank", y.Size)))
			return data
		case y.Value < has && end > has:
			in.log.Report(diag.InternalError, "overlapping data spans too much")
			return data
		case end > has:
			taken = append(taken, make([]byte, end-has)...)
			if y.Value < uint64(len(data)) {
				copy(taken[y.Value:end], data[y.Value:])
			}
		}
	}
	return taken
}

// lostConstants are symbols of the compiler's constants whose function another input
// replaced by code without constants, and with them their section.
func (m *merged) lostConstants() (lost []*symbol) {
	for _, s := range m.sections {
		if s.bank == compilerBankNumber && s.gone {
			lost = append(lost, s.internals...)
		}
	}
	return lost
}

// keepsLostConstants reports whether a relocatable link has to refer to constants that it
// lost: by their symbols, or, beside a Mercury half, by the relocations of jump tables, which
// stay there (MERGE-038, MERC-215).
func (m *merged) keepsLostConstants() bool {
	if !m.mercury {
		return len(m.lostConstants()) > 0
	}
	return slices.ContainsFunc(m.sections, func(s *section) bool {
		return s.bank == compilerBankNumber && s.gone && s.copy != nil && len(s.copy.relocations) > 0
	})
}
