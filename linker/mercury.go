package linker

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// From sm_100 on a cubin holds its program twice: a plain half with machine code,
// and a Mercury half, from which a finalizer makes machine code anew. Nearly every
// section of the Mercury half is the copy of one of the plain half, with a name that
// follows from it: .nv.capmerc.text.F of .text.F, .nv.merc.debug_frame of .debug_frame.
// Its symbol table is the plain one up to the parameter banks, which only the
// finalizer makes (MERC-201, MERC-207).
//
// nvlink links the Mercury half and makes the plain one from the result: names of the
// plain half that differ from those of the Mercury half stand behind the others or, cut
// short, in their places, and everything about parameter banks comes last. culink links
// both halves in one pass: a section carries its copy along.

// A mercuryHalf is the Mercury half of an input.
type mercuryHalf struct {
	symbols []cubin.Symbol    // by index, which is that of .symtab too
	copies  map[uint32]uint32 // by index of a plain section, its copy's

	ofModule bool // it has attributes of the module
}

// originals are the plain sections by the index of their copies.
func (h *mercuryHalf) originals() map[uint32]uint32 {
	originals := make(map[uint32]uint32, len(h.copies))
	for i, k := range h.copies {
		originals[k] = i
	}
	return originals
}

// readMercury reads the Mercury half of o, if it has one, and believes it before the plain
// half (MERC-311).
func (o *object) readMercury() error {
	if !o.hasMercury() {
		return nil
	}
	half := &mercuryHalf{copies: map[uint32]uint32{}}
	byName := map[string][]uint32{}
	for i := range o.file.Sections {
		s := &o.file.Sections[i]
		if s.Flags&cubin.FlagMercury == 0 {
			if len(byName) > 0 {
				o.unreadable = "unexpected reloc section" // or nvlink crashes (MERC-310)
				return nil
			}
			continue
		}
		if s.Type == cubin.SectionMercSymTab {
			symbols, err := o.file.SymbolsOf(uint32(i))
			if err != nil {
				return err
			}
			half.symbols = symbols
		}
		byName[s.Name] = append(byName[s.Name], uint32(i))
	}
	if half.symbols == nil {
		return o.damaged("section table", int64(o.file.ShOff), "no Mercury symbol table, but code of kind", o.file.Flags&0xff)
	}
	if len(half.symbols) > len(o.symbols) {
		return o.damaged(".nv.merc.symtab", 0, "more symbols than in .symtab", len(half.symbols))
	}
	o.mercury = half
	if err := o.findCopies(byName); err != nil {
		return err
	}
	// MERC-312
	o.refused = o.file.Type != cubin.TypeRelocatable && !o.extensible() ||
		slices.ContainsFunc(o.symbols, func(y cubin.Symbol) bool { return y.Bind > cubin.BindWeak })
	if o.refused {
		return nil
	}
	original := half.originals()
	for i := range o.file.Sections {
		s := &o.file.Sections[i]
		o.straighten(s)
		half.ofModule = half.ofModule || s.Type == cubin.SectionMercInfo && s.Info == 0
	}
	for i, k := range half.copies {
		shareData(&o.file.Sections[i], &o.file.Sections[k])
	}
	functions := map[uint32]int{} // by section
	for _, m := range half.symbols {
		if m.Type == cubin.SymFunc {
			functions[m.Section]++
		}
	}
	for i := range half.symbols {
		y, m := &o.symbols[i], &half.symbols[i]
		if place, ok := original[m.Section]; m.Type == cubin.SymFunc && ok && (y.Type != m.Type || y.Section != place) {
			return o.damaged(".symtab", int64(i)*cubin.SymbolSize, "function "+m.Name+" without a capsule", y.Section)
		}
		o.believe(y, m, original, functions[m.Section] == 1)
	}
	o.believeOrder(o.symbols[len(half.symbols):])
	return nil
}

// checkMercury looks at what the finalizer relies on, and dies of (MERC-310): the headers of
// all sections, what the relocations of the Mercury half are about, and that functions have
// a capsule and the compiler's constants belong to one.
func (o *object) checkMercury() error {
	if !o.hasMercury() {
		return nil
	}
	original := o.mercury.originals()
	if err := o.checkCapsules(original); err != nil {
		return err
	}
	o.believeAttributes(original)
	for i := range o.file.Sections {
		s := &o.file.Sections[i]
		wrong := func(msg string, value any) error {
			return o.damaged("section header "+s.Name, int64(o.file.ShOff)+int64(s.Index)*cubin.SectionHeaderSize, msg, value)
		}
		if s.AddrAlign > maxPadding {
			return wrong("alignment is too large", s.AddrAlign)
		}
		switch s.Type {
		case cubin.SectionMercInfo, cubin.SectionMercRela, cubin.SectionMercOptimizer, cubin.SectionCapMerc:
			if s.Flags&cubin.FlagMercury == 0 {
				return wrong("not marked as one of the Mercury half", s.Flags)
			}
		}
		if s.Type == cubin.SectionRela || s.Type == cubin.SectionMercRela {
			if s.EntSize == 0 || s.EntSize%8 != 0 {
				return wrong("records of a wrong size", s.EntSize)
			}
		}
		if s.Type != cubin.SectionMercRela {
			continue
		}
		if target, ok := original[s.Info]; ok && s.Name != copyName(".rela"+o.file.Sections[target].Name) {
			return wrong("not the name of relocations of "+o.file.Sections[target].Name, s.NameOffset)
		}
		for _, r := range o.tables[uint32(i)] {
			if r.Symbol == 0 {
				return o.damaged("section "+s.Name, int64(s.Offset), "relocation against no symbol", r.Type)
			}
		}
	}
	return nil
}

// findCopies finds the copies of the plain sections. A capsule says the number of its code.
// The others are found by name: sections of one name, of local functions that an earlier -r
// brought together, are in the same order in both halves (MERC-228).
func (o *object) findCopies(byName map[string][]uint32) error {
	copies := o.mercury.copies
	for i := range o.file.Sections {
		s := &o.file.Sections[i]
		if s.Flags&cubin.FlagMercury != 0 {
			if code, ok := o.codeOf(s); ok {
				copies[code] = s.Index
			}
			continue
		}
		if !isData(s) && s.Type != cubin.SectionSharedReserved || strings.HasPrefix(s.Name, codePrefix) {
			continue
		}
		name := copyName(s.Name)
		if len(byName[name]) == 0 {
			continue
		}
		k := byName[name][0]
		byName[name] = byName[name][1:]
		if c := &o.file.Sections[k]; c.Type != copyType(s) {
			return o.damaged("section "+c.Name, int64(c.Offset), "not of the type of a copy of "+s.Name, c.Type)
		}
		copies[uint32(i)] = k
	}
	return nil
}

// codeOf gives the section of the machine code that s is the capsule of.
func (o *object) codeOf(s *cubin.Section) (code uint32, ok bool) {
	if s.Type != cubin.SectionCapMerc {
		return 0, false
	}
	data := o.data(s.Index)
	if len(data) < 4 {
		return 0, false
	}
	code = le.Uint32(data)
	return code, int(code) < len(o.file.Sections) && o.file.Sections[code].Flags&cubin.FlagMercury == 0
}

// checkCapsules checks that the phases after load can rely on the capsules.
func (o *object) checkCapsules(original map[uint32]uint32) error {
	copies := o.mercury.copies
	code := map[uint32]bool{}
	for i := range o.symbols {
		y := &o.symbols[i]
		if y.Type != cubin.SymFunc || !y.Defined() {
			continue
		}
		k, ok := copies[y.Section]
		if !ok || o.file.Sections[k].Type != cubin.SectionCapMerc {
			return o.damaged(".symtab", int64(i)*cubin.SymbolSize, "function "+y.Name+" without a capsule", y.Section)
		}
		owner := o.file.Sections[y.Section].Info & 0xffffff // MERGE-310
		code[y.Section] = code[y.Section] || y.IsEntry() || int(owner) < len(o.symbols) && o.symbols[owner].Section == y.Section
	}
	for k := range o.file.Sections {
		s := &o.file.Sections[k]
		i, ok := original[uint32(k)]
		switch {
		case s.Flags&cubin.FlagMercury == 0:
		case s.Type == cubin.SectionCapMerc && !(ok && code[i]):
			return o.damaged("section "+s.Name, int64(s.Offset), "capsule of no function", i)
		case s.Type == cubin.SectionMercOptimizer && !(ok && code[o.file.Sections[i].Info]):
			return o.damaged("section "+s.Name, int64(s.Offset), "compiler's constants of no function", i)
		}
	}
	return nil
}

// copyType is the type of the copy of a plain section.
func copyType(s *cubin.Section) cubin.SectionType {
	bank, constant := s.ConstantBank()
	switch {
	case !constant:
		return s.Type
	case bank == compilerBankNumber:
		return cubin.SectionMercOptimizer
	case bank == userBank:
		return cubin.SectionMercUser
	}
	return cubin.SectionMercPIC
}

// copyName is the name of the copy of a plain section.
func copyName(name string) string {
	if strings.HasPrefix(name, ".text.") {
		return ".nv.capmerc" + name
	}
	return mercuryPrefix + innerName(name)
}

// innerNames are beginnings of plain names and what Mercury says for them.
var innerNames = [...]struct{ plain, inner string }{
	{parameterPrefix, ".nv.constant.entry_image_header_indices."}, // the slots of a kernel that has some
	{".nv.constant2.", ".nv.constant.optimizer."},
	{".nv.constant3", ".nv.constant.user"},
	{".nv.constant4", ".nv.constant.pic"},
}

// innerName is the name that a plain section has where only the Mercury half is.
func innerName(name string) string {
	for _, relocations := range []string{".rela", ".rel", ".nv.resolvedrela"} {
		if target, ok := strings.CutPrefix(name, relocations+"."); ok {
			return relocations + innerName("."+target)
		}
	}
	for _, n := range innerNames {
		if rest, ok := strings.CutPrefix(name, n.plain); ok {
			return n.inner + rest
		}
	}
	return name
}

// A mercurySymbol is what the Mercury half says of a symbol that may differ from the
// plain half: its code has other places, and types stay those of relocatable files.
type mercurySymbol struct {
	typ         cubin.SymbolType
	other       uint8
	value, size uint64
}

// setMercury takes what the Mercury half of the input says of y.
func (in *merger) setMercury(symbol *symbol, y *cubin.Symbol) {
	if half := in.object.mercury; half != nil && int(y.Index) < len(half.symbols) {
		m := &half.symbols[y.Index]
		symbol.mercury = mercurySymbol{m.Type, m.Other, m.Value, m.Size}
		if m.Type == cubin.SymObject {
			symbol.mercury.typ = cubin.SymData
		}
	}
}

// plain is the section itself or, of a copy, what it is the copy of.
func (s *section) plain() *section {
	if s.original != nil {
		return s.original
	}
	return s
}

// clearCopy empties the copy of a section whose contents another input's replace.
func (s *section) clearCopy() {
	if c := s.copy; c != nil {
		c.data, c.size, c.owned, c.relocations = nil, 0, false, nil
	}
}

// placeCopy puts the copy of section i of the input into the copy of out, as place does
// with the section itself.
func (in *merger) placeCopy(i uint32, out *section) {
	if !in.mercury {
		return
	}
	k, ok := in.object.mercury.copies[i]
	if !ok {
		return
	}
	s := &in.object.file.Sections[k]
	c := out.copy
	if c == nil {
		c = &section{name: copyName(in.object.file.Sections[i].Name), typ: s.Type, flags: s.Flags, entSize: s.EntSize, bank: noBank, fn: out.fn, original: out, kept: true}
		out.copy = c
	}
	c.align = max(c.align, s.AddrAlign)
	base := alignUp(c.size, s.AddrAlign)
	if base < c.size || base-c.size > maxPadding {
		in.log.Add(damagedInput(in.object.name, in.object.damaged("section "+s.Name, 0, "alignment is too large", s.AddrAlign)))
		base = c.size
	}
	if data := in.object.data(k); c.size == 0 {
		c.data = data
	} else {
		c.data = append(append(c.writable(), make([]byte, base-c.size)...), data...)
	}
	c.size = base + s.Size
	if out.bank == compilerBankNumber { // cut as the section itself is (MERC-230)
		n := min(c.size, out.size)
		c.data, c.size = append(slices.Clip(c.data[:n]), make([]byte, out.size-n)...), out.size
	}
	in.places[k] = place{placed, c, base}
	in.addUserPart(c, userPart{base, s.Size, max(s.AddrAlign, 1)})
}

// sectionOf is the section of the input that y stands in, for a relocation of target: of
// the Mercury half, if target is.
func (in *merger) sectionOf(y *cubin.Symbol, target *section) uint32 {
	if target.original != nil {
		if k, ok := in.object.mercury.copies[y.Section]; ok {
			return k
		}
	}
	return y.Section
}

// mergeMercuryInfo takes the records of section i, .nv.merc.nv.info or
// .nv.merc.nv.info.<function>.
func (in *merger) mergeMercuryInfo(i uint32) {
	s := &in.object.file.Sections[i]
	if s.Info == 0 {
		in.mergeModuleInfo(in.object.infos[i])
		return
	}
	fn, _ := in.ownerOf(s)
	if fn == nil {
		return
	}
	for _, r := range in.object.infos[i] {
		fn.mercury.push(&attribute{Record: r, symbolOf: in.describes})
	}
}

// addParameterBanks adds the parameter banks of kernels without slots in the order of their
// code, when all that both halves have is there.
func (m *merged) addParameterBanks() {
	if !m.mercury {
		return
	}
	for _, code := range slices.Clone(m.sections) {
		if !code.isCode() {
			continue
		}
		if s := code.fn.bound[parameterPrefix+code.fn.symbol.name]; s != nil && !s.gone && s.group == groupParameters {
			m.addSection(s)
		}
	}
}

// registerCopy notes that section c of the Mercury half has relocations.
func (m *merged) registerCopy(c *section) {
	if key := (relocationKey{c.name, c.original}); !m.relocationNames[key] {
		m.relocationNames[key] = true
		m.relocatedCopies = append(m.relocatedCopies, c)
	}
}

// ofParameterBank tells whether y stands for the parameter bank of a kernel without slots.
func (y *symbol) ofParameterBank() bool {
	return y.isSection && y.section != nil && y.section.group == groupParameters
}

// innerName is the name of y in the Mercury symbol table.
func (y *symbol) innerName() string {
	if y.isSection {
		return innerName(y.name)
	}
	return y.name
}

// innerName is what name, that of s or of its relocations, is before the finalizer, who
// makes the parameter banks. s may be nil.
func (s *section) innerName(name string) string {
	if s != nil && s.group == groupParameters {
		return name
	}
	return innerName(name)
}

// fillCopy writes the functions' constants into the copy of the bank too. What is in
// them, places in code, only relocations say there, and these stay: those of the kernel
// first, then those of each function, its last object first.
func (b *compilerBank) fillCopy() {
	s, c := b.section, b.section.copy
	if c == nil {
		return
	}
	data := make([]byte, s.size)
	copy(data, c.data)
	var moved []relocation
	for _, part := range b.parts {
		if part.copy == nil {
			continue
		}
		copy(data[part.offset:], part.copy.data)
		size := part.copy.size
		rest := slices.DeleteFunc(slices.Clone(part.copy.relocations), func(r relocation) bool { return r.offset >= size })
		take := func(of func(*relocation) bool) {
			for _, r := range slices.Backward(rest) {
				if of(&r) {
					r.offset += part.offset
					moved = append(moved, r)
				}
			}
			rest = slices.DeleteFunc(rest, func(r relocation) bool { return of(&r) })
		}
		take(func(r *relocation) bool { // of a copy that lost
			return !slices.ContainsFunc(part.tables, func(t span) bool { return t.from <= r.offset && r.offset < t.to })
		})
		for _, table := range slices.Backward(part.tables) { // of two in one place, the last has both's
			take(func(r *relocation) bool { return table.from <= r.offset && r.offset < table.to })
		}
	}
	slices.Reverse(moved)
	c.relocations = append(moved, c.relocations...)
	c.data, c.owned, c.size, c.align = data, true, s.size, s.align
}

// fillTables writes the jump tables that came with code that is not linked, as the
// finalizer does: it knows those places of the linked code that tables of its own name,
// and has 0 for others. Of several relocations of one word the last one in the file wins
// (MERC-226); but for nvlink it also wins over the one of the code that is linked, whose
// branches then go elsewhere, and here that one stays (E-349).
func (s *section) fillTables() {
	if s.copy == nil || s.bank != compilerBankNumber {
		return
	}
	type label struct {
		code   *symbol
		offset int64 // in the Mercury form
	}
	relocations := s.copy.relocations
	inside := func(r *relocation) bool { return r.offset+4 <= uint64(len(s.data)) }
	if !slices.ContainsFunc(relocations, func(r relocation) bool { return r.stale }) {
		return
	}
	known := map[label]uint32{}
	linked := map[uint64]bool{} // words of the code that is linked
	for i := range relocations {
		if r := &relocations[i]; !r.stale && inside(r) {
			known[label{r.symbol, r.addend}] = le.Uint32(s.data[r.offset:])
			linked[r.offset] = true
		}
	}
	for i := range slices.Backward(relocations) {
		if r := &relocations[i]; inside(r) && !linked[r.offset] {
			le.PutUint32(s.writable()[r.offset:], known[label{r.symbol, r.addend}])
		}
	}
}

// prepareCopy gives bank a copy for the constants of from, and their relocations a place.
func (m *merged) prepareCopy(bank, from *section) {
	if from.copy == nil {
		return
	}
	if bank.copy == nil {
		bank.copy = &section{
			name: copyName(bank.name), typ: cubin.SectionMercOptimizer, flags: cubin.FlagMercury | bank.flags,
			bank: noBank, fn: bank.fn, original: bank, kept: true,
		}
	}
	if len(from.copy.relocations) > 0 {
		m.registerCopy(bank.copy)
		m.registerRelocations(bank, bank.name, true, cubin.FlagInfoLink)
		if m.options.PreserveRelocs {
			m.registerSection(".nv.resolvedrela"+bank.name, cubin.SectionResolvedRela, bank, cubin.FlagInfoLink)
		}
	}
}

// capsuleNames tells whether the Mercury half refers to y.
func (o *object) capsuleNames(y *cubin.Symbol) bool {
	for i, relocations := range o.tables {
		if o.file.Sections[i].Type == cubin.SectionMercRela &&
			slices.ContainsFunc(relocations, func(r cubin.Relocation) bool { return r.Symbol == y.Index }) {
			return true
		}
	}
	return false
}
