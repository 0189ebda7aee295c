package program

import (
	"github.com/culink/culink/linker/cubin"
)

// A Function is code. It has a symbol of type STT_FUNC, and may be undefined.
type Function struct {
	Symbol    *Symbol
	Order     int      // of creation
	Text      *Section // nil while undefined; set by merge
	FirstIn   string   // input that defined it first, though its code may have given way (MERGE-036); set by merge
	InfoSec   *Section // .nv.info.<name>; set by merge
	Shared    *Section // .nv.shared.<name>, entries only; set by merge
	RegInfo   uint32   // top byte of the text's sh_info; set by merge
	MaxStack  uint32   // EIATTR_MAX_STACK_SIZE of a kernel: the most that it may need; 0 for no limit; set by merge
	RegCount  uint32   // EIATTR_REGCOUNT of the copy that is linked; set by merge
	Counted   bool     // it has that attribute; set by merge
	Virtual   uint16   // virtual architecture that it was compiled for; set by merge
	MadeFor   int      // the architecture number of that copy; set by merge
	SlotStart uint64   // offset in bank 0 at which the compiler of its code expects slots, 0 without a Mercury half; set by merge
	Barriers  uint16   // that an old object has in the flags of the code; set by merge
	Entry     bool     // set by merge
	Dead      bool     // set by reach

	StackUnknown       bool    // its compiler does not know the stack that it needs; set by merge
	Extensible         bool    // code of an extensible whole program (nvcc -ewp); set by merge
	FirstWhole         bool    // its sections were created for such code; set by merge
	WholeShared        bool    // its shared memory was laid out by the compiler of such code; set by merge
	LooseShared        bool    // WholeShared, and the layout does not see it, because the options do not choose it; set by merge
	ReplacedParameters *uint64 // size of the parameter bank of the copy that was replaced, nil if it had none; set by merge
	Finalized          bool    // its input had a Mercury half, which a later one takes from the link; set by merge
	ReplacedCapsule    bool    // code that this one replaced had relocations in its Mercury form; set by merge
	Uncalled           bool    // its address is taken, but no kernel gets to it; set by reach
	IsTaken            bool    // code takes its address, (0,-4); set by merge
	Unsaid             bool    // no input says the prototype by which it is taken; set by merge

	Attributes        Attributes     // of .nv.info.<name>; set by merge
	MercuryAttributes Attributes     // of .nv.merc.nv.info.<name>; set by merge
	Bound             SectionsByName // other sections that belong to it

	Calls     FrontList[*Function] // direct calls, (0,-1) of the call graph; set by merge
	Taken     FrontList[*Function] // functions whose address its code takes, (0,-4); set by merge
	Prototype *string              // its signature, as .nv.prototype of the last input says; set by merge
	TakenAs   *string              // prototype, when its address is taken, (0,-2); set by merge
	CallsVia  FrontList[string]    // prototypes of its indirect calls, (0,-3); set by merge

	// Orphan contains the compiler's constants of discarded copies if other code, with constants of its own, has replaced
	// the code without any that discarded them (MERGE-691).
	Orphan *Section // set by merge

	Described    []*Attribute     // in the .nv.info of modules; set by merge
	Uses         []*Symbol        // shared memory that its code refers to, in order of first use
	knownUses    map[*Symbol]bool // the symbols in Uses; nil if there are few
	SharedLocals []*SharedObject  // of a kernel, in symbol order; set by merge
	InfoOrder    int              // of its attributes among those of all functions; set by merge
}

// Undefined reports whether no input defines f, not even as an alias of other code.
func (f *Function) Undefined() bool { return f.Symbol.Section == nil }

// HasDiscardedTables reports whether copies that were discarded for f, whose code has no compiler's constants, left relocations
// of jump tables in the Mercury half.
func (f *Function) HasDiscardedTables() bool {
	s := f.Own(cubin.CompilerConstantPrefix)
	return s != nil && s.Orphan && s.Mercury != nil && len(s.Mercury.Relocations) > 0
}

// Inside returns the function whose code contains that of f, or nil if f has its own code (MERGE-026). An alias counts as
// inside of its function.
func (f *Function) Inside() *Function {
	if s := f.Symbol.Section; s != nil && s != f.Text {
		return s.Fn
	}
	return nil
}

// InsideKernel reports whether the code of f is inside that of a kernel. Calls of and by f are not in .nv.callgraph, and f
// is live if the kernel is (MERGE-026).
func (f *Function) InsideKernel() bool {
	outer := f.Inside()
	return outer != nil && outer.Entry
}

// HasPrototype reports whether .nv.prototype lists the function (REACH-002).
func (f *Function) HasPrototype() bool { return f.Prototype != nil && !f.Dead && f.TakenAs == nil }

// CompilerConstants returns the .nv.constant2 section of the function, or nil. Constants of a discarded
// definition do not count, although they stay in the output (MERGE-018).
func (f *Function) CompilerConstants() *Section {
	if s := f.Own(cubin.CompilerConstantPrefix); s != nil && !s.Orphan && s.State != Gone {
		return s
	}
	return nil
}

// Bind adds s to the sections of f. It replaces a section with the same name.
func (f *Function) Bind(s *Section) { f.Bound.put(s) }

// Own returns the section of f whose name is the prefix followed by the name of f, or nil.
func (f *Function) Own(prefix string) *Section { return f.Bound.own(prefix, f.Symbol.Name) }
