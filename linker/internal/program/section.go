package program

import (
	"github.com/culink/culink/linker/cubin"
)

// A section of the output has one side in an ordinary file. From sm_100 on, a file contains its program twice.
// The section then has a second side in the Mercury half. This side has another name, and its own header,
// bytes and relocations.

// A Side is the part of a section in one half of the output.
type Side struct {
	Name    string            // set by merge, layout, emit
	Type    cubin.SectionType // set by merge, layout, emit
	Flags   uint64            // set by merge, layout, emit
	Align   uint64            // set by merge, layout, emit
	EntSize uint64            // set by merge, emit
	Size    uint64            // bytes in memory; set by merge, layout
	Content                   // bytes in the file; set by layout

	Relocations []Relocation // that patch it, in input order; set by merge, layout, relocate, emit
	Resolved    []Relocation // settled here and recorded for --preserve-relocs; set by relocate
}

// Reset removes the contents of a side of the Mercury half, and its relocations.
func (s *Side) Reset() {
	s.Size, s.Content = 0, Content{}
}

// SetBytes replaces the contents with data, which the side may then modify.
func (s *Side) SetBytes(data []byte) {
	s.Content.setBytes(data)
	s.Size = uint64(len(data))
}

// SetLater replaces the contents with bytes that are created when they are written. If l is nil, there are no
// contents.
func (s *Side) SetLater(l *Later) {
	if s.Size, s.Content = 0, (Content{later: l}); l != nil {
		s.Size = l.Size
	}
}

// FillUp adds zeros so that the file contains all bytes of the side.
func (s *Side) FillUp() {
	if held := s.Held(); held < s.Size {
		s.Add(Piece{Offset: held, Size: s.Size - held, Data: make([]byte, s.Size-held)})
	}
}

// A Section of the output.
type Section struct {
	ID     int32 // its place in Program.Sections, from 1; 0 while it does not stand there
	Serial int32 // its number among all that nvlink makes, those of relocations included, from 1
	Side         // in the plain half, the only one of most files; set by merge, layout, emit

	Mercury *Side // in the Mercury half; nil for none; set by merge, layout, emit

	Bank          int       // constant bank, or NoBank; set by merge, layout, emit
	Fn            *Function // the function whose code or attributes it holds; nil for the module's own; set by merge, layout
	Target        *Section  // the section that sh_info names, if any; set by merge, layout
	Symbol        *Symbol   // its section symbol; nil while it waits for contents to be added
	Group         Group     // its place in the section table; set by merge, layout, emit
	State         State     // set by merge, layout, emit
	NoBits        bool      // it takes room in memory only; set by merge
	Filled        bool      // with a section of an input; set by merge
	Anonymous     bool      // has no section symbol, whatever its size; set by merge, layout
	Opaque        bool      // constants of the compiler without symbols; set by merge
	LostTables    bool      // relocations of jump tables beside a Mercury half, with code that gave way; set by merge
	Orphan        bool      // constants for code that lost, while the code that won has none; set by merge
	HasSlots      bool      // a parameter bank with slots of textures, also in the Mercury half; set by merge
	SlotsFollow   bool      // a parameter bank whose relocations become a section when they are merged; set by merge
	Linked        bool      // sh_link names the symbol table; set by merge, emit
	copyRelocated bool      // its Mercury side has relocations
	Link          uint32    // else it is that of the first input, as it stands there; set by merge

	Internals []*Symbol // parameters and the compiler's constants in it; set by merge

	relocated *RelocationSection // the first one about it that was made known
	NotedAt   *Section           // which has what --preserve-relocs records instead, if not nil
}

// NoBank is the bank of a section that is not a constant bank.
const NoBank = -1

// A State describes whether a section is in the output.
type State uint8

// The states of a section.
const (
	Reserved State = iota // it has a name and a symbol, but no contents yet
	Kept                  // it has contents and is in the section table
	Gone                  // its contents were moved elsewhere, and its name was removed
)

// Keep sets whether the section is in the output.
func (s *Section) Keep(kept bool) {
	s.State = Reserved
	if kept {
		s.State = Kept
	}
}

// Sides returns the halves that the section has, the plain one first.
func (s *Section) Sides() []*Side {
	if s.Mercury == nil {
		return []*Side{&s.Side}
	}
	return []*Side{&s.Side, s.Mercury}
}

// Dead reports whether the section was discarded together with its function.
func (s *Section) Dead() bool { return s.Fn != nil && s.Fn.Dead }

// IsCode reports whether s is the code of its function.
func (s *Section) IsCode() bool { return s.Fn != nil && s.Fn.Text == s }

// Number returns the index of s in the program. As in nvlink, it starts at 0.
func (s *Section) Number() int { return int(s.ID) - 1 }

// HasCapsule reports whether the Mercury side of s is the Mercury form of a function's code.
func (s *Section) HasCapsule() bool {
	return s.Mercury != nil && s.Mercury.Type == cubin.SectionCapMerc
}

// HasSymbol reports whether the section is in the output with its own symbol (EMIT-014).
func (s *Section) HasSymbol() bool {
	if s == nil || s.State != Kept || s.Dead() {
		return false
	}
	switch s.Type {
	case cubin.SectionInfo, cubin.SectionCompat, cubin.SectionStrTab, cubin.SectionSymTab:
		return s.Filled
	case cubin.SectionNote:
		return !s.Anonymous
	case cubin.SectionCallGraph, cubin.SectionPrototype, cubin.SectionRelAction:
		return true
	}
	return (s.Size > 0 || s.Mercury != nil && s.Mercury.Size > 0) && !s.Anonymous
}

// Addressable returns the number of bytes of a side of s to which relocations may refer. In a capsule, they
// refer to the bytes of the instructions before packing.
func (s *Section) Addressable(side *Side) uint64 {
	if side == s.Mercury && s.HasCapsule() {
		return s.Fn.Symbol.Mercury.Value + s.Fn.Symbol.Mercury.Size
	}
	return side.Size
}

// MarkStale marks those relocations of the side that are against y as belonging to replaced code.
func (s *Side) MarkStale(y *Symbol) {
	for i := range s.Relocations {
		s.Relocations[i].Stale = s.Relocations[i].Stale || s.Relocations[i].Symbol == y
	}
}

// ClearMercury clears the Mercury side of a section if another input's contents replace those of the section.
func (s *Section) ClearMercury() {
	if c := s.Mercury; c != nil {
		c.Reset()
		c.Relocations = nil
	}
}

// A Span is the part of a section that contains a variable, or a discarded definition of one.
type Span struct {
	From uint64 // set by merge, layout
	To   uint64 // after its last byte; set by merge, layout
}
