package sound

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// The functions that a kernel reaches determine what must be in the output, and which resources the kernel needs.

// callees yields the functions that e calls. A call through a pointer may lead to every function with the right
// prototype whose address is taken. If old is set, calls of discarded definitions count too.
func (p *program) callees(e *entity, old bool, yield func(*entity)) {
	if old && e.old != nil {
		p.callees(e.old, true, yield)
	}
	for _, f := range e.calls {
		yield(f)
	}
	for _, prototype := range e.via {
		for _, f := range p.taken[prototype] {
			yield(f)
		}
		if old {
			for _, f := range p.tookOld[prototype] {
				yield(f)
			}
		}
	}
}

// reach determines the functions that each kernel reaches by calls, and the functions that must be in the output. A
// function must be in the output if a kernel reaches it, or if its address is in reached code or in data.
//
// There are two exceptions. A function that only unreachable functions call can never run and need not be in the output
// (REACH-005). nvlink may also drop a weak function whose address is only in data of an input with a discarded
// definition of it: nvlink writes a null there (REACH-001). After a link with -r, one sign of such a definition remains:
// the call graph does not record that the address of the weak function is taken.
func (c *checker) reach() {
	p := &c.program
	for _, e := range p.entities {
		if !e.isKernel() {
			continue
		}
		e.reach, e.may = p.reachable([]*entity{e}, false), p.reachable([]*entity{e}, true)
		if c.link.Root == nil || c.link.Root(e.name, e.bind == cubin.BindLocal, p.systemParts) {
			e.required = true
		}
	}
	// The address of a kernel makes it a root too.
	for grown := true; grown; {
		grown = false
		require := func(f *entity, callable bool) {
			grown = grown || !f.required
			f.required, f.callable = true, f.callable || callable
		}
		var roots []*entity
		for _, e := range p.entities {
			if e.isKernel() && e.required {
				roots = append(roots, e)
			}
		}
		for _, e := range p.reachable(roots, false) {
			require(e, true)
			if code := e.piece(); code != nil {
				code.functions(func(f *entity, _ fixup) { require(f, false) })
				code.addressed(func(f *entity) { require(f, false) })
			}
		}
		for _, o := range p.objects {
			for _, piece := range o.pieces {
				if piece.owner == nil && piece.section.Flags&cubin.FlagAlloc != 0 && !piece.lost {
					piece.functions(func(f *entity, r fixup) {
						forgotten := f.bind == cubin.BindWeak && f.takenAs == nil && f.old == nil
						if a := piece.atomAt(r.Offset); a != nil && !a.isSlot() && !piece.object.lost(r.Symbol) && !forgotten {
							require(f, false)
						}
					})
				}
			}
		}
	}
}

// reachable returns the roots and all functions that they reach by calls. If old is set, calls of discarded definitions
// count too.
func (p *program) reachable(roots []*entity, old bool) []*entity {
	seen := map[*entity]bool{}
	list := make([]*entity, 0, len(roots))
	add := func(f *entity) {
		if !seen[f] {
			seen[f] = true
			list = append(list, f)
		}
	}
	for _, e := range roots {
		add(e)
	}
	for i := 0; i < len(list); i++ {
		p.callees(list[i], old, add)
		if list[i].alias != nil {
			add(list[i].alias)
		}
	}
	return list
}

// functions yields the functions that relocations of p refer to.
func (p *piece) functions(yield func(f *entity, r fixup)) {
	for _, r := range p.relocations {
		if f := p.object.entities[r.Symbol]; f != nil && f.kind == function {
			yield(f, r)
		}
	}
}

// slotPrefix begins the names of the slots from which position independent code reads addresses (ptxas -pic).
const slotPrefix = "$ADDRESS$"

// isSlot reports whether e is such a slot. It has an address for code that reads it, and takes none itself.
func (e *entity) isSlot() bool { return e.kind == variable && strings.HasPrefix(e.name, slotPrefix) }

// addressed yields the functions whose addresses are in slots that p, code, reads.
func (p *piece) addressed(yield func(f *entity)) {
	for _, r := range p.relocations {
		slot := p.object.entities[r.Symbol]
		if slot == nil || !slot.isSlot() || slot.piece() == nil {
			continue
		}
		slot.piece().functions(func(f *entity, at fixup) {
			if slot.piece().atomAt(at.Offset) == slot {
				yield(f)
			}
		})
	}
}

// atomAt finds the variable of p that contains the byte at an offset.
func (p *piece) atomAt(offset uint64) *entity {
	for _, a := range p.atoms {
		if a.symbol.Value <= offset && offset < a.symbol.Value+max(a.size, 1) {
			return a
		}
	}
	return nil
}

// unknownStack is the stack of a kernel whose calls may recurse, as the linker or the compiler found out.
const unknownStack = 0xffffffff

// depths returns the largest sum of sizes along a call path from e, or unknownStack. least counts the calls of
// prevailing definitions. most also counts those of discarded definitions.
func (c *checker) depths(e *entity, sizes map[*entity]uint32) (least, most uint32) {
	if c.unbounded[e] {
		return unknownStack, unknownStack
	}
	of := func(old bool) uint32 { return c.depth(e, old, sizes, map[*entity]*uint32{}) }
	return of(false), of(true)
}

func (c *checker) depth(e *entity, old bool, sizes map[*entity]uint32, memo map[*entity]*uint32) uint32 {
	if d, seen := memo[e]; seen {
		if d == nil { // on the path
			return unknownStack
		}
		return *d
	}
	memo[e] = nil
	var below uint32
	c.program.callees(e, old, func(f *entity) { below = max(below, c.depth(f, old, sizes, memo)) })
	if below != unknownStack {
		below += sizes[e]
	}
	memo[e] = &below
	return below
}
