package sound

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// The program is what the inputs require: the definitions of names and the call graph (docs/rules.md, MERGE
// and REACH). It contains no addresses of the output.

type program struct {
	objects     []*object
	entities    []*entity // in the order in which the inputs name them
	global      map[string]*entity
	systemParts int                  // number of objects of libcudadevrt up to the last that is linked
	clash       string               // a name of two kinds
	byHeader    bool                 // weak functions compare by the registers in their section headers alone (KIT-031)
	taken       map[string][]*entity // functions whose address is taken, by prototype
	tookOld     map[string][]*entity // functions whose address is taken according to a discarded definition, by prototype
}

// A kind is the kind of an entity.
type kind uint8

const (
	variable kind = iota // variable in global or constant memory
	function
	shared
	handle   // a texture, sampler or surface
	linker   // a name that the linker or the driver defines
	reserved // in the shared memory that the system keeps
)

// An entity is a function, variable or other object of the program. All symbols of the inputs that refer to it share the
// entity.
type entity struct {
	name   string
	kind   kind
	bind   cubin.Binding
	space  cubin.Space // memory space, from the inputs
	object *object
	symbol *cubin.Symbol // its definition; nil while undefined
	size   uint64
	align  uint64 // alignment of common symbols and shared variables
	common bool

	dynamic  bool // extern __shared__ without a size
	internal bool // never in the output's symbol table
	typ      cubin.SymbolType
	other    uint8
	first    uint8 // other, from the first symbol of this name

	// Functions.
	alias     *entity // the function for which this is a second name
	regs      uint32
	weight    weight
	copies    []weakCopy // the weak definitions
	calls     []*entity  // directly
	takes     []*entity  // functions whose address the code takes
	via       []string   // prototypes of calls through pointers
	old       *entity    // the calls of discarded definitions, which may also be in the output
	takenAs   *string
	prototype *string
	isTaken   bool
	required  bool      // must be in the output, because kernels reach it or its address is used
	callable  bool      // kernels reach it
	reach     []*entity // of a kernel: the functions that it reaches
	may       []*entity // functions reached if the calls of discarded definitions count too

	out *cubin.Symbol // the symbol in the output; nil if there is none

	slot // the address read from operands, if the output has no symbol
}

func (e *entity) isKernel() bool { return e.symbol != nil && e.symbol.IsEntry() }

// outer returns the symbol of the function whose code contains that of e, or nil if e has its own code (MERGE-026).
func (e *entity) outer() *cubin.Symbol {
	if e.kind != function || e.symbol == nil || int(e.symbol.Section) >= len(e.object.file.Sections) {
		return nil
	}
	code := e.object.file.Sections[e.symbol.Section].CodeSymbol()
	if code == e.symbol.Index || int(code) >= len(e.object.symbols) {
		return nil
	}
	return &e.object.symbols[code]
}

// insideKernel reports whether the code of e is inside that of a kernel. The call graph lacks calls by and of e.
func (e *entity) insideKernel() bool { return e.outer() != nil && e.outer().IsEntry() }

// defined reports whether an input defines e, or e is a common symbol.
func (e *entity) defined() bool { return e.symbol != nil || e.common }

// piece returns the section that contains the definition of e, or nil if no input defines e.
func (e *entity) piece() *piece {
	if e.symbol == nil || e.object == nil || int(e.symbol.Section) >= len(e.object.pieces) {
		return nil
	}
	return e.object.pieces[e.symbol.Section]
}

// readProgram reads the inputs. It returns false if they cannot be judged.
func (c *checker) readProgram() bool {
	p := &c.program
	p.global, p.byHeader = map[string]*entity{}, !c.link.Target.Profile.Merge.ChoosesByAttribute
	systems := 0
	for _, in := range c.link.Inputs {
		o, err := openObject(in, c.link.Target.Profile)
		if err != nil {
			c.report("input."+in.Name, "a readable cubin", "%v", err)
			return false
		}
		if in.System {
			if systems++; !c.link.KeepSystem && !p.misses(o) {
				continue
			}
			p.systemParts = systems
		}
		p.objects = append(p.objects, o)
		p.addFunctions(o)
		p.addVariables(o)
		if p.clash != "" {
			c.report("input."+in.Name, "names of one kind each", "%s is of two", p.clash)
			return false
		}
	}
	for _, o := range p.objects {
		o.settle()
	}
	for _, o := range p.objects {
		p.readGraph(o)
		o.takeDescribed()
	}
	p.taken, p.tookOld = map[string][]*entity{}, map[string][]*entity{}
	for _, e := range p.entities {
		if e.isTaken && e.takenAs == nil { // its record is in a discarded definition
			if e.takenAs = e.prototype; e.takenAs == nil {
				e.takenAs = new(string)
			}
		}
		if e.takenAs != nil {
			p.taken[*e.takenAs] = append(p.taken[*e.takenAs], e)
		}
		if e.old != nil && e.old.takenAs != nil {
			p.tookOld[*e.old.takenAs] = append(p.tookOld[*e.old.takenAs], e)
		}
	}
	return true
}

// misses reports whether o defines a function that the program refers to and that is still undefined.
func (p *program) misses(o *object) bool {
	return slices.ContainsFunc(o.symbols, func(y cubin.Symbol) bool {
		e := p.global[y.Name]
		return y.Type == cubin.SymFunc && y.Bind != cubin.BindLocal && y.Defined() && e != nil && e.kind == function && !e.defined()
	})
}

// entityOf finds or creates the entity of symbol y.
func (p *program) entityOf(o *object, y *cubin.Symbol, k kind) *entity {
	e := p.global[y.Name]
	if y.Bind == cubin.BindLocal {
		e = nil
	}
	if e == nil {
		e = &entity{name: y.Name, kind: k, bind: y.Bind, space: y.Space(), typ: y.Type, other: y.Other, first: y.Other, size: y.Size}
		p.entities = append(p.entities, e)
		if y.Bind != cubin.BindLocal {
			p.global[y.Name] = e
		}
	}
	if e.kind == linker {
		e.kind = k
	}
	if e.kind != k && k != linker {
		p.clash = y.Name
	}
	o.entities[y.Index] = e
	return e
}

// define makes symbol y of o the definition of e.
func (e *entity) define(o *object, y *cubin.Symbol) {
	e.object, e.symbol, e.common = o, y, false
	e.bind, e.size, e.space, e.other, e.typ = y.Bind, y.Size, y.Space(), e.otherOf(y), y.Type
}

// otherOf returns st_other of y, a definition of e. A function is in unified memory only if its first symbol is
// (LAYOUT-116).
func (e *entity) otherOf(y *cubin.Symbol) uint8 {
	if e.kind == function {
		return y.Other &^ (cubin.OtherManaged &^ e.first)
	}
	return y.Other
}

// isLabel reports whether y is only a label for a place.
func isLabel(y *cubin.Symbol) bool {
	return y.Index == 0 || y.Type == cubin.SymNone && y.Defined()
}

// A weight decides between weak definitions of a function. The one with fewer registers in the section header prevails.
// If they have equally many, one with a later virtual architecture than the first definition prevails, whether or not that
// was replaced (MERGE-020, MERGE-028).
type weight struct {
	registers uint32
	virtual   uint16 // of the first definition
}

func (w weight) less(other weight) bool {
	return w.registers < other.registers || w.registers == other.registers && w.virtual > other.virtual
}

// addFunctions binds the functions of o to entities. A strong definition replaces a weak one. Of weak definitions the
// one with the lower weight prevails, or the first if the weights are equal.
func (p *program) addFunctions(o *object) {
	virtual := nvinfo.OriginOf(o.file).Virtual
	registers := map[uint32]uint32{}
	for i := range o.infos {
		for _, r := range o.infos[i] {
			if y, ok := r.Symbol(); ok && r.Code == nvinfo.RegCount {
				registers[y] = r.Word(1)
			}
		}
	}
	for i := range o.symbols {
		y := &o.symbols[i]
		if y.Type != cubin.SymFunc {
			continue
		}
		e := p.entityOf(o, y, function)
		if !y.Defined() || int(y.Section) >= len(o.pieces) {
			continue
		}
		e.addCopy(o, y)
		said, inHeader := registers[y.Index], o.pieces[y.Section].section.Info>>24
		weight := weight{cmp.Or(inHeader, said), virtual}
		if p.byHeader {
			weight.registers = inHeader
		}
		isFirst := e.symbol == nil
		if isFirst || e.bind == cubin.BindWeak && (y.Bind == cubin.BindGlobal || weight.less(e.weight)) {
			if !isFirst {
				weight.virtual = e.weight.virtual
			}
			e.define(o, y)
			e.regs, e.weight = cmp.Or(said, inHeader), weight
		}
	}
}

// addVariables binds every symbol of o that is not a function. A strong definition prevails over a weak one, and
// otherwise the first prevails. A definition with contents prevails over a common symbol (MERGE-011 to MERGE-016).
func (p *program) addVariables(o *object) {
	for i := range o.symbols {
		y := &o.symbols[i]
		if y.Type == cubin.SymFunc || y.Type == cubin.SymSection || y.Name == "" || isLabel(y) {
			continue
		}
		inFile := int(y.Section) < len(o.pieces)
		switch {
		case y.Section == cubin.ShnAbs:
			continue
		case inFile && o.pieces[y.Section].section.Type == cubin.SectionSharedReserved:
			p.addReserved(o, y)
		case y.Type == cubin.SymData && y.Space() == cubin.OtherShared:
			p.addShared(o, y)
		case y.Type == cubin.SymTexture || y.Type == cubin.SymSampler || y.Type == cubin.SymSurface:
			if e := p.entityOf(o, y, handle); inFile && y.Defined() {
				e.define(o, y) // a parameter of a kernel
			}
		case y.Section == cubin.ShnCommon:
			p.addCommon(o, y)
		case !y.Defined() && y.Space() != cubin.OtherGlobal && y.Space() != cubin.OtherConstant:
			p.entityOf(o, y, linker)
		default:
			e := p.entityOf(o, y, variable)
			if inFile && y.Defined() {
				e.addDefinition(o, y)
			}
		}
	}
}

// addDefinition makes y the definition of e if it prevails over the earlier ones.
func (e *entity) addDefinition(o *object, y *cubin.Symbol) {
	e.internal = y.Other&cubin.OtherInternal != 0
	empty := o.pieces[y.Section].section.Type == cubin.SectionGlobal
	switch {
	case e.common && !empty, e.symbol == nil && !e.common, e.symbol != nil && e.bind == cubin.BindWeak && y.Bind == cubin.BindGlobal:
		e.define(o, y)
	}
}

func (p *program) addShared(o *object, y *cubin.Symbol) {
	e := p.entityOf(o, y, shared)
	e.internal = true
	switch {
	case e.symbol != nil:
		if e.bind == cubin.BindWeak && y.Bind == cubin.BindGlobal && y.Defined() { // nvlink accepts the memory space of either (LAYOUT-407)
			e.bind, e.align = y.Bind, min(e.align, max(y.Value, 1))
		}
	case y.Size == 0:
		e.dynamic = true
	case y.Defined():
		e.define(o, y)
		e.dynamic, e.align = false, max(y.Value, 1)
		if o.isWhole() {
			e.align = 1 // the value is a place (LAYOUT-750)
		}
	}
}

func (p *program) addCommon(o *object, y *cubin.Symbol) {
	e := p.entityOf(o, y, variable)
	switch {
	case e.common:
		e.size = max(e.size, y.Size)
	case e.symbol == nil || e.piece().section.Type == cubin.SectionGlobal:
		e.symbol, e.object, e.common = nil, nil, true
		e.size, e.align, e.bind, e.other, e.typ = y.Size, max(y.Value, 1), y.Bind, y.Other, y.Type
	}
}

// settle determines which sections of o belong to prevailing definitions and which to discarded ones.
func (o *object) settle() {
	for i := range o.symbols {
		e, y := o.entities[i], &o.symbols[i]
		if e == nil || y.Type != cubin.SymFunc || !y.Defined() || int(y.Section) >= len(o.pieces) {
			continue
		}
		p := o.pieces[y.Section]
		if e.symbol != y {
			p.lost = p.owner == nil
			continue
		}
		if p.owner == nil || p.section.Info&0xffffff == y.Index {
			p.owner, p.lost = e, false
		}
	}
	for i := range o.symbols {
		e, y := o.entities[i], &o.symbols[i]
		if e == nil || e.symbol != y || int(y.Section) >= len(o.pieces) {
			continue
		}
		p := o.pieces[y.Section]
		switch {
		case e.kind == function && p.owner != nil && p.owner != e:
			e.alias = p.owner
		case e.kind == variable:
			p.atoms = append(p.atoms, e)
		}
	}
	for _, p := range o.pieces {
		if code := p.code(); code != nil && p.plain == nil {
			p.owner, p.lost = code.owner, code.lost
		}
	}
	for _, p := range o.pieces {
		if p.plain != nil {
			p.owner, p.lost = p.plain.owner, p.plain.lost
		}
	}
}

// isDescriptor reports whether a relocation type requests the descriptor of a function from the driver:
// R_CUDA_FUNC_DESC* and R_MERCURY_FUNC_DESC_64.
func isDescriptor(number uint32) bool {
	return number >= 31 && number <= 35 || number >= 47 && number <= 49 || number >= 61 && number <= 63 || number == 0x1000f
}

// takeDescribed marks the functions whose descriptor o requests. Their address is taken (RELOC-020).
func (o *object) takeDescribed() {
	for _, p := range o.pieces {
		for _, r := range p.relocations {
			if e := o.entities[r.Symbol]; e != nil && e.kind == function && !p.lost && isDescriptor(r.Type) {
				e.isTaken = true
			}
		}
	}
}

// readGraph reads the calls of o. It stores the calls of a discarded definition separately. The program does not need
// them, but nvlink counts them if that definition came first (REACH-001).
func (p *program) readGraph(o *object) {
	text := func(offset uint32) *string {
		if s, err := o.file.String(o.strtab, offset); err == nil {
			return &s
		}
		return nil
	}
	at := func(i uint32) *entity {
		if int(i) < len(o.entities) && o.entities[i] != nil && o.entities[i].kind == function {
			return o.entities[i]
		}
		return nil
	}
	for _, piece := range o.pieces {
		switch piece.section.Type {
		case cubin.SectionCallGraph:
			graphRecords(piece.data, func(group, a, b uint32) {
				from := at(a)
				if from == nil {
					return
				}
				lost := o.lost(a)
				if lost {
					from.isTaken = from.isTaken || from.isKernel() && group == takenAs
					if from.old == nil {
						from.old = &entity{}
					}
					from = from.old
				}
				switch to := at(b); {
				case group == directCalls && to != nil:
					from.calls = append(from.calls, to)
				case group == takesAddress && to != nil:
					from.takes = append(from.takes, to)
					to.isTaken = to.isTaken || !lost
				case group == takenAs: // the last one prevails (MERGE-033)
					from.takenAs = text(b)
				case group == indirectCalls:
					if s := text(b); s != nil {
						from.via = append(from.via, *s)
					}
				}
			})
		case cubin.SectionPrototype:
			for _, pair := range pairs(piece.data) {
				if e, s := at(pair[0]), text(pair[1]); e != nil && s != nil {
					e.prototype = s
				}
			}
		}
	}
}
