package sound

import (
	"bytes"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/sass"
)

// In an extensible whole program (ptxas -ewp) the compiler places the slots of textures, and code reads a slot without a
// relocation. If another file has a kernel with more parameters, the slots move behind these in every parameter bank, and
// the code with them (LAYOUT-711). So the checker takes the place of the slots from the output, changes the input as if
// its slots were there, and then checks everything else as usual.

// moveSlots moves the slots of the whole programs to their places in the output.
func (c *checker) moveSlots() {
	if !c.mercury {
		return
	}
	for _, e := range c.program.entities {
		if e.kind != function || e.object == nil || !e.object.isWhole() || !e.isKernel() {
			continue
		}
		bank, text, table := e.bankPiece(0), e.piece(), e.object.file.Section(slotTable+e.name)
		if bank == nil || text == nil || table == nil || table.Size > bank.section.Size {
			continue
		}
		if own, start := bank.section.Size-table.Size, c.startOfSlots(e); own < start {
			text.data = bytes.Clone(text.data)
			sass.MoveConstantLoads(text.data, own, bank.section.Size, start-own)
			bank.grow(own, start-own)
		}
	}
}

// moveFirstSlot moves the constant operand with which unoptimized code finds the first slot to that slot's place in the
// output (MERC-930).
func (c *checker) moveFirstSlot() {
	if !c.mercury {
		return
	}
	start := firstSlotOf(c.out.file)
	for _, e := range c.program.entities {
		if e.kind != function || e.object == nil {
			continue
		}
		text := e.piece()
		if text == nil || !slices.ContainsFunc(text.relocations, func(r fixup) bool { return r.Type == reloc.Abs16At32 }) {
			continue
		}
		if own := firstSlotOf(e.object.file); own != start {
			text.data = bytes.Clone(text.data)
			sass.MoveConstantLoads(text.data, own, own+1, start-own)
		}
	}
}

// firstSlotOf returns the offset of the first slot after the largest parameters of a file with a Mercury half.
func firstSlotOf(file *cubin.File) uint64 {
	start := uint64(arch.ParametersStart)
	for i := range file.Sections {
		s := &file.Sections[i]
		kernel, ok := strings.CutPrefix(s.Name, cubin.ParameterPrefix)
		if !ok {
			continue
		}
		size := s.Size
		if table := file.Section(slotTable + kernel); table != nil {
			size -= min(size, table.Size)
		}
		start = max(start, cubin.AlignUp(size, arch.HandlesAlign))
	}
	return start
}

// isWhole reports whether o is an extensible whole program.
func (o *object) isWhole() bool { return o.file.Type == cubin.TypeEWP }

// movePlaces updates the places in p, the code of e, that instructions hold without a plain relocation (MERC-751).
func (p *piece) movePlaces(e *entity, result mercury.Result) {
	opened, err := capsule.Open(p.copy.data, capsule.Place{})
	if err != nil {
		return
	}
	var named []uint64
	for _, r := range p.copy.relocations {
		if p.object.entities[r.Symbol] == e && r.Type == reloc.MercuryProgRel32 {
			named = append(named, r.Offset)
		}
	}
	result.MovePlaces(opened.Code(p.data), named)
}

// startOfSlots returns the place of the slots in the parameter bank that kernel e has in the output, or 0 if there are
// none.
func (c *checker) startOfSlots(e *entity) uint64 {
	bank, ok := c.out.byName[".nv.constant0."+e.name]
	table, also := c.out.byName[slotTable+e.name]
	if !ok || !also {
		return 0
	}
	size, slots := c.out.file.Sections[bank].Size, c.out.file.Sections[table].Size
	return size - min(slots, size)
}

// grow inserts zeros into p, a parameter bank.
func (p *piece) grow(at, size uint64) {
	section := *p.section
	section.Size += size
	p.section = &section
	if at <= uint64(len(p.data)) && section.Size <= 1<<16 {
		p.data = bytes.Join([][]byte{p.data[:at], p.data[at:]}, make([]byte, size))
	}
	for i := range p.relocations {
		if r := &p.relocations[i]; r.Offset >= at {
			r.Offset += size
		}
	}
}
