package nvinfo

// Payloads name functions, constant banks and samplers by their index in the
// symbol table. A linker gives symbols new indices, so it has to know which words
// of which payloads are indices. The table says it for every code (INFO-008).

// SymbolWords says which words of a payload are symbol indices.
type SymbolWords uint8

// The three kinds of payload there are.
const (
	NoSymbols   SymbolWords = iota
	FirstWord               // the first word
	EveryWord               // all words
	FirstOrZero             // the first word, which may be 0 and then names nothing
)

// symbolWords returns the number of words at the start of r's payload that are
// symbol indices.
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

// DescribesParameter reports whether r is about a parameter of a kernel.
func (r Record) DescribesParameter() bool { return r.Code == KParamInfo || r.Code == KParamInfoV2 }

// MapSymbols returns r with every symbol index replaced by what f gives for it,
// and whether the record still says something: one whose symbol is gone (index 0
// afterwards) is dropped by the linker (INFO-004). Of the records that list
// symbols (EIATTR_EXTERNS) the indices that become 0 are taken out, and the
// record is dropped with its last one.
//
// r must come from .nv.info or .nv.info.<function>; its payload is not touched.
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

// Symbol returns the symbol index that a record starts with: what the record speaks
// of. Lists of symbols speak of none.
func (r Record) Symbol() (index uint32, ok bool) {
	if r.symbolWords() == 0 || Attributes[r.Code].Symbols == EveryWord {
		return 0, false
	}
	return r.Word(0), true
}

// MayLackSymbol reports whether r says something without the symbol that it starts with.
func (r Record) MayLackSymbol() bool {
	return r.symbolWords() > 0 && Attributes[r.Code].Symbols == FirstOrZero
}

// Incomplete reports whether r lacks what the linker reads of an attribute of its code:
// the symbol that it is about, or a size of a stack.
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
