package linker

import (
	"bytes"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// The Mercury half of the output: the copies of sections behind all plain ones, code
// first, then in the order of the plain sections, then its symbol table; and the program
// headers of a file that has one (MERC-202 to MERC-208).

// gapBehind is how many bytes nvlink leaves free behind a string table, in a file with a
// Mercury half: behind .shstrtab always the same, behind .strtab as much as the inner
// names of renamed sections are longer than the names that came into it for them.
func (e *emitter) gapBehind(s *section) uint64 {
	if !e.mercury {
		return 0
	}
	switch s {
	case e.std.shstrtab:
		return 36
	case e.std.strtab:
		gap := 0
		for _, renamed := range e.table {
			if inner := renamed.innerName(renamed.name); renamed.group != groupMercury && inner != renamed.name {
				gap += len(inner)
				if renamed.symbol != nil {
					gap -= len(renamed.name) + 1
				}
			}
		}
		return uint64(gap)
	}
	return 0
}

// chooseCopies makes the Mercury half of the section table.
func (e *emitter) chooseCopies() {
	var code, before, after []*section
	for _, s := range e.table {
		switch c := s.copy; {
		case c == nil || c.size == 0 && c.data == nil:
		case s.group == groupText:
			code = append(code, c)
		case s.group < groupRelocation:
			before = append(before, c)
		default:
			after = append(after, c)
		}
	}
	e.mercuryTable = append(code, before...)
	for _, c := range e.relocatedCopies {
		if c.dead() || !c.original.kept || c.original.copy != c {
			continue
		}
		e.addCopyRelocations(".rela", cubin.SectionMercRela, c)
		e.addCopyRelocations(".nv.resolvedrela", cubin.SectionMercResolved, c)
	}
	e.mercuryTable = append(e.mercuryTable, after...)
	e.mercurySymbols = &section{name: ".nv.merc.symtab", typ: cubin.SectionMercSymTab, flags: cubin.FlagMercury, align: 8, entSize: cubin.SymbolSize}
	e.mercuryTable = append(e.mercuryTable, e.mercurySymbols)
	for _, c := range e.mercuryTable {
		c.group = groupMercury
	}
}

// addCopyRelocations adds the relocations of section c of the Mercury half, if it has any
// of the kind.
func (e *emitter) addCopyRelocations(prefix string, typ cubin.SectionType, c *section) {
	rs := relocationSection{name: copyName(prefix + c.original.name), typ: typ, target: c}
	if data := rs.encode(); len(data) > 0 {
		e.mercuryTable = append(e.mercuryTable, &section{
			name: rs.name, typ: typ, flags: cubin.FlagMercury | cubin.FlagInfoLink, align: 8, entSize: cubin.RelaSize,
			data: data, size: uint64(len(data)), target: c,
		})
	}
}

// numberCapsules writes into each capsule the index of the section of its machine code,
// in its first word.
func (e *emitter) numberCapsules() {
	for _, c := range e.mercuryTable {
		if c.typ == cubin.SectionCapMerc && len(c.data) >= 4 {
			le.PutUint32(c.writable(), c.original.index)
		}
	}
}

// writeMercurySymbols writes .nv.merc.symtab: the plain symbols but for those of the
// parameter banks, with the names, types and places that they have in the Mercury half.
func (e *emitter) writeMercurySymbols() {
	b := make([]byte, 0, (e.numMercury+1)*cubin.SymbolSize)
	b = cubin.AppendSymbol(b, cubin.Symbol{Value: e.nullValue})
	for _, y := range e.emitted[:e.numMercury] {
		out := cubin.Symbol{NameOffset: e.stringAt[y.innerName()], Bind: y.bind, Type: y.typ, Other: y.other, Value: y.value + y.addend, Size: y.size}
		if y.mercury.typ != cubin.SymNone {
			out.Type, out.Other = y.mercury.typ, y.mercury.other
		}
		switch {
		case strings.HasPrefix(y.name, reservedSharedPrefix), y.section != nil && y.section.typ == cubin.SectionSharedReserved:
			out.Value = y.mercury.value
		case y.shared != nil && !e.options.Relocatable && !y.hidden:
			out.Value -= e.target.ReservedShared()
		case y.section != nil && y.section.group == groupText && !y.isSection:
			out.Value, out.Size = y.mercury.value, y.mercury.size
		}
		if s := y.section; s != nil {
			out.Section = s.index
			if s.copy != nil && s.copy.index != 0 {
				out.Section = s.copy.index
			}
		}
		b = cubin.AppendSymbol(b, out)
	}
	e.mercurySymbols.data, e.mercurySymbols.size = b, uint64(len(b))
}

// reservedSharedPrefix begins the names of what the system has in shared memory; only
// machine code knows where.
const reservedSharedPrefix = ".nv.reservedSmem."

// mercuryHeader completes the header of a section of the Mercury half.
func (e *emitter) mercuryHeader(h *cubin.Section, s *section) {
	h.NameOffset = s.nameAt // two functions of one name have two
	switch s.typ {
	case cubin.SectionMercSymTab:
		h.Link, h.Info = e.std.strtab.index, e.firstGlobal
	case cubin.SectionCapMerc:
		h.Link, h.Info = e.mercurySymbols.index, s.fn.symbol.index
	case cubin.SectionMercInfo:
		h.Link = e.mercurySymbols.index
		if s.fn != nil {
			h.Info = s.fn.text.copy.index
		}
	case cubin.SectionMercRela, cubin.SectionMercResolved:
		h.Link, h.Info = e.mercurySymbols.index, s.target.index
	case cubin.SectionMercOptimizer, cubin.SectionMercBank:
		h.Info = s.fn.text.copy.index
	}
}

// sharesBytes tells whether s is a copy that stands where the section itself does: data,
// addresses for position independent code, and what is told to debuggers, if it is the same
// (MERC-206).
func (s *section) sharesBytes() bool {
	switch {
	case s.original == nil:
		return false
	case s.original.name == userConstantName, s.original.typ == cubin.SectionGlobalInit, s.typ == cubin.SectionMercPIC:
		return true
	case s.original.group == groupDebug && s.original.name != ".debug_info":
		return bytes.Equal(s.data, s.original.data)
	}
	return false
}

// mercurySegments gives the program headers: themselves twice, constants, code, data,
// parameter banks.
func (e *emitter) mercurySegments(phOff uint64) []cubin.Segment {
	var constants, code, data, parameters []*section
	for _, s := range e.table {
		switch s.group {
		case groupConstant:
			constants = append(constants, s)
		case groupText:
			code = append(code, s)
		case groupGlobalInit, groupNoBits:
			data = append(data, s)
		case groupParameters:
			parameters = append(parameters, s)
		}
	}
	segments := make([]cubin.Segment, 2, 6)
	for _, part := range []struct {
		sections []*section
		flags    uint32
	}{{constants, cubin.SegmentRead}, {code, cubin.SegmentRead | cubin.SegmentExec}, {data, 0}, {parameters, cubin.SegmentRead}} {
		switch {
		case len(part.sections) == 0:
		case part.flags == 0:
			segments = append(segments, dataSegment(part.sections))
		default:
			segments = append(segments, fileSegment(part.sections, part.flags))
		}
	}
	size := uint64(len(segments)) * cubin.SegmentHeaderSize
	table := cubin.Segment{Type: cubin.SegmentPHdr, Flags: cubin.SegmentRead, Offset: phOff, FileSize: size, MemSize: size, Align: 8}
	segments[0], segments[1] = table, table
	segments[1].Type = cubin.SegmentLoad
	return segments
}

// fileSegment covers sections that all have bytes in the file.
func fileSegment(sections []*section, flags uint32) cubin.Segment {
	last := sections[len(sections)-1]
	size := last.offset + last.size - sections[0].offset
	return cubin.Segment{Type: cubin.SegmentLoad, Flags: flags, Offset: sections[0].offset, FileSize: size, MemSize: size, Align: 8}
}

// writeMercuryAttributes writes .nv.merc.nv.info, of the records of .nv.info before the
// finalizer, and .nv.merc.nv.info.<function>, which has the records of the Mercury half.
func (r *relocated) writeMercuryAttributes(module []nvinfo.Record, described []*function) {
	if s := r.std.info; s.kept {
		s.copy = newInfoCopy(s)
		s.copy.data = s.data
		s.copy.size = s.size
		s.data = nvinfo.Encode(r.joinFrames(module))
	}
	for _, fn := range described {
		fn.records = numbered(fn.mercury)
	}
	r.finishAttributes(described)
	for _, fn := range described {
		c := newInfoCopy(fn.infoSec)
		c.flags |= cubin.FlagInfoLink
		c.data = nvinfo.Encode(fn.records)
		c.size = uint64(len(c.data))
		fn.infoSec.copy = c
	}
}

// joinFrames gives all functions in one section of code the frame size of the last one
// among the records of .nv.info, as the finalizer does (MERC-224).
func (r *relocated) joinFrames(records []nvinfo.Record) []nvinfo.Record {
	code := map[uint32]*section{}
	for _, list := range [][]*symbol{r.locals, r.globals} {
		for _, y := range list {
			if y.typ == cubin.SymFunc && y.section != nil {
				code[y.index] = y.section
			}
		}
	}
	size := map[*section]uint32{}
	for _, record := range records {
		if record.Code == nvinfo.FrameSize {
			size[code[record.Word(0)]] = record.Word(1)
		}
	}
	joined := slices.Clone(records)
	for i, record := range joined {
		if s := code[record.Word(0)]; record.Code == nvinfo.FrameSize && s != nil {
			joined[i] = record.WithWord(1, size[s])
		}
	}
	return joined
}

func newInfoCopy(s *section) *section {
	return &section{
		name: copyName(s.name), typ: cubin.SectionMercInfo, flags: cubin.FlagMercury, align: 4,
		bank: noBank, fn: s.fn, original: s, kept: true,
	}
}

// addHandleRecords says of a kernel that the driver gives handles that they are in constant
// bank 0.
func (r *relocated) addHandleRecords(fn *function) {
	bank := fn.bound[parameterPrefix+fn.symbol.name]
	if fn.entry && slices.Contains(r.handleBanks, bank) && len(bank.relocations) > 0 {
		fn.records = append(fn.records,
			nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.BindlessTextures},
			nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.BindlessSurfaces})
	}
}

// byFinalizer orders records of machine code: what is about the parameter bank comes
// last, because the finalizer adds it.
func byFinalizer(a, b nvinfo.Record) int { return finalizerPlace(a.Code) - finalizerPlace(b.Code) }

func finalizerPlace(code nvinfo.Code) int {
	switch code {
	case nvinfo.CBankParamSize:
		return 1
	case nvinfo.ParamCBank:
		return 2
	case nvinfo.WorkArounds:
		return 3
	case nvinfo.BindlessTextures:
		return 4
	case nvinfo.BindlessSurfaces:
		return 5
	}
	return 0
}

// keepsEmpty tells whether a relocation section of the plain half stands in the output
// even without an entry: when its copy has some.
func (e *emitter) keepsEmpty(rs *relocationSection) bool {
	return e.mercury && rs.typ == cubin.SectionRela && rs.target.copy != nil && len(rs.target.copy.relocations) > 0
}

// paddedName is n as .shstrtab has it, with its end. The name of a section that the
// Mercury half calls otherwise stands in the room of that; without a section, the inner
// name stays.
func (e *emitter) paddedName(n sectionName) []byte {
	inner := n.name
	if e.mercury {
		inner = n.section.innerName(n.name)
	}
	if inner != n.name && !slices.ContainsFunc(e.table, func(s *section) bool { return s.name == n.name }) {
		return append([]byte(inner), 0)
	}
	b := make([]byte, len(inner)+1)
	copy(b, n.name)
	return b
}
