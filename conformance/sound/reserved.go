package sound

import "github.com/culink/culink/linker/cubin"

// From sm_100 on, code may refer to variables in the shared memory that the system reserves. They have a separate
// section, after a part that only the system uses (LAYOUT-062). The finalizer places them, so the Mercury half keeps the
// relocations against them (MERC-216).

// reservedStart is the lowest address of a variable in reserved shared memory.
const reservedStart = 0x40

// addReserved binds a variable in reserved shared memory. The value of its symbol is its alignment.
func (p *program) addReserved(o *object, y *cubin.Symbol) {
	if y.Type == cubin.SymSection {
		return
	}
	if e := p.entityOf(o, y, reserved); e.symbol == nil {
		e.define(o, y)
		e.align = max(y.Value, 1)
	}
}

// checkReserved checks the places of the variables in reserved shared memory, in both halves of an executable.
func (c *checker) checkReserved() {
	var regions []region
	for _, e := range c.program.entities {
		if e.kind != reserved || e.out == nil || c.link.Relocatable {
			continue
		}
		key := "reserved." + e.name
		at, s := e.out.Value-reservedStart, &c.out.file.Sections[e.out.Section]
		if e.out.Value < reservedStart || e.out.Value+e.size > s.Size {
			c.report(key, "a place behind the system's part, inside of "+s.Name, "%#x", e.out.Value)
			continue
		}
		c.aligned(key+".alignment", at, e.out.Section, e.align)
		regions = append(regions, region{name: e.name, from: at, to: at + e.size})
		if i := e.out.Index; c.mercury && int(i) < len(c.out.inner) {
			c.expect("mercury."+key, at, c.out.inner[i].Value)
		}
	}
	c.disjoint("reserved", regions)
}
