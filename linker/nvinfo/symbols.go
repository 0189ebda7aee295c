package nvinfo

// Payloads refer to functions, constant banks and samplers by symbol index. A linker gives symbols new
// indices, so that it must know which words of a payload are indices. The table shows this for every code
// (INFO-008).

// SymbolWords describes which words of a payload are symbol indices.
type SymbolWords uint8

// The kinds of payload.
const (
	NoSymbols   SymbolWords = iota
	FirstWord               // the first word
	EveryWord               // all words
	FirstOrZero             // the first word; 0 means no symbol
)

// symbolWords returns the number of symbol indices at the start of r's payload.
func (r Record) symbolWords() int {
	if r.Format != Sized || int(r.Code) >= len(Attributes) {
		return 0
	}
	switch Attributes[r.Code].Symbols {
	case FirstWord, FirstOrZero:
		return min(1, r.Words())
	case EveryWord:
		return r.Words()
	}
	return 0
}

// DescribesParameter reports whether r describes a parameter of a kernel.
func (r Record) DescribesParameter() bool { return r.Code == KParamInfo || r.Code == KParamInfoV2 }

// MapSymbols returns r with every symbol index i replaced by f(i). Index 0 stands for a symbol that is
// removed. ok is false if the linker drops the record because of that (INFO-004). In records with a list of
// symbols (EIATTR_EXTERNS), indices that become 0 are removed from the list. Such a record is dropped with its
// last index.
//
// r must come from .nv.info or .nv.info.<function>. Its payload does not change.
func (r Record) MapSymbols(f func(uint32) uint32) (mapped Record, ok bool) {
	n := r.symbolWords()
	if n == 0 {
		return r, true
	}
	switch Attributes[r.Code].Symbols {
	case EveryWord:
		words := make([]uint32, 0, n)
		for i := range n {
			if to := f(r.Word(i)); to != 0 {
				words = append(words, to)
			}
		}
		return New(r.Code, words...), len(words) > 0
	case FirstOrZero:
		if from := r.Word(0); from != 0 {
			r = r.WithWord(0, f(from))
		}
		return r, true
	default:
		to := f(r.Word(0))
		return r.WithWord(0, to), to != 0
	}
}

// Symbol returns the symbol index at the start of a record. The record describes this symbol. ok is false for
// lists of symbols, which describe none.
func (r Record) Symbol() (index uint32, ok bool) {
	if r.symbolWords() == 0 || Attributes[r.Code].Symbols == EveryWord {
		return 0, false
	}
	return r.Word(0), true
}

// MayLackSymbol reports whether r has a meaning without the symbol at its start.
func (r Record) MayLackSymbol() bool {
	return r.symbolWords() > 0 && Attributes[r.Code].Symbols == FirstOrZero
}

// Incomplete reports whether r lacks data that the linker reads for its code. Such data is the symbol that the
// record describes, or a stack size.
func (r Record) Incomplete() bool {
	if int(r.Code) >= len(Attributes) {
		return false
	}
	a := &Attributes[r.Code]
	if a.Symbols == NoSymbols && a.Merge != PathSum {
		return false
	}
	return r.Format != Sized || r.Words() == 0 && a.Symbols != EveryWord
}
