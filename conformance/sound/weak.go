package sound

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
)

// Of several weak copies of a function the inputs say which has to win (MERGE-028, MERGE-107).
// Where a linker took another one, the finding says whose copy it is, and not which bytes differ.

// A weakCopy is a definition of a weak function.
type weakCopy struct {
	object *object
	piece  *piece
}

// addCopy notes a definition of a weak function.
func (e *entity) addCopy(o *object, y *cubin.Symbol) {
	if y.Bind == cubin.BindWeak {
		e.copies = append(e.copies, weakCopy{o, o.pieces[y.Section]})
	}
}

// isOtherCopy reports that the code in a place is another copy of its function, if so.
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

// mayBe reports whether code comes from p: its instructions are the same but for those that the
// link patches.
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

// noneOrAnother is what is in the place of a relocation that is not found.
const noneOrAnother = "none, or another"

// claimedByCopy says of a relocation against a weak function that the output lacks whose copy was
// taken: that of which debug information refers to the function instead. The texts are what was
// wanted and what is there.
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

// refersTo reports whether the output keeps the relocations against e that a section of o has.
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
