package linker

import (
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// merge takes the inputs into one program, one after the other (seed 004).
//
// Before: every object is read and checked.
// After:  every section, symbol, function, relocation and attribute of the
// inputs stands in the program, in nvlink's order of creation; names that mean
// the same thing are one symbol; conflicts are reported.
//
// Each input is read in four passes, because the order in which they create
// sections and symbols is the order of the output's tables (MERGE-001):
// functions, other symbols, remaining sections, records that refer to symbols.
// Cost: linear in sections, symbols, relocations and records.
func merge(objects []*object, opt *Options, target arch.Target, log *diag.Log) (*merged, bool) {
	m := newMerged(opt, target)
	anyMercury := slices.ContainsFunc(objects, (*object).hasMercury)
	limited := slices.IndexFunc(objects, func(o *object) bool { return !o.hasMercury() })
	m.mercury = target.Mercury() && limited < 0
	wholePrograms := slices.ContainsFunc(objects, (*object).extensible)
	leftOut := false
	for i, o := range objects {
		if o.system {
			m.system = m.system || opt.KeepSystem || m.missesFunction()
			if leftOut = !m.system; leftOut {
				continue
			}
		}
		if leftOut { // LOAD-044
			log.Report(diag.BehindSystem)
			return nil, false
		}
		if !m.checkKind(o, anyMercury, log) {
			return nil, false
		}
		if wholePrograms && !o.extensible() && !o.system {
			log.Report(diag.BesideWholeProgram, o.name) // MERGE-090
		}
		in := &merger{merged: m, object: o, log: log, limits: i < limited}
		in.merge()
		if o.lostRelocations() {
			m.relinked = append(m.relinked, relinked{object: o, symbolOf: in.symbolOf})
		}
		in.traceMapping()
		switch log.Worst() {
		case diag.Error:
			if in.overlaps {
				log.Report(diag.InternalError, "overlapping non-identical data")
				return nil, false
			}
			log.Report(diag.MergeFailed)
			return nil, false
		case diag.Fatal:
			return nil, false
		}
		if !in.checkBare() {
			return nil, false
		}
	}
	m.finish()
	return m, true
}

// extensible tells a whole program that may be linked with libcudadevrt only
// (nvcc -ewp).
func (o *object) extensible() bool { return o.file.Type == cubin.TypeEWP }

// newMerged makes the sections that every output starts with.
func newMerged(opt *Options, target arch.Target) *merged {
	m := &merged{
		target:           target,
		options:          opt,
		byName:           map[string]*section{},
		symbols:          map[string]*symbol{},
		handleParameters: map[handleParameter]*symbol{},
		null:             &symbol{},
		absolute:         &symbol{},
		resolvedByName:   map[string]*section{},
		relocationNames:  map[relocationKey]bool{},
		knownPrototype:   map[string]bool{},
		nullSymbol:       map[*section]uint64{},
		userParts:        map[*section][]userPart{},
		sectionSymbols:   map[string]*symbol{},
	}
	m.std.shstrtab = m.addStandard(".shstrtab", cubin.SectionStrTab, 0, 1, 0, groupShStrTab)
	m.std.strtab = m.addStandard(".strtab", cubin.SectionStrTab, 0, 1, 0, groupStrTab)
	m.std.symtab = m.addStandard(".symtab", cubin.SectionSymTab, 0, 8, cubin.SymbolSize, groupSymTab)
	m.addName(".symtab_shndx", nil)
	m.std.tkinfo = m.addStandard(".note.nv.tkinfo", cubin.SectionNote, cubin.FlagTKInfo, 4, 0, groupInfo)
	m.std.tkinfo.data, m.std.tkinfo.owned = toolNote(opt), true
	m.std.tkinfo.size = uint64(len(m.std.tkinfo.data))
	m.std.cuinfo = m.addStandard(".note.nv.cuinfo", cubin.SectionNote, cubin.FlagCUInfo, 4, 0, groupInfo)
	m.std.cuinfo.data, m.std.cuinfo.owned = m.originNote(), true // until all inputs are known
	m.std.cuinfo.size = uint64(len(m.std.cuinfo.data))
	m.std.info = m.addStandard(".nv.info", cubin.SectionInfo, 0, 4, 0, groupInfo)
	m.std.info.linked = true
	if target.Compat() {
		m.compat = nvinfo.NewCompatMerger(target.Number, target.Suffix == 'a')
		m.std.compat = m.addStandard(".nv.compat", cubin.SectionCompat, 0, 4, 0, groupInfo)
		m.std.cuinfo.flags |= cubin.FlagInfoLink
	}
	if len(opt.Host) > 0 {
		host := m.addStandard(".nv.host", cubin.SectionHost, 0, 8, 0, groupInfo)
		host.data, host.size = opt.Host, uint64(len(opt.Host)) // EMIT-033
		if target.Mercury() {
			host.copy = &section{
				name: copyName(host.name), typ: host.typ, flags: cubin.FlagMercury, align: host.align, bank: noBank,
				data: host.data, size: host.size, original: host, kept: true,
			}
		}
	}
	return m
}

// finish makes the sections that nvlink adds when all inputs are merged, and drops the
// attributes and relocations of what was replaced.
func (m *merged) finish() {
	m.attributes = slices.DeleteFunc(m.attributes, func(a *attribute) bool { return a.gone })
	for _, fn := range m.functions {
		if !fn.isTaken || fn.takenAs != nil {
			continue
		}
		// Its own record is that of a copy that is lost (REACH-008).
		if fn.takenAs = fn.prototype; fn.prototype == nil {
			fn.takenAs, fn.unsaid = new(string), true
		}
	}
	for _, s := range m.sections {
		s.dropReplaced()
	}
	if !m.options.Relocatable {
		for _, y := range m.lostConstants() {
			y.hidden, y.unnamed = true, true
		}
	}
	if slices.ContainsFunc(m.commons, func(y *symbol) bool { return y.common }) {
		m.globalSection()
	}
	m.std.callGraph = m.addStandard(".nv.callgraph", cubin.SectionCallGraph, 0, 4, 8, groupInfo)
	m.std.callGraph.linked = true
	m.std.prototype = m.addStandard(".nv.prototype", cubin.SectionPrototype, 0, 4, 8, groupInfo)
	m.std.prototype.linked = true
}

func (m *merged) addStandard(name string, typ cubin.SectionType, flags uint64, align, entSize uint64, g group) *section {
	s := m.addSection(&section{name: name, typ: typ, flags: flags, align: align, entSize: entSize, group: g, bank: noBank, kept: true})
	m.byName[name] = s
	return s
}

// addSection appends s to the program: its name, then its section symbol. A
// kernel's parameter bank also registers the name of the relocations that the
// layout of textures may add to it (EMIT-003); beside a Mercury half only a bank with
// slots has these.
func (m *merged) addSection(s *section) *section {
	m.sections = append(m.sections, s)
	m.names = append(m.names, sectionName{s.name, s.fn, s})
	if s.bank == 0 && s.fn != nil && !m.options.Relocatable && s.group != groupParameters {
		if m.options.ForceRela || m.mercury {
			m.registerRelocations(s, s.name, true, cubin.FlagInfoLink)
		} else {
			m.registerRelocations(s, s.name, false, 0)
		}
	}
	m.nameSymbol(s)
	m.locals = append(m.locals, s.symbol)
	return s
}

// nameSymbol makes the symbol of section s, if it has none yet.
func (m *merged) nameSymbol(s *section) {
	if s.symbol == nil {
		s.symbol = &symbol{name: s.name, typ: cubin.SymSection, section: s, isSection: true}
		m.sectionSymbols[s.name] = s.symbol
	}
}

// parameterPrefix begins the names of the banks that hold the kernels' parameters.
const parameterPrefix = ".nv.constant0."

// addName registers a section name that may never become a section.
func (m *merged) addName(name string, fn *function) {
	m.names = append(m.names, sectionName{name, fn, nil})
	m.locals = append(m.locals, &symbol{name: name, typ: cubin.SymSection, isSection: true, hidden: true, fn: fn})
}

// A merger takes one input into the program.
type merger struct {
	*merged
	object *object
	log    *diag.Log

	places     []place   // by section index of the input
	symbolOf   []*symbol // by symbol index of the input; nil for the ones that have no part in the link
	describes  []*symbol // the same for attributes: sections go by the names of their symbols
	duplicates map[*section][]span
	lost       map[uint32]bool            // symbols of variables whose definition lost
	limits     bool                       // a later input takes the Mercury half from the link
	overlaps   bool                       // constants of a function that is defined twice
	constants  map[uint32][]*cubin.Symbol // of the compiler, by section of the input
	stopped    bool                       // by an internal error

	numOptimizer int // compiler's constants of the input so far, beside a Mercury half
}

// A place says where a section of the input went.
type place struct {
	state   placeState
	section *section
	base    uint64 // of this input's contribution
}

type placeState uint8

const (
	unplaced placeState = iota
	placed
	dropped // belongs to a function whose earlier definition stays
)

// A span of a section holds a copy of weak data that lost.
type span struct{ from, to uint64 }

func (in *merger) merge() {
	if missing := in.object.unreadable; missing != "" {
		in.stop(missing)
		return
	}
	in.places = make([]place, len(in.object.file.Sections))
	in.symbolOf = make([]*symbol, len(in.object.symbols))
	in.duplicates = map[*section][]span{}
	in.lost = map[uint32]bool{}
	in.findConstants()
	in.mergeFunctions()
	if in.stopped {
		return
	}
	in.mergeData()
	if in.stopped {
		return
	}
	in.mergeSections()
	in.mergeRecords()
	if in.object.extensible() {
		in.takeWholeShared()
	}
	in.origins = append(in.origins, in.object.origin)
}

// mergeSections places the sections that no symbol lives in, by index, and then the
// notes (MERGE-001).
func (in *merger) mergeSections() {
	sections := in.object.file.Sections
	for i := range sections {
		s := &sections[i]
		if !in.mercury && in.skips(s) {
			in.options.trace(skipsMercury, i)
		}
		if in.places[i].state != unplaced || !isData(s) || s.Type == cubin.SectionShared || isNoBits(s) || in.skips(s) {
			continue // memory without contents comes with its variables only (MERGE-010)
		}
		in.place(uint32(i))
	}
	for i := range sections {
		if in.takesNote(&sections[i]) {
			in.place(uint32(i))
		}
	}
	for i := range in.object.symbols {
		y := &in.object.symbols[i]
		if y.Type == cubin.SymSection && int(y.Section) < len(in.places) && in.places[y.Section].state == placed {
			in.symbolOf[i] = in.places[y.Section].section.symbol
		}
	}
}

// isData tells whether a section of an input holds bytes of the program, not
// tables of the linker. Of the types that are not NVIDIA's there are two; others are
// left out, as nvlink does (DIAG-302).
func isData(s *cubin.Section) bool {
	const lastOfNVIDIA = 0x7000ffff
	if s.Type < cubin.SectionInfo || s.Type > lastOfNVIDIA {
		return s.Type == cubin.SectionProgBits || s.Type == cubin.SectionNoBits
	}
	switch s.Type {
	case cubin.SectionInfo, cubin.SectionCallGraph, cubin.SectionPrototype, cubin.SectionCompat, cubin.SectionHost,
		cubin.SectionResolvedRela, cubin.SectionRelAction, cubin.SectionSharedReserved,
		cubin.SectionCapMerc, cubin.SectionMercSymTab, cubin.SectionMercInfo, cubin.SectionMercRela, cubin.SectionMercResolved,
		cubin.SectionMercOptimizer:
		return false
	}
	return true
}

// place puts data section i of the input into the program: at the end of the
// section of the same name, at its own alignment (LAYOUT-010). The compiler's
// constants for code that lost keep their room, unused (MERGE-012).
func (in *merger) place(i uint32) place {
	if p := in.places[i]; p.state != unplaced {
		return p
	}
	s := &in.object.file.Sections[i]
	fn, lost := in.ownerOf(s)
	if lost {
		in.places[i] = place{state: dropped}
		bank, ok := s.ConstantBank()
		if fn = in.winnerOf(s); fn == nil || !ok {
			return in.places[i]
		}
		if bank == 0 && fn.symbol.bind == cubin.BindWeak {
			in.options.trace(secondParameterBank, fn.symbol.name)
			in.checkParameters(fn, fn.bound[s.Name].length(), s)
			return in.places[i]
		}
	}
	orphan := lost && fn.bound[s.Name] == nil
	out := in.sectionFor(s, fn)
	out.orphan = out.orphan || orphan
	if fn != nil && out.bank == 0 {
		in.checkParameters(fn, fn.replacedParameters, s)
		if in.mercury {
			out.data, out.size, out.owned = nil, 0, false // of the copy that lost
		}
	}
	out.kept, out.gone = true, false
	out.filled = out.filled || isNoBits(s) || !out.noBits
	out.align = max(out.align, s.AddrAlign)
	base, size := alignUp(out.size, s.AddrAlign), s.Size
	if !out.noBits {
		if in.padding += base - out.size; base < out.size || in.padding > maxPadding {
			in.log.Add(damagedInput(in.object.name, in.object.damaged("section "+s.Name, 0, "alignment is too large", s.AddrAlign)))
			base = out.size
		}
		data := in.object.data(i)
		if !lost { // else nobody takes it symbol by symbol
			data = in.contents(i)
		}
		size = uint64(len(data))
		out.opaque = out.bank == compilerBankNumber && len(in.constants[i]) == 0
		if out.size == 0 {
			out.data = data
		} else {
			b := append(out.writable(), make([]byte, base-out.size)...)
			out.data = append(b, data...)
		}
	}
	out.size = base + size
	in.placeCopy(i, out)
	in.addPart(out, part{origin: in.object.name, offset: base, size: size})
	in.addUserPart(out, userPart{base, size, max(s.AddrAlign, 1)})
	if lost {
		in.nullSymbol[out], in.places[i].base = base, base
	} else {
		in.places[i] = place{placed, out, base}
	}
	return in.places[i]
}

// checkParameters compares the parameter banks of two copies of a weak kernel
// (MERGE-017). The Mercury half, which nvlink merges, has none (MERC-207).
func (in *merger) checkParameters(fn *function, had uint64, s *cubin.Section) {
	if !in.mercury && had != 0 && had != s.Size {
		in.log.Report(diag.WeakParameterBankSize, fn.symbol.name)
	}
}

// length is the size of a section that may be missing.
func (s *section) length() uint64 {
	if s == nil {
		return 0
	}
	return s.size
}

// ownerOf gives the function that section s of the input belongs to, and whether
// that function's code lost against an earlier definition.
func (in *merger) ownerOf(s *cubin.Section) (fn *function, lost bool) {
	if in.object.isCode(s) || int(s.Info) >= len(in.places) {
		return nil, false
	}
	p := in.places[s.Info]
	if p.state == dropped {
		return nil, true
	}
	if p.state == placed {
		return p.section.fn, false
	}
	return nil, false
}

// sectionFor finds or makes the output section for s.
func (in *merger) sectionFor(s *cubin.Section, fn *function) *section {
	if fn != nil {
		if out := fn.bound[s.Name]; out != nil {
			return out
		}
	} else if out := in.byName[s.Name]; out != nil {
		return out
	}
	out := &section{name: s.Name, typ: s.Type, flags: s.Flags, align: s.AddrAlign, entSize: s.EntSize, link: s.Link, bank: noBank, fn: fn, group: groupOf(s)}
	if bank, ok := s.ConstantBank(); ok {
		out.bank = bank
	}
	out.noBits = isNoBits(s)
	if in.mercury && out.bank == 0 {
		out.group = groupParameters
	}
	if fn != nil {
		out.target = fn.text
		fn.bind(out)
	} else {
		in.byName[s.Name] = out
	}
	if in.mercury && out.bank == 0 {
		in.nameSymbol(out)
		return out // addParameterBanks adds it
	}
	return in.addSection(out)
}

func (f *function) bind(s *section) {
	if f.bound == nil {
		f.bound = map[string]*section{}
	}
	f.bound[s.name] = s
}

// mergeRecords reads what refers to symbols: attributes, relocations, the call
// graph and prototypes, by section index (MERGE-001).
func (in *merger) mergeRecords() {
	in.nameSections()
	sections := in.object.file.Sections
	for i := range sections {
		s := &sections[i]
		switch s.Type {
		case cubin.SectionMercInfo:
			if in.mercury {
				in.mergeMercuryInfo(uint32(i))
			}
		case cubin.SectionInfo:
			if s.Info != 0 && in.places[s.Info].state == unplaced {
				in.log.Add(diag.New(diag.InternalError, "section not mapped").Because(in.object.damaged("section header "+s.Name, 0, "it is about no code or data", s.Info)))
				return
			}
			if s.Info == 0 && (!in.mercury || !in.object.mercury.ofModule) { // MERC-311
				in.mergeModuleInfo(in.object.infos[uint32(i)])
			} else if s.Info != 0 {
				in.mergeFunctionInfo(s, in.object.infos[uint32(i)])
			}
		case cubin.SectionMercRela:
			if in.mercury {
				in.mergeRelocations(s, in.object.tables[uint32(i)])
			}
		case cubin.SectionRel, cubin.SectionRela:
			if in.places[s.Info].state == unplaced || !in.object.mayHaveRelocations(s.Info) { // RELOC-306
				in.log.Add(diag.New(diag.InternalError, "unexpected reloc section").Because(in.object.damaged("section header "+s.Name, 0, "it is about no code or data", s.Info)))
				return
			}
			in.mergeRelocations(s, in.object.tables[uint32(i)])
		case cubin.SectionCallGraph:
			in.mergeCallGraph(in.object.pairs(uint32(i)))
		case cubin.SectionPrototype:
			in.mergePrototypes(in.object.pairs(uint32(i)))
		case cubin.SectionCompat:
			records, _ := in.object.records(uint32(i)) // those before damage count
			in.mergeCompat(records)
		}
	}
}

// nameSections finds what attributes that name sections are about: whatever section its
// symbol stands in, it is its name that counts.
func (in *merger) nameSections() {
	in.describes = slices.Clone(in.symbolOf)
	for i := range in.object.symbols {
		y := &in.object.symbols[i]
		if y.Type == cubin.SymSection || i > 0 && isLabel(y) {
			in.describes[i] = in.sectionSymbols[y.Name]
			if int(y.Section) < len(in.places) && in.object.hasFunction[y.Section] {
				in.describes[i] = nil // code has no name that attributes could mean
			}
		}
	}
}

func alignUp(n, align uint64) uint64 {
	if align <= 1 {
		return n
	}
	return (n + align - 1) / align * align
}
