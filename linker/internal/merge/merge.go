package merge

import (
	"math"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/trace"
)

// Objects merges the inputs in order into one program (seed 004).
//
// Before the call, every object is read and checked, and sizes holds the result of SizeOf for each. After the
// call, the program has every section, symbol, function, relocation and attribute of the inputs, in nvlink's
// order of creation. A name that several inputs use for the same thing is one symbol. Conflicts are reported.
//
// Each input is read in four passes: functions, other symbols, remaining sections, and records that refer to
// symbols. This is the order in which nvlink creates sections and symbols, and so the order of the output's
// tables (MERGE-001). An object that was closed is opened only while it is merged. The time is linear in
// sections, symbols, relocations and records.
func Objects(objects []*object.Object, sizes []Size, opt *program.Options, target arch.Target, log *diag.Log) (*program.Program, bool) {
	m := &merged{Program: program.New(opt, target), inputs: len(objects), handleParameters: map[handleParameter]*program.Symbol{}, firstLocals: map[string]*program.Symbol{}, prototypes: map[string]*string{}, unwindSides: map[*program.Side]*unwindSide{}}
	m.expect(sizes)
	anyMercury := slices.ContainsFunc(objects, (*object.Object).HasMercury)
	limited := slices.IndexFunc(objects, func(o *object.Object) bool { return !o.HasMercury() })
	if target.Mercury() && limited < 0 {
		m.Form = program.BothHalves
	}
	wholePrograms := slices.ContainsFunc(objects, (*object.Object).Extensible)
	leftOut := false
	room := new(room)
	for i, o := range objects {
		for range o.SystemBefore { // LOAD-960
			if leftOut = !opt.KeepSystem && !m.MissesFunction(); !leftOut {
				m.SystemParts++
			}
		}
		if o.System { // LOAD-043
			if leftOut = !opt.KeepSystem && !m.MissesFunction(); leftOut {
				continue
			}
			m.System = true
			m.SystemParts++
		}
		if leftOut { // LOAD-044
			log.Report(diag.BehindSystem)
			return nil, false
		}
		if !m.checkKind(o, anyMercury, log) {
			return nil, false
		}
		if wholePrograms && !o.Extensible() && !o.System {
			log.Report(diag.BesideWholeProgram, o.Name) // MERGE-090
		}
		o.Reopen()
		in := &merger{merged: m, object: o, log: log, room: room, limits: i < limited}
		first := len(m.Attributes)
		in.merge()
		m.done++
		if o.LostRelocations() {
			m.Relinked = append(m.Relinked, program.Relinked{Object: o, SymbolOf: slices.Clone(in.symbolOf)})
		}
		in.traceMapping()
		switch log.Worst() {
		case diag.Error:
			log.Report(diag.MergeFailed)
			return nil, false
		case diag.Fatal:
			return nil, false
		}
		if !in.checkBare() {
			return nil, false
		}
		in.unmap(m.Attributes[first:])
		o.Close()
	}
	if m.checkSlots(); m.refusal != nil {
		log.Add(*m.refusal)
		return nil, false
	}
	if !leftOut && (opt.KeepSystem || m.MissesFunction()) {
		m.SystemParts = math.MaxInt
	}
	m.finish()
	return m.Program, true
}

// finish creates the sections that nvlink adds after all inputs are merged, and drops the attributes of
// replaced definitions.
func (m *merged) finish() {
	m.Attributes = slices.DeleteFunc(m.Attributes, func(a *program.Attribute) bool { return a.Gone })
	for _, fn := range m.Functions {
		if !fn.IsTaken || fn.TakenAs != nil {
			continue
		}
		// The record of the function itself is in a discarded definition (REACH-008).
		if fn.TakenAs = fn.Prototype; fn.Prototype == nil {
			fn.TakenAs, fn.Unsaid = new(string), true
		}
	}
	m.forgetUnwinds()
	if !m.Options.Relocatable {
		for _, y := range m.LostConstants() {
			y.Hidden, y.Unnamed = true, true
		}
	}
	if slices.ContainsFunc(m.Commons, func(y *program.Symbol) bool { return y.Common }) {
		m.GlobalSection()
	}
	if m.Target.Profile.Merge.OmitsCallGraph {
		return
	}
	m.Std.CallGraph = m.AddStandard(".nv.callgraph", cubin.SectionCallGraph, 0, 4, 8, program.GroupInfo)
	m.Std.CallGraph.Linked = true
	m.Std.Prototype = m.AddStandard(".nv.prototype", cubin.SectionPrototype, 0, 4, 8, program.GroupInfo)
	m.Std.Prototype.Linked = true
}

// merged is a program to which inputs are still being added. It also has the state about earlier inputs that
// only the merge needs.
type merged struct {
	*program.Program
	handleParameters map[handleParameter]*program.Symbol
	firstLocals      map[string]*program.Symbol // the first symbol of a name, if it is local
	prototypes       map[string]*string         // known prototypes
	unwindSides      map[*program.Side]*unwindSide
	described        int                     // functions with attributes so far
	hasNameless      bool                    // a function without a name was created (KIT-075)
	tensor           nvinfo.TensorGeneration // of the inputs
	padding          uint64                  // bytes between the inputs' parts of sections
	relocations      map[string]int          // of all inputs' sections of a name
	frames           uint64                  // bytes of .debug_frame in all inputs,
	mercuryFrames    uint64                  // and in their Mercury halves
	redefined        map[*program.Function]*redefined
	refusal          *diag.Diagnostic // of an extensible whole program, if nvlink reports no error
	inputs, done     int              // number of inputs, and of those that are merged
	overlays         int              // steps of comparing constants of functions with two definitions
}

// A merger merges one input into the program.
type merger struct {
	*merged
	*room
	object *object.Object
	log    *diag.Log

	describes   []*program.Symbol          // as symbolOf, for attributes: these refer to sections by the names of their symbols
	duplicates  map[uint32][]program.Span  // discarded variable definitions, by section of the input; nil for none
	lost        map[uint32]bool            // the symbols of these
	inner       map[uint32]bool            // functions inside others, by symbol; true if the definition prevails
	conflicting map[uint32]bool            // sections with code that conflicts with an earlier definition
	kindAgain   map[uint32]bool            // functions whose kind is reported again, by symbol (MERGE-972)
	limits      bool                       // a later input removes the Mercury half from the link
	overlap     string                     // nvlink's complaint about constants of a function with two definitions
	constants   map[uint32][]*cubin.Symbol // of the compiler, by section of the input
	stopped     bool                       // an internal error occurred
	slots       uint64                     // slotStart; 0: not yet known

	numOptimizer int // number of the compiler's constants of the input so far, with a Mercury half
}

// A room holds lists about an input that are not needed after its merge. The next input reuses their memory.
type room struct {
	order    []uint32            // the symbols of the input, in the order of merging
	places   []place             // by section index of the input
	symbolOf []*program.Symbol   // by symbol index of the input; nil for symbols that are not part of the link
	winners  []*program.Function // the prevailing function, by code section of the input
	records  []nvinfo.Record     // of one section of the input
	kept     []keptPiece         // the parts of the input that the program has borrowed
	pushed   [][]nvinfo.Record   // the records pushed to functions
}

// prepare resizes the lists for an input with the given numbers of sections and symbols.
func (r *room) prepare(sections, symbols int) {
	r.places, r.winners = cleared(r.places, sections), cleared(r.winners, sections)
	r.symbolOf = cleared(r.symbolOf, symbols)
	r.order = slices.Grow(r.order[:0], symbols)
}

// prepareToUnmap reserves space to record which parts of an input the program uses. definitions is the number of
// definitions of the input.
func (r *room) prepareToUnmap(definitions int) {
	r.kept, r.pushed = slices.Grow(r.kept[:0], definitions), slices.Grow(r.pushed[:0], definitions)
}

// cleared returns n zeros, reusing the memory of list if possible.
func cleared[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// A place is the destination of a section of the input.
type place struct {
	state   placeState
	section *program.Section
	side    *program.Side // of section
	base    uint64        // offset of this input's contribution
}

// inMercury reports whether p is in the Mercury half.
func (p place) inMercury() bool { return p.section != nil && p.side == p.section.Mercury }

type placeState uint8

const (
	unplaced placeState = iota
	placed
	dropped // belongs to a function whose earlier definition prevails
)

func (in *merger) merge() {
	in.prepare(len(in.object.File.Sections), len(in.object.Symbols))
	if in.object.Unmap != nil {
		own, weak := in.object.Defines()
		in.prepareToUnmap(own + weak)
	}
	if missing := in.object.Unreadable; missing != "" {
		in.stop(missing)
		return
	}
	in.orderSymbols()
	in.findConstants()
	in.mergeFunctions()
	if in.overlap != "" && !in.stopped {
		in.stop(in.overlap)
	}
	if in.stopped {
		return
	}
	in.mergeData()
	if in.stopped {
		return
	}
	in.mergeSections()
	in.mergeRecords()
	switch {
	case in.object.Extensible():
		in.takeWholeShared()
	case in.Target.Profile.Merge.TakesLooseShared && !in.Options.DebugSymbols():
		in.takeLooseShared()
	}
	in.Origins = append(in.Origins, in.object.Origin)
}

// mergeSections places the sections without symbols in the order of their indices, and then the notes
// (MERGE-001).
func (in *merger) mergeSections() {
	sections := in.object.File.Sections
	for i := range sections {
		s := &sections[i]
		if !in.HasMercury() && in.skips(s) {
			in.Options.TraceStep(trace.SkipsMercury, i)
		}
		if in.places[i].state != unplaced || !object.IsData(s) || s.Type == cubin.SectionShared || cubin.IsNoBits(s) || in.skips(s) {
			continue // memory without contents is placed only with its variables (MERGE-010)
		}
		in.place(uint32(i))
	}
	for i := range sections {
		if in.takesNote(&sections[i]) {
			if note := in.place(uint32(i)).section; note != nil {
				note.Anonymous = !in.Target.Profile.Info.Notes || in.Target.Profile.Info.EarlyNotes
			}
		}
	}
	for i := range in.object.Symbols {
		y := &in.object.Symbols[i]
		if y.Type == cubin.SymSection && int(y.Section) < len(in.places) && in.places[y.Section].state == placed && !in.places[y.Section].inMercury() {
			in.symbolOf[i] = in.places[y.Section].section.Symbol
		}
	}
}

// place appends data section i of the input to the section of the same name, at its own alignment (LAYOUT-010).
// Compiler-generated constants of discarded code keep their space, although it is unused (MERGE-012). Parameters
// of a weak kernel keep theirs in addition to those of a strong one (MERGE-017).
func (in *merger) place(i uint32) place {
	if p := in.places[i]; p.state != unplaced {
		return p
	}
	s := &in.object.File.Sections[i]
	fn, lost := in.ownerOf(s)
	if lost {
		in.places[i] = place{state: dropped}
		bank, ok := s.ConstantBank()
		if fn = in.winnerOf(s); fn == nil || !ok {
			return in.places[i]
		}
		if bank == 0 && in.HasMercury() {
			in.keepSlots(fn, i)
		}
		if bank == 0 && fn.Symbol.Bind == cubin.BindWeak {
			in.Options.TraceStep(trace.SecondParameterBank, fn.Symbol.Name)
			bank := fn.Bound.Named(s.Name)
			in.checkParameters(fn, lengthOf(bank), s)
			if bank != nil && !in.HasMercury() {
				in.places[i].section, in.places[i].side = bank, &bank.Side // its slots stay (LAYOUT-840)
			}
			return in.places[i]
		}
		if bank == 0 && in.HasMercury() {
			return in.places[i] // the finalizer makes the bank
		}
	}
	orphan := lost && fn.Bound.Named(s.Name) == nil
	out := in.sectionFor(s, fn, lost)
	out.Orphan = out.Orphan || orphan
	if fn != nil && out.Bank == 0 {
		in.checkParameters(fn, fn.ReplacedParameters, s)
		if in.HasMercury() {
			in.giveSlots(out, i)
			out.Reset() // of the replaced definition
		}
	}
	out.State = program.Kept
	out.Filled = out.Filled || cubin.IsNoBits(s) || !out.NoBits
	var data []byte
	size := s.Size
	if !out.NoBits {
		data = in.bytesFor(out, i, lost)
		size = uint64(len(data))
		out.Opaque = out.Bank == cubin.CompilerBankNumber && len(in.constants[i]) == 0
	}
	base := in.append(out, &out.Side, s, data, size)
	in.placeCopy(i, out)
	if lost {
		in.Discarded[out] = append(in.Discarded[out], base)
		in.places[i].base = base
		if out.Bank == 0 {
			in.places[i].section, in.places[i].side = out, &out.Side // its slots stay (LAYOUT-840)
		}
	} else {
		in.places[i] = place{placed, out, &out.Side, base + in.replaceSlots(fn, out, i)}
	}
	return in.places[i]
}

// bytesFor returns the bytes of section i of the input, which becomes a part of out. lost is set if the code that it
// belongs to was discarded. With a Mercury half the bytes of a parameter bank are zeros, because the finalizer makes
// the bank (MERC-900).
func (in *merger) bytesFor(out *program.Section, i uint32, lost bool) []byte {
	data := in.object.Data(i)
	if !lost { // otherwise its symbols are not merged one by one
		data = in.contents(i)
	}
	if out.Bank != 0 || out.Fn == nil || !in.HasMercury() {
		return data
	}
	return make([]byte, in.object.FinalBankSize(i)+in.sizeOfSlots(i))
}

// append appends size bytes of section s of the input to a side of out, and returns their offset. data holds the
// bytes if the file has any.
func (in *merger) append(out *program.Section, side *program.Side, s *cubin.Section, data []byte, size uint64) (base uint64) {
	base = cubin.AlignUp(side.Size, s.AddrAlign)
	if !out.NoBits {
		if in.padding += base - side.Size; base < side.Size || in.padding > cubin.MaxPadding {
			in.log.Add(diag.Damaged(in.object.Name, in.object.Damaged("section "+s.Name, 0, "alignment is too large", s.AddrAlign)))
			base = side.Size
		}
	}
	if out.Name == cubin.DebugFrameName && in.HasMercury() { // it is read as a whole when it is rebuilt
		side.Assemble(in.framesAs(s.Name))
	} else {
		in.keep(side, len(data))
	}
	side.Expect(in.inputs, in.done)
	side.Align = max(side.Align, s.AddrAlign)
	side.Add(program.Piece{Origin: in.object.Name, Offset: base, Size: size, Align: max(s.AddrAlign, 1), Data: data})
	side.Size = base + size
	return base
}

// framesAs returns the number of bytes that all inputs have in .debug_frame, by its name in one of the halves.
func (m *merged) framesAs(name string) uint64 {
	if name == cubin.DebugFrameName {
		return m.frames
	}
	return m.mercuryFrames
}

// lengthOf returns the size of a section, or nil if there is no section.
func lengthOf(s *program.Section) *uint64 {
	if s == nil {
		return nil
	}
	size := s.Size
	return &size
}

// checkParameters compares the parameter banks of two definitions of a weak kernel (MERGE-017). had is the size of the
// earlier bank, nil if there is none. An empty bank counts. It does nothing in a link with a Mercury half: nvlink merges
// that half, which has no parameter banks (MERC-207).
func (in *merger) checkParameters(fn *program.Function, had *uint64, s *cubin.Section) {
	if !in.HasMercury() && fn.Symbol.Bind == cubin.BindWeak && had != nil && *had != s.Size {
		in.log.Report(diag.WeakParameterBankSize, fn.Symbol.Name)
	}
}

// ownerOf returns the function that section s of the input belongs to. lost reports whether that function's code
// was discarded in favour of an earlier definition.
func (in *merger) ownerOf(s *cubin.Section) (fn *program.Function, lost bool) {
	if in.object.IsCode(s) || int(s.Info) >= len(in.places) {
		return nil, false
	}
	p := in.places[s.Info]
	if p.state == dropped {
		return nil, true
	}
	if p.state == placed {
		return p.section.Fn, false
	}
	return nil, false
}

// sectionFor finds or creates the output section for s. lost reports whether s belongs to a discarded definition. The
// compiler's constants of those that code without any discarded have a section of their own. Code with constants that
// replaces that code gets a second section of the name (MERGE-691).
func (in *merger) sectionFor(s *cubin.Section, fn *program.Function, lost bool) *program.Section {
	if fn != nil {
		switch out := fn.Bound.Named(s.Name); {
		case lost && fn.Orphan != nil && fn.Orphan.Name == s.Name:
			return fn.Orphan
		case out != nil && out.Orphan && !lost:
			fn.Orphan = out
		case out != nil:
			return out
		}
	} else if out := in.ByName[s.Name]; out != nil {
		return out
	}
	out := in.NewSection(program.Section{
		Side: program.Side{Name: s.Name, Type: s.Type, Flags: uint64(s.Flags), Align: s.AddrAlign, EntSize: s.EntSize},
		Link: s.Link, Bank: program.NoBank, Fn: fn, Group: program.GroupOf(s),
	})
	if bank, ok := s.ConstantBank(); ok {
		out.Bank = bank
		if in.makesBank(bank, fn) {
			out.EntSize = 0
		}
	}
	out.NoBits = cubin.IsNoBits(s)
	switch {
	case in.HasMercury() && out.Bank == 0:
		if _, out.HasSlots = in.object.Mercury.CopyOf(s.Index); !out.HasSlots {
			out.Group = program.GroupParameters
		}
		out.SlotsFollow = out.HasSlots
	case !in.HasMercury() && s.Flags&cubin.FlagMercury != 0 && in.Target.Profile.Merge.CopiesLast:
		out.Group = program.GroupCopies
	}
	if fn != nil {
		out.Target = fn.Text
		fn.Bind(out)
	} else {
		in.ByName[s.Name] = out
	}
	if out.Group == program.GroupParameters {
		in.NameSymbol(out)
		return out // addParameterBanks adds it
	}
	return in.AddSection(out)
}

// makesBank reports whether the linker creates a constant bank, either of a function or of the whole program.
// Such a bank does not have the entry size of the input's section (KIT-211).
func (in *merger) makesBank(bank int, fn *program.Function) bool {
	return in.Target.Profile.Merge.OmitsBankNumber || bank == cubin.CompilerBankNumber && fn != nil && (fn.Entry || in.Options.Relocatable)
}

// mergeRecords reads the records that refer to symbols, by section index: attributes, relocations, the call
// graph and prototypes (MERGE-001).
func (in *merger) mergeRecords() {
	in.nameSections()
	sections := in.object.File.Sections
	for i := range sections {
		if in.stopped {
			return
		}
		s := &sections[i]
		switch s.Type {
		case cubin.SectionMercInfo:
			if in.HasMercury() {
				in.mergeMercuryInfo(uint32(i))
			}
		case cubin.SectionInfo:
			if s.Info != 0 && in.places[s.Info].state == unplaced {
				in.log.Add(diag.New(diag.InternalError, "section not mapped").Because(in.object.Damaged("section header "+s.Name, 0, "it is about no code or data", s.Info)))
				return
			}
			if s.Info == 0 && (!in.HasMercury() || !in.object.Mercury.OfModule) { // MERC-315
				in.mergeModuleInfo(uint32(i))
			} else if s.Info != 0 {
				in.mergeFunctionInfo(s)
			}
		case cubin.SectionMercRela, cubin.SectionMercResolved:
			if in.HasMercury() {
				in.mergeRelocations(s)
			}
		case cubin.SectionRel, cubin.SectionRela:
			if in.places[s.Info].state == unplaced || !in.object.MayHaveRelocations(s.Info) { // RELOC-306
				in.log.Add(diag.New(diag.InternalError, "unexpected reloc section").Because(in.object.Damaged("section header "+s.Name, 0, "it is about no code or data", s.Info)))
				return
			}
			in.mergeRelocations(s)
		case cubin.SectionResolvedRela: // RELOC-405
			in.mergeRelocations(s)
		case cubin.SectionCallGraph:
			in.mergeCallGraph(in.object.Pairs(uint32(i)))
		case cubin.SectionPrototype:
			in.mergePrototypes(in.object.Pairs(uint32(i)))
		case cubin.SectionUFTEntry, cubin.SectionUDTEntry:
			in.mergeUnified(uint32(i))
		case cubin.SectionCompat:
			in.records, _ = in.object.Records(uint32(i), in.records) // those before any damage count
			in.mergeCompat(in.records)
		}
	}
}

// nameSections determines the targets of attributes that refer to sections. Only the name of a section symbol
// counts, whatever section the symbol is in.
func (in *merger) nameSections() {
	in.describes = slices.Clone(in.symbolOf)
	for i := range in.object.Symbols {
		y := &in.object.Symbols[i]
		if y.Type == cubin.SymSection || i > 0 && cubin.IsLabel(y) {
			in.describes[i] = nil
			if int(y.Section) >= len(in.places) || !in.object.HasFunction[y.Section] { // attributes cannot refer to the name of code
				in.describes[i] = in.SectionSymbol(y.Name)
			}
		}
	}
}

// takesNote reports whether note section s of the input is appended to the note section of the same name, like
// data. In an executable that is so for tool notes. The note about the compilation target is read and merged
// instead (INFO-022). Before 13.0 that note is appended too, and up to 11.8 no note is (KIT-129).
func (in *merger) takesNote(s *cubin.Section) bool {
	profile := in.Target.Profile
	switch {
	case s.Type != cubin.SectionNote, !profile.Merge.TakesNotes, in.Options.Relocatable:
		return false
	case profile.Accept.ReadsOrigins && !profile.Info.Notes && s.Flags&(cubin.FlagCUInfo|cubin.FlagTKInfo) != 0:
		return false
	case s.Flags&cubin.FlagCUInfo == 0:
		return true
	}
	return !profile.Info.Notes && !s.Nameless && 0 < s.AddrAlign && s.AddrAlign <= cubin.MaxPadding
}

// traceMapping traces where the input's sections and symbols are in the program. It omits those that are not
// part of the link (seed 004, the mapping arrays).
func (in *merger) traceMapping() {
	if in.Options.Trace == nil {
		return
	}
	numbers := in.Numbers()
	for i, p := range in.places {
		if p.state == placed {
			number := p.section.Number()
			if p.inMercury() {
				number = 0 // only plain sections have a number
			}
			in.Options.TraceStep(trace.MapsSection, i, number, p.base)
		}
	}
	for i, y := range in.symbolOf {
		if y != nil {
			in.Options.TraceStep(trace.MapsSymbol, i, numbers[y.ID])
		}
	}
}
