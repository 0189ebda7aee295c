package sound

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// The output of a relocatable link (-r) is an unfinished program. A later link will drop dead code, place shared memory
// and propagate the attributes of kernels. The output must therefore contain everything that the inputs define, with a
// symbol for each definition. An operand that this link resolves has the value of the symbol. Every other operand keeps
// its relocation.

// keepAll marks every function as required and callable, and as reaching only itself.
func (c *checker) keepAll() {
	named := map[string]bool{}
	for _, y := range c.out.symbols {
		named[y.Name] = true
	}
	for _, e := range c.program.entities {
		// Constants of a function may lose their symbols. If there is a Mercury half, their symbols get new names. Slots of
		// position independent code keep theirs (MERC-442).
		e.internal = e.internal && e.kind == variable && (!named[e.name] || c.mercury && !e.isSlot())
		if e.kind == function {
			e.required, e.callable = true, true
			e.reach, e.may = []*entity{e}, []*entity{e}
		}
	}
}

// externInstance is the name of the symbol that stands for the extern __shared__ arrays of a kernel.
const externInstance = "externsharedinstance"

// isInstance reports whether symbol y of the output represents the array e of unknown size in the code of kernel k. The
// symbol lies after the kernel's own variables.
func (c *checker) isInstance(k, e *entity, y *cubin.Symbol) bool {
	return c.link.Relocatable && k != nil && e.dynamic && y.Name == externInstance && y.Bind == cubin.BindWeak &&
		y.Type == cubin.SymData && y.Space() == cubin.OtherShared &&
		y.Value%dynamicAlign == 0 && y.Value >= c.ownShared(k)
}

// ownShared returns the total size of the variables in the shared memory of kernel k.
func (c *checker) ownShared(k *entity) (size uint64) {
	for _, e := range c.program.entities {
		if p := e.piece(); e.kind == shared && p != nil && p.owner == k {
			size += e.size
		}
	}
	return size
}

// checkUnplaced checks the shared variables that a later link will place. The value of the symbol must be the alignment,
// and the section must be that of the right memory.
func (c *checker) checkUnplaced() {
	for _, e := range c.program.entities {
		p := e.piece()
		if e.kind != shared || p == nil || e.out == nil || !e.out.Defined() {
			continue
		}
		s := &c.out.file.Sections[e.out.Section]
		if e.out.Value < e.align {
			c.report("shared."+e.name+".alignment", fmt.Sprintf("at least %#x", e.align), "%#x", e.out.Value)
		}
		if s.Name != p.section.Name || s.Type != cubin.SectionShared || s.Size < e.size || s.AddrAlign < e.align {
			c.report("shared."+e.name, fmt.Sprintf("%#x bytes in %s", e.size, p.section.Name), "%#x in %s", s.Size, s.Name)
		}
	}
}

// placeToCome is a value that operands may have for a constant or shared variable that no input defines, even if the
// value of its symbol is 0 (LAYOUT-403).
const placeToCome = ^uint64(0)

// isConstantToCome reports whether e is a constant that no input defines.
func (c *checker) isConstantToCome(e *entity) bool {
	return c.link.Relocatable && e != nil && e.symbol == nil && e.space == cubin.OtherConstant && e.out != nil
}

// bankToCome returns the bank in operands that refer to a constant that no input defines (MERC-214).
func (c *checker) bankToCome() uint8 {
	if c.mercury {
		return 3
	}
	return reloc.Bank(0)
}

// givenTypes returns the section types of the inputs by section name. In a relocatable file the type
// identifies the memory, so the output keeps it.
func (c *checker) givenTypes() map[string]cubin.SectionType {
	types := map[string]cubin.SectionType{}
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			types[p.section.Name] = p.section.Type
		}
	}
	return types
}
