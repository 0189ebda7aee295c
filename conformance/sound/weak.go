package sound

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
)

// The inputs determine which of several weak definitions of a function prevails (MERGE-028, MERGE-107). If a linker
// chose another one, the finding names the input of that definition instead of the bytes that differ.

// A weakCopy is a definition of a weak function.
type weakCopy struct {
	object *object
	piece  *piece
}

// addCopy adds y to the definitions of e if y is weak.
func (e *entity) addCopy(o *object, y *cubin.Symbol) {
	if y.Bind == cubin.BindWeak {
		e.copies = append(e.copies, weakCopy{o, o.pieces[y.Section]})
	}
}

// isOtherCopy reports whether the code at q is a non-prevailing definition of the function of p. If so, it
// adds a finding.
func (c *checker) isOtherCopy(p *piece, q place) bool {
	e := p.owner
	if e == nil || len(e.copies) < 2 || p.section.Flags&cubin.FlagExec == 0 || q.section == 0 || p != e.piece() {
		return false
	}
	s := &c.out.file.Sections[q.section]
	if !s.HasBytes() {
		return false
	}
	got := c.out.data[q.section]
	if q.base != 0 || p.mayBe(got) {
		return false
	}
	for _, other := range e.copies {
		if other.piece != p && other.piece.mayBe(got) {
			c.report(q.name, fmt.Sprintf("the copy of %s, which has to win", p.object.name), "that of %s", other.object.name)
			return true
		}
	}
	return false
}

// mayBe reports whether code may come from p: it may differ from p only in instructions that the link patches.
func (p *piece) mayBe(code []byte) bool {
	if len(code) != len(p.data) {
		return false
	}
	const instruction = 16
	patched := map[uint64]bool{}
	for _, r := range p.relocations {
		patched[r.Offset/instruction] = true
	}
	for i := range code {
		if code[i] != p.data[i] && !patched[uint64(i)/instruction] {
			return false
		}
	}
	return true
}

// noneOrAnother describes the output if it lacks a relocation at a place.
const noneOrAnother = "none, or another"

// claimedByCopy returns the wanted and found texts of a finding about a relocation that the output lacks. The relocation
// may be against a weak function, and the debug information of another definition may refer to that function instead.
// Then the texts name the inputs of both definitions.
func (c *checker) claimedByCopy(p *piece, r fixup, want string) (wanted, got string) {
	e := p.object.entities[r.Symbol]
	if e == nil || len(e.copies) < 2 || e.object != p.object {
		return want, noneOrAnother
	}
	want += fmt.Sprintf(", of the copy of %s, which has to win", p.object.name)
	for _, other := range e.copies {
		if other.object != p.object && c.refersTo(other.object, e, p.section.Name) {
			return want, "that of " + other.object.name
		}
	}
	return want, noneOrAnother
}

// refersTo reports whether the output keeps a relocation against e from the named section of o.
func (c *checker) refersTo(o *object, e *entity, section string) bool {
	for _, p := range o.pieces {
		if p.section.Name != section {
			continue
		}
		for _, r := range p.relocations {
			if o.entities[r.Symbol] != e {
				continue
			}
			for _, q := range c.places(p) {
				if t := p.lookup(r); c.leftOver(p, r, t, r.Type, q) != nil {
					return true
				}
			}
		}
	}
	return false
}
