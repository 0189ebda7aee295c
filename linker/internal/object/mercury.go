package object

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/capsule"
)

// From sm_100 on, a cubin holds its program twice. The plain half has machine code. From the Mercury half a finalizer
// generates machine code again. Nearly every section of the Mercury half is a copy of a section of the plain half. Its
// name follows from that of the plain one: .nv.capmerc.text.F from .text.F, .nv.merc.debug_frame from .debug_frame. Its
// symbol table equals the plain one, without the symbols of the parameter banks, which only the finalizer makes (MERC-201,
// MERC-207).
//
// nvlink links the Mercury half and makes the plain one from the result. This shows in the output. Names of the plain half
// that differ from those of the Mercury half are stored after the other names or, cut short, in the places of the Mercury
// names. Parameter banks, with their names and symbols, come last. culink links both halves in one pass, in which each
// section has its copy.

// A mercuryHalf is the Mercury half of an input.
type mercuryHalf struct {
	Symbols []cubin.Symbol // by index, the same as in .symtab

	OfModule bool // has attributes of the module

	copies    sectionMap // from a plain section to its copy
	originals sectionMap // from a copy to its plain section

	sameInfo  sectionMap // from attributes of the Mercury half to the section whose attributes they have
	infos     sectionMap // from plain attributes to the first section of the Mercury half that supplies them
	moreInfos sectionMap // from such a section to the next
	described sectionMap // from code to the first section of the Mercury half with its attributes
	banks     []uint32   // by code section, the symbol of its parameter bank; 0 for none
}

// UnsupportedType is a reason why the finalizer rejects an input.
const UnsupportedType = "unsupported elf type"

// CopyOf returns the copy of plain section i, if it has one.
func (h *mercuryHalf) CopyOf(i uint32) (uint32, bool) { return h.copies.at(i) }

// InBothHalves reports whether the Mercury half has symbol y too. It does not have the symbols of parameter banks, because
// the finalizer makes them.
func (o *Object) InBothHalves(y *cubin.Symbol) bool { return int(y.Index) < len(o.Mercury.Symbols) }

// A sectionMap maps the sections of an input to other sections. It holds their indices plus 1, and 0 for no section.
type sectionMap []uint32

func (m sectionMap) at(i uint32) (uint32, bool) {
	if int(i) >= len(m) || m[i] == 0 {
		return 0, false
	}
	return m[i] - 1, true
}

// orMade returns m. If m is nil, it returns an empty map for the given number of sections.
func (m sectionMap) orMade(sections int) sectionMap {
	if m == nil {
		return make(sectionMap, sections)
	}
	return m
}

// emptied returns an empty map for the given number of sections. It uses the memory of m if that is large enough.
func (m sectionMap) emptied(sections int) sectionMap {
	if cap(m) < sections {
		return make(sectionMap, sections)
	}
	m = m[:sections]
	clear(m)
	return m
}

func (m sectionMap) set(i, to uint32) { m[i] = to + 1 }

// readMercury reads the Mercury half of o, if it has one. Where the halves differ, the Mercury half takes precedence
// (MERC-311). If remade is set, this includes section headers.
func (o *Object) readMercury(remade bool) error {
	if !o.HasMercury() {
		return nil
	}
	if err := o.openMercury(remade); err != nil || o.Mercury == nil {
		return err
	}
	o.nameBanks()
	if remade {
		if o.Refused = o.whyNotRemade(); o.Refused != "" {
			return nil
		}
		if err := o.checkOneHalf(); err != nil {
			return err
		}
		o.remakeHeaders(o.Mercury.Symbols)
		if o.Unreadable = o.misplacedTable(); o.Unreadable != "" {
			return nil
		}
	} else {
		if err := o.checkPlainNames(); err != nil {
			return err
		}
		o.nameTables()
	}
	if err := o.findCopies(); err != nil {
		return err
	}
	o.findMistakenCopies()
	// The finalizer accepts only these types of files (MERC-312).
	if o.File.Type != cubin.TypeRelocatable && !o.Extensible() {
		o.Refused = UnsupportedType
	}
	o.OtherBinds = slices.ContainsFunc(o.Symbols, func(y cubin.Symbol) bool { return y.Bind > cubin.BindWeak })
	if o.Refused != "" {
		return nil
	}
	return o.takeMercury(remade)
}

// openMercury finds the sections and the symbols of the Mercury half. If nvlink cannot read the file, o.Mercury stays nil. The names
// of the symbols are those of .symtab. If the plain half is remade, the header has to say so (MERC-783).
func (o *Object) openMercury(remade bool) error {
	half := &mercuryHalf{copies: make(sectionMap, len(o.File.Sections)), originals: make(sectionMap, len(o.File.Sections))}
	started := false
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Flags&cubin.FlagMercury == 0 {
			if started && !onlyInMemory(s) {
				o.Unreadable = "unexpected reloc section" // or nvlink crashes (MERC-314)
				return nil
			}
			continue
		}
		if s.Type == cubin.SectionMercSymTab {
			if s.EntSize != cubin.SymbolSize {
				return o.wrongHeader(s, "records of a wrong size", s.EntSize)
			}
			if remade && s.Link != o.Strtab {
				return o.wrongHeader(s, "not the names of .symtab", s.Link)
			}
			s.Link = o.Strtab
			symbols, err := o.File.SymbolsOf(uint32(i))
			if err != nil {
				return err
			}
			half.Symbols = symbols
		}
		started = true
	}
	if half.Symbols == nil {
		return o.Damaged("section table", int64(o.File.ShOff), "no Mercury symbol table, but code of kind", o.File.Flags&0xff)
	}
	if len(half.Symbols) > len(o.Symbols) {
		return o.Damaged(".nv.merc.symtab", 0, "more symbols than in .symtab", len(half.Symbols))
	}
	o.Mercury = half
	return nil
}

// onlyInMemory reports whether a plain section can stand after sections of the Mercury half (LOAD-980).
func onlyInMemory(s *cubin.Section) bool { return !s.HasBytes() && s.Type != cubin.SectionShared }

// nameBanks names the parameter banks after their kernels, as the finalizer does, whatever their names are (MERC-975).
func (o *Object) nameBanks() {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if bank, ok := s.ConstantBank(); !ok || bank != 0 || int(s.Info) >= len(o.File.Sections) {
			continue
		}
		k := o.File.Sections[s.Info].CodeSymbol()
		if int(k) >= len(o.Mercury.Symbols) || !o.Symbols[k].IsEntry() || o.Symbols[k].Section != s.Info {
			continue
		}
		name := o.Mercury.Symbols[k].Name
		if kernel, ok := strings.CutPrefix(s.Name, cubin.ParameterPrefix); !ok || kernel != name {
			s.Name = cubin.ParameterPrefix + name
		}
	}
}

// takeMercury updates the plain half from the Mercury half: its section headers, the offsets of data, and its symbols.
func (o *Object) takeMercury(remade bool) error {
	half := o.Mercury
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		o.setFinalizedHeader(s, remade)
		half.OfModule = half.OfModule || s.Type == cubin.SectionMercInfo && s.Info == 0
	}
	for i := range o.File.Sections {
		if k, ok := half.copies.at(uint32(i)); ok {
			s, c := &o.File.Sections[i], &o.File.Sections[k]
			if sharesData(s) {
				s.Offset, s.Size = c.Offset, c.Size
			}
		}
	}
	for i := range half.Symbols {
		y, m := &o.Symbols[i], &half.Symbols[i]
		place, ok := half.originals.at(m.Section)
		if m.Type == cubin.SymFunc && ok && y.Bind <= cubin.BindWeak && (y.Type != m.Type || y.Section != place) {
			return o.Damaged(".symtab", int64(i)*cubin.SymbolSize, "function "+m.Name+" without a capsule", y.Section)
		}
		o.takeSymbol(y, m)
	}
	o.takeBankSymbols(o.Symbols[len(half.Symbols):])
	return nil
}

// checkMercury checks what the finalizer relies on without a check of its own, so that it would crash (MERC-310,
// MERC-314, MERC-965). It checks the headers of all sections, and the targets of the relocations of the Mercury half. Each function
// must have a capsule, and compiler-generated constants must belong to a function.
func (o *Object) checkMercury() error {
	if !o.HasMercury() {
		return nil
	}
	if err := o.checkCapsules(); err != nil {
		return err
	}
	o.takeAttributes()
	if null := &o.File.Sections[0]; null.Name != "" { // nvlink finds sections by name (MERC-965)
		return o.wrongHeader(null, "the section of number 0 has a name", null.NameOffset)
	}
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		wrong := func(msg string, value any) error {
			return o.Damaged("section header "+s.Name, int64(o.File.ShOff)+int64(s.Index)*cubin.SectionHeaderSize, msg, value)
		}
		if s.AddrAlign > cubin.MaxPadding {
			return wrong("alignment is too large", s.AddrAlign)
		}
		switch s.Type {
		case cubin.SectionMercInfo, cubin.SectionMercRela, cubin.SectionMercOptimizer, cubin.SectionCapMerc:
			if s.Flags&cubin.FlagMercury == 0 {
				return wrong("not marked as one of the Mercury half", s.Flags)
			}
		}
		if s.Type != cubin.SectionMercRela {
			continue
		}
		if target, ok := o.Mercury.originals.at(s.Info); ok && !cubin.IsMercuryRelocations(s.Name, o.File.Sections[target].Name) {
			return wrong("not the name of relocations of "+o.File.Sections[target].Name, s.NameOffset)
		}
		table := o.Relocations(uint32(i))
		for k := range table.Len() {
			if r, _ := table.At(k); r.Symbol == 0 {
				return o.Damaged("section "+s.Name, int64(s.Offset), "relocation against no symbol", r.Type)
			}
		}
	}
	return nil
}

// findCopies finds the copies of the plain sections. A capsule holds the section index of its code. Other copies are found
// by name. An earlier -r may have joined local functions of the same name. The sections of such functions have the same
// order in both halves (MERC-228).
func (o *Object) findCopies() error {
	half := o.Mercury
	// first holds, for each name, the first section of the Mercury half that is not assigned yet. The name is without the
	// prefix of the Mercury half.
	scratch := o.tables.takeScratch(len(o.File.Sections))
	defer o.tables.leaveScratch(scratch)
	first, next := scratch.names, scratch.one
	for i := len(o.File.Sections) - 1; i >= 0; i-- {
		s := &o.File.Sections[i]
		name, ok := strings.CutPrefix(s.Name, cubin.MercuryPrefix)
		if s.Flags&cubin.FlagMercury == 0 || !ok { // code has another prefix
			continue
		}
		if k, ok := first[name]; ok {
			next.set(s.Index, k)
		}
		first[name] = s.Index
	}
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Flags&cubin.FlagMercury != 0 {
			if code, ok := o.codeOf(s); ok {
				half.copies.set(code, s.Index)
			}
			continue
		}
		if !IsData(s) && s.Type != cubin.SectionSharedReserved || strings.HasPrefix(s.Name, cubin.CodePrefix) {
			continue
		}
		name := cubin.NameInMercury(s.Name)
		k, ok := first[name]
		if !ok {
			continue
		}
		if first[name], ok = next.at(k); !ok {
			delete(first, name)
		}
		if c := &o.File.Sections[k]; c.Type != copyType(s) {
			return o.Damaged("section "+c.Name, int64(c.Offset), "not of the type of a copy of "+s.Name, c.Type)
		}
		half.copies.set(uint32(i), k)
	}
	for i := range o.File.Sections {
		if k, ok := half.copies.at(uint32(i)); ok {
			half.originals.set(k, uint32(i))
		}
	}
	return nil
}

// codeOf returns the section of machine code to which capsule s belongs.
func (o *Object) codeOf(s *cubin.Section) (code uint32, ok bool) {
	if s.Type != cubin.SectionCapMerc {
		return 0, false
	}
	data := o.Data(s.Index)
	if len(data) < 4 {
		return 0, false
	}
	code = binary.LittleEndian.Uint32(data)
	return code, int(code) < len(o.File.Sections) && o.File.Sections[code].Flags&cubin.FlagMercury == 0
}

// checkCapsules checks what later phases rely on in the capsules.
func (o *Object) checkCapsules() error {
	code := make([]bool, len(o.File.Sections))
	for i := range o.Symbols {
		y := &o.Symbols[i]
		if y.Type != cubin.SymFunc || !y.Defined() {
			continue
		}
		k, ok := o.Mercury.CopyOf(y.Section)
		if !ok || o.File.Sections[k].Type != cubin.SectionCapMerc {
			return o.Damaged(".symtab", int64(i)*cubin.SymbolSize, "function "+y.Name+" without a capsule", y.Section)
		}
		owner := o.File.Sections[y.Section].CodeSymbol() // MERGE-310
		code[y.Section] = code[y.Section] || y.IsEntry() || int(owner) < len(o.Symbols) && o.Symbols[owner].Section == y.Section
	}
	for k := range o.File.Sections {
		s := &o.File.Sections[k]
		i, ok := o.Mercury.originals.at(uint32(k))
		switch {
		case s.Flags&cubin.FlagMercury == 0:
		case s.Type == cubin.SectionCapMerc && !(ok && code[i]):
			return o.Damaged("section "+s.Name, int64(s.Offset), "capsule of no function", i)
		case s.Type == cubin.SectionCapMerc:
			if err := capsule.CheckHeader(o.Data(uint32(k)), capsule.Place{File: o.Name, Part: "section " + s.Name, Offset: int64(s.Offset)}); err != nil {
				return err // nvlink -r crashes on it (MERC-102)
			}
		case s.Type == cubin.SectionMercOptimizer && !(ok && int(o.File.Sections[i].Info) < len(code) && code[o.File.Sections[i].Info]):
			return o.Damaged("section "+s.Name, int64(s.Offset), "compiler's constants of no function", i)
		}
	}
	return nil
}

// RenewCapsules converts capsules of 12.8 to the form of later compilers.
func (o *Object) RenewCapsules() {
	if !o.HasMercury() || o.Mercury == nil {
		return
	}
	for k := range o.File.Sections {
		s := &o.File.Sections[k]
		code, ok := o.Mercury.originals.at(uint32(k))
		if s.Type != cubin.SectionCapMerc || !ok {
			continue
		}
		if renewed, early := capsule.Renew(o.Data(uint32(k)), o.Data(code)); early {
			if o.renewed == nil {
				o.renewed = map[uint32][]byte{}
			}
			o.renewed[uint32(k)], s.Size = renewed, uint64(len(renewed))
		}
	}
}

// copyType returns the type of the copy of a plain section.
func copyType(s *cubin.Section) cubin.SectionType {
	bank, constant := s.ConstantBank()
	switch {
	case !constant:
		return s.Type
	case bank == cubin.CompilerBankNumber:
		return cubin.SectionMercOptimizer
	case bank == cubin.UserBank:
		return cubin.SectionMercUser
	case bank == 0:
		return cubin.SectionMercBank // slots of textures in a whole program (-ewp)
	}
	return cubin.SectionMercPIC
}

// CapsuleNames reports whether the Mercury half refers to y.
func (o *Object) CapsuleNames(y *cubin.Symbol) bool {
	for i := range o.File.Sections {
		if o.File.Sections[i].Type == cubin.SectionMercRela && o.Relocations(uint32(i)).Names(y.Index) {
			return true
		}
	}
	return false
}
