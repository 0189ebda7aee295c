package merge

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
)

// A Size counts what an input adds to the program. The lists of the program are then allocated in their final size.
type Size struct {
	own, weak   int // definitions that only one input can have, and those that other inputs may have too
	sections    int // of functions
	relocations int // sections of relocations of functions
	joint       []jointSection

	frames, mercuryFrames uint64 // bytes of .debug_frame in the two halves
}

// A jointSection is a section that all inputs contribute to, with the number of relocations that one input has for
// it.
type jointSection struct {
	name        string
	relocations int
}

// SizeOf counts the tables of an input.
func SizeOf(o *object.Object) (size Size) {
	size.own, size.weak = o.Defines()
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		switch about := relocated(o, i); {
		case about != nil && ofFunction(o, about):
			if s.Type != cubin.SectionMercRela { // counted with the section of which it is a copy
				size.relocations++
			}
		case about != nil:
			size.joint = append(size.joint, jointSection{about.Name, o.Relocations(uint32(i)).Len()})
		case (object.IsData(s) || s.Type == cubin.SectionInfo) && ofFunction(o, s):
			size.sections++
		case s.Name == cubin.DebugFrameName && s.HasBytes():
			size.frames = min(size.frames+s.Size, uint64(len(o.File.Bytes())))
		case s.Name == mercuryFrameName && s.HasBytes():
			size.mercuryFrames = min(size.mercuryFrames+s.Size, uint64(len(o.File.Bytes())))
		}
	}
	for i := range o.Symbols {
		if y := &o.Symbols[i]; y.IsEntry() && y.Defined() {
			size.sections++ // its shared memory
		}
	}
	return size
}

// mercuryFrameName is the name of .debug_frame in the Mercury half.
const mercuryFrameName = cubin.MercuryPrefix + cubin.DebugFrameName

// MostlyWeak reports whether the input has more definitions that may be discarded than others.
func (s *Size) MostlyWeak() bool { return s.own < s.weak }

// share estimates the part of n that remains if the weak functions of the input are discarded. Most duplicates are.
func (s *Size) share(n int) int { return n * (s.own + 1) / (s.own + s.weak + 1) }

// expect reserves space for definitions that only one input can have, and for the sections of functions and their
// relocations. For sections to which all inputs contribute, it counts the relocations.
func (m *merged) expect(sizes []Size) {
	m.relocations = map[string]int{}
	var room program.Room
	for i := range sizes {
		s := &sizes[i]
		room.Names += s.own
		room.Sections += s.share(s.sections)
		room.RelocationSections += s.share(s.relocations * namesOfRelocations)
		m.frames += s.frames
		m.mercuryFrames += s.mercuryFrames
		for _, joint := range s.joint {
			m.relocations[joint.name] += joint.relocations // those that concern discarded functions stay
		}
	}
	m.Expect(room)
}

// namesOfRelocations is the number of names that a relocation section usually registers (EMIT-004).
const namesOfRelocations = 2

// relocated returns the section to which relocation section i of an input applies, or nil if section i is not a
// relocation section.
func relocated(o *object.Object, i int) *cubin.Section {
	s := &o.File.Sections[i]
	switch s.Type {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionMercRela:
		if int(s.Info) < len(o.File.Sections) {
			return &o.File.Sections[s.Info]
		}
	}
	return nil
}

// ofFunction reports whether s is code, or belongs to code.
func ofFunction(o *object.Object, s *cubin.Section) bool { return s.Info != 0 || o.IsCode(s) }
