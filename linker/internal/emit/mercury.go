package emit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// The Mercury half of the output: the copies of sections after all plain ones, code
// first, then in the order of the plain sections, then its symbol table; and the program
// headers of a file that has one (MERC-202 to MERC-208).

// namesGap is how many bytes are free after .shstrtab in a file with a Mercury half, whatever
// it holds.
const namesGap = 36

// gapAfter is how many bytes nvlink leaves free after a string table, in a file with a
// Mercury half: after .shstrtab always the same, after .strtab as much as the inner
// names of renamed sections are longer than the names that came into it for them.
func (e *emitter) gapAfter(r *row) uint64 {
	if !e.HasMercury() || r.inMercury() {
		return 0
	}
	switch r.section {
	case e.Std.Shstrtab:
		return namesGap
	case e.Std.Strtab:
		gap := 0
		for _, renamed := range e.table {
			if renamed.inMercury() {
				continue
			}
			if inner := renamed.section.NameInMercury(renamed.Name); inner != renamed.Name {
				gap += len(inner)
				if renamed.section.Symbol != nil {
					gap -= len(renamed.Name) + 1
				}
			}
		}
		return uint64(gap)
	}
	return 0
}

// chooseMercury makes the Mercury half of the section table.
func (e *emitter) chooseMercury() {
	var code, before, after []*row
	for _, r := range e.table {
		c := r.section.Mercury
		if c == nil || c.Size == 0 && !c.Present() {
			continue
		}
		mercury := &row{Side: c, section: r.section, group: program.GroupMercury}
		switch {
		case r.group == program.GroupText:
			code = append(code, mercury)
		case r.group < program.GroupRelocation:
			before = append(before, mercury)
		default:
			after = append(after, mercury)
		}
	}
	e.mercuryTable = append(code, before...)
	for _, s := range e.RelocatedCopies {
		if s.Dead() || s.State != program.Kept {
			continue
		}
		e.addMercuryRelocations(".rela", cubin.SectionMercRela, s)
		e.addMercuryRelocations(".nv.resolvedrela", cubin.SectionMercResolved, s)
	}
	e.mercuryTable = append(e.mercuryTable, after...)
	e.mercurySymbols = &row{
		Side:  &program.Side{Name: ".nv.merc.symtab", Type: cubin.SectionMercSymTab, Flags: cubin.FlagMercury, Align: 8, EntSize: cubin.SymbolSize},
		group: program.GroupMercury,
	}
	e.mercuryTable = append(e.mercuryTable, e.mercurySymbols)
}

// addMercuryRelocations adds the relocations of the Mercury side of s, if it has any of
// the kind.
func (e *emitter) addMercuryRelocations(prefix string, typ cubin.SectionType, s *program.Section) {
	if entries := e.entries(typ, s.Mercury); entries != nil {
		side := &program.Side{
			Name: cubin.MercuryName(prefix + s.Name), Type: typ, Flags: cubin.FlagMercury | cubin.FlagInfoLink, Align: 8, EntSize: cubin.RelaSize,
		}
		side.SetLater(entries)
		e.mercuryTable = append(e.mercuryTable, &row{Side: side, section: s, group: program.GroupMercury})
	}
}

// numberCapsules writes into each capsule the index of the section of its machine code,
// in its first word.
func (e *emitter) numberCapsules() {
	for _, r := range e.mercuryTable {
		if r.Type == cubin.SectionCapMerc && r.Held() >= 4 {
			r.PutUint32(0, e.plainAt[r.section.ID])
		}
	}
}

// writeMercurySymbols writes .nv.merc.symtab: the plain symbols except for those of the
// parameter banks, with the names, types and places that they have in the Mercury half.
func (e *emitter) writeMercurySymbols() {
	b := make([]byte, 0, (e.numMercury+1)*cubin.SymbolSize)
	b = cubin.AppendSymbol(b, cubin.Symbol{Value: e.NullValue})
	for _, y := range e.emitted[:e.numMercury] {
		out := cubin.Symbol{NameOffset: e.stringAt[y.NameInMercury()], Bind: y.Bind, Type: y.Type, Other: y.Other, Value: y.Value + y.Addend, Size: y.Size}
		if y.Mercury.Type != cubin.SymNone {
			out.Type, out.Other = y.Mercury.Type, y.Mercury.Other
		}
		switch {
		case strings.HasPrefix(y.Name, cubin.ReservedSharedPrefix), y.Section != nil && y.Section.Type == cubin.SectionSharedReserved:
			out.Value = y.Mercury.Value
		case y.Shared != nil && !e.Options.Relocatable && !y.Hidden:
			out.Value -= e.Target.ReservedShared()
		case y.Section != nil && y.Section.Group == program.GroupText && !y.IsSection:
			out.Value, out.Size = y.Mercury.Value, y.Mercury.Size
		}
		if s := y.Section; s != nil {
			out.Section = e.plainAt[s.ID]
			if at := e.mercuryAt[s.ID]; at != 0 {
				out.Section = at
			}
		}
		b = cubin.AppendSymbol(b, out)
	}
	e.mercurySymbols.SetBytes(b)
}

// mercuryHeader completes the header of a section of the Mercury half.
func (e *emitter) mercuryHeader(h *cubin.Section, r *row) {
	h.NameOffset = r.nameAt // two functions of one name have two
	switch r.Type {
	case cubin.SectionMercSymTab:
		h.Link, h.Info = e.plainAt[e.Std.Strtab.ID], e.firstGlobal
	case cubin.SectionCapMerc:
		h.Link, h.Info = e.mercurySymbols.index, e.number(r.section.Fn.Symbol)
	case cubin.SectionMercInfo:
		h.Link = e.mercurySymbols.index
		if fn := r.section.Fn; fn != nil {
			h.Info = e.mercuryAt[fn.Text.ID]
		}
	case cubin.SectionMercRela, cubin.SectionMercResolved:
		h.Link, h.Info = e.mercurySymbols.index, e.mercuryAt[r.section.ID]
	case cubin.SectionMercOptimizer, cubin.SectionMercBank:
		h.Info = e.mercuryAt[r.section.Fn.Text.ID]
	}
}

// sharesBytes reports whether r is a Mercury side that stands where the plain one does:
// data, addresses for position independent code, and what is told to debuggers, if it is
// the same (MERC-206).
func (r *row) sharesBytes() bool {
	if r.section == nil || r.Side != r.section.Mercury {
		return false
	}
	switch s := r.section; {
	case s.Name == cubin.UserConstantName, s.Type == cubin.SectionGlobalInit, r.Type == cubin.SectionMercPIC:
		return true
	case s.Group == program.GroupDebug && s.Name != cubin.DebugInfoName:
		return bytes.Equal(r.Bytes(), s.Bytes())
	}
	return false
}

// mercurySegments returns the program headers: themselves twice, constants, code, data,
// parameter banks.
func (e *emitter) mercurySegments(phOff uint64) []cubin.Segment {
	var constants, code, data, parameters []*row
	for _, s := range e.table {
		switch s.group {
		case program.GroupConstant:
			constants = append(constants, s)
		case program.GroupText:
			code = append(code, s)
		case program.GroupGlobalInit, program.GroupNoBits:
			data = append(data, s)
		case program.GroupParameters:
			parameters = append(parameters, s)
		}
	}
	segments := make([]cubin.Segment, 2, 6)
	for _, part := range []struct {
		sections []*row
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
func fileSegment(sections []*row, flags uint32) cubin.Segment {
	last := sections[len(sections)-1]
	size := last.offset + last.Size - sections[0].offset
	return cubin.Segment{Type: cubin.SegmentLoad, Flags: flags, Offset: sections[0].offset, FileSize: size, MemSize: size, Align: 8}
}

// writeMercuryAttributes writes .nv.merc.nv.info, of the records of .nv.info before the
// finalizer, and .nv.merc.nv.info.<function>, which has the records of the Mercury half.
func (r *emitter) writeMercuryAttributes(module []nvinfo.Record, described []*program.Function) {
	if s := r.Std.Info; s.State == program.Kept {
		s.Mercury = newMercuryInfo(s)
		s.Mercury.SetBytes(s.Bytes())
		s.SetBytes(nvinfo.Encode(r.joinFrames(module)))
	}
	for _, fn := range described {
		r.records[fn.Order] = r.numbered(fn.MercuryAttributes)
	}
	r.finishAttributes(described)
	for _, fn := range described {
		fn.InfoSec.Mercury = newMercuryInfo(fn.InfoSec)
		fn.InfoSec.Mercury.Flags |= cubin.FlagInfoLink
		fn.InfoSec.Mercury.SetBytes(nvinfo.Encode(r.records[fn.Order]))
	}
}

// joinFrames returns all functions in one section of code the frame size of the last one
// among the records of .nv.info, as the finalizer does (MERC-224).
func (r *emitter) joinFrames(records []nvinfo.Record) []nvinfo.Record {
	code := map[uint32]*program.Section{}
	for _, list := range [][]*program.Symbol{r.Locals, r.Globals} {
		for _, y := range list {
			if y.Type == cubin.SymFunc && y.Section != nil {
				code[r.number(y)] = y.Section
			}
		}
	}
	size := map[*program.Section]uint32{}
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

func newMercuryInfo(s *program.Section) *program.Side {
	return &program.Side{Name: cubin.MercuryName(s.Name), Type: cubin.SectionMercInfo, Flags: cubin.FlagMercury, Align: 4}
}

// addHandleRecords says of a kernel that the driver gives handles that they are in constant
// bank 0.
func (r *emitter) addHandleRecords(fn *program.Function) {
	bank := fn.Bound[cubin.ParameterPrefix+fn.Symbol.Name]
	if fn.Entry && slices.Contains(r.HandleBanks, bank) && len(bank.Relocations) > 0 {
		r.records[fn.Order] = append(r.records[fn.Order],
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

// keepsEmpty reports whether a relocation section of the plain half stands in the output
// even without an entry: when its copy has some.
func (e *emitter) keepsEmpty(rs *program.RelocationSection) bool {
	return e.HasMercury() && rs.Type == cubin.SectionRela && rs.Target.Mercury != nil && len(rs.Target.Mercury.Relocations) > 0
}

// appendName appends n as .shstrtab has it, with its end. The name of a section that the
// Mercury half calls otherwise stands in the room of that; without a section, the inner
// name stays.
func (e *emitter) appendName(b []byte, n program.SectionName) []byte {
	inner := n.Name
	if e.HasMercury() {
		inner = n.Section.NameInMercury(n.Name)
	}
	if inner != n.Name && !e.named[n.Name] {
		return append(append(b, inner...), 0)
	}
	b = append(b, n.Name[:min(len(n.Name), len(inner)+1)]...)
	for range len(inner) + 1 - len(n.Name) {
		b = append(b, 0)
	}
	return b
}
