package emit

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// The file: header, sections in table order, section table, program headers
// (seed 001 "File layout"; EMIT-020).

// image lays out the file.
func (e *emitter) image() (*cubin.Image, error) {
	m := &cubin.Image{Sections: make([]cubin.ImageSection, 1, len(e.table)+1)}
	at, padding := uint64(cubin.HeaderSize), uint64(0)
	for _, s := range e.table {
		if sharesBytes(s) {
			s.Offset = s.Original.Offset
			m.Sections = append(m.Sections, cubin.ImageSection{Section: e.header(s), Data: s.Data})
			continue
		}
		s.Offset = cubin.AlignUp(at, s.Align)
		if padding += s.Offset - at; s.Offset < at || padding > cubin.MaxPadding {
			return nil, fmt.Errorf("section %s: alignment %#x is too large", s.Name, s.Align)
		}
		at = s.Offset
		if !s.NoBits {
			// Code may stand in a section without bytes: they are zero.
			if padding += s.Size - uint64(len(s.Data)); s.Size < uint64(len(s.Data)) || padding > cubin.MaxPadding {
				return nil, fmt.Errorf("section %s: size %#x, but %#x bytes", s.Name, s.Size, len(s.Data))
			}
			at += s.Size
		}
		m.Sections = append(m.Sections, cubin.ImageSection{Section: e.header(s), Data: s.Data})
		at += e.gapBehind(s)
	}
	shOff := cubin.AlignUp(at, 8)
	phOff := shOff + uint64(len(m.Sections))*cubin.SectionHeaderSize
	m.Segments = e.segments(phOff)
	m.Size = phOff + uint64(len(m.Segments))*cubin.SegmentHeaderSize
	m.Header = cubin.Header{
		OSABI: cubin.OSABI, ABIVersion: cubin.ABIVersion, Type: cubin.TypeExecutable, Version: 1,
		PhOff: phOff, ShOff: shOff, Flags: e.flags(),
		EhSize: cubin.HeaderSize, PhEntSize: cubin.SegmentHeaderSize, PhNum: uint16(len(m.Segments)),
		ShEntSize: cubin.SectionHeaderSize, ShNum: uint32(len(m.Sections)), ShStrNdx: e.Std.Shstrtab.Index,
	}
	if e.Options.Relocatable {
		m.Header.Type, m.Header.PhOff = cubin.TypeRelocatable, 0
		if e.Mercury {
			m.Header.PhEntSize = 0
		}
	}
	return m, nil
}

// flags returns e_flags: the place of .note.nv.cuinfo, the architecture, and the
// kind of code, whatever other bits the inputs have (EMIT-040, MERC-302).
func (e *emitter) flags() uint32 {
	kind := uint32(cubin.CodeKindSASS)
	if e.Mercury {
		kind = cubin.CodeKindCapsule
	}
	return e.Std.Cuinfo.Index<<24 | uint32(e.Target.Number)<<8 | kind
}

// header returns the section header of s.
func (e *emitter) header(s *program.Section) cubin.Section {
	h := cubin.Section{
		Name: s.Name, NameOffset: e.nameAt[s.Name], Type: s.Type, Flags: s.Flags,
		Offset: s.Offset, Size: s.Size, AddrAlign: s.Align, EntSize: s.EntSize, Link: s.Link,
	}
	if s.Group == program.GroupMercury {
		e.mercuryHeader(&h, s)
		return h
	}
	if !e.Options.Relocatable {
		h.Type = executableType(s)
	}
	if s.Linked {
		h.Link = e.Std.Symtab.Index
	}
	switch {
	case s == e.Std.Symtab:
		h.Link, h.Info = e.Std.Strtab.Index, uint32(e.numLocal+1)
	case s == e.Std.Cuinfo:
		h.Link = e.Std.Tkinfo.Index
		if s.Flags&cubin.FlagInfoLink != 0 && e.Std.Compat != nil {
			h.Info = e.Std.Compat.Index
		}
	case s.IsCode():
		h.Info = s.Fn.RegInfo<<24 | s.Fn.Symbol.Index
	case s.Target != nil:
		h.Info = s.Target.Index
	}
	return h
}

// executableType returns the type that a section has in an executable: NVIDIA's
// types for memory are for relocatable files only (EMIT-007).
func executableType(s *program.Section) cubin.SectionType {
	switch {
	case s.NoBits:
		return cubin.SectionNoBits
	case s.Bank != program.NoBank, s.Type == cubin.SectionGlobalInit, isMercuryConstant(s.Type):
		return cubin.SectionProgBits
	}
	return s.Type
}

// segments returns the program headers: themselves, constants and code, data,
// themselves again (EMIT-021).
func (e *emitter) segments(phOff uint64) []cubin.Segment {
	if e.Options.Relocatable {
		return nil
	}
	if e.Mercury {
		return e.mercurySegments(phOff)
	}
	var code, data []*program.Section
	for _, s := range e.table {
		switch {
		case s.Flags&cubin.FlagWrite != 0:
			data = append(data, s)
		case s.Flags&cubin.FlagAlloc != 0:
			code = append(code, s)
		}
	}
	var segments []cubin.Segment
	const readExec, readWrite = cubin.SegmentRead | cubin.SegmentExec, cubin.SegmentRead | cubin.SegmentWrite
	if len(code) > 0 {
		segments = append(segments, fileSegment(code, readExec))
	}
	if len(data) > 0 {
		segments = append(segments, dataSegment(data))
	}
	size := uint64(len(segments)+2) * cubin.SegmentHeaderSize
	table := cubin.Segment{Flags: readExec, Offset: phOff, FileSize: size, MemSize: size, Align: 8}
	first, last := table, table
	first.Type, last.Type = cubin.SegmentPHdr, cubin.SegmentLoad
	return append(append([]cubin.Segment{first}, segments...), last)
}

// dataSegment covers initialised data in the file and, after it in memory, every
// section without bytes; shared memory counts as if it were global (EMIT-022).
func dataSegment(data []*program.Section) cubin.Segment {
	start := data[0].Offset
	var file, memory uint64
	for _, s := range data {
		if s.NoBits {
			file = max(file, s.Offset-start)
			memory = cubin.AlignUp(memory, s.Align) + s.Size
		} else {
			file = s.Offset + s.Size - start
		}
	}
	return cubin.Segment{
		Type: cubin.SegmentLoad, Flags: cubin.SegmentRead | cubin.SegmentWrite,
		Offset: start, FileSize: file, MemSize: file + memory, Align: 8,
	}
}

// isMercuryConstant tells a copy of a program's constants.
func isMercuryConstant(t cubin.SectionType) bool {
	return t == cubin.SectionMercUser || t == cubin.SectionMercPIC
}
