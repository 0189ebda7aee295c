package sound

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// The target of a relocation determines what the link does with the relocation (docs/relocations.md).

// uftOffset and unifiedTables are names of the linker's own symbols for unified functions and data.
const uftOffset = "__UFT_OFFSET"

var unifiedTables = map[string]bool{
	"__UFT": true, "__UFT_END": true, "__UFT_CANONICAL": true,
	"__UDT": true, "__UDT_END": true, "__UDT_CANONICAL": true, "__UDT_OFFSET": true,
}

// targetOf classifies the symbol of r, a relocation of p, by what it is in the output. It returns the kind of target and
// the operand.
func (c *checker) targetOf(p *piece, r fixup) (reloc.Target, operand) {
	o := p.object
	y := &o.symbols[r.Symbol]
	at := operand{name: y.Name, bank: reloc.Bank(0)}
	if int(y.Section) < len(o.pieces) && y.Defined() {
		q := p.sameHalf(o.pieces[y.Section])
		at.bank = reloc.Bank(uint32(q.section.Type))
		if y.Type == cubin.SymSection {
			return c.sectionTarget(q, at)
		}
	}
	e := o.entities[r.Symbol]
	switch {
	case isLabel(y), e != nil && e.kind == linker && saysNothing(y):
		at.bank = reloc.Bank(0)
		return reloc.Placed, at
	case e == nil:
		return reloc.Undefined, at
	}
	if e.symbol != nil && int(e.symbol.Section) < len(e.object.pieces) {
		at.bank = reloc.Bank(uint32(e.piece().section.Type))
	}
	at.slot, at.align = c.slotOf(p, e), e.align
	switch e.kind {
	case function:
		if e.out == nil {
			return reloc.DeadFunction, at
		}
		return reloc.Function, at
	case shared:
		if e.dynamic {
			at.align, at.bank = 16, reloc.Bank(0)
			return reloc.DynamicShared, at
		}
		return reloc.Shared, at
	case handle:
		at.bank = 0 // its slot lies among the parameters
		return reloc.Handle, at
	case reserved:
		if p.plain != nil || e.out == nil {
			return reloc.Variable, at
		}
		at.slot = &slot{e.out.Value, true}
		return reloc.Placed, at
	case linker:
		switch {
		case y.Name == uftOffset:
			return reloc.UFTOffset, at
		case unifiedTables[y.Name]:
			return reloc.UnifiedTable, at
		case y.Bind == cubin.BindLocal && reservedNames[y.Name].size == 0: // a reserved name is global (MERGE-741), or the driver's all the same (KIT-079)
			at.delta = ^uint64(0)
			return reloc.Parameter, at
		}
		return reloc.Undefined, at
	}
	return c.variableTarget(e, at)
}

// saysNothing reports whether y, a local symbol that no input defines, is of a type that no variable has. It stands for
// the null symbol (MERGE-305).
func saysNothing(y *cubin.Symbol) bool {
	return y.Bind == cubin.BindLocal && y.Type != cubin.SymObject && y.Type != cubin.SymData
}

// sameHalf returns q, or its copy if p is in the Mercury half.
func (p *piece) sameHalf(q *piece) *piece {
	if p.plain != nil && q.copy != nil {
		return q.copy
	}
	return q
}

// variableTarget classifies variable e as a target. It returns the kind of target and the operand.
func (c *checker) variableTarget(e *entity, at operand) (reloc.Target, operand) {
	if e.common || e.symbol == nil && e.space == cubin.OtherGlobal {
		return reloc.Variable, at
	}
	if e.symbol == nil {
		if c.isConstantToCome(e) {
			at.slot, at.bank = &slot{placeToCome, true}, c.bankToCome()
		}
		return reloc.Undefined, at
	}
	p := e.piece()
	switch s := p.section; {
	case s.Type == cubin.SectionGlobal || s.Type == cubin.SectionGlobalInit:
		return reloc.Variable, at
	case s.Flags&cubin.FlagExec != 0: // a label in code
		return reloc.Function, at
	case e.internal || c.isParameter(e):
		if c.isParameter(e) {
			at.delta = e.symbol.Value
		}
		return reloc.Parameter, at
	}
	return reloc.Placed, at
}

// sectionTarget classifies the symbol of section q as a target. It returns the kind of target and the operand.
func (c *checker) sectionTarget(q *piece, at operand) (reloc.Target, operand) {
	at.name = q.section.Name
	switch t := q.section.Type; {
	case q.section.Flags&cubin.FlagExec != 0 || q.isCapsule():
		if q.owner == nil || q.owner.out == nil {
			return reloc.Parameter, at
		}
		return reloc.Placed, at
	case t == cubin.SectionGlobal || t == cubin.SectionGlobalInit:
		at.slot = &q.begin
		return reloc.Variable, at
	case t == cubin.SectionShared && strings.HasPrefix(q.section.Name, ".nv_debug."):
		return reloc.Dissolved, at
	}
	at.slot = &q.begin
	return reloc.Placed, at
}

// slotOf returns the slot for the address of e in operands of p. It returns nil for parameters and for entities that the
// driver places.
func (c *checker) slotOf(p *piece, e *entity) *slot {
	switch e.kind {
	case shared:
		switch {
		case c.link.Relocatable && e.symbol == nil && !e.dynamic:
			return &slot{placeToCome, true}
		case c.link.Relocatable && e.out != nil:
			return &slot{e.out.Value, true}
		case !e.dynamic:
			return &e.slot
		}
		key := dynamicUse{p, e}
		if c.dynamic[key] == nil {
			c.dynamic[key] = &slot{}
		}
		return c.dynamic[key]
	case handle:
		return &e.slot
	case variable:
		switch {
		case c.isParameter(e):
			return nil
		case !e.internal && e.out != nil && e.out.Defined():
			return &slot{e.out.Value, true}
		}
		return &e.slot
	}
	return nil
}
