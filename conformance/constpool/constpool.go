// Package constpool is the documents' algorithm for equal constants of a section, to be tested by itself:
// merging (seed 001 phase 9c) moves every constant of a section to a new one; optimising (phase 9d, seed 002
// "Constant Value Deduplication") also removes those that no kernel reaches, and only counts when the section
// gets smaller and fits into its bank.
//
// No link uses it: the released tool has no option that turns merging on, and ends with an error when a bank
// overflows (docs/errata.md, E-029, E-030). What a link compares is catalogue.IsJoinable.
package constpool

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// A Constant is one value of a section.
type Constant struct {
	Name   string
	Offset uint64 // in bytes, in the section
	Align  uint64 // in bytes; 0 counts as 1
	Data   []byte
	Unused bool // no kernel reaches it
}

// A Section holds constants, which do not overlap, in the order in which they are
// laid out.
type Section struct {
	Name        string
	Number      int
	Size        uint64
	Constants   []Constant
	Relocations []uint64 // offsets of what relocations patch in it
}

// widths are the sizes, in bytes, of constants that are compared; others are never
// aliased.
var widths = []uint64{4, 8, 12, 16, 20, 24, 32, 48, 64}

// A pool is the new section while it grows.
type pool struct {
	Section
	byValue   map[string]int // constant by its bytes; of one width each
	keepZeros bool
	tell      func(string)
}

// Merge takes all constants of s into a new section. Constants of value zero keep
// places of their own, since variables may need addresses of their own. It tells
// what it does in the documents' words; tell may be nil.
func Merge(s Section, tell func(string)) Section {
	p := newPool(s, tell)
	p.keepZeros = true
	p.say("layout and merge section %s", s.Name)
	for _, c := range s.Constants {
		p.add(c)
	}
	p.moveRelocations(s)
	return p.Section
}

// Optimize takes the constants of s that are used into a new section. When that is
// not smaller, or larger than limit bytes, it gives up: the result is s, and false.
func Optimize(s Section, limit uint64, tell func(string)) (Section, bool) {
	p := newPool(s, tell)
	p.say("optimize space in %s (%d)", s.Name, s.Number)
	p.say("optimize OCG constants for %s, old size = %d", s.Name, s.Size)
	for _, c := range s.Constants {
		if c.Unused {
			p.say("remove unused constant %s", c.Name)
			continue
		}
		p.add(c)
	}
	p.moveRelocations(s)
	p.say("new OCG constant size = %d", p.Size)
	if p.Size >= s.Size || p.Size > limit {
		p.say("ocg const optimization didn't help so give up")
		return s, false
	}
	return p.Section, true
}

func newPool(s Section, tell func(string)) *pool {
	return &pool{Section: Section{Name: s.Name, Number: s.Number}, byValue: map[string]int{}, tell: tell}
}

func (p *pool) say(text string, args ...any) {
	if p.tell != nil {
		p.tell(fmt.Sprintf(text, args...))
	}
}

// add appends c, or makes it a second name of an equal constant.
func (p *pool) add(c Constant) {
	value := string(c.Data)
	shared := slices.Contains(widths, uint64(len(c.Data))) && !(p.keepZeros && strings.Trim(value, "\x00") == "")
	if first, ok := p.byValue[value]; shared && ok && aligned(p.Constants[first].Offset, c.Align) {
		p.sayDuplicate(c, p.Constants[first].Name)
		c.Offset = p.Constants[first].Offset
		p.Constants = append(p.Constants, c)
		return
	}
	align := max(c.Align, 1)
	c.Offset = (p.Size + align - 1) / align * align
	p.Size = c.Offset + uint64(len(c.Data))
	if shared {
		p.byValue[value] = len(p.Constants)
	}
	p.Constants = append(p.Constants, c)
}

// aligned reports whether an offset serves a constant of the given alignment too.
func aligned(offset, align uint64) bool { return align <= 1 || offset%align == 0 }

func (p *pool) sayDuplicate(c Constant, first string) {
	switch len(c.Data) {
	case 4:
		p.say("found duplicate value 0x%x, alias %s to %s", binary.LittleEndian.Uint32(c.Data), c.Name, first)
	case 8:
		p.say("found duplicate 64bit value 0x%x, alias %s to %s", binary.LittleEndian.Uint64(c.Data), c.Name, first)
	default:
		p.say("found duplicate %d byte value, alias %s to %s", len(c.Data), c.Name, first)
	}
}

// A Reference is what a relocation refers to.
type Reference struct {
	Symbol int
	Addend int64 // in bytes
}

// An Overlap says that a constant is a part of a larger one.
type Overlap struct {
	Full   int   // symbol of the larger one
	Offset int64 // in it, in bytes
}

// ReplaceOverlapped lets references to parts refer to the larger constants, in place
// (seed 001 phase 8). A part that begins before the larger one is an error.
func ReplaceOverlapped(references []Reference, parts map[int]Overlap, tell func(string)) error {
	p := pool{tell: tell}
	for i, r := range references {
		part, ok := parts[r.Symbol]
		if !ok {
			continue
		}
		if part.Offset < 0 {
			return fmt.Errorf("overlapped offset < full offset? symbol %d in %d at %d", r.Symbol, part.Full, part.Offset)
		}
		p.say("replace overlapped constant %d with %d, offset %d", r.Symbol, part.Full, part.Offset)
		references[i] = Reference{part.Full, r.Addend + part.Offset}
	}
	return nil
}

// moveRelocations lets the relocations of the old section patch the new one. Those
// of a constant that became a second name go: the first has its own. What lies in
// no constant of the new section goes too.
func (p *pool) moveRelocations(old Section) {
	now := map[string]Constant{}
	first := map[uint64]string{} // the constant that a place was made for
	for _, c := range p.Constants {
		now[c.Name] = c
		if _, ok := first[c.Offset]; !ok {
			first[c.Offset] = c.Name
		}
	}
	for _, offset := range old.Relocations {
		i := slices.IndexFunc(old.Constants, func(c Constant) bool {
			return offset >= c.Offset && offset-c.Offset < uint64(len(c.Data))
		})
		if i < 0 {
			p.say("no symbol for reloc section %d at offset %d?", old.Number, offset)
			continue
		}
		was := old.Constants[i]
		c, ok := now[was.Name]
		if !ok {
			continue
		}
		moved := offset - was.Offset + c.Offset
		if first[c.Offset] != c.Name {
			p.say("optimize ocg constant reloc offset from %d to %d", offset, moved)
			continue
		}
		if moved != offset {
			p.say("change reloc in section %d, offset from %d to %d", old.Number, offset, moved)
		}
		p.Relocations = append(p.Relocations, moved)
	}
}
