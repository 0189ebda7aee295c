package codemap

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/culink/culink/linker/mercury/capsule"
)

// The line tables .debug_line and .nv_debug_line_sass are DWARF line programs. Their bytes modify a row of
// the table (address, line), and emit the row when it is complete. Each function has one sequence of rows.
// The sequence begins with the instruction that sets the address, which a relocation fills in, and ends with
// the instruction that ends sequences.
//
// nvlink regenerates the programs from the rows in one fixed form. It uses a one-byte step if the step fits
// and changes both address and line. Otherwise it writes the line (unless only the address changes), the
// address as a signed number, and "copy".

// A LineCopy is the copy of a line table in the Mercury half.
type LineCopy struct {
	Section []byte
	Place   capsule.Place
	Number  func(relocation uint64) uint32 // of the symbol of a relocation, in the output

	programs []copiedProgram
}

// A copiedProgram is a program of a [LineCopy].
type copiedProgram struct {
	at        int // in the section
	head      []byte
	sequences map[uint32]*lineSequence // by number; nil until needed
}

// read checks the copy, and finds its programs.
func (c *LineCopy) read() error {
	r := lineReader{section: c.Section, place: c.Place, skims: true}
	for r.pos < len(c.Section) {
		if err := r.program(); err != nil {
			return err
		}
		c.programs = append(c.programs, copiedProgram{at: r.at, head: r.head})
	}
	return nil
}

// sequence returns the sequence of function number in program i, or nil if there is none.
func (c *LineCopy) sequence(i int, number uint32) *lineSequence {
	if i >= len(c.programs) {
		return nil
	}
	p := &c.programs[i]
	if p.sequences == nil {
		p.sequences = c.sequencesOf(p)
	}
	return p.sequences[number]
}

// sequencesOf decodes a program. This happens only for files whose code was replaced, which are few.
func (c *LineCopy) sequencesOf(p *copiedProgram) map[uint32]*lineSequence {
	r := lineReader{section: c.Section, pos: p.at}
	r.program() // read has checked it
	byNumber := make(map[uint32]*lineSequence, len(r.sequences))
	for i := range r.sequences {
		if s := &r.sequences[i]; s.located {
			byNumber[c.Number(s.relocation)] = s
		}
	}
	return byNumber
}

// head returns the header of program i in the copy if its length is that of the section's own header. Only
// the copy has resolved relocations.
func (c *LineCopy) head(i int, own []byte) []byte {
	if i >= len(c.programs) || len(c.programs[i].head) != len(own) {
		return own
	}
	return c.programs[i].head
}

// Places holds the offsets of a line table's relocations after [Lines] has changed the table.
type Places []place

// A place maps a part of the section. After its header a part has at most one relocated place.
type place struct {
	old, new uint64
	gone     bool
}

// Offset returns the new offset of the relocation at old. ok is false if it was dropped with its sequence.
func (p Places) Offset(old uint64) (offset uint64, ok bool) {
	i := sort.Search(len(p), func(i int) bool { return p[i].old > old }) - 1
	if i < 0 {
		return old, true
	}
	return old - p[i].old + p[i].new, !p[i].gone
}

// Lines maps .debug_line or .nv_debug_line_sass. Rows follow their functions, and sequences of dropped
// functions are dropped (MERC-116, MERC-117). The sequences of each program are put in the order of their
// functions' symbols (MERC-118). inner is the copy of the section in the Mercury half. It is used for code
// that another file's code replaces, and for the targets of relocations in program headers.
//
// If no function moved or was dropped, the section does not change, with one exception: if endsEmpty is set,
// a program without rows gets the end of a sequence (KIT-052).
func Lines(section []byte, inner LineCopy, at capsule.Place, endsEmpty bool, sequence Sequence) (out []byte, places Places, err error) {
	damaged := inner.read() // reported only if the section itself is valid
	out = make([]byte, 0, len(section)+len(section)/16)
	r := lineReader{section: section, place: at}
	var outcomes []Outcome
	var order []int
	for i := 0; r.pos < len(section); i++ {
		if err := r.program(); err != nil {
			return nil, nil, err
		}
		p := &r.lineProgram
		places = append(places, place{old: uint64(p.at), new: uint64(len(out))})
		start := len(out)
		out = append(out, inner.head(i, p.head)...)
		outcomes, order = outcomes[:0], order[:0]
		for j := range p.sequences {
			s, outcome := &p.sequences[j], Outcome{Kept: true}
			if s.located {
				outcome = sequence(s.relocation)
			}
			if s.located && outcome.ofInner() {
				if c := inner.sequence(i, outcome.Number); c != nil {
					s.section, s.steps, s.end, s.last = c.section, c.steps, c.end, c.last
				}
			}
			outcomes, order = append(outcomes, outcome), append(order, j)
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(outcomes[a].Number, outcomes[b].Number) })
		begin := len(places)
		for _, j := range order {
			s := &p.sequences[j]
			if s.located {
				places = append(places, place{uint64(s.at), uint64(len(out)), !outcomes[j].Kept})
			}
			if outcomes[j].Kept {
				out = p.append(out, s, &outcomes[j])
			}
		}
		if endsEmpty && len(out)-start == len(p.head) {
			out = append(out, lineExtended, 1, lineEndSequence)
		}
		slices.SortFunc(places[begin:], func(a, b place) int { return cmp.Compare(a.old, b.old) })
		binary.LittleEndian.PutUint32(out[start:], uint32(len(out)-start-4))
	}
	if damaged != nil {
		return nil, nil, damaged
	}
	return out, places, nil
}

// LinePlaces returns the offsets of the addresses of the sequences of a line table, which relocations fill in.
func LinePlaces(section []byte) (places []uint64, err error) {
	r := lineReader{section: section, skims: true}
	for r.pos < len(section) {
		if err := r.program(); err != nil {
			return nil, err
		}
		for i := range r.sequences {
			if s := &r.sequences[i]; s.located {
				places = append(places, s.relocation)
			}
		}
	}
	return places, nil
}
