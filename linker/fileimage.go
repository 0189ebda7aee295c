package linker

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
)

// The file: header, sections in table order, section table, program headers
// (seed 001 "File layout"; EMIT-020).

// maxPadding is how many bytes of the output, and of the sections in it, may be there
// for nothing but alignment or size: a damaged header does not make a file of the size of
// the address space (EMIT-501).
const maxPadding = 32 << 20

// image lays out the file.
func (e *emitter) image() (*cubin.Image, error) {
	m := &cubin.Image{Sections: make([]cubin.ImageSection, 1, len(e.table)+1)}
	at, padding := uint64(cubin.HeaderSize), uint64(0)
	for _, s := range e.table {
		if s.sharesBytes() {
			s.offset = s.original.offset
			m.Sections = append(m.Sections, cubin.ImageSection{Section: e.header(s), Data: s.data})
			continue
		}
		s.offset = alignUp(at, s.align)
		if padding += s.offset - at; s.offset < at || padding > maxPadding {
			return nil, fmt.Errorf("section %s: alignment %#x is too large", s.name, s.align)
		}
		at = s.offset
		if !s.noBits {
			// Code may stand in a section without bytes: they are zero.
			if padding += s.size - uint64(len(s.data)); s.size < uint64(len(s.data)) || padding > maxPadding {
				return nil, fmt.Errorf("section %s: size %#x, but %#x bytes", s.name, s.size, len(s.data))
			}
			at += s.size
		}
		m.Sections = append(m.Sections, cubin.ImageSection{Section: e.header(s), Data: s.data})
		at += e.gapBehind(s)
	}
	shOff := alignUp(at, 8)
	phOff := shOff + uint64(len(m.Sections))*cubin.SectionHeaderSize
	m.Segments = e.segments(phOff)
	m.Size = phOff + uint64(len(m.Segments))*cubin.SegmentHeaderSize
	m.Header = cubin.Header{
		OSABI: cubin.OSABI, ABIVersion: cubin.ABIVersion, Type: cubin.TypeExecutable, Version: 1,
		PhOff: phOff, ShOff: shOff, Flags: e.flags(),
		EhSize: cubin.HeaderSize, PhEntSize: cubin.SegmentHeaderSize, PhNum: uint16(len(m.Segments)),
		ShEntSize: cubin.SectionHeaderSize, ShNum: uint32(len(m.Sections)), ShStrNdx: e.std.shstrtab.index,
	}
	if e.options.Relocatable {
		m.Header.Type, m.Header.PhOff = cubin.TypeRelocatable, 0
		if e.mercury {
			m.Header.PhEntSize = 0
		}
	}
	return m, nil
}

// flags gives e_flags: the place of .note.nv.cuinfo, the architecture, and the
// kind of code, whatever other bits the inputs have (EMIT-040, MERC-302).
func (e *emitter) flags() uint32 {
	kind := uint32(codeKindSASS)
	if e.mercury {
		kind = codeKindCapsule
	}
	return e.std.cuinfo.index<<24 | uint32(e.target.Number)<<8 | kind
}

// header gives the section header of s.
func (e *emitter) header(s *section) cubin.Section {
	h := cubin.Section{
		Name: s.name, NameOffset: e.nameAt[s.name], Type: s.typ, Flags: s.flags,
		Offset: s.offset, Size: s.size, AddrAlign: s.align, EntSize: s.entSize, Link: s.link,
	}
	if s.group == groupMercury {
		e.mercuryHeader(&h, s)
		return h
	}
	if !e.options.Relocatable {
		h.Type = executableType(s)
	}
	if s.linked {
		h.Link = e.std.symtab.index
	}
	switch {
	case s == e.std.symtab:
		h.Link, h.Info = e.std.strtab.index, uint32(e.numLocal+1)
	case s == e.std.cuinfo:
		h.Link = e.std.tkinfo.index
		if s.flags&cubin.FlagInfoLink != 0 && e.std.compat != nil {
			h.Info = e.std.compat.index
		}
	case s.isCode():
		h.Info = s.fn.regInfo<<24 | s.fn.symbol.index
	case s.target != nil:
		h.Info = s.target.index
	}
	return h
}

// executableType gives the type that a section has in an executable: NVIDIA's
// types for memory are for relocatable files only (EMIT-007).
func executableType(s *section) cubin.SectionType {
	switch {
	case s.noBits:
		return cubin.SectionNoBits
	case s.bank != noBank, s.typ == cubin.SectionGlobalInit, isMercuryConstant(s.typ):
		return cubin.SectionProgBits
	}
	return s.typ
}

// segments gives the program headers: themselves, constants and code, data,
// themselves again (EMIT-021).
func (e *emitter) segments(phOff uint64) []cubin.Segment {
	if e.options.Relocatable {
		return nil
	}
	if e.mercury {
		return e.mercurySegments(phOff)
	}
	var code, data []*section
	for _, s := range e.table {
		switch {
		case s.flags&cubin.FlagWrite != 0:
			data = append(data, s)
		case s.flags&cubin.FlagAlloc != 0:
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

// dataSegment covers initialised data in the file and, behind it in memory, every
// section without bytes; shared memory counts as if it were global (EMIT-022).
func dataSegment(data []*section) cubin.Segment {
	start := data[0].offset
	var file, memory uint64
	for _, s := range data {
		if s.noBits {
			file = max(file, s.offset-start)
			memory = alignUp(memory, s.align) + s.size
		} else {
			file = s.offset + s.size - start
		}
	}
	return cubin.Segment{
		Type: cubin.SegmentLoad, Flags: cubin.SegmentRead | cubin.SegmentWrite,
		Offset: start, FileSize: file, MemSize: file + memory, Align: 8,
	}
}
