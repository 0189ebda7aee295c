// Package constpool implements an algorithm from the documents that describe nvlink: it removes equal constants from a
// section. It is separate so that it can be tested alone. Merge (seed 001 phase 9c) moves every constant of a section to
// a new one. Optimize (phase 9d, seed 002 "Constant Value Deduplication") also removes constants that no kernel reaches.
// Its result is used only if the section becomes smaller and fits into its bank.
//
// No link uses this package. The released nvlink has no option for it, and it ends with an error if a bank overflows
// (docs/errata.md, E-029, E-030). catalogue.IsJoinable decides which constants a link compares.
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
	Offset uint64 // offset in the section, in bytes
	Align  uint64 // alignment in bytes; 0 counts as 1
	Data   []byte
	Unused bool // no kernel reaches it
}

// A Section contains constants, sorted by offset. They do not overlap.
type Section struct {
	Name        string
	Number      int
	Size        uint64
	Constants   []Constant
	Relocations []uint64 // offsets in the section that relocations patch
}

// widths lists the sizes, in bytes, of the constants that are compared. Others never become aliases.
var widths = []uint64{4, 8, 12, 16, 20, 24, 32, 48, 64}

// A pool is a new section under construction.
type pool struct {
	Section
	byValue   map[string]int // index of the constant with these bytes; the length of the key is the size of the constant
	keepZeros bool
	tell      func(string)
}

// Merge moves all constants of s to a new section. Constants of value zero keep separate places, because variables may
// need separate addresses. Merge calls the function tell with a line for each step, in the words of the documents. The
// function may be nil.
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

// Optimize moves the used constants of s to a new section. It returns s and false if the new section is not smaller, or
// if it is larger than limit bytes.
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

// add adds c to the section. If there is an equal constant, c becomes an alias of it.
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

// aligned reports whether an offset has the given alignment.
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

// A Reference is the target of a relocation.
type Reference struct {
	Symbol int
	Addend int64 // in bytes
}

// An Overlap describes a constant that is a part of a larger one.
type Overlap struct {
	Full   int   // symbol of the larger one
	Offset int64 // offset in the larger constant, in bytes
}

// ReplaceOverlapped changes references to parts so that they refer to the larger constants (seed 001 phase 8). It
// modifies the list. It returns an error for a part that begins before the larger constant.
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

// moveRelocations moves the relocations of the old section to the new one. It drops the relocations of an alias, because
// the first constant has its own. It also drops relocations outside all constants of the new section.
func (p *pool) moveRelocations(old Section) {
	now := map[string]Constant{}
	first := map[uint64]string{} // the first constant at an offset
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
