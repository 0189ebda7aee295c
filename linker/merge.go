package linker

import (
	"slices"
	"strings"

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
	wholePrograms := slices.ContainsFunc(objects, (*object).extensible)
	for _, o := range objects {
		if o.system {
			m.system = m.system || opt.KeepSystem || m.missesFunction()
			if !m.system {
				continue
			}
		}
		if wholePrograms && !o.extensible() && !o.system {
			log.Report(diag.BesideWholeProgram, o.name) // MERGE-090
		}
		in := &merger{merged: m, object: o, log: log}
		in.merge()
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
		target:          target,
		options:         opt,
		byName:          map[string]*section{},
		symbols:         map[string]*symbol{},
		null:            &symbol{},
		absolute:        &symbol{},
		relocationNames: map[relocationKey]bool{},
		knownPrototype:  map[string]bool{},
		nullSymbol:      map[*section]uint64{},
	}
	m.std.shstrtab = m.addStandard(".shstrtab", cubin.SectionStrTab, 0, 1, 0, groupShStrTab)
	m.std.strtab = m.addStandard(".strtab", cubin.SectionStrTab, 0, 1, 0, groupStrTab)
	m.std.symtab = m.addStandard(".symtab", cubin.SectionSymTab, 0, 8, cubin.SymbolSize, groupSymTab)
	m.addName(".symtab_shndx", nil)
	m.std.tkinfo = m.addStandard(".note.nv.tkinfo", cubin.SectionNote, cubin.FlagTKInfo, 4, 0, groupInfo)
	m.std.cuinfo = m.addStandard(".note.nv.cuinfo", cubin.SectionNote, cubin.FlagCUInfo, 4, 0, groupInfo)
	m.std.info = m.addStandard(".nv.info", cubin.SectionInfo, 0, 4, 0, groupInfo)
	m.std.info.linked = true
	if target.Compat() {
		m.compat = nvinfo.NewCompatMerger(target.Number, target.Suffix == 'a')
		m.std.compat = m.addStandard(".nv.compat", cubin.SectionCompat, 0, 4, 0, groupInfo)
		m.std.cuinfo.flags |= cubin.FlagInfoLink // unless the inputs say otherwise
	}
	return m
}

// finish makes the sections that nvlink adds when all inputs are merged.
func (m *merged) finish() {
	for _, fn := range m.functions {
		if !fn.isTaken || fn.takenAs != nil {
			continue
		}
		// Its own record is that of a copy that is lost (REACH-008).
		if fn.takenAs = fn.prototype; fn.prototype == nil {
			fn.takenAs = new(string)
		}
	}
	isCommon := func(y *symbol) bool { return y.common }
	if slices.ContainsFunc(m.globals, isCommon) || slices.ContainsFunc(m.locals, isCommon) {
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
// layout of textures may add to it (EMIT-003).
func (m *merged) addSection(s *section) *section {
	m.sections = append(m.sections, s)
	m.names = append(m.names, sectionName{s.name, s.fn, s})
	if strings.HasPrefix(s.name, parameterPrefix) && !m.options.Relocatable {
		if m.options.ForceRela {
			m.registerRelocations(s, true, cubin.FlagInfoLink)
		} else {
			m.registerRelocations(s, false, 0)
		}
	}
	s.symbol = &symbol{name: s.name, typ: cubin.SymSection, section: s, isSection: true}
	m.locals = append(m.locals, s.symbol)
	return s
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
	duplicates map[*section][]span
	lost       map[uint32]bool // symbols of variables whose definition lost
	seenCalls  map[call]bool
	overlaps   bool // constants of a function that is defined twice
	stopped    bool // by an internal error
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
	in.places = make([]place, len(in.object.file.Sections))
	in.symbolOf = make([]*symbol, len(in.object.symbols))
	in.duplicates = map[*section][]span{}
	in.lost = map[uint32]bool{}
	in.seenCalls = map[call]bool{}
	in.mergeFunctions()
	if in.stopped {
		return
	}
	in.mergeData()
	in.mergeSections()
	in.mergeRecords()
	in.mergeNotes()
}

// mergeSections places the sections that no symbol lives in, by index (MERGE-001).
func (in *merger) mergeSections() {
	sections := in.object.file.Sections
	for i := range sections {
		s := &sections[i]
		if in.places[i].state != unplaced || !isData(s) || s.Type == cubin.SectionShared {
			continue
		}
		if s.Type == cubin.SectionGlobal && in.definesOnlyDuplicates(uint32(i)) {
			continue
		}
		in.place(uint32(i))
	}
	for i := range in.object.symbols {
		y := &in.object.symbols[i]
		if y.Type == cubin.SymSection && int(y.Section) < len(in.places) && in.places[y.Section].state == placed {
			in.symbolOf[i] = in.places[y.Section].section.symbol
		}
	}
}

// definesOnlyDuplicates tells whether uninitialised section i holds symbols, all
// of which an earlier input defined: such a contribution is left out (MERGE-010).
func (in *merger) definesOnlyDuplicates(i uint32) bool {
	for k := range in.object.symbols {
		y := &in.object.symbols[k]
		if y.Section == i && y.Type != cubin.SymSection {
			return true // else it would have been placed with the symbol
		}
	}
	return false
}

// isData tells whether a section of an input holds bytes of the program, not
// tables of the linker.
func isData(s *cubin.Section) bool {
	switch s.Type {
	case cubin.SectionNull, cubin.SectionSymTab, cubin.SectionStrTab, cubin.SectionNote,
		cubin.SectionRel, cubin.SectionRela, cubin.SectionSymTabShNdx,
		cubin.SectionInfo, cubin.SectionCallGraph, cubin.SectionPrototype, cubin.SectionCompat,
		cubin.SectionResolvedRela, cubin.SectionRelAction, cubin.SectionSharedReserved:
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
	}
	out.kept, out.gone = true, false
	out.align = max(out.align, s.AddrAlign)
	base := alignUp(out.size, s.AddrAlign)
	if !out.noBits {
		if in.padding += base - out.size; base < out.size || in.padding > maxPadding {
			in.log.Add(damagedInput(in.object.damaged("section "+s.Name, 0, "alignment is too large", s.AddrAlign)))
			base = out.size
		}
		data := in.object.data(i)
		if out.size == 0 {
			out.data = data
		} else {
			b := append(out.writable(), make([]byte, base-out.size)...)
			out.data = append(b, data...)
		}
	}
	out.size = base + s.Size
	in.addPart(out, part{origin: in.object.name, offset: base, size: s.Size})
	if out.name == userConstantName {
		in.userConstants = append(in.userConstants, span{base, out.size})
	}
	if lost {
		in.nullSymbol[out] = base
	} else {
		in.places[i] = place{placed, out, base}
	}
	return in.places[i]
}

// checkParameters compares the parameter banks of two copies of a weak kernel
// (MERGE-017).
func (in *merger) checkParameters(fn *function, had uint64, s *cubin.Section) {
	if had != 0 && had != s.Size {
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
	if s.Flags&cubin.FlagInfoLink == 0 || int(s.Info) >= len(in.places) {
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
	out := &section{name: s.Name, typ: s.Type, flags: s.Flags, align: s.AddrAlign, entSize: s.EntSize, bank: noBank, fn: fn, group: groupOf(s)}
	if bank, ok := s.ConstantBank(); ok {
		out.bank = bank
	}
	out.noBits = !s.HasBytes()
	if fn != nil {
		out.target = fn.text
		fn.bind(out)
	} else {
		in.byName[s.Name] = out
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
	sections := in.object.file.Sections
	for i := range sections {
		s := &sections[i]
		switch s.Type {
		case cubin.SectionInfo:
			if s.Name == ".nv.info" {
				in.mergeModuleInfo(in.object.infos[uint32(i)])
			} else {
				in.mergeFunctionInfo(s, in.object.infos[uint32(i)])
			}
		case cubin.SectionRel, cubin.SectionRela:
			in.mergeRelocations(s, in.object.tables[uint32(i)])
		case cubin.SectionCallGraph:
			in.mergeCallGraph(in.object.data(uint32(i)))
		case cubin.SectionPrototype:
			in.mergePrototypes(in.object.data(uint32(i)))
		case cubin.SectionCompat:
			if records, err := nvinfo.Decode(in.object.data(uint32(i))); err == nil {
				in.mergeCompat(records)
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
