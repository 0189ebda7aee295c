package emit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// The file consists of the header, the sections in the order of the section table, the section
// table, and the program headers (seed 001 "File layout"; EMIT-020).

// image lays out the file. The section headers are encoded when they are written.
func (e *emitter) image() (*cubin.Image, error) {
	m := new(cubin.Image)
	at, padding := uint64(cubin.HeaderSize), uint64(0)
	for _, r := range e.table {
		if r.shared = r.sharesBytes(); r.shared {
			r.offset = e.table[e.plainAt[r.section.ID]-1].offset
			continue
		}
		r.offset = cubin.AlignUp(at, r.Align)
		if padding += r.offset - at; r.offset < at || padding > cubin.MaxPadding {
			return nil, fmt.Errorf("section %s: alignment %#x is too large", r.Name, r.Align)
		}
		at = r.offset
		if held := r.Held(); !r.noBits() {
			// Code may be in a section without bytes. Its bytes are then zero.
			if padding += r.Size - held; r.Size < held || padding > cubin.MaxPadding {
				return nil, fmt.Errorf("section %s: size %#x, but %#x bytes", r.Name, r.Size, held)
			}
			at += r.Size
		}
		at += e.gapAfter(r)
	}
	numbered := len(e.table) + 1 // with the null section
	shOff := at
	if !e.HasMercury() || !e.Target.Profile.Emit.FreshTables {
		shOff = cubin.AlignUp(at, 8)
	}
	phOff := shOff + uint64(numbered)*cubin.SectionHeaderSize
	m.Segments = e.segments(phOff)
	m.Size = phOff + uint64(len(m.Segments))*cubin.SegmentHeaderSize
	kit := e.Target.Profile
	m.Header = cubin.Header{
		OSABI: kit.Emit.OSABI, ABIVersion: kit.Emit.ABIVersion, Type: cubin.TypeExecutable, Version: e.version(),
		PhOff: phOff, ShOff: shOff, Flags: e.flags(),
		EhSize: cubin.HeaderSize, PhEntSize: cubin.SegmentHeaderSize, PhNum: uint16(len(m.Segments)),
		ShEntSize: cubin.SectionHeaderSize, ShNum: uint32(numbered), ShStrNdx: e.plainAt[e.Std.Shstrtab.ID],
	}
	if e.Options.Relocatable {
		m.Header.Type, m.Header.PhOff = cubin.TypeRelocatable, 0
		if e.HasMercury() {
			m.Header.PhEntSize = 0
		}
	}
	return m, nil
}

// flags returns e_flags: the place of .note.nv.cuinfo, the architecture, and the kind of code.
// Other bits of the inputs have no effect (EMIT-040, MERC-302).
func (e *emitter) flags() uint32 {
	if !e.Target.Profile.Info.Notes {
		return e.flagsWithoutNotes()
	}
	flags := e.plainAt[e.Std.Cuinfo.ID]<<24 | uint32(e.Target.Number)<<8 | e.CodeKind()
	if e.isSpecific() {
		flags |= cubin.FlagSpecific
	}
	return flags
}

// flagsWithoutNotes returns e_flags of a file without notes: the virtual architecture, the flag for
// 64-bit addresses, and the architecture (KIT-011).
func (e *emitter) flagsWithoutNotes() uint32 {
	const address64 = 0x500
	flags := uint32(e.Origin().Virtual)<<16 | address64 | uint32(e.Target.Number)
	if e.isSpecific() {
		flags |= cubin.FlagSpecificLegacy
	}
	return flags
}

// isSpecific reports whether e_flags shows that the name of the target ends in 'a' (KIT-165).
func (e *emitter) isSpecific() bool {
	return (e.Target.Suffix == 'a' || e.Options.Specific) && e.Target.Profile.Emit.SpecificInFlags
}

// version returns e_version. In a file without notes it is the release (KIT-011).
func (e *emitter) version() uint32 {
	if !e.Target.Profile.Info.Notes {
		return e.Target.Profile.API
	}
	return 1
}

// nullHeader returns the header of the null section. It holds the number of sections if that number
// does not fit into the file header.
func (e *emitter) nullHeader() (h cubin.Section) {
	if n := len(e.table) + 1; n > cubin.ShnLoReserve {
		h.Size = uint64(n)
	}
	return h
}

// header returns the section header of r.
func (e *emitter) header(r *row) cubin.Section {
	h := cubin.Section{
		Name: r.Name, NameOffset: e.nameOf(r), Type: r.Type, Flags: cubin.SectionFlags(r.Flags),
		Offset: r.offset, Size: r.Size, AddrAlign: r.Align, EntSize: r.EntSize,
	}
	if r.inMercury() {
		e.mercuryHeader(&h, r)
		return h
	}
	if r.about != nil {
		h.Link, h.Info = e.symtabLink(), e.targetNumber(r.about)
		return h
	}
	s := r.section
	h.Link = s.Link
	if !e.Options.Relocatable {
		h.Type = executableType(s)
	}
	if s.Linked {
		h.Link = e.symtabLink()
	}
	switch {
	case s == e.Std.Symtab:
		h.Link, h.Info = e.plainAt[e.Std.Strtab.ID], uint32(e.numLocal)
		if !e.Target.Profile.Emit.OmitsNull && !e.LosesNull {
			h.Info++
		}
	case s == e.Std.Cuinfo:
		h.Link = e.plainAt[e.Std.Tkinfo.ID]
		if e.Std.Compat != nil {
			h.Info = e.plainAt[e.Std.Compat.ID]
		}
	case s.IsCode():
		h.Info = e.registers(s.Fn)<<24 | e.number(s.Fn.Symbol)
	case s.Target != nil:
		h.Info = e.targetNumber(s.Target)
	}
	return h
}

// registers returns the register count in the section header of fn's code. That of a kernel may
// include the functions that it calls, even if the count of the kernel alone is elsewhere
// (KIT-074).
func (e *emitter) registers(fn *program.Function) uint32 {
	if k := e.EntryOf(fn); k != nil && e.Target.Profile.Reach.RaisesRegisters && e.Needs(k).Registers > fn.RegCount {
		return e.Needs(k).Registers
	}
	return fn.RegInfo
}

// targetNumber returns sh_info for a section that refers to target.
func (e *emitter) targetNumber(target *program.Section) uint32 {
	if e.staysCommon(target) {
		return commonNumber
	}
	return e.plainAt[target.ID]
}

// executableType returns the type that a section has in an executable. NVIDIA's types for memory
// spaces occur in relocatable files only (EMIT-007).
func executableType(s *program.Section) cubin.SectionType {
	switch {
	case s.NoBits:
		return cubin.SectionNoBits
	case s.Bank != program.NoBank, s.Type == cubin.SectionGlobalInit, s.Type.IsConstant():
		return cubin.SectionProgBits
	}
	return s.Type
}

// segments returns the program headers: the header table, constants and code, data, and the header
// table again (EMIT-021). Early releases have others (KIT-214).
func (e *emitter) segments(phOff uint64) []cubin.Segment {
	if e.Options.Relocatable {
		return nil
	}
	if e.HasMercury() {
		return e.mercurySegments(phOff)
	}
	var code, data []*row
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
	early := e.Target.Profile.Emit.EarlySegments
	switch {
	case len(code) > 0:
		segments = append(segments, fileSegment(code, readExec))
	case early:
		segments = append(segments, cubin.Segment{Type: cubin.SegmentLoad, Flags: readExec, Align: 8})
	}
	switch {
	case len(data) > 0:
		segments = append(segments, dataSegment(data))
	case early:
		segments = append(segments, cubin.Segment{Type: cubin.SegmentLoad, Flags: readWrite, Align: 8})
	}
	segments = slices.Insert(segments, 0, cubin.Segment{Type: cubin.SegmentPHdr, Flags: readExec, Offset: phOff, Align: 8})
	if !early {
		segments = append(segments, cubin.Segment{Type: cubin.SegmentLoad, Flags: readExec, Offset: phOff, Align: 8})
	}
	size := uint64(len(segments)) * cubin.SegmentHeaderSize
	for i := range segments {
		if segments[i].Offset == phOff {
			segments[i].FileSize, segments[i].MemSize = size, size
		}
	}
	return segments
}

// dataSegment returns the segment of initialised data in the file. In memory, all sections without
// bytes follow. Shared memory counts as if it were global (EMIT-022).
func dataSegment(data []*row) cubin.Segment {
	start := data[0].offset
	var file, memory uint64
	for _, s := range data {
		if s.noBits() {
			file = max(file, s.offset-start)
			memory = cubin.AlignUp(memory, s.Align) + s.Size
		} else {
			file = s.offset + s.Size - start
		}
	}
	return cubin.Segment{
		Type: cubin.SegmentLoad, Flags: cubin.SegmentRead | cubin.SegmentWrite,
		Offset: start, FileSize: file, MemSize: file + memory, Align: 8,
	}
}

// symtabLink returns sh_link for sections that refer to symbols.
func (e *emitter) symtabLink() uint32 {
	return cmp.Or(e.Target.Profile.Emit.SymtabLink, e.plainAt[e.Std.Symtab.ID])
}
