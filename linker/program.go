package linker

import (
	"iter"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/nvinfo"
)

// The program is what all inputs become together: sections, symbols and
// functions in the order in which nvlink creates them. That order decides every
// name, index and place in the output; nothing is sorted afterwards
// (MERGE-001, seed 004).

// A frontList is a list to which nvlink pushes at the front: what comes last is
// seen first. It is kept in the order of pushing.
type frontList[T any] []T

func (l *frontList[T]) push(v T) { *l = append(*l, v) }

// all yields the elements as the list holds them, last pushed first.
func (l frontList[T]) all() iter.Seq2[int, T] { return slices.Backward(l) }

// A section of the output.
type section struct {
	name     string
	typ      cubin.SectionType
	flags    uint64
	align    uint64
	entSize  uint64
	size     uint64 // bytes in memory
	data     []byte // nil for noBits
	owned    bool   // data is ours to write to; else it is borrowed from an input
	replaced []span // of variables of which a later definition stays
	noBits   bool

	bank      int       // constant bank, or noBank
	fn        *function // the function whose code or attributes it holds; nil for the module's own
	target    *section  // the section that sh_info names, if any
	symbol    *symbol   // its section symbol
	group     group     // its place in the section table
	kept      bool      // has contents: stands in the section table
	filled    bool      // with a section of an input
	anonymous bool      // has no section symbol, whatever its size
	opaque    bool      // constants of the compiler without symbols
	orphan    bool      // constants for code that lost, while the code that won has none
	gone      bool      // its contents went elsewhere, and its name with them
	linked    bool      // sh_link names the symbol table
	link      uint32    // else it is that of the first input, as it stands there

	copy     *section          // in the Mercury half
	original *section          // of a copy, the section of the plain half
	operands []mercury.Operand // of code with a capsule, what relocations came to

	parts       []part       // what inputs put into it, for the map
	internals   []*symbol    // parameters and the compiler's constants in it
	relocations []relocation // that patch it, in input order
	resolved    []relocation // settled here and recorded for --preserve-relocs
	notedAt     *section     // which has them recorded instead, if not nil

	relocatedFirst cubin.SectionType // of the first relocation section about it

	nameAt uint32 // of a section of the Mercury half, in .shstrtab
	index  uint32 // in the section table
	offset uint64 // in the file
}

const noBank = -1

// dead tells whether the section went away together with its function.
func (s *section) dead() bool { return s.fn != nil && s.fn.dead }

// isCode tells whether s is the code of its function.
func (s *section) isCode() bool { return s.fn != nil && s.fn.text == s }

// isCapsule tells whether s is the Mercury form of its function's code.
func (s *section) isCapsule() bool { return s.original != nil && s.typ == cubin.SectionCapMerc }

// writable gives the section's bytes for writing.
func (s *section) writable() []byte {
	if !s.owned {
		s.data = slices.Clone(s.data)
		s.owned = true
	}
	return s.data
}

// A symbol of the merged program.
type symbol struct {
	name    string
	bind    cubin.Binding
	typ     cubin.SymbolType
	other   uint8
	section *section // nil while undefined
	value   uint64
	size    uint64
	slot    uint64 // of a texture, sampler or surface, in constant bank 0
	addend  uint64 // that the symbol table adds to value

	mercury   mercurySymbol // what the Mercury half says otherwise
	fn        *function     // of an STT_FUNC symbol
	shared    *sharedObject
	common    bool // .common, not allocated yet
	alias     *symbol
	hidden    bool   // not in the output's symbol table
	unnamed   bool   // nor its name in .strtab
	isSection bool   // stands for its section; its name is only in .strtab
	missing   bool   // was a variable that no input had defined, nor the linker or the driver will
	mentioned string // first input that names it
	definedIn string // input that defines it
	firstIn   string // input that defined this function first, though its code may have given way (MERGE-036)
	input     uint8  // st_other as the first input has it
	index     uint32
}

// A function is code: an STT_FUNC symbol, defined or not.
type function struct {
	symbol   *symbol
	order    int           // of creation
	text     *section      // nil while undefined
	infoSec  *section      // .nv.info.<name>
	shared   *section      // .nv.shared.<name>, entries only
	regInfo  uint32        // top byte of the text's sh_info
	maxStack uint32        // EIATTR_MAX_STACK_SIZE of a kernel: the most that it may need; 0 for no limit
	regCount uint32        // EIATTR_REGCOUNT of the copy that is linked
	counted  bool          // it has that attribute
	virtual  uint16        // virtual architecture that it was compiled for
	places   mercury.Map   // where the finalizer has put its code
	code     *mercury.Code // read for inner
	madeFor  int           // the architecture number of that copy
	barriers uint16        // that an old object has in the flags of the code
	entry    bool
	dead     bool

	extensible         bool   // code of an extensible whole program (nvcc -ewp)
	wholeShared        bool   // whose shared memory its compiler has laid out
	looseShared        bool   // and that the layout does not see, because the options do not choose it
	replacedParameters uint64 // size of the parameter bank of the copy that was replaced
	replacedCapsule    bool   // code that this one replaced had relocations in its Mercury form
	uncalled           bool   // its address is taken, but no kernel gets to it

	attributes frontList[*attribute] // of .nv.info.<name>
	mercury    frontList[*attribute] // of .nv.merc.nv.info.<name>
	bound      map[string]*section   // other sections that belong to it, by name

	calls     frontList[*function] // direct calls, (0,-1) of the call graph
	taken     frontList[*function] // functions whose address its code takes, (0,-4)
	prototype *string              // its signature, as .nv.prototype of the last input says
	isTaken   bool                 // code takes its address, (0,-4)
	takenAs   *string              // prototype, when its address is taken, (0,-2)
	unsaid    bool                 // no input says that prototype
	callsVia  frontList[string]    // prototypes of its indirect calls, (0,-3)

	described    []*attribute     // in the .nv.info of modules
	uses         []*symbol        // shared memory that its code names, in order of first use
	knownUses    map[*symbol]bool // those in uses
	sharedLocals []*sharedObject  // of a kernel, in symbol order
	records      []nvinfo.Record  // of .nv.info.<name> in the output
	infoOrder    int              // of its attributes among those of all functions
}

// undefined tells whether no input defines f, be it as a second name of other code.
func (f *function) undefined() bool { return f.symbol.section == nil }

// An attribute is a record of .nv.info and the symbols of the input it came from.
type attribute struct {
	nvinfo.Record
	symbolOf []*symbol // by symbol index of the input
	owner    *function // of a record of the module's .nv.info, the function it speaks of
	gone     bool      // it speaks of code that was replaced
}

// A relocation of the merged program.
type relocation struct {
	offset uint64 // in its section
	typ    uint32
	symbol *symbol
	addend int64
	rela   bool   // came with an addend of its own
	stale  bool   // came with a copy of its function that another one has replaced
	bias   uint64 // place of the input's contribution, when symbol is a section
}

// A relocationSection is a name .rel.T or .rela.T that an input had.
type relocationSection struct {
	name   string
	typ    cubin.SectionType
	target *section
	flags  uint64
}

// A merged program holds all inputs.
type merged struct {
	target  arch.Target
	options *Options
	mercury bool // every input has a Mercury half, and so has the output
	std     standardSections

	sections []*section // in order of creation
	byName   map[string]*section
	names    []sectionName // of .shstrtab, in order

	locals           []*symbol // local symbols, weak ones and section symbols, in order of creation
	globals          []*symbol
	handles          []*symbol // textures, samplers and surfaces, in order of creation
	handleParameters map[handleParameter]*symbol
	symbols          map[string]*symbol // global and weak ones by name
	sectionSymbols   map[string]*symbol // by name
	functions        []*function        // by order
	null             *symbol            // number 0 of the symbol table
	absolute         *symbol            // any symbol with a value and no section

	userConstantsSize *symbol // the local one of that name, which all inputs share

	// nullSymbol has, for the compiler's constants of a weak function that inputs
	// define several times, where the last copy lies in them: nvlink writes what that
	// comes to into the null symbol (EMIT-015).
	nullSymbol map[*section]uint64
	nullValue  uint64

	// alsoIn has, for the symbols to explain, the inputs whose definitions are not
	// the one that is linked, in the order in which they lost.
	alsoIn map[*symbol][]string

	userParts map[*section][]userPart // of .nv.constant3 and its Mercury half, in link order

	relinked []relinked // inputs from an earlier -r that dropped relocations

	relocationSections []*relocationSection // in the order in which they were named
	commons            []*symbol            // in the order in which they became common; some are defined since
	relocationNames    map[relocationKey]bool
	resolvedByName     map[string]*section // targets of .nv.resolvedrela sections
	relocatedCopies    []*section          // sections of the Mercury half that have relocations, by the first

	prototypeStrings []string // in the order in which they were met
	knownPrototype   map[string]bool

	sharedObjects       []*sharedObject // outside of kernels
	sharedInOrder       []*sharedObject // all, in order of first mention
	sharedUsers         []*function     // that name any, in the order of their relocations
	definesExternShared bool            // an input has the place of an extern array: an earlier -r
	hasExternShared     bool

	attributes    frontList[*attribute] // of .nv.info
	nextInfoOrder int
	compat        *nvinfo.CompatMerger    // of .nv.compat
	origins       []nvinfo.Origin         // of the inputs
	tensor        nvinfo.TensorGeneration // of the inputs
	padding       uint64                  // bytes between the inputs' parts of sections
	system        bool                    // libcudadevrt is among them
}

// The sections that every output has, by role.
type standardSections struct {
	shstrtab, strtab, symtab *section
	tkinfo, cuinfo           *section
	info, compat             *section
	callGraph, prototype     *section
}

// A sectionName is a name in .shstrtab. It goes away with its function.
type sectionName struct {
	name    string
	fn      *function
	section *section // nil when the name never became a section
}

type relocationKey struct {
	name   string
	target *section
}
