package sound

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// The objects that a kernel can reach must not overlap. They must lie inside their memory and have the
// alignment that the inputs require.

// A region is a range of memory in use.
type region struct {
	name     string
	from, to uint64
	piece    *piece // the section of an input that contains it; nil if there is none
	shift    uint64 // difference of from and the offset in the piece
}

// bytes returns the contents of r in the input, or nil for memory without contents.
func (r *region) bytes() []byte {
	if r.piece == nil || r.to < r.from || r.to-r.shift > uint64(len(r.piece.data)) {
		return nil
	}
	return r.piece.data[r.from-r.shift : r.to-r.shift]
}

// onePlaceEach drops compiler constants with the place and the contents of another one. Such constants may share a
// place, because nothing writes to them or compares their addresses (LAYOUT-112).
func onePlaceEach(regions []region) []region {
	type place struct {
		from, to uint64
		bytes    string
	}
	seen := map[place]bool{}
	return slices.DeleteFunc(regions, func(r region) bool {
		p := place{r.from, r.to, string(r.bytes())}
		again := seen[p] && p.bytes != ""
		seen[p] = true
		return again
	})
}

// disjoint reports regions that overlap. Parts of one piece may overlap if they overlap in the input.
func (c *checker) disjoint(key string, regions []region) {
	slices.SortStableFunc(regions, func(a, b region) int { return cmp.Compare(a.from, b.from) })
	var last region
	for i, r := range regions {
		if i > 0 && r.from < last.to && r.to > r.from && (r.piece == nil || r.piece != last.piece || r.shift != last.shift) {
			c.report(key+"."+r.name, "room of its own", "at %#x to %#x, where %s is at %#x to %#x", r.from, r.to, last.name, last.from, last.to)
		}
		if r.to > last.to {
			last = r
		}
	}
}

// aligned reports an offset in a section of the output if the offset or the section is not a multiple of align.
func (c *checker) aligned(key string, offset uint64, section uint32, align uint64) {
	s := &c.out.file.Sections[section]
	if align > 1 && (offset%align != 0 || s.AddrAlign%align != 0) {
		c.report(key, fmt.Sprintf("alignment %#x", align), "%#x in a section of alignment %#x", offset, s.AddrAlign)
	}
}

// checkMemory checks every memory space.
func (c *checker) checkMemory() {
	c.checkVariables()
	c.checkReserved()
	if c.link.Relocatable {
		c.checkUnplaced()
	}
	for _, k := range c.kernels {
		c.checkConstants(k)
		if !c.link.Relocatable {
			c.checkShared(k)
		}
	}
}

// checkVariables checks global memory and the constants that all kernels share.
func (c *checker) checkVariables() {
	spaces := map[uint32][]region{}
	for _, e := range c.program.entities {
		if e.kind != variable || e.out == nil || !e.out.Defined() {
			continue
		}
		r := region{name: e.name, from: e.out.Value, to: e.out.Value + e.size}
		align := e.align
		s := &c.out.file.Sections[e.out.Section]
		if p := e.piece(); p != nil {
			if p.lost { // -r keeps its symbols (MERGE-022)
				continue
			}
			r.piece, r.shift = p, r.from-e.symbol.Value
			align = alignmentAt(e.symbol.Value, c.alignOf(p))
		} else if memoryOf(s) != "global memory" || s.HasBytes() && !zero(c.out.span(e.out.Section, r.from, e.size)) {
			c.report("data."+e.name, "zeros in global memory", "in %s", s.Name)
		}
		if r.to > s.Size || r.to < r.from {
			c.report("data."+e.name, fmt.Sprintf("%#x bytes inside of %s", e.size, s.Name), "at %#x of %#x", r.from, s.Size)
		}
		c.aligned("data."+e.name+".alignment", r.from, e.out.Section, align)
		spaces[e.out.Section] = append(spaces[e.out.Section], r)
	}
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			if p.owner != nil || p.lost || isDebug(p.section) {
				continue
			}
			for _, r := range c.unnamed(p) {
				if i, ok := c.out.byName[p.section.Name]; ok {
					spaces[i] = append(spaces[i], r)
					c.aligned("data."+r.name+".alignment", r.from, i, alignmentAt(r.from-r.shift, c.alignOf(p)))
				}
			}
		}
	}
	for section := range c.out.file.Sections {
		c.disjoint("data", spaces[uint32(section)])
	}
}

// unnamed lists the parts of p that have no symbol in the output.
func (c *checker) unnamed(p *piece) []region {
	var list []region
	for _, e := range p.atoms {
		if e.internal && e.known {
			list = append(list, region{e.name, e.value, e.value + e.size, p, e.value - e.symbol.Value})
		}
	}
	if p.begin.known {
		list = append(list, region{p.section.Name, p.begin.value, p.begin.value + p.section.Size, p, p.begin.value})
	}
	return list
}

// alignmentAt returns the alignment of an offset in a section. section is the alignment of the section.
func alignmentAt(offset, section uint64) uint64 {
	if low := offset & -offset; offset != 0 && low < section {
		return low
	}
	return section
}

func zero(data []byte) bool {
	return !slices.ContainsFunc(data, func(b byte) bool { return b != 0 })
}

// checkConstants checks the constant banks of a kernel. They contain its own constants and those of the
// functions that it reaches.
func (c *checker) checkConstants(k *entity) {
	banks := map[uint32][]region{}
	if in, section := k.bankPiece(0), c.out.boundTo(k.out.Section, ".nv.constant0."); in != nil && section != 0 {
		c.aligned("constant."+k.name+".alignment", 0, section, in.section.AddrAlign)
	}
	for _, f := range k.reach {
		if f.object == nil {
			continue
		}
		for _, p := range f.object.pieces {
			bank, ok := p.section.ConstantBank()
			if !ok || p.owner != f || bank == 0 {
				continue
			}
			section := c.out.boundTo(k.out.Section, fmt.Sprintf(".nv.constant%d.", bank))
			for _, r := range c.unnamed(p) {
				if section == 0 {
					c.report("constant."+f.name, "a constant bank of "+k.name, "none")
					continue
				}
				banks[section] = append(banks[section], r)
				c.aligned("constant."+f.name+".alignment", r.from, section, alignmentAt(r.from-r.shift, p.section.AddrAlign))
			}
		}
	}
	for section := range c.out.file.Sections {
		c.disjoint("constant", onePlaceEach(banks[uint32(section)]))
	}
}

// sharedMemory is the shared memory that a kernel reaches. Sizes are in bytes.
type sharedMemory struct {
	regions    []region
	end, align uint64
	starts     []dynamicStart // starts of extern __shared__ arrays
}

type dynamicStart struct {
	name string
	at   uint64
}

// sharedOf collects the shared memory that k reaches, and checks the alignment of its variables.
func (c *checker) sharedOf(k *entity) (m sharedMemory) {
	seen := map[*entity]bool{}
	for _, f := range k.reach {
		p := f.piece()
		if p == nil {
			continue
		}
		for _, r := range p.relocations {
			e := f.object.entities[r.Symbol]
			switch {
			case e == nil || e.kind != shared:
			case e.dynamic:
				if s := c.slotOf(p, e); s.known {
					m.starts = append(m.starts, dynamicStart{e.name, s.value})
				}
			case !seen[e] && e.known:
				seen[e] = true
				if e.value%max(e.align, 1) != 0 {
					c.report("shared."+e.name+".alignment", fmt.Sprintf("alignment %#x", e.align), "%#x", e.value)
				}
				m.regions = append(m.regions, region{name: e.name, from: e.value, to: e.value + e.size})
				m.end, m.align = max(m.end, e.value+e.size), max(m.align, e.align)
			}
		}
	}
	return m
}

// checkShared checks the shared memory of a kernel. Variables must be disjoint and must follow the memory that the
// system reserves. Extern __shared__ arrays must begin after all variables.
func (c *checker) checkShared(k *entity) {
	m := c.sharedOf(k)
	c.disjoint("shared", m.regions)
	reserved := c.link.Target.ReservedShared()
	if c.link.NoReservedShared {
		reserved = 0
	}
	section, s := c.out.boundTo(k.out.Section, ".nv.shared."), &cubin.Section{AddrAlign: dynamicAlign}
	switch {
	case section != 0:
		s = &c.out.file.Sections[section]
	case len(m.regions)+len(m.starts) == 0:
		return
	case len(m.regions) > 0 || reserved > 0 && !c.mercury:
		c.report("shared."+k.name, "a section", "none")
		return
	default:
		s.Size = reserved // the driver knows that the kernel has no shared memory of its own
	}
	align := m.align
	for _, d := range m.starts {
		if d.at < m.end || d.at%dynamicAlign != 0 || d.at+reserved > s.Size {
			c.report("shared."+d.name, fmt.Sprintf("a multiple of %#x from %#x to %#x", dynamicAlign, m.end, s.Size-reserved), "%#x", d.at)
		}
		align = max(align, dynamicAlign)
	}
	if s.Size < m.end+reserved {
		c.report("shared."+k.name+".size", fmt.Sprintf("at least %#x", m.end+reserved), "%#x", s.Size)
	}
	if limit := c.link.Target.MaxShared(c.link.ExtendedShared); s.Size > limit+reserved {
		c.report("shared."+k.name+".size", fmt.Sprintf("at most %#x", limit+reserved), "%#x", s.Size)
	}
	if s.AddrAlign < align {
		c.report("shared."+k.name+".alignment", fmt.Sprintf("at least %#x", align), "%#x", s.AddrAlign)
	}
	if section != 0 && (s.Type != cubin.SectionNoBits || s.Flags&(cubin.FlagAlloc|cubin.FlagWrite) != cubin.FlagAlloc|cubin.FlagWrite) {
		c.report("shared."+k.name, "memory without contents", "type %#x, flags %#x", uint32(s.Type), s.Flags)
	}
}

// dynamicAlign is the alignment of the start of extern __shared__ arrays.
const dynamicAlign = 16

// alignOf returns the alignment of the data of p. In some releases it is that of the copy in the Mercury half
// (KIT-139).
func (c *checker) alignOf(p *piece) uint64 {
	if p.copy != nil && c.link.Target.Profile.Merge.InnerHeaders {
		return p.copy.section.AddrAlign
	}
	return p.section.AddrAlign
}
