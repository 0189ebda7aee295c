package object

import (
	"math"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
)

// Both halves of an input may hold the same fact. nvlink uses the Mercury half, because its
// finalizer generates the plain one again. culink keeps the machine code of the input. It therefore
// uses those parts of the plain half that describe this code, and ignores the others (MERC-311,
// MERC-315).

// takeSymbol sets y from m, the same symbol in the Mercury half. Fields that differ between the
// halves by rule are not copied: the values and sizes of functions, and the place of reserved
// shared memory. The function that owns a code section has the size of the section. A section
// symbol has the name of its section.
func (o *Object) takeSymbol(y, m *cubin.Symbol) {
	if m.Type == cubin.SymSection || y.Type == cubin.SymSection {
		y.Type = cubin.SymSection
		if int(y.Section) < len(o.File.Sections) {
			y.Name = o.File.Sections[y.Section].Name
		}
		return
	}
	y.Name, y.Bind, y.Type, y.Other, y.Section = m.Name, m.Bind, m.Type, m.Other, m.Section
	if i, ok := o.Mercury.originals.at(m.Section); ok {
		y.Section = i
	}
	if m.Type == cubin.SymFunc && m.Value == 0 && m.Defined() && int(y.Section) < len(o.File.Sections) {
		if code := &o.File.Sections[y.Section]; code.CodeSymbol() == y.Index {
			y.Value, y.Size = 0, code.Size
		}
	}
	if m.Type != cubin.SymFunc {
		y.Size = m.Size
		if !cubin.IsOfSystem(m.Name) {
			y.Value = m.Value
		}
	}
}

// takeBankSymbols sets those symbols of the plain half that the Mercury half lacks. By rule they
// come last. They are the section symbols of the parameter banks, in the order of the banks.
func (o *Object) takeBankSymbols(last []cubin.Symbol) {
	var banks []*cubin.Section
	for i := range o.File.Sections {
		if s := &o.File.Sections[i]; s.Flags&cubin.FlagMercury == 0 && strings.HasPrefix(s.Name, cubin.ParameterPrefix) {
			banks = append(banks, s)
		}
	}
	if len(banks) != len(last) {
		return
	}
	for i, s := range banks {
		last[i].Name, last[i].Bind, last[i].Type, last[i].Section = s.Name, cubin.BindLocal, cubin.SymSection, s.Index
	}
}

// setFinalizedHeader sets the header of a section that the finalizer generates, or of code in
// Mercury form. The values are fixed. remade is set if the plain half is generated again, with
// headers of the Mercury half.
func (o *Object) setFinalizedHeader(s *cubin.Section, remade bool) {
	inner := s.Flags&cubin.FlagMercury != 0
	switch {
	case inner && s.Type == cubin.SectionProgBits && !remade:
		s.EntSize = 0
	case inner && s.Type == cubin.SectionCapMerc && s.AddrAlign <= cubin.MaxPadding:
		s.Flags, s.AddrAlign = cubin.FlagMercury, 16
		if code, ok := o.codeOf(s); remade || !ok || o.File.Sections[code].Type != cubin.SectionUFT { // LAYOUT-115, LAYOUT-980
			s.EntSize = 0
		}
	case !inner && strings.HasPrefix(s.Name, cubin.CodePrefix):
		s.AddrAlign = 128
	case !inner && strings.HasPrefix(s.Name, cubin.ParameterPrefix) && s.AddrAlign <= cubin.MaxPadding:
		s.Type, s.Flags, s.Link, s.AddrAlign, s.EntSize = cubin.SectionConstant0, cubin.FlagAlloc|cubin.FlagInfoLink, 0, 4, 0
	}
	if int(s.Link) >= len(o.File.Sections) {
		s.Link = 0
	}
}

// sharesData reports whether s is data that both halves share in the output (MERC-313).
func sharesData(s *cubin.Section) bool {
	return s.Name == cubin.UserConstantName || s.Type == cubin.SectionGlobalInit
}

// shareHeaders copies the headers of shared data, and of sections for debuggers, from the plain half to the Mercury half. If inner
// is set, it copies those of shared data in the other direction (MERC-313, MERC-782, KIT-139).
func (o *Object) shareHeaders(inner bool) {
	if o.Mercury == nil || o.Refused != "" {
		return
	}
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		k, ok := o.Mercury.copies.at(uint32(i))
		if !ok {
			continue
		}
		switch c := &o.File.Sections[k]; {
		case sharesData(s) && inner:
			s.Link, s.Flags, s.EntSize, s.AddrAlign = c.Link, c.Flags&^cubin.FlagMercury, c.EntSize, c.AddrAlign
		case !inner && (sharesData(s) || c.Type == cubin.SectionProgBits) && c.AddrAlign <= cubin.MaxPadding: // MERC-314
			c.Link, c.Flags, c.EntSize, c.AddrAlign = s.Link, s.Flags|cubin.FlagMercury, uint64(uint32(s.EntSize)), s.AddrAlign
		}
	}
}

// takeAttributes assigns to each function its attributes in the Mercury half. The finalizer adds
// some of its own. nvlink finds attributes by name. If an earlier -r joined static functions of the
// same name, all of them get the attributes of the first (MERC-125).
func (o *Object) takeAttributes() {
	scratch := o.tables.takeScratch(len(o.File.Sections))
	defer o.tables.leaveScratch(scratch)
	plain := scratch.one // the section of attributes, by the section that it describes
	for i := range o.File.Sections {
		if s := &o.File.Sections[i]; s.Type == cubin.SectionInfo {
			plain.set(s.Info, s.Index)
		}
	}
	half := o.Mercury
	half.banks = o.parameterBanks()
	half.infos = make(sectionMap, len(plain))
	half.described = make(sectionMap, len(plain))
	first := scratch.names // section of the Mercury half, by name
	last := scratch.more   // the last one assigned to a plain section
	for k := range o.File.Sections {
		s := &o.File.Sections[k]
		if s.Type != cubin.SectionMercInfo {
			continue
		}
		if i, known := first[s.Name]; known {
			half.sameInfo = half.sameInfo.orMade(len(plain))
			half.sameInfo.set(s.Index, i)
		} else {
			first[s.Name] = s.Index
		}
		code, ok := half.originals.at(s.Info)
		if _, known := half.described.at(code); ok && !known {
			half.described.set(code, s.Index)
		}
		i, said := plain.at(code)
		if !said || !ok && s.Info != 0 {
			continue
		}
		if before, more := last.at(i); more {
			half.moreInfos = half.moreInfos.orMade(len(plain))
			half.moreInfos.set(before, s.Index)
		} else {
			half.infos.set(i, s.Index)
		}
		last.set(i, s.Index)
	}
}

// finalAttributes returns the attributes of machine code whose records in the plain half are given.
// They are those of section k of the Mercury half, and those that the finalizer adds.
func (o *Object) finalAttributes(records []nvinfo.Record, k uint32) []nvinfo.Record {
	s := &o.File.Sections[k]
	code, _ := o.Mercury.originals.at(s.Info)
	inner := o.Attributes(k, nil)
	records = joinAttributes(records, inner)
	if bank, size := o.Mercury.banks[code], parametersSize(inner); bank != 0 && size > 0 {
		records = append(records,
			nvinfo.Record{Format: nvinfo.Half, Code: nvinfo.CBankParamSize, Value: size},
			nvinfo.New(nvinfo.ParamCBank, bank, arch.ParametersStart|uint32(size)<<16))
	}
	if s.Info != 0 {
		records = append(records, nvinfo.New(nvinfo.WorkArounds, arch.WorkArounds(o.File.SM())))
	}
	return records
}

// parameterBanks returns the symbols of the kernels' parameter banks, by the section of the
// kernel's code.
func (o *Object) parameterBanks() []uint32 {
	banks := make([]uint32, len(o.File.Sections))
	for i := range o.Symbols {
		y := &o.Symbols[i]
		if y.Type != cubin.SymSection || int(y.Section) >= len(o.File.Sections) {
			continue
		}
		s := &o.File.Sections[y.Section]
		if bank, ok := s.ConstantBank(); ok && bank == 0 && int(s.Info) < len(banks) {
			banks[s.Info] = y.Index
		}
	}
	return banks
}

// FinalBankSize returns the size that the finalizer gives parameter bank i of the plain half, without slots: that of the
// parameters of the kernel that the Mercury half describes (MERC-900). Without a description the bank keeps its size.
func (o *Object) FinalBankSize(i uint32) uint64 {
	if k, known := o.Mercury.described.at(o.File.Sections[i].Info); known {
		return arch.ParametersStart + uint64(parametersSize(o.Attributes(k, nil)))
	}
	size := uint64(len(o.Data(i)))
	if c, slots := o.Mercury.CopyOf(i); slots {
		size -= min(size, o.File.Sections[c].Size)
	}
	return size
}

// SlotStart returns the offset in bank 0 at which the compiler of an input with a Mercury half expects the slots of
// textures: after the largest parameters of the input (MERC-930).
func (o *Object) SlotStart() uint64 {
	start := uint64(arch.ParametersStart)
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if !strings.HasPrefix(s.Name, cubin.ParameterPrefix) {
			continue
		}
		start = max(start, cubin.AlignUp(o.FinalBankSize(s.Index), arch.HandlesAlign))
	}
	return start
}

// parametersSize returns the end of the last parameter of a kernel. Texture, sampler and surface
// parameters do not count, because they are not in the bank.
func parametersSize(records []nvinfo.Record) uint16 {
	const elsewhere = 0xffff
	end := uint32(0)
	for _, r := range records {
		var size uint32
		switch r.Code {
		case nvinfo.KParamInfo:
			size = r.Word(2) >> 18
		case nvinfo.KParamInfoV2:
			size = r.Word(2) & 0xffffff
		default:
			continue
		}
		if offset := r.Word(1) >> 16; offset != elsewhere {
			end = max(end, offset+size)
		}
	}
	return uint16(end)
}

// joinAttributes returns the attributes of machine code. They are those of the Mercury form, some
// of which are replaced by those of plain. Both lists have the same order.
func joinAttributes(plain, inner []nvinfo.Record) []nvinfo.Record {
	const finalizers = 3 // records that finalAttributes adds
	joined := make([]nvinfo.Record, 0, len(inner)+finalizers)
	var taken [math.MaxUint8 + 1]int // by code, the next record of plain to look at
	for _, r := range inner {
		if r.Code == nvinfo.FinalizerOptions {
			continue
		}
		for at := &taken[r.Code]; *at < len(plain); {
			own := plain[*at]
			*at++
			if own.Code == r.Code && own.Format == nvinfo.Sized && len(own.Payload)%4 == 0 { // else it is damaged
				r = own
				break
			}
		}
		joined = append(joined, r)
	}
	return joined
}

// ofMachineCode reports whether attributes of a code differ between machine code and its Mercury
// form. Such attributes refer to places in the code, or give the frame sizes of several functions
// in one section.
func ofMachineCode(code nvinfo.Code) bool {
	return code == nvinfo.FrameSize || codemap.NamesPlaces(code)
}
