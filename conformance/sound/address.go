package sound

import (
	"bytes"
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// The checker reads addresses from the output. If an entity has a symbol in the output, its address is the value of the
// symbol. Otherwise its address comes from the first operand that refers to it, and all other operands must agree with
// that one.

// A slot is an address that may not be known yet.
type slot struct {
	value uint64
	known bool
}

// A place maps bytes of a piece to the output: byte i of the piece is at base+i of a section, for from <= i <
// to.
type place struct {
	section        uint32
	base, from, to uint64
	name           string // name of the contents, for findings
}

// A dynamicUse is the use of an extern __shared__ array in a piece of code. Each piece has one start address
// for the array.
type dynamicUse struct {
	piece *piece
	array *entity
}

// places lists where the bytes of p are in the output, as far as that is known.
func (c *checker) places(p *piece) []place {
	size := p.section.Size
	if p.lost {
		return nil
	}
	if p.owner != nil && p.section.Flags&cubin.FlagExec != 0 {
		if p.owner.out == nil || !p.owner.out.Defined() {
			return nil
		}
		return []place{{p.owner.out.Section, 0, 0, size, "code." + p.owner.name}}
	}
	if p.plain != nil && !isDebug(p.section) {
		return c.copiesAt(p)
	}
	bank, inBank := p.section.ConstantBank()
	whole := "data." + strings.TrimPrefix(p.section.Name, ".")
	var list []place
	for _, e := range p.atoms {
		for _, section := range c.sectionsOf(e) {
			if at := c.addressOf(e); at.known {
				list = append(list, place{section, at.value - e.symbol.Value, e.symbol.Value, e.symbol.Value + e.size, "data." + e.name})
			}
		}
	}
	switch {
	case inBank && p.owner != nil:
		for _, section := range c.banks(p.owner, bank) {
			if p.begin.known || bank == 0 {
				list = append(list, place{section, p.begin.value, 0, size, whole})
			}
		}
	case p.begin.known:
		if i, ok := c.out.byName[p.section.Name]; ok {
			list = append(list, place{i, p.begin.value, 0, size, whole})
		}
	}
	return list
}

// sectionsOf lists the sections of the output that must contain e. This is one section, except for the
// constants of a function: every kernel that reaches the function has them.
func (c *checker) sectionsOf(e *entity) []uint32 {
	if !e.internal {
		if e.out == nil || !e.out.Defined() {
			return nil
		}
		return []uint32{e.out.Section}
	}
	p := e.piece()
	bank, ok := p.section.ConstantBank()
	if !ok {
		return nil
	}
	if p.owner != nil {
		return c.banks(p.owner, bank)
	}
	if i, ok := c.out.byName[p.section.Name]; ok {
		return []uint32{i}
	}
	return nil
}

// addressOf returns the offset of a variable in its section.
func (c *checker) addressOf(e *entity) slot {
	switch {
	case e.out != nil && !e.internal:
		return slot{e.out.Value, e.out.Defined()}
	case c.isParameter(e):
		return slot{e.symbol.Value, true}
	}
	return e.slot
}

// isParameter reports whether e is one of a kernel's parameters. The driver knows where they are.
func (c *checker) isParameter(e *entity) bool {
	p := e.piece()
	if p == nil || p.owner == nil {
		return false
	}
	bank, ok := p.section.ConstantBank()
	return ok && bank == 0
}

// banks lists the sections of one constant bank of all kernels that reach f.
func (c *checker) banks(f *entity, bank int) []uint32 {
	var list []uint32
	for _, k := range c.reaching[f] {
		for _, i := range c.out.bound[k.out.Section] {
			if constantBank(c.out.file.Sections[i].Name) == bank {
				list = append(list, i)
			}
		}
	}
	return list
}

// findAddresses reads the addresses of entities without a symbol from operands. Each address that is found may
// let more pieces be read, so this repeats until nothing new is found.
func (c *checker) findAddresses() {
	c.dynamic, c.sums = map[dynamicUse]*slot{}, map[partial]reading{}
	c.placeDebug()
	for changed := true; changed; {
		changed = false
		for _, o := range c.program.objects {
			for _, p := range o.pieces {
				places := c.places(p)
				for _, r := range p.relocations {
					if c.findAddress(p, r, places) {
						changed = true
					}
				}
			}
		}
	}
	c.placeUnnamed()
}

// placeUnnamed places the constants of a kernel that no operand refers to. An earlier link has resolved the
// operands, so the constants stay at their offsets.
func (c *checker) placeUnnamed() {
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			bank, ok := p.section.ConstantBank()
			if !ok || bank == 0 || p.owner == nil || !p.owner.isKernel() || p.lost || p.begin.known {
				continue
			}
			isNamed := false
			for _, e := range p.atoms {
				isNamed = isNamed || c.addressOf(e).known
			}
			if !isNamed {
				p.begin = slot{0, true}
			}
		}
	}
}

// placeDebug places debug information. The inputs' parts of a section follow one another, each at its
// alignment, in any order that matches the contents of the output.
func (c *checker) placeDebug() {
	parts := map[string][]*piece{}
	var names []string
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			if name := p.section.Name; isDebug(p.section) {
				if parts[name] == nil {
					names = append(names, name)
				}
				parts[name] = append(parts[name], p)
			}
		}
	}
	for _, name := range names {
		section, ok := c.out.byName[name]
		end := uint64(0)
		for list := parts[name]; len(list) > 0; {
			next := max(0, slices.IndexFunc(list, func(p *piece) bool {
				return ok && c.fitsAt(p, place{section, roundUp(end, p.section.AddrAlign), 0, p.section.Size, name})
			}))
			p := list[next]
			p.begin = slot{roundUp(end, p.section.AddrAlign), true}
			end = p.begin.value + p.section.Size
			list = slices.Delete(list, next, next+1)
		}
	}
}

// fitsAt reports whether p can be the contents at q. It compares the bytes that no relocation changes, and the
// relocations that are left to the driver.
func (c *checker) fitsAt(p *piece, q place) bool {
	if !c.looksLike(p, q.section, q.base) {
		return false
	}
	for _, r := range p.relocations {
		t := p.lookup(r)
		target, _ := c.targetOf(p, r)
		if t.Disposition(target, c.mode()) == reloc.Keep && !p.forgives(r) && c.leftOver(p, r, t, c.numberOf(r, t), q) == nil {
			return false
		}
	}
	return true
}

// looksLike reports whether a section contains the bytes of p at offset from. It ignores bytes that
// relocations may change.
func (c *checker) looksLike(p *piece, section uint32, from uint64) bool {
	got := c.out.span(section, from, p.section.Size)
	return got != nil && bytes.Equal(p.masked(p.data, 0), p.masked(got, 0))
}

// masked returns a copy of data, the bytes of p that start at offset from, with zeros where relocations may
// write.
func (p *piece) masked(data []byte, from uint64) []byte {
	data = bytes.Clone(data)
	for _, r := range p.relocations {
		for i := r.Offset; i < r.Offset+reach(p.lookup(r)); i++ {
			if i >= from && i-from < uint64(len(data)) {
				data[i-from] = 0
			}
		}
	}
	return data
}

// widest is the largest extent of a relocation's fields, in bytes.
const widest = 16

// reach returns the extent of the fields of relocation type t, in bytes.
func reach(t *reloc.Type) uint64 {
	if t == nil || len(t.Actions) == 0 {
		return widest
	}
	var bits uint64
	for _, a := range t.Actions {
		bits = max(bits, uint64(a.At)+uint64(a.Width))
	}
	return (bits + 7) / 8
}

func isDebug(s *cubin.Section) bool {
	name := strings.TrimPrefix(s.Name, ".nv.merc")
	return s.Type == cubin.SectionProgBits && s.Flags&cubin.FlagAlloc == 0 &&
		(strings.HasPrefix(name, ".debug_") || strings.HasPrefix(name, ".nv_debug_"))
}

func roundUp(n, align uint64) uint64 {
	if align <= 1 {
		return n
	}
	return (n + align - 1) / align * align
}

// findAddress reads the address that r refers to, if it is still unknown. The field of r may determine it
// alone, or together with the fields of other relocations.
func (c *checker) findAddress(p *piece, r fixup, places []place) bool {
	t := p.lookup(r)
	target, at := c.targetOf(p, r)
	if p.isCapsule() || at.slot == nil || at.slot.known || t.Disposition(target, c.mode()) != reloc.Resolve {
		return false
	}
	if isDistance(t, target) {
		return c.learnSlot(p.object.entities[r.Symbol], at)
	}
	for _, q := range places {
		if r.Offset < q.from || r.Offset >= q.to || !c.out.file.Sections[q.section].HasBytes() {
			continue
		}
		got := c.out.data[q.section]
		if from := q.base + r.Offset; from < uint64(len(got)) {
			if told, ok := solve(t, r, p.data, got[from:]); ok && c.learn(at, told) {
				return true
			}
		}
	}
	return false
}

// A partial identifies the sum of an address and an addend. Some bits of the sum may be known.
type partial struct {
	slot   *slot
	addend uint64
}

// learn adds bits to the known bits of a sum, and reports whether they are now enough for the address.
func (c *checker) learn(at operand, told reading) bool {
	key := partial{at.slot, told.addend}
	sum := c.sums[key]
	sum.value |= told.value &^ sum.mask
	sum.mask |= told.mask
	c.sums[key] = sum
	const enough = 15 // a word of 13 bits
	width := mathbits.TrailingZeros64(^sum.mask)
	if width < enough {
		return false
	}
	at.slot.value, at.slot.known = (sum.value-told.addend-at.delta)&(1<<width-1), true
	return true
}

// An operand is the target of a relocation. S is the value of slot plus delta, or delta alone if there is no
// slot.
type operand struct {
	slot  *slot
	delta uint64
	align uint64
	bank  uint8
	name  string
}

// value returns S.
func (o operand) value() uint64 {
	if o.slot == nil {
		return o.delta
	}
	return o.slot.value + o.delta
}

// A reading is a partly known sum of S and an addend: mask selects the known bits.
type reading struct{ value, mask, addend uint64 }

// solve reads bits of S from the field that t has written.
func solve(t *reloc.Type, r fixup, in, out []byte) (told reading, ok bool) {
	a := t.Actions[0]
	got, ok := field(out, a)
	if !ok {
		return reading{}, false
	}
	var shift uint
	known := uint64(0) // bits below the field, known without it
	switch {
	case slices.Contains([]reloc.Op{reloc.Abs, reloc.Low, reloc.Abs2, reloc.Abs3, reloc.Low2}, a.Op):
	case a.Op == reloc.Words:
		shift, known = 2, 3
	case reloc.Byte0 <= a.Op && a.Op < reloc.Byte0+8:
		shift = uint(a.Op-reloc.Byte0) * 8
	case reloc.Byte8 <= a.Op && a.Op < reloc.Byte8+8:
		shift = uint(a.Op-reloc.Byte8) * 8
	default:
		return reading{}, false
	}
	told.addend = uint64(r.Addend)
	if !r.rela {
		if r.Offset >= uint64(len(in)) {
			return reading{}, false
		}
		old, ok := field(in[r.Offset:], a)
		if !ok {
			return reading{}, false
		}
		got, told.addend = got-old, 0
	}
	told.mask = (1<<a.Width - 1) << shift
	told.value = got << shift & told.mask
	told.mask |= known
	return told, true
}

// field reads a bit field.
func field(data []byte, a reloc.Action) (value uint64, ok bool) {
	if int(a.At)+int(a.Width) > 8*len(data) {
		return 0, false
	}
	for i := uint(0); i < uint(a.Width); i++ {
		bit := uint(a.At) + i
		value |= uint64(data[bit/8]>>(bit%8)&1) << i
	}
	return value, true
}

func (c *checker) mode() reloc.Mode {
	switch {
	case c.link.Relocatable:
		return reloc.Relocatable
	case c.link.PreserveRelocs:
		return reloc.Preserving
	}
	return reloc.Executable
}
