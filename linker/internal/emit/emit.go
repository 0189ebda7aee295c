package emit

import (
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/internal/relocate"
	"github.com/culink/culink/linker/nvinfo"
)

// File lays out the output: sections in groups, symbols and names in the order of their creation (EMIT-001,
// EMIT-002).
//
// Before the call, code and data are patched. After the call, the file is laid out, but its sections are not
// assembled yet. The program must not be used any more.
func File(r *relocate.Settled, found Findings) (*Output, error) {
	e := &emitter{Settled: r, found: found, records: make([][]nvinfo.Record, len(r.Functions))}
	e.addRelocationAction()
	e.numberSymbols()
	if err := e.rebuildDebug(); err != nil {
		return nil, e.blame(err)
	}
	e.writeAttributes()
	e.writeUnified()
	e.writeNotes()
	e.chooseSections()
	if e.HasMercury() && e.Target.Profile.Emit.FreshTables {
		e.writeFreshStrings()
	} else {
		e.writeStrings()
	}
	e.writeCallGraph()
	e.writeSymbols()
	e.leak()
	image, err := e.image()
	if err != nil {
		return nil, err
	}
	return newOutput(image, e)
}

// Findings holds the results of earlier checks of kernels.
type Findings struct {
	Cached    map[*reach.Entry]bool // they cache their loads (INFO-038)
	Uncounted []*reach.Entry        // they get an attribute for their registers, in this order (INFO-044)
}

// An emitter holds the tables of the output while they grow.
type emitter struct {
	*relocate.Settled
	found      Findings
	emitted    []*program.Symbol // the symbol table except for its null entry
	symbolAt   []uint32          // by ID, the number of a symbol in the table; 0 for none
	numLocal   int
	numMercury int               // how many of emitted are in the Mercury symbol table, too
	records    [][]nvinfo.Record // of .nv.info.<name>, by order of function
	names      *stringTable      // .shstrtab
	nameAt     []uint32          // by serial number, the offset of a name in .shstrtab
	strings    *stringTable      // .strtab
	stringAt   []uint32          // by ID, the offset of the name of a symbol in .strtab; 0 if not looked up
	table      []*row            // the section table except for its null entry
	plainAt    []uint32          // by ID, the number of a section in the table; 0 for none
	mercuryAt  []uint32          // and that of its Mercury side
	named      map[string]bool   // names of sections in the table that differ in the Mercury half; nil without one
	extended   *program.Section  // .symtab_shndx; nil if every section number fits into a symbol
	late       *row              // .symtab_shndx that the finalizer adds; nil for none

	mercuryTable   []*row // the end of the section table, the Mercury half
	mercurySymbols *row   // .nv.merc.symtab
	firstGlobal    uint32 // the first global symbol in .nv.merc.symtab
	inner          innerFile
}

// A row of the section table is a side of a section, or a table that only the output has.
type row struct {
	*program.Side
	section *program.Section // owner of the side, or target of Mercury relocations; nil for plain relocations and the Mercury symbols
	about   *program.Section // target of plain relocations
	group   program.Group
	serial  int32  // serial number of its name; 0 for none
	nameAt  uint32 // in .shstrtab, of the Mercury half and of late
	index   uint32 // in the section table
	offset  uint64 // in the file
	shared  bool   // its bytes are those of another row
	mirrors bool   // in the Mercury half, that is in the order of the plain one (KIT-039)
	bare    bool   // in the Mercury half, without bytes (KIT-057)
}

// inMercury reports whether the row is in the Mercury half.
func (r *row) inMercury() bool { return r.group == program.GroupMercury }

// noBits reports whether the row has no bytes in the file.
func (r *row) noBits() bool {
	return r.bare || !r.inMercury() && r.section != nil && r.section.NoBits
}

// number returns the number of y in the symbol table, or 0 if the table does not have y.
func (e *emitter) number(y *program.Symbol) uint32 { return e.symbolAt[y.ID] }

func (e *emitter) addRelocationAction() {
	if e.Options.Relocatable || !e.HasRelocationActions() || e.Target.Profile.Emit.RelocationAction == nil {
		return
	}
	s := e.AddStandard(".nv.rel.action", cubin.SectionRelAction, 0, 8, 8, program.GroupInfo)
	s.SetBytes(slices.Clone(e.Target.Profile.Emit.RelocationAction))
}

// numberSymbols selects the symbols of the output and numbers them. Local symbols come first, then global ones,
// each in order of creation (EMIT-010).
func (e *emitter) numberSymbols() {
	if e.Std.Prototype != nil {
		e.Std.Prototype.Keep(slices.ContainsFunc(e.Functions, e.listsPrototype))
	}
	e.emitted = make([]*program.Symbol, 0, len(e.Locals)+len(e.Globals))
	var last []*program.Symbol
	for _, list := range e.symbolLists() {
		for _, y := range list {
			if y.IsSection && !y.Section.HasSymbol() || y.Hidden || y.InDeadCode() {
				continue
			}
			if e.ParameterBanksLast() && y.OfParameterBank() {
				last = append(last, y)
				continue
			}
			e.emitted = append(e.emitted, y)
		}
		if e.numLocal == 0 {
			e.numLocal = len(e.emitted)
			e.firstGlobal = uint32(len(e.emitted) + 1)
		}
	}
	e.numMercury = len(e.emitted)
	e.emitted = append(e.emitted, last...)
	e.symbolAt = make([]uint32, e.NumSymbols+1)
	first := 1
	if e.LosesNull {
		first = 0
	}
	for i, y := range e.emitted {
		e.symbolAt[y.ID] = uint32(i + first)
	}
	if len(last) > 0 && e.Target.Profile.Emit.CountsBanks {
		e.numLocal = len(e.emitted) // the last ones are local
	}
}

// symbolLists returns the local symbols and the other symbols. If the finalizer orders symbols, global symbols
// that were made local count as local (KIT-058).
func (e *emitter) symbolLists() [2][]*program.Symbol {
	if !e.HasMercury() || !e.Target.Profile.Merge.LocalsFirst {
		return [...][]*program.Symbol{e.Locals, e.Globals}
	}
	lists := [...][]*program.Symbol{slices.Clip(e.Locals), nil}
	for _, y := range e.Globals {
		if y.Bind == cubin.BindLocal {
			lists[0] = append(lists[0], y)
		} else {
			lists[1] = append(lists[1], y)
		}
	}
	return lists
}

// writeNotes writes .note.nv.cuinfo: the target of the output, and the other devices on which it runs.
func (e *emitter) writeNotes() {
	if s := e.Std.Cuinfo; s != nil {
		copy(s.Writable(), e.OriginNote())
	}
	if s := e.Std.Compat; s != nil {
		if !e.HasMercury() {
			e.Compat.MachineCodeOnly()
		} else if e.Target.Profile.Info.LimitsFastPath {
			e.Compat.LimitFastPath(fastPaths(e.Settled.Placed.Propagated.Reached.Program))
		} else if !slices.ContainsFunc(e.Functions, keepsCode) {
			e.Compat.WithoutCode()
		}
		s.SetBytes(nvinfo.Encode(e.Compat.Records()))
		s.Keep(s.Size > 0)
	}
}

// writeCallGraph writes .nv.callgraph and .nv.prototype (REACH-001, REACH-002), if there are any (KIT-213). Their
// strings go into .strtab.
func (e *emitter) writeCallGraph() {
	if e.Std.CallGraph != nil {
		setBoth(e.Std.CallGraph, e.callGraph())
		setBoth(e.Std.Prototype, e.prototypes())
	}
	e.Std.Strtab.SetBytes(e.strings.bytes)
}

// recordSize is the size of a record of .nv.callgraph and of .nv.prototype. A record has two words.
const recordSize = 8

// callGraph returns the content of .nv.callgraph.
func (e *emitter) callGraph() []byte {
	room := 4 * recordSize // the heads of four lists
	for _, fn := range e.Functions {
		room += recordSize * (len(fn.Calls) + len(fn.Taken) + len(fn.CallsVia) + 1)
	}
	b := appendWords(make([]byte, 0, room), 0, cubin.CallsDirect)
	for _, fn := range e.Functions {
		b = e.appendCalls(b, fn, e.callsOf(fn))
	}
	b = appendWords(b, 0, cubin.CallsTaken)
	for _, fn := range e.Functions {
		if fn.TakenAs != nil && !fn.Dead {
			offset := uint32(0) // an empty string of inputs is elsewhere (EMIT-005)
			if !fn.Unsaid {
				offset = e.strings.add(*fn.TakenAs)
			}
			b = appendWords(b, e.number(fn.Symbol), offset)
		}
	}
	b = appendWords(b, 0, cubin.CallsIndirect)
	for _, fn := range e.Functions {
		for _, prototype := range fn.CallsVia.All() {
			if !fn.Dead {
				b = appendWords(b, e.number(fn.Symbol), e.strings.add(prototype))
			}
		}
	}
	if e.Target.Profile.Reach.ListsTakers {
		b = appendWords(b, 0, cubin.TakesAddress)
		for _, fn := range e.Functions {
			b = e.appendCalls(b, fn, fn.Taken)
		}
	}
	return b
}

// prototypes returns the content of .nv.prototype, or nil if there is none.
func (e *emitter) prototypes() (b []byte) {
	count := 0
	for _, fn := range e.Functions {
		if e.listsPrototype(fn) {
			count++
		}
	}
	b = slices.Grow(b, recordSize*count)
	for _, fn := range e.Functions {
		if e.listsPrototype(fn) {
			b = appendWords(b, e.number(fn.Symbol), e.strings.add(*fn.Prototype))
		}
	}
	return b
}

// listsPrototype reports whether .nv.prototype lists the function (REACH-002). With -r it lists no local one (REACH-980).
func (e *emitter) listsPrototype(fn *program.Function) bool {
	if e.Options.Relocatable && fn.Symbol.Bind == cubin.BindLocal {
		return false
	}
	lost := fn.Dead && fn.Symbol.Alias != nil && fn.Prototype != nil && fn.TakenAs == nil
	return fn.HasPrototype() || lost && e.Target.Profile.Reach.ListsLostAliases
}

// setBoth sets the contents of s to b. If s has a side in the Mercury half, that side gets the same contents.
func setBoth(s *program.Section, b []byte) {
	s.SetBytes(b)
	if s.Mercury != nil {
		s.Mercury.SetBytes(b)
	}
}

// callsOf returns the calls of a function. They include calls through pointers if the file lists
// their possible targets (KIT-073). Functions inside the code of kernels do not count (MERGE-026).
func (e *emitter) callsOf(fn *program.Function) program.FrontList[*program.Function] {
	if fn.InsideKernel() {
		return nil
	}
	calls := fn.Calls
	if e.Target.Profile.Reach.ResolvesPointers {
		calls = slices.Clone(calls)
		for _, prototype := range fn.CallsVia.All() {
			for _, callee := range e.Functions {
				if callee.TakenAs != nil && *callee.TakenAs == prototype {
					calls.Push(callee)
				}
			}
		}
	}
	if slices.ContainsFunc(calls, (*program.Function).InsideKernel) {
		calls = slices.DeleteFunc(slices.Clone(calls), (*program.Function).InsideKernel)
	}
	return calls
}

// appendCalls appends the records of one caller. Several copies of a weak function may contain the same call. A
// relocatable link records only the first of these (EMIT-017).
func (e *emitter) appendCalls(b []byte, caller *program.Function, callees program.FrontList[*program.Function]) []byte {
	if caller.Dead {
		return b
	}
	if e.Options.Relocatable && len(callees) > 1 {
		seen := make(map[*program.Function]bool, len(callees))
		callees = slices.DeleteFunc(slices.Clone(callees), func(callee *program.Function) bool {
			again := seen[callee]
			seen[callee] = true
			return again
		})
	}
	for _, callee := range callees.All() {
		if !callee.Dead && !(callee.Undefined() && e.Target.Profile.Reach.OmitsUndefined) {
			b = appendWords(b, e.number(caller.Symbol), e.number(callee.Symbol))
		}
	}
	return b
}

func appendWords(b []byte, words ...uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// chooseSections creates the relocation sections and puts the section table in order.
func (e *emitter) chooseSections() {
	rows := make([]row, 0, len(e.Sections)+len(e.RelocationSections)) // in one place
	for _, s := range e.Sections {
		if s.State == program.Kept && !s.Dead() {
			rows = append(rows, row{Side: &s.Side, section: s, serial: s.Serial, group: s.Group})
		}
	}
	for _, rs := range e.RelocationSections {
		if rs.Target.Dead() || rs.Target.State != program.Kept {
			continue
		}
		if entries := e.entriesOf(rs); entries != nil || e.keepsEmpty(rs) {
			rows = append(rows, row{Side: relocationSide(rs, entries), about: rs.Target, serial: rs.Serial, group: program.GroupRelocation})
		}
	}
	e.table = make([]*row, len(rows))
	for i := range rows {
		e.table[i] = &rows[i]
	}
	slices.SortStableFunc(e.table, func(a, b *row) int { return int(a.group) - int(b.group) })
	e.extendNumbers()
	if e.HasMercury() {
		if e.Target.Profile.Emit.CopiesCallGraph {
			e.copyCallGraph()
		}
		e.chooseMercury()
		e.extendLate()
		e.table = append(e.table, e.mercuryTable...)
	}
	e.plainAt, e.mercuryAt = make([]uint32, len(e.Sections)+1), make([]uint32, len(e.Sections)+1)
	if e.HasMercury() {
		e.named = map[string]bool{}
		for _, r := range e.table {
			if cubin.NameInMercury(r.Name) != r.Name {
				e.named[r.Name] = true
			}
		}
	}
	for i, r := range e.table {
		r.index = uint32(i + 1)
		switch {
		case r.section == nil, r.Type == cubin.SectionSymTabShNdx:
		case r.Side == r.section.Mercury:
			e.mercuryAt[r.section.ID] = r.index
		case !r.inMercury():
			e.plainAt[r.section.ID] = r.index
		}
	}
}

// relocationSide returns the plain side of relocation section rs. entries are its entries.
func relocationSide(rs *program.RelocationSection, entries *program.Later) *program.Side {
	side := &program.Side{Name: rs.Name, Type: rs.Type, Flags: rs.Flags, Align: 8, EntSize: cubin.RelaSize}
	if rs.Type == cubin.SectionRel {
		side.EntSize = cubin.RelSize
	}
	side.SetLater(entries)
	return side
}

// extendNumbers adds .symtab_shndx if the link created more sections than a symbol can refer to. It does so even
// if fewer sections remain (EMIT-024).
func (e *emitter) extendNumbers() {
	made := len(e.Names)
	if !e.Options.Relocatable {
		made++
	}
	if made < cubin.ShnLoReserve {
		return
	}
	e.extended = e.newExtended(e.Std.Symtab.Group)
	at := slices.IndexFunc(e.table, func(r *row) bool { return r.section == e.Std.Symtab })
	e.table = slices.Insert(e.table, at+1, &row{Side: &e.extended.Side, section: e.extended, group: e.extended.Group})
}

// newExtended returns .symtab_shndx with its Mercury side. Both sides have a number for each symbol of .symtab.
func (e *emitter) newExtended(group program.Group) *program.Section {
	side := program.Side{Name: extendedName, Type: cubin.SectionSymTabShNdx, Align: 4, EntSize: 4}
	side.SetBytes(make([]byte, 4*(len(e.emitted)+1)))
	s := &program.Section{Side: side, Group: group, Linked: true, State: program.Kept, Bank: program.NoBank}
	if e.HasMercury() {
		side.Name, side.Flags = cubin.MercuryName(extendedName), cubin.FlagMercury
		s.Mercury = &side
	}
	return s
}

const (
	extendedName = ".symtab_shndx"
	commonNumber = cubin.ShnCommon & 0xffff // st_shndx of a common symbol
)

// writeSymbols writes .symtab. Section numbers that do not fit there are written to .symtab_shndx.
func (e *emitter) writeSymbols() {
	b := make([]byte, 0, (len(e.emitted)+1)*cubin.SymbolSize)
	if !e.LosesNull {
		b = cubin.AppendSymbol(b, cubin.Symbol{Value: e.NullValue})
	}
	numbers := make([]byte, 4, 4*(len(e.emitted)+1))
	named := map[*program.Section]bool{} // code sections with a symbol written already
	for _, y := range e.emitted {
		out := cubin.Symbol{NameOffset: e.stringOf(y, e.plainName(y)), Bind: y.Bind, Type: y.Type, Other: y.Other, Value: y.Value + y.Addend, Size: y.Size}
		switch {
		case y.Section == nil:
		case e.LosesNull && len(b) == 0:
			out.Section = e.serial(y.Section) // nvlink skips the first entry when it writes the indices
		default:
			out.Section = e.plainAt[y.Section.ID]
		}
		if e.HasMercury() && y.Fn != nil && y.Section != nil {
			switch {
			case y.Alias == nil:
			case !named[y.Section] && !e.Target.Profile.Emit.FindsBehindAliases: // the finalizer gives the first name of code its size
				out.Size = y.Section.Size
			default:
				out.Size = y.Mercury.Size
			}
			named[y.Section] = true
		}
		if e.extended != nil {
			var long uint32
			out.Section, long = e.extendedNumber(y.Section, out.Section)
			numbers = binary.LittleEndian.AppendUint32(numbers, long)
		}
		b = cubin.AppendSymbol(b, out)
	}
	e.Std.Symtab.SetBytes(b)
	if e.extended != nil {
		e.extended.SetBytes(numbers)
	}
	if e.HasMercury() {
		e.numberCapsules()
		e.writeMercurySymbols()
	}
}

// extendedNumber returns st_shndx of a symbol in s, and its entry in .symtab_shndx. number is the index of s in
// the section table. nvlink assigns a section a number when it creates the section, and an index later. It writes
// first the number and then the index into the symbol. A value that fits goes into st_shndx, any other into
// .symtab_shndx. If the index fits, the entry in .symtab_shndx is still the number. The value of SHN_COMMON
// counts as one that fits (EMIT-041, EMIT-042).
func (e *emitter) extendedNumber(s *program.Section, number uint32) (short, long uint32) {
	switch {
	case s == nil:
		return number, number
	case e.staysCommon(s):
		return cubin.ShnCommon, commonNumber
	case number == commonNumber:
		return cubin.ShnCommon, e.serial(s)
	case number < cubin.ShnLoReserve:
		return number, e.serial(s)
	}
	return cubin.ShnXIndex, number
}

// serial returns the number that nvlink assigns s on creation. In an executable, .nv.rel.action is created after
// the standard sections and before those of the inputs.
func (e *emitter) serial(s *program.Section) uint32 {
	if e.Options.Relocatable || s == e.Std.Tkinfo || s == e.Std.Cuinfo {
		return uint32(s.Serial)
	}
	return uint32(s.Serial) + 1
}

// staysCommon reports whether nvlink mistakes the creation number of s for SHN_COMMON, and so does not update the
// symbols in s (E-360). Headers that refer to s contain that number too.
func (e *emitter) staysCommon(s *program.Section) bool {
	return e.extended != nil && e.Options.Relocatable && s.Serial == commonNumber
}

// entriesOf returns the entries of relocation section rs, or nil if there are none. Without a Mercury half the slots that
// the link adds to a parameter bank have a section of their own (LAYOUT-802).
func (e *emitter) entriesOf(rs *program.RelocationSection) *program.Later {
	side := rs.Target.Side
	if rs.Target.Bank == 0 && !e.HasMercury() {
		side.Relocations = slices.DeleteFunc(slices.Clone(side.Relocations), func(r program.Relocation) bool { return r.Added != rs.Slots })
	}
	return e.entries(rs.Type, &side)
}

// entries returns the relocation entries of the given type for a side, or nil if there are none. They are in
// nvlink's order, with the last added first (RELOC-202).
func (e *emitter) entries(typ cubin.SectionType, side *program.Side) *program.Later {
	list, size := side.Relocations, uint64(cubin.RelaSize)
	switch typ {
	case cubin.SectionResolvedRela, cubin.SectionMercResolved:
		list = side.Resolved
	case cubin.SectionRel:
		list, size = relocationsWith(list, false), cubin.RelSize
	case cubin.SectionRela:
		list = relocationsWith(list, true)
	}
	if len(list) == 0 {
		return nil
	}
	return &program.Later{Size: uint64(len(list)) * size, Entry: size, Fill: func(b []byte, from uint64) {
		left := list[:len(list)-int(from/size)]
		for b = b[:0:len(b)]; len(b) < cap(b); left = left[:len(left)-1] {
			r := &left[len(left)-1]
			out := cubin.Relocation{Offset: r.Offset, Type: r.Type, Symbol: e.number(r.Symbol), Addend: r.Addend}
			if typ == cubin.SectionRel {
				b = cubin.AppendRel(b, out)
			} else {
				b = cubin.AppendRela(b, out)
			}
		}
	}}
}

// relocationsWith returns those relocations of the list that have an addend of their own, or those that do not.
func relocationsWith(list []program.Relocation, addend bool) []program.Relocation {
	of := func(r program.Relocation) bool { return r.Rela == addend }
	other := func(r program.Relocation) bool { return r.Rela != addend }
	switch {
	case !slices.ContainsFunc(list, of):
		return nil
	case !slices.ContainsFunc(list, other):
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), other)
}
