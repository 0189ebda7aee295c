package emit

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// The Mercury half of the output: the copies of sections after all plain ones, code
// first, then in the order of the plain sections, then its symbol table; and the program
// headers of a file that has one (MERC-202 to MERC-208).

// gapBehind is how many bytes nvlink leaves free after a string table, in a file with a
// Mercury half: after .shstrtab always the same, after .strtab as much as the inner
// names of renamed sections are longer than the names that came into it for them.
func (e *emitter) gapBehind(s *program.Section) uint64 {
	if !e.Mercury {
		return 0
	}
	switch s {
	case e.Std.Shstrtab:
		return 36
	case e.Std.Strtab:
		gap := 0
		for _, renamed := range e.table {
			if inner := renamed.InnerName(renamed.Name); renamed.Group != program.GroupMercury && inner != renamed.Name {
				gap += len(inner)
				if renamed.Symbol != nil {
					gap -= len(renamed.Name) + 1
				}
			}
		}
		return uint64(gap)
	}
	return 0
}

// chooseCopies makes the Mercury half of the section table.
func (e *emitter) chooseCopies() {
	var code, before, after []*program.Section
	for _, s := range e.table {
		switch c := s.Copy; {
		case c == nil || c.Size == 0 && c.Data == nil:
		case s.Group == program.GroupText:
			code = append(code, c)
		case s.Group < program.GroupRelocation:
			before = append(before, c)
		default:
			after = append(after, c)
		}
	}
	e.mercuryTable = append(code, before...)
	for _, c := range e.RelocatedCopies {
		if c.Dead() || !c.Original.Kept || c.Original.Copy != c {
			continue
		}
		e.addCopyRelocations(".rela", cubin.SectionMercRela, c)
		e.addCopyRelocations(".nv.resolvedrela", cubin.SectionMercResolved, c)
	}
	e.mercuryTable = append(e.mercuryTable, after...)
	e.mercurySymbols = &program.Section{Name: ".nv.merc.symtab", Type: cubin.SectionMercSymTab, Flags: cubin.FlagMercury, Align: 8, EntSize: cubin.SymbolSize}
	e.mercuryTable = append(e.mercuryTable, e.mercurySymbols)
	for _, c := range e.mercuryTable {
		c.Group = program.GroupMercury
	}
}

// addCopyRelocations adds the relocations of section c of the Mercury half, if it has any
// of the kind.
func (e *emitter) addCopyRelocations(prefix string, typ cubin.SectionType, c *program.Section) {
	rs := program.RelocationSection{Name: cubin.CopyName(prefix + c.Original.Name), Type: typ, Target: c}
	if data := encode(&rs); len(data) > 0 {
		e.mercuryTable = append(e.mercuryTable, &program.Section{
			Name: rs.Name, Type: typ, Flags: cubin.FlagMercury | cubin.FlagInfoLink, Align: 8, EntSize: cubin.RelaSize,
			Data: data, Size: uint64(len(data)), Target: c,
		})
	}
}

// numberCapsules writes into each capsule the index of the section of its machine code,
// in its first word.
func (e *emitter) numberCapsules() {
	for _, c := range e.mercuryTable {
		if c.Type == cubin.SectionCapMerc && len(c.Data) >= 4 {
			binary.LittleEndian.PutUint32(c.Writable(), c.Original.Index)
		}
	}
}

// writeMercurySymbols writes .nv.merc.symtab: the plain symbols except for those of the
// parameter banks, with the names, types and places that they have in the Mercury half.
func (e *emitter) writeMercurySymbols() {
	b := make([]byte, 0, (e.numMercury+1)*cubin.SymbolSize)
	b = cubin.AppendSymbol(b, cubin.Symbol{Value: e.NullValue})
	for _, y := range e.emitted[:e.numMercury] {
		out := cubin.Symbol{NameOffset: e.stringAt[y.InnerName()], Bind: y.Bind, Type: y.Type, Other: y.Other, Value: y.Value + y.Addend, Size: y.Size}
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
			out.Section = s.Index
			if s.Copy != nil && s.Copy.Index != 0 {
				out.Section = s.Copy.Index
			}
		}
		b = cubin.AppendSymbol(b, out)
	}
	e.mercurySymbols.Data, e.mercurySymbols.Size = b, uint64(len(b))
}

// mercuryHeader completes the header of a section of the Mercury half.
func (e *emitter) mercuryHeader(h *cubin.Section, s *program.Section) {
	h.NameOffset = s.NameAt // two functions of one name have two
	switch s.Type {
	case cubin.SectionMercSymTab:
		h.Link, h.Info = e.Std.Strtab.Index, e.firstGlobal
	case cubin.SectionCapMerc:
		h.Link, h.Info = e.mercurySymbols.Index, s.Fn.Symbol.Index
	case cubin.SectionMercInfo:
		h.Link = e.mercurySymbols.Index
		if s.Fn != nil {
			h.Info = s.Fn.Text.Copy.Index
		}
	case cubin.SectionMercRela, cubin.SectionMercResolved:
		h.Link, h.Info = e.mercurySymbols.Index, s.Target.Index
	case cubin.SectionMercOptimizer, cubin.SectionMercBank:
		h.Info = s.Fn.Text.Copy.Index
	}
}

// sharesBytes reports whether s is a copy that stands where the section itself does: data,
// and what is told to debuggers, if it is the same.
func sharesBytes(s *program.Section) bool {
	switch {
	case s.Original == nil:
		return false
	case s.Original.Name == cubin.UserConstantName, s.Original.Type == cubin.SectionGlobalInit:
		return true
	case s.Original.Group == program.GroupDebug && s.Original.Name != ".debug_info":
		return bytes.Equal(s.Data, s.Original.Data)
	}
	return false
}

// mercurySegments returns the program headers: themselves twice, constants, code, data,
// parameter banks.
func (e *emitter) mercurySegments(phOff uint64) []cubin.Segment {
	var constants, code, data, parameters []*program.Section
	for _, s := range e.table {
		switch s.Group {
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
		sections []*program.Section
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
func fileSegment(sections []*program.Section, flags uint32) cubin.Segment {
	last := sections[len(sections)-1]
	size := last.Offset + last.Size - sections[0].Offset
	return cubin.Segment{Type: cubin.SegmentLoad, Flags: flags, Offset: sections[0].Offset, FileSize: size, MemSize: size, Align: 8}
}

// writeMercuryAttributes writes .nv.merc.nv.info, of the records of .nv.info before the
// finalizer, and .nv.merc.nv.info.<function>, which has the records of the Mercury half.
func (r *emitter) writeMercuryAttributes(module []nvinfo.Record, described []*program.Function) {
	if s := r.Std.Info; s.Kept {
		s.Copy = newInfoCopy(s)
		s.Copy.Data = s.Data
		s.Copy.Size = s.Size
		s.Data = nvinfo.Encode(r.joinFrames(module))
	}
	for _, fn := range described {
		fn.Records = numbered(fn.Mercury)
	}
	r.finishAttributes(described)
	for _, fn := range described {
		c := newInfoCopy(fn.InfoSec)
		c.Flags |= cubin.FlagInfoLink
		c.Data = nvinfo.Encode(fn.Records)
		c.Size = uint64(len(c.Data))
		fn.InfoSec.Copy = c
	}
}

// joinFrames gives all functions in one section of code the frame size of the last one
// among the records of .nv.info, as the finalizer does (MERC-224).
func (r *emitter) joinFrames(records []nvinfo.Record) []nvinfo.Record {
	code := map[uint32]*program.Section{}
	for _, list := range [][]*program.Symbol{r.Locals, r.Globals} {
		for _, y := range list {
			if y.Type == cubin.SymFunc && y.Section != nil {
				code[y.Index] = y.Section
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

func newInfoCopy(s *program.Section) *program.Section {
	return &program.Section{
		Name: cubin.CopyName(s.Name), Type: cubin.SectionMercInfo, Flags: cubin.FlagMercury, Align: 4,
		Bank: program.NoBank, Fn: s.Fn, Original: s, Kept: true,
	}
}

// addHandleRecords says of a kernel that the driver gives handles that they are in constant
// bank 0.
func (r *emitter) addHandleRecords(fn *program.Function) {
	bank := fn.Bound[cubin.ParameterPrefix+fn.Symbol.Name]
	if fn.Entry && slices.Contains(r.HandleBanks, bank) && len(bank.Relocations) > 0 {
		fn.Records = append(fn.Records,
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
	return e.Mercury && rs.Type == cubin.SectionRela && rs.Target.Copy != nil && len(rs.Target.Copy.Relocations) > 0
}

// paddedName is n as .shstrtab has it, with its end. The name of a section that the
// Mercury half calls otherwise stands in the room of that; without a section, the inner
// name stays.
func (e *emitter) paddedName(n program.SectionName) []byte {
	inner := n.Name
	if e.Mercury {
		inner = n.Section.InnerName(n.Name)
	}
	if inner != n.Name && !slices.ContainsFunc(e.table, func(s *program.Section) bool { return s.Name == n.Name }) {
		return append([]byte(inner), 0)
	}
	b := make([]byte, len(inner)+1)
	copy(b, n.Name)
	return b
}
