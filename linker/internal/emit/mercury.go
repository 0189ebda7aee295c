package emit

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/parallel"
)

// The Mercury half of the output follows all plain sections. It has the copies of code first, then the other
// copies in the order of the plain sections, and the symbol table last. A file with a Mercury half has program
// headers of its own kind (MERC-202 to MERC-208).

// namesGap is the number of free bytes after .shstrtab in every file with a Mercury half. They are reserved for
// the names of the sections that [emitter.extendLate] adds.
const namesGap = uint64(len(".symtab_shndx\x00.nv.merc.symtab_shndx\x00"))

// gapAfter returns the number of bytes that nvlink leaves free after a string table in a file with a Mercury
// half. After .shstrtab the number is constant. After .strtab it is the total length of the inner names of
// renamed sections, minus that of the names stored for them.
func (e *emitter) gapAfter(r *row) uint64 {
	if !e.HasMercury() || r.inMercury() || e.Target.Profile.Emit.FreshTables {
		return 0
	}
	switch r.section {
	case e.Std.Shstrtab:
		if e.late != nil {
			return 0 // the names of the late sections are there
		}
		return namesGap
	case e.Std.Strtab:
		gap := 0
		for _, renamed := range e.table {
			if renamed.inMercury() {
				continue
			}
			if inner := renamed.section.NameInMercury(renamed.Name); inner != renamed.Name {
				gap += len(inner)
				if renamed.section != nil && renamed.section.Symbol != nil {
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
	mirrors := e.Target.Profile.Emit.FreshTables
	var code, before, after []*row
	for _, r := range e.table {
		if r.section == nil {
			continue
		}
		c := r.section.Mercury
		if c == nil || c.Size == 0 && !c.Present() {
			continue
		}
		mercury := &row{Side: c, section: r.section, group: program.GroupMercury, mirrors: mirrors}
		mercury.bare = r.section.Type == cubin.SectionSharedReserved && !e.Target.Profile.Emit.FillsReserved
		switch {
		case r.group == program.GroupText && !mirrors:
			code = append(code, mercury)
		case r.group < program.GroupRelocation:
			before = append(before, mercury)
		default:
			after = append(after, mercury)
		}
	}
	e.mercurySymbols = &row{
		Side:  &program.Side{Name: ".nv.merc.symtab", Type: cubin.SectionMercSymTab, Flags: cubin.FlagMercury, Align: 8, EntSize: cubin.SymbolSize},
		group: program.GroupMercury,
	}
	if mirrors {
		e.mercuryTable = append(e.mercuryTable, e.mercurySymbols)
	}
	e.mercuryTable = append(append(e.mercuryTable, code...), before...)
	for _, s := range e.RelocatedCopies {
		if s.Dead() || s.State != program.Kept {
			continue
		}
		e.addMercuryRelocations(".rela", cubin.SectionMercRela, s)
		e.addMercuryRelocations(".nv.resolvedrela", cubin.SectionMercResolved, s)
	}
	e.mercuryTable = append(e.mercuryTable, after...)
	if !mirrors {
		e.mercuryTable = append(e.mercuryTable, e.mercurySymbols)
	}
}

// copyCallGraph creates the Mercury sides of the call graph and the prototypes (KIT-038).
func (e *emitter) copyCallGraph() {
	for _, c := range []struct {
		of  *program.Section
		typ cubin.SectionType
	}{{e.Std.CallGraph, cubin.SectionMercCallGraph}, {e.Std.Prototype, cubin.SectionMercPrototype}} {
		if c.of.State == program.Kept {
			c.of.Mercury = &program.Side{Name: cubin.MercuryName(c.of.Name), Type: c.typ, Flags: cubin.FlagMercury, Align: c.of.Align, EntSize: c.of.EntSize}
			c.of.Mercury.SetBytes([]byte{}) // until the numbers of symbols are known
		}
	}
}

// addMercuryRelocations adds the relocation section of the given type for the Mercury side of s, if it has
// entries.
func (e *emitter) addMercuryRelocations(prefix string, typ cubin.SectionType, s *program.Section) {
	if entries := e.entries(typ, s.Mercury); entries != nil {
		side := &program.Side{
			Name: cubin.MercuryName(prefix + s.Name), Type: typ, Flags: cubin.FlagMercury | cubin.FlagInfoLink, Align: 8, EntSize: cubin.RelaSize,
		}
		side.SetLater(entries)
		e.mercuryTable = append(e.mercuryTable, &row{Side: side, section: s, group: program.GroupMercury})
	}
}

// extendLate adds .symtab_shndx with its Mercury side if the sections of both halves together are more than a
// symbol can refer to. The finalizer creates it after it has counted them (EMIT-043).
func (e *emitter) extendLate() {
	if e.extended != nil || len(e.table)+len(e.mercuryTable) < cubin.ShnLoReserve {
		return
	}
	s := e.newExtended(program.GroupLate)
	e.late = &row{Side: &s.Side, section: s, group: s.Group}
	at := slices.IndexFunc(e.table, func(r *row) bool { return r.group > s.Group })
	if at < 0 {
		at = len(e.table)
	}
	e.table = slices.Insert(e.table, at, e.late)
	e.mercuryTable = slices.Insert(e.mercuryTable, len(e.mercuryTable)-1, &row{Side: s.Mercury, section: s, group: program.GroupMercury})
}

// mercuryExtended returns the Mercury side of .symtab_shndx, or nil.
func (e *emitter) mercuryExtended() *program.Side {
	switch {
	case e.extended != nil:
		return e.extended.Mercury
	case e.late != nil:
		return e.late.section.Mercury
	}
	return nil
}

// mercuryNumber returns st_shndx of a Mercury symbol in s, and its entry in .nv.merc.symtab_shndx. The
// finalizer replaces the plain section numbers by those of the Mercury sides. Its limit for a number in
// st_shndx is one higher than nvlink's. It treats no section number as SHN_COMMON, but a common symbol stays
// common (EMIT-041, EMIT-044).
func (e *emitter) mercuryNumber(s *program.Section) (short, long uint32) {
	short = e.plainAt[s.ID]
	if e.extended != nil {
		short, long = e.extendedNumber(s, short)
	}
	place := e.mercuryAt[s.ID]
	switch {
	case place == 0, short == cubin.ShnCommon:
		return short, long
	case place <= cubin.ShnLoReserve:
		return place, long
	}
	return cubin.ShnXIndex, place
}

// numberCapsules writes the section index of the machine code into the first word of each capsule.
func (e *emitter) numberCapsules() {
	for _, r := range e.mercuryTable {
		if r.Type == cubin.SectionCapMerc && r.Held() >= 4 {
			r.PutUint32(0, e.plainAt[r.section.ID])
		}
	}
}

// writeMercurySymbols writes .nv.merc.symtab. It has the plain symbols except those of the parameter banks,
// with the names, types and values of the Mercury half.
func (e *emitter) writeMercurySymbols() {
	b := make([]byte, 0, (e.numMercury+1)*cubin.SymbolSize)
	b = cubin.AppendSymbol(b, cubin.Symbol{Value: e.NullValue})
	numbers := make([]byte, 4, 4*(len(e.emitted)+1))
	for _, y := range e.emitted[:e.numMercury] {
		out := cubin.Symbol{NameOffset: e.stringOf(y, y.NameInMercury()), Bind: y.Bind, Type: y.Type, Other: y.Other, Value: y.Value + y.Addend, Size: y.Size}
		if y.MercuryType != cubin.SymNone {
			out.Type, out.Other = y.MercuryType, y.MercuryOther
		}
		switch {
		case cubin.IsOfSystem(y.Name) && !y.Missing, y.Section != nil && y.Section.Type == cubin.SectionSharedReserved:
			out.Value = y.Mercury.Value
		case y.Shared != nil && !e.Options.Relocatable && !y.Hidden:
			out.Value -= e.ShownReserve()
		case y.Section != nil && y.Section.Group == program.GroupText && !y.IsSection:
			out.Value, out.Size = y.Mercury.Value, y.Mercury.Size
		}
		var long uint32
		if s := y.Section; s != nil {
			out.Section, long = e.mercuryNumber(s)
		}
		numbers = binary.LittleEndian.AppendUint32(numbers, long)
		b = cubin.AppendSymbol(b, out)
	}
	e.mercurySymbols.SetBytes(b)
	if side := e.mercuryExtended(); side != nil {
		side.SetBytes(append(numbers, make([]byte, 4*(len(e.emitted)-e.numMercury))...))
	}
}

// mercuryHeader completes the header of a section in the Mercury half.
func (e *emitter) mercuryHeader(h *cubin.Section, r *row) {
	h.NameOffset = r.nameAt // two functions of one name have two
	switch r.Type {
	case cubin.SectionSymTabShNdx:
		h.Link = e.mercurySymbols.index
	case cubin.SectionMercSymTab:
		h.Link, h.Info = e.plainAt[e.Std.Strtab.ID], e.firstGlobal
	case cubin.SectionCapMerc:
		h.Link, h.Info = e.mercurySymbols.index, e.number(r.section.Fn.Symbol)
	case cubin.SectionMercCallGraph, cubin.SectionMercPrototype, cubin.SectionUFTEntry, cubin.SectionUDTEntry:
		h.Link = e.mercurySymbols.index
	case cubin.SectionMercInfo:
		h.Link, h.Info = e.mercurySymbols.index, e.mercuryCodeOf(r.section)
	case cubin.SectionMercRela, cubin.SectionMercResolved:
		h.Link, h.Info = e.mercurySymbols.index, e.mercuryAt[r.section.ID]
	case cubin.SectionMercOptimizer, cubin.SectionMercBank:
		h.Info = e.mercuryCodeOf(r.section)
	}
}

// mercuryCodeOf returns the Mercury code of the function that a section is about. It is 0 for a section of the module,
// and for one about code that no symbol has.
func (e *emitter) mercuryCodeOf(s *program.Section) uint32 {
	if s.Fn == nil {
		return 0
	}
	return e.mercuryAt[s.Fn.Text.ID]
}

// sharesBytes reports whether r is a Mercury side that has its bytes in common with the plain side. These are
// data, addresses for position-independent code, and debug sections that are equal in both halves (MERC-206).
func (r *row) sharesBytes() bool {
	if r.section == nil || r.Side != r.section.Mercury {
		return false
	}
	switch s := r.section; {
	case s.Name == cubin.UserConstantName, s.Type == cubin.SectionGlobalInit, r.Type == cubin.SectionMercPIC:
		return true
	case s.Name == cubin.DebugInfoName && r.mirrors: // KIT-039
		return r.Size == s.Size
	case s.Group == program.GroupDebug:
		return !r.startsLines() && bytes.Equal(r.Bytes(), s.Bytes())
	}
	return false
}

// startsLines reports whether r keeps a relocation that refers to the start of a unit's lines.
func (r *row) startsLines() bool {
	for i := range r.Relocations {
		if r.Relocations[i].StartsLines() {
			return true
		}
	}
	return false
}

// mercurySegments returns the program headers: the header table twice, constants, code, data, and parameter
// banks.
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

// fileSegment returns the segment of sections all of which have bytes in the file.
func fileSegment(sections []*row, flags uint32) cubin.Segment {
	last := sections[len(sections)-1]
	size := last.offset + last.Size - sections[0].offset
	return cubin.Segment{Type: cubin.SegmentLoad, Flags: flags, Offset: sections[0].offset, FileSize: size, MemSize: size, Align: 8}
}

// writeMercuryAttributes writes .nv.merc.nv.info, with the records of .nv.info as they are before the finalizer
// runs. It also writes .nv.merc.nv.info.<function>, with the records of the Mercury half.
func (r *emitter) writeMercuryAttributes(module []nvinfo.Record, described []*program.Function) {
	if s := r.Std.Info; s.State == program.Kept {
		s.Mercury = newMercuryInfo(s)
		s.Mercury.SetBytes(s.Bytes())
		s.SetBytes(nvinfo.Encode(r.joinFrames(module)))
	}
	parallel.Do(r.Options.Threads, len(described), func(i int) {
		fn := described[i]
		r.records[fn.Order] = r.numbered(&fn.MercuryAttributes)
	})
	r.finishAttributes(described)
	parallel.Do(r.Options.Threads, len(described), func(i int) {
		fn := described[i]
		fn.InfoSec.Mercury = newMercuryInfo(fn.InfoSec)
		fn.InfoSec.Mercury.Flags |= cubin.FlagInfoLink
		fn.InfoSec.Mercury.SetBytes(nvinfo.Encode(r.records[fn.Order]))
	})
}

// joinFrames returns the records of .nv.info with one frame size for all functions of a code section. It is
// that of the last such function in the records, as in the finalizer (MERC-224).
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

// finalizerRecords returns the records that later finalizers add about the code of fn (KIT-036, KIT-037, KIT-420).
func (r *emitter) finalizerRecords(fn *program.Function) (records []nvinfo.Record) {
	if indexOf(r.records[fn.Order], nvinfo.WorkArounds) < 0 {
		return nil
	}
	kit := r.Target.Profile
	if kit.Info.TellsWorkArounds {
		records = append(records, nvinfo.Record{Format: nvinfo.Half, Code: nvinfo.NVSALWorkArounds, Value: 1})
	}
	if kit.Info.TellsPreexit {
		used := nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.PreexitUsed}
		if mercury.LetsNextStart(fn.Text.Bytes()) {
			used.Value = 1
		}
		records = append(records, used)
	}
	if r.Target.Adds67() && !r.Options.Relocatable {
		records = append(records, nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.FinalizerUnnamed})
	}
	return records
}

// addHandleRecords adds records to kernels with texture and surface handles. The driver writes these handles
// into constant bank 0.
func (r *emitter) addHandleRecords(fn *program.Function) {
	bank := fn.Own(cubin.ParameterPrefix)
	if fn.Entry && slices.Contains(r.HandleBanks, bank) && len(bank.Relocations) > 0 {
		r.records[fn.Order] = append(r.records[fn.Order],
			nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.BindlessTextures},
			nvinfo.Record{Format: nvinfo.Byte, Code: nvinfo.BindlessSurfaces})
	}
}

// byFinalizer compares records of machine code for sorting. Those that the finalizer adds, such as the record
// of the parameter bank, come last.
func byFinalizer(a, b nvinfo.Record) int { return finalizerPlace(a.Code) - finalizerPlace(b.Code) }

func finalizerPlace(code nvinfo.Code) int {
	switch code {
	case nvinfo.CBankParamSize:
		return 1
	case nvinfo.ParamCBank:
		return 2
	case nvinfo.WorkArounds:
		return 3
	case nvinfo.NVSALWorkArounds:
		return 4
	case nvinfo.PreexitUsed:
		return 5
	case nvinfo.FinalizerUnnamed:
		return 6
	case nvinfo.BindlessTextures:
		return 7
	case nvinfo.BindlessSurfaces:
		return 8
	}
	return 0
}

// keepsEmpty reports whether a relocation section of the plain half is written even if it is empty. It is if
// its Mercury copy has entries.
func (e *emitter) keepsEmpty(rs *program.RelocationSection) bool {
	return e.HasMercury() && rs.Type == cubin.SectionRela && rs.Target.Mercury != nil && len(rs.Target.Mercury.Relocations) > 0
}
