package merge

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// Each compiler-generated constant of a function has a symbol. nvlink copies the constants symbol by symbol.
// Bytes without a symbol become zero, and bytes after the last symbol are cut off. A section without symbols
// is copied as a whole, and belongs to its function.

// findConstants lists the symbols of the input in each section of compiler-generated constants.
func (in *merger) findConstants() {
	for i := range in.object.Symbols {
		y := &in.object.Symbols[i]
		if y.Type == cubin.SymSection || y.Size == 0 || int(y.Section) >= len(in.object.File.Sections) {
			continue
		}
		s := &in.object.File.Sections[y.Section]
		if bank, ok := s.ConstantBank(); ok && bank == cubin.CompilerBankNumber && s.HasBytes() {
			if in.constants == nil {
				in.constants = map[uint32][]*cubin.Symbol{}
			}
			in.constants[y.Section] = append(in.constants[y.Section], y)
		}
	}
}

// contents returns the bytes of section i that nvlink copies (MERGE-019). One constant may be inside another,
// but two must not overlap partially.
func (in *merger) contents(i uint32) []byte {
	data := in.object.Data(i)
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
		case max(y.Value, y.Size) > uint64(len(data))+cubin.MaxConstant:
			in.log.Add(diag.Damaged(in.object.Name, in.object.Damaged(".symtab", int64(y.Index)*cubin.SymbolSize, "constant "+y.Name+" is larger than its bank", y.Size)))
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
