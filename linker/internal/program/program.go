package program

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/nvinfo"
)

// InDeadCode reports whether y went away with the code that it is a part of.
func (y *Symbol) InDeadCode() bool {
	return y.Section != nil && y.Section.Group == GroupText && y.Section.Dead()
}

// HasSymbol reports whether the section stands in the output with a symbol of its
// own (EMIT-014).
func (s *Section) HasSymbol() bool {
	if s == nil || !s.Kept || s.Dead() {
		return false
	}
	switch s.Type {
	case cubin.SectionInfo, cubin.SectionCompat, cubin.SectionStrTab, cubin.SectionSymTab:
		return s.Filled
	case cubin.SectionCallGraph, cubin.SectionPrototype, cubin.SectionNote, cubin.SectionRelAction:
		return true
	}
	return (s.Size > 0 || s.Copy != nil && s.Copy.Size > 0) && !s.Anonymous
}

// HasPrototype reports whether .nv.prototype lists the function (REACH-002).
func (f *Function) HasPrototype() bool { return f.Prototype != nil && !f.Dead && f.TakenAs == nil }

// StartsLines reports whether r, of .debug_info, names where the lines of a unit begin.
func (r *Relocation) StartsLines() bool {
	return r.Symbol != nil && r.Symbol.IsSection && r.Symbol.Section != nil && r.Symbol.Section.Name == cubin.DebugLineName
}

// CompilerConstants is the function's own .nv.constant2, if it has one. What a copy of
// the function brought that lost is not its own, but stays (MERGE-018).
func (f *Function) CompilerConstants() *Section {
	if s := f.Bound[cubin.CompilerConstantPrefix+f.Symbol.Name]; s != nil && !s.Orphan && !s.Gone {
		return s
	}
	return nil
}

func (y *Symbol) IsUndefinedVariable() bool {
	space := y.Input & cubin.OtherSpaceMask
	if y.Shared != nil {
		return y.Shared.Missing
	}
	return y.Section == nil && y.Fn == nil && !y.Common && (space == cubin.OtherGlobal || space == cubin.OtherConstant)
}

// A MercurySymbol is what the Mercury half says of a symbol that may differ from the
// plain half: its code has other places, and types stay those of relocatable files.
type MercurySymbol struct {
	Type        cubin.SymbolType
	Other       uint8
	Value, Size uint64
}

// Plain is the section itself or, of a copy, what it is the copy of.
func (s *Section) Plain() *Section {
	if s.Original != nil {
		return s.Original
	}
	return s
}

// ClearCopy empties the copy of a section whose contents another input's replace.
func (s *Section) ClearCopy() {
	if c := s.Copy; c != nil {
		c.Data, c.Size, c.Owned, c.Relocations = nil, 0, false, nil
	}
}

// A Span of a section holds a copy of weak data that lost.
type Span struct{ From, To uint64 }

// Length is the size of a section that may be missing.
func (s *Section) Length() uint64 {
	if s == nil {
		return 0
	}
	return s.Size
}

func (f *Function) Bind(s *Section) {
	if f.Bound == nil {
		f.Bound = map[string]*Section{}
	}
	f.Bound[s.Name] = s
}

// LostConstants are symbols of the compiler's constants whose function another input
// replaced by code without constants, and with them their section.
func (m *Program) LostConstants() (lost []*Symbol) {
	for _, s := range m.Sections {
		if s.Bank == cubin.CompilerBankNumber && s.Gone {
			lost = append(lost, s.Internals...)
		}
	}
	return lost
}

// A HandleParameter tells such a symbol from others.
type HandleParameter struct {
	Text *Section
	Name string
}

// DeleteRelocations forgets relocations, also those of the copy in the Mercury half,
// where data is the same.
func (s *Section) DeleteRelocations(lost func(Relocation) bool) {
	s.Relocations = slices.DeleteFunc(s.Relocations, lost)
	if s.Copy != nil {
		s.Copy.Relocations = slices.DeleteFunc(s.Copy.Relocations, lost)
	}
}

// MarkStale notes that the relocations of s against y so far came with code that is
// replaced.
func (s *Section) MarkStale(y *Symbol) {
	for i := range s.Relocations {
		s.Relocations[i].Stale = s.Relocations[i].Stale || s.Relocations[i].Symbol == y
	}
}

// A Relinked input has lost relocations to an earlier -r.
type Relinked struct {
	Object   *object.Object
	SymbolOf []*Symbol
	Banks    [32]bool // that its code may read
}

// The program is what all inputs become together: sections, symbols and
// functions in the order in which nvlink creates them. That order decides every
// name, index and place in the output; nothing is sorted afterwards
// (MERGE-001, seed 004).

// A FrontList is a list to which nvlink pushes at the front: what comes last is
// seen first. It is kept in the order of pushing.
type FrontList[T any] []T

func (l *FrontList[T]) Push(v T) { *l = append(*l, v) }

// All yields the elements as the list holds them, last pushed first.
func (l FrontList[T]) All() iter.Seq2[int, T] { return slices.Backward(l) }

// A Section of the output.
type Section struct {
	Name     string
	Type     cubin.SectionType
	Flags    uint64
	Align    uint64
	EntSize  uint64
	Size     uint64 // bytes in memory
	Data     []byte // nil for noBits
	Owned    bool   // data is ours to write to; else it is borrowed from an input
	Replaced []Span // of variables of which a later definition stays
	NoBits   bool

	Bank      int       // constant bank, or noBank
	Fn        *Function // the function whose code or attributes it holds; nil for the module's own
	Target    *Section  // the section that sh_info names, if any
	Symbol    *Symbol   // its section symbol
	Group     group     // its place in the section table
	Kept      bool      // has contents: stands in the section table
	Filled    bool      // with a section of an input
	Anonymous bool      // has no section symbol, whatever its size
	Opaque    bool      // constants of the compiler without symbols
	Orphan    bool      // constants for code that lost, while the code that won has none
	Gone      bool      // its contents went elsewhere, and its name with them
	Linked    bool      // sh_link names the symbol table
	Link      uint32    // else it is that of the first input, as it stands there

	Copy     *Section          // in the Mercury half
	Original *Section          // of a copy, the section of the plain half
	Operands []mercury.Operand // of code with a capsule, what relocations came to

	Parts       []Part       // what inputs put into it, for the map
	Internals   []*Symbol    // parameters and the compiler's constants in it
	Relocations []Relocation // that patch it, in input order
	Resolved    []Relocation // settled here and recorded for --preserve-relocs
	NotedAt     *Section     // which has them recorded instead, if not nil

	RelocatedFirst cubin.SectionType // of the first relocation section about it

	NameAt uint32 // of a section of the Mercury half, in .shstrtab
	Index  uint32 // in the section table
	Offset uint64 // in the file
}

const NoBank = -1

// Dead reports whether the section went away together with its function.
func (s *Section) Dead() bool { return s.Fn != nil && s.Fn.Dead }

// IsCode reports whether s is the code of its function.
func (s *Section) IsCode() bool { return s.Fn != nil && s.Fn.Text == s }

// IsCapsule reports whether s is the Mercury form of its function's code.
func (s *Section) IsCapsule() bool { return s.Original != nil && s.Type == cubin.SectionCapMerc }

// Writable returns the section's bytes for writing.
func (s *Section) Writable() []byte {
	if !s.Owned {
		s.Data = slices.Clone(s.Data)
		s.Owned = true
	}
	return s.Data
}

// A Symbol of the merged program.
type Symbol struct {
	Name    string
	Bind    cubin.Binding
	Type    cubin.SymbolType
	Other   uint8
	Section *Section // nil while undefined
	Value   uint64
	Size    uint64
	Slot    uint64 // of a texture, sampler or surface, in constant bank 0
	Addend  uint64 // that the symbol table adds to value

	Mercury   MercurySymbol // what the Mercury half says otherwise
	Fn        *Function     // of an STT_FUNC symbol
	Shared    *SharedObject
	Common    bool // .common, not allocated yet
	Alias     *Symbol
	Hidden    bool   // not in the output's symbol table
	Unnamed   bool   // nor its name in .strtab
	IsSection bool   // stands for its section; its name is only in .strtab
	Missing   bool   // was a variable that no input had defined, nor the linker or the driver will
	Mentioned string // first input that names it
	DefinedIn string // input that defines it
	FirstIn   string // input that defined this function first, though its code may have given way (MERGE-036)
	Input     uint8  // st_other as the first input has it
	Index     uint32
}

// A Function is code: an STT_FUNC symbol, defined or not.
type Function struct {
	Symbol   *Symbol
	Order    int           // of creation
	Text     *Section      // nil while undefined
	InfoSec  *Section      // .nv.info.<name>
	Shared   *Section      // .nv.shared.<name>, entries only
	RegInfo  uint32        // top byte of the text's sh_info
	MaxStack uint32        // EIATTR_MAX_STACK_SIZE of a kernel: the most that it may need; 0 for no limit
	RegCount uint32        // EIATTR_REGCOUNT of the copy that is linked
	Counted  bool          // it has that attribute
	Virtual  uint16        // virtual architecture that it was compiled for
	Places   mercury.Map   // where the finalizer has put its code
	Code     *mercury.Code // read for inner
	MadeFor  int           // the architecture number of that copy
	Barriers uint16        // that an old object has in the flags of the code
	Entry    bool
	Dead     bool

	Extensible         bool   // code of an extensible whole program (nvcc -ewp)
	WholeShared        bool   // whose shared memory its compiler has laid out
	LooseShared        bool   // and that the layout does not see, because the options do not choose it
	ReplacedParameters uint64 // size of the parameter bank of the copy that was replaced
	ReplacedCapsule    bool   // code that this one replaced had relocations in its Mercury form
	Uncalled           bool   // its address is taken, but no kernel gets to it

	Attributes FrontList[*Attribute] // of .nv.info.<name>
	Mercury    FrontList[*Attribute] // of .nv.merc.nv.info.<name>
	Bound      map[string]*Section   // other sections that belong to it, by name

	Calls     FrontList[*Function] // direct calls, (0,-1) of the call graph
	Taken     FrontList[*Function] // functions whose address its code takes, (0,-4)
	Prototype *string              // its signature, as .nv.prototype of the last input says
	IsTaken   bool                 // code takes its address, (0,-4)
	TakenAs   *string              // prototype, when its address is taken, (0,-2)
	Unsaid    bool                 // no input says that prototype
	CallsVia  FrontList[string]    // prototypes of its indirect calls, (0,-3)

	Described    []*Attribute     // in the .nv.info of modules
	Uses         []*Symbol        // shared memory that its code names, in order of first use
	KnownUses    map[*Symbol]bool // those in uses
	SharedLocals []*SharedObject  // of a kernel, in symbol order
	Records      []nvinfo.Record  // of .nv.info.<name> in the output
	InfoOrder    int              // of its attributes among those of all functions
}

// Undefined reports whether no input defines f, be it as a second name of other code.
func (f *Function) Undefined() bool { return f.Symbol.Section == nil }

// An Attribute is a record of .nv.info and the symbols of the input it came from.
type Attribute struct {
	nvinfo.Record
	SymbolOf []*Symbol // by symbol index of the input
	Owner    *Function // of a record of the module's .nv.info, the function it speaks of
	Gone     bool      // it speaks of code that was replaced
}

// A Relocation of the merged program.
type Relocation struct {
	Offset uint64 // in its section
	Type   uint32
	Symbol *Symbol
	Addend int64
	Rela   bool   // came with an addend of its own
	Stale  bool   // came with a copy of its function that another one has replaced
	Bias   uint64 // place of the input's contribution, when symbol is a section
}

// A RelocationSection is a name .rel.T or .rela.T that an input had.
type RelocationSection struct {
	Name   string
	Type   cubin.SectionType
	Target *Section
	Flags  uint64
}

// A Program program holds all inputs.
type Program struct {
	Target  arch.Target
	Options *Options
	Mercury bool // every input has a Mercury half, and so has the output
	Std     standardSections

	Sections []*Section // in order of creation
	ByName   map[string]*Section
	Names    []SectionName // of .shstrtab, in order

	Locals           []*Symbol // local symbols, weak ones and section symbols, in order of creation
	Globals          []*Symbol
	Handles          []*Symbol // textures, samplers and surfaces, in order of creation
	HandleParameters map[HandleParameter]*Symbol
	Symbols          map[string]*Symbol // global and weak ones by name
	SectionSymbols   map[string]*Symbol // by name
	Functions        []*Function        // by order
	Null             *Symbol            // number 0 of the symbol table
	Absolute         *Symbol            // any symbol with a value and no section

	UserConstantsSize *Symbol // the local one of that name, which all inputs share

	// nullSymbol has, for the compiler's constants of a weak function that inputs
	// define several times, where the last copy lies in them: nvlink writes what that
	// comes to into the null symbol (EMIT-015).
	NullSymbol map[*Section]uint64
	NullValue  uint64

	// alsoIn has, for the symbols to explain, the inputs whose definitions are not
	// the one that is linked, in the order in which they lost.
	AlsoIn map[*Symbol][]string

	UserParts map[*Section][]UserPart // of .nv.constant3 and its Mercury half, in link order

	Relinked []Relinked // inputs from an earlier -r that dropped relocations

	RelocationSections []*RelocationSection // in the order in which they were named
	Commons            []*Symbol            // in the order in which they became common; some are defined since
	RelocationNames    map[RelocationKey]bool
	resolvedByName     map[string]*Section // targets of .nv.resolvedrela sections
	RelocatedCopies    []*Section          // sections of the Mercury half that have relocations, by the first

	PrototypeStrings []string // in the order in which they were met
	KnownPrototype   map[string]bool

	SharedObjects       []*SharedObject // outside of kernels
	SharedInOrder       []*SharedObject // all, in order of first mention
	SharedUsers         []*Function     // that name any, in the order of their relocations
	DefinesExternShared bool            // an input has the place of an extern array: an earlier -r
	HasExternShared     bool

	Attributes    FrontList[*Attribute] // of .nv.info
	NextInfoOrder int
	Compat        *nvinfo.CompatMerger    // of .nv.compat
	Origins       []nvinfo.Origin         // of the inputs
	Tensor        nvinfo.TensorGeneration // of the inputs
	Padding       uint64                  // bytes between the inputs' parts of sections
	System        bool                    // libcudadevrt is among them
}

// The sections that every output has, by role.
type standardSections struct {
	Shstrtab, Strtab, Symtab *Section
	Tkinfo, Cuinfo           *Section
	Info, Compat             *Section
	CallGraph, Prototype     *Section
}

// A SectionName is a name in .shstrtab. It goes away with its function.
type SectionName struct {
	Name    string
	Fn      *Function
	Section *Section // nil when the name never became a section
}

type RelocationKey struct {
	Name   string
	Target *Section
}

// Addressable is how many bytes of s relocations may name. Those of a capsule count the
// bytes of its instructions before they were packed.
func (s *Section) Addressable() uint64 {
	if s.IsCapsule() {
		return s.Fn.Symbol.Mercury.Value + s.Fn.Symbol.Mercury.Size
	}
	return s.Size
}

func (y *Symbol) IsExternShared() bool { return y.Shared != nil && y.Shared.Extern }
