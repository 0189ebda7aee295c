package sound

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// The program is what the inputs demand: names bound to definitions, and who calls
// whom (docs/rules.md, MERGE and REACH). It knows no places.

type program struct {
	objects  []*object
	entities []*entity // in the order in which the inputs name them
	global   map[string]*entity
	system   bool                 // libcudadevrt is linked
	clash    string               // a name of two kinds
	byHeader bool                 // weak code is weighed by the registers in its header alone (KIT-031)
	taken    map[string][]*entity // functions whose address is taken, by prototype
	tookOld  map[string][]*entity // those of which only a copy that lost says so
}

// A kind says what an entity is.
type kind uint8

const (
	variable kind = iota // in global or constant memory
	function
	shared
	handle   // a texture, sampler or surface
	linker   // a name that the linker or the driver gives a meaning
	reserved // in the shared memory that the system keeps
)

// An entity is what a name stands for in the whole program.
type entity struct {
	name   string
	kind   kind
	bind   cubin.Binding
	space  cubin.Space // memory space, as the inputs say
	object *object
	symbol *cubin.Symbol // that defines it; nil while undefined
	size   uint64
	align  uint64 // of commons and shared variables
	common bool

	dynamic  bool // extern __shared__ without a size
	internal bool // never in the output's symbol table
	typ      cubin.SymbolType
	other    uint8
	first    uint8 // other, as the first mention says

	// Functions.
	alias     *entity // whose code it is a second name of
	regs      uint32
	weight    weight
	copies    []weakCopy // the weak definitions
	calls     []*entity  // directly
	takes     []*entity  // whose address the code takes
	via       []string   // prototypes of calls through pointers
	old       *entity    // calls of copies that lost, which nvlink may count too
	takenAs   *string
	prototype *string
	isTaken   bool
	required  bool      // has to be there: kernels get to it, or its address is held
	callable  bool      // kernels get to it
	reach     []*entity // of a kernel: what it gets to
	may       []*entity // the same, with the calls of copies that lost

	out *cubin.Symbol // in the output; nil when it is not there

	slot // of what has no symbol there: its address, read from operands
}

func (e *entity) isKernel() bool { return e.symbol != nil && e.symbol.IsEntry() }

// defined reports whether an input gives e code or room.
func (e *entity) defined() bool { return e.symbol != nil || e.common }

// piece is the section that defines e; nil where no input does.
func (e *entity) piece() *piece {
	if e.symbol == nil || e.object == nil || int(e.symbol.Section) >= len(e.object.pieces) {
		return nil
	}
	return e.object.pieces[e.symbol.Section]
}

// readProgram reads the inputs; it is false when they cannot be judged.
func (c *checker) readProgram() bool {
	p := &c.program
	p.global, p.byHeader = map[string]*entity{}, !c.link.Target.Profile.Merge.ChoosesByAttribute
	for _, in := range c.link.Inputs {
		o, err := openObject(in, c.link.Target.Profile)
		if err != nil {
			c.report("input."+in.Name, "a readable cubin", "%v", err)
			return false
		}
		if in.System {
			if !c.link.KeepSystem && !p.misses(o) {
				continue
			}
			p.system = true
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
		if e.isTaken && e.takenAs == nil { // its own record is that of a copy that lost
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

// misses reports whether o defines a function that is undefined so far.
func (p *program) misses(o *object) bool {
	return slices.ContainsFunc(o.symbols, func(y cubin.Symbol) bool {
		e := p.global[y.Name]
		return y.Type == cubin.SymFunc && y.Bind != cubin.BindLocal && y.Defined() && e != nil && e.kind == function && !e.defined()
	})
}

// entityOf finds or makes the entity of symbol y.
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

// define lets symbol y of o be the definition of e.
func (e *entity) define(o *object, y *cubin.Symbol) {
	e.object, e.symbol, e.common = o, y, false
	e.bind, e.size, e.space, e.other, e.typ = y.Bind, y.Size, y.Space(), e.otherOf(y), y.Type
}

// otherOf is st_other of y, a definition of e: a function that the first mention does not call
// unified is not (LAYOUT-116).
func (e *entity) otherOf(y *cubin.Symbol) uint8 {
	if e.kind == function {
		return y.Other &^ (cubin.OtherManaged &^ e.first)
	}
	return y.Other
}

// isLabel reports whether y says nothing but where it is.
func isLabel(y *cubin.Symbol) bool {
	return y.Index == 0 || y.Type == cubin.SymNone && y.Defined()
}

// A weight decides between weak functions: fewer registers, as the section header counts
// them, then the later virtual architecture (MERGE-020, MERGE-028).
type weight struct {
	registers uint32
	virtual   uint16
}

func (w weight) less(other weight) bool {
	return w.registers < other.registers || w.registers == other.registers && w.virtual > other.virtual
}

// addFunctions binds the functions of o. A strong one replaces a weak one; of weak ones
// that which weighs less stays, else the first.
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
		if e.symbol == nil || e.bind == cubin.BindWeak && (y.Bind == cubin.BindGlobal || weight.less(e.weight)) {
			e.define(o, y)
			e.regs, e.weight = cmp.Or(said, inHeader), weight
		}
	}
}

// addVariables binds every symbol that is no function. Of definitions of one name a strong one prevails,
// else the first; contents prevail over a common symbol (MERGE-011 to MERGE-016).
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

// addDefinition makes y the definition of e where it prevails over the earlier ones.
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
		if e.bind == cubin.BindWeak && y.Bind == cubin.BindGlobal && y.Defined() { // nvlink lets either place serve (LAYOUT-407)
			e.bind, e.align = y.Bind, min(e.align, max(y.Value, 1))
		}
	case y.Size == 0:
		e.dynamic = true
	case y.Defined():
		e.define(o, y)
		e.dynamic, e.align = false, max(y.Value, 1)
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

// settle tells the sections of o apart: what belongs to a definition that is linked, and
// what to one that lost.
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

// isDescriptor reports whether a relocation of that type asks the driver for the descriptor of
// a function: R_CUDA_FUNC_DESC* and R_MERCURY_FUNC_DESC_64.
func isDescriptor(number uint32) bool {
	return number >= 31 && number <= 35 || number >= 47 && number <= 49 || number >= 61 && number <= 63 || number == 0x1000f
}

// takeDescribed notes the functions of which o takes the address by a descriptor (RELOC-020).
func (o *object) takeDescribed() {
	for _, p := range o.pieces {
		for _, r := range p.relocations {
			if e := o.entities[r.Symbol]; e != nil && e.kind == function && !p.lost && isDescriptor(r.Type) {
				e.isTaken = true
			}
		}
	}
}

// readGraph takes the calls of o. What a copy that lost says is kept apart: the program
// does not need it, but nvlink counts it if that copy came first (REACH-001).
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
				case group == takenAs: // the last one stays (MERGE-033)
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
