package emit

import (
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/internal/relocate"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/parallel"
)

// File writes the output: sections in groups, symbols and names in order of
// creation, everything at the place that follows (EMIT-001, EMIT-002).
//
// Before: code and data are patched.
// After:  the file, whose sections are not put together yet; the program is used up.
func File(r *relocate.Settled, found Findings) (*Output, error) {
	e := &emitter{Settled: r, found: found, records: make([][]nvinfo.Record, len(r.Functions))}
	e.addRelocationAction()
	e.numberSymbols()
	if err := e.rebuildDebug(); err != nil {
		return nil, err
	}
	e.writeAttributes()
	e.writeNotes()
	e.chooseSections()
	if e.HasMercury() && e.Target.Profile.FreshTables {
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

// Findings are what the checks before have decided about kernels.
type Findings struct {
	Cached    map[*reach.Entry]bool // they cache their loads (INFO-038)
	Uncounted []*reach.Entry        // they get an attribute for their registers, in this order (INFO-044)
}

// An emitter holds the tables of the output while they grow.
type emitter struct {
	*relocate.Settled
	found      Findings
	emitted    []*program.Symbol // the symbol table except for its null entry
	symbolAt   []uint32          // by ID, the number of a symbol in it; 0 for none
	numLocal   int
	numMercury int               // of emitted, how many stand in the Mercury symbol table too
	records    [][]nvinfo.Record // of .nv.info.<name>, by order of function
	nameAt     map[string]uint32 // in .shstrtab
	strings    []byte
	stringAt   map[string]uint32 // in .strtab
	table      []*row            // the section table except for its null entry
	plainAt    []uint32          // by ID, the number of a section in it; 0 for none
	mercuryAt  []uint32          // and that of its Mercury side
	named      map[string]bool   // the names of the sections in it; nil without a Mercury half
	extended   *program.Section  // .symtab_shndx; nil where every number of a section fits into a symbol
	late       *row              // .symtab_shndx of which only the finalizer knows; nil for none

	mercuryTable   []*row // its end, the Mercury half
	mercurySymbols *row   // .nv.merc.symtab
	firstGlobal    uint32 // the first global symbol in it
	inner          innerFile
}

// A row of the section table is a side of a section, or a table that only the output has.
type row struct {
	*program.Side
	section *program.Section // whose side it is; of a relocation section of the Mercury half, what it is about; nil for the Mercury symbols
	group   program.Group
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
func (r *row) noBits() bool { return r.bare || !r.inMercury() && r.section.NoBits }

// number is the number of y in the symbol table; 0 for none.
func (e *emitter) number(y *program.Symbol) uint32 { return e.symbolAt[y.ID] }

func (e *emitter) addRelocationAction() {
	if e.Options.Relocatable || !e.HasRelocationActions() {
		return
	}
	s := e.AddStandard(".nv.rel.action", cubin.SectionRelAction, 0, 8, 8, program.GroupInfo)
	s.SetBytes(slices.Clone(e.Target.Profile.RelocationAction))
}

// numberSymbols chooses the symbols of the output and numbers them: locals, then
// globals, each in order of creation (EMIT-010).
func (e *emitter) numberSymbols() {
	e.Std.Prototype.Keep(slices.ContainsFunc(e.Functions, (*program.Function).HasPrototype))
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
	for i, y := range e.emitted {
		e.symbolAt[y.ID] = uint32(i + 1)
	}
	if len(last) > 0 {
		e.numLocal = len(e.emitted) // the last ones are local
	}
}

// symbolLists returns the local symbols and the others. Which of the global ones became local
// counts where the finalizer orders symbols (KIT-058).
func (e *emitter) symbolLists() [2][]*program.Symbol {
	if !e.HasMercury() || !e.Target.Profile.LocalsFirst {
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

// writeNotes writes what the output was compiled for into .note.nv.cuinfo, and on which
// other devices it runs.
func (e *emitter) writeNotes() {
	if s := e.Std.Cuinfo; s != nil {
		copy(s.Writable(), e.OriginNote())
	}
	if s := e.Std.Compat; s != nil {
		if !e.HasMercury() {
			e.Compat.MachineCodeOnly()
		} else if e.Target.Profile.LimitsFastPath {
			e.Compat.LimitFastPath(fastPaths(e.Settled.Placed.Propagated.Reached.Program))
		}
		s.SetBytes(nvinfo.Encode(e.Compat.Records()))
		s.Keep(s.Size > 0)
	}
}

// writeStrings writes .shstrtab and .strtab, at the same time. No name stands twice, none is a
// suffix of another's; what died with its function is left out (EMIT-002, EMIT-005).
func (e *emitter) writeStrings() {
	parallel.Do(e.Options.Threads, 2, func(table int) {
		if table == 0 {
			e.writeNames()
		} else {
			e.writeSymbolNames()
		}
	})
}

// writeNames writes .shstrtab.
func (e *emitter) writeNames() {
	room := 0
	for i := range e.Names {
		room += len(e.Names[i].Name) + 1
	}
	names, offsets := append(make([]byte, 0, room), 0), make(map[string]uint32, len(e.Names))
	for _, n := range e.Names {
		if n.Section != nil && n.Section.Group == program.GroupParameters {
			names = e.endInnerNames(names)
		}
		if !e.Target.Profile.KeepsNames && (n.Fn != nil && n.Fn.Dead || n.Section != nil && n.Section.State == program.Gone) && !e.leavesName(n.Section) {
			continue
		}
		if _, ok := offsets[n.Name]; !ok {
			offsets[n.Name] = uint32(len(names))
			names = e.appendName(names, n)
		}
	}
	names = e.endInnerNames(names)
	for _, s := range e.mercuryTable {
		s.nameAt = uint32(len(names))
		names = append(append(names, s.Name...), 0)
	}
	e.nameAt = offsets
	e.Std.Shstrtab.SetBytes(names)
}

// writeSymbolNames writes .strtab.
func (e *emitter) writeSymbolNames() {
	room := 0
	for _, list := range [][]*program.Symbol{e.Locals, e.Globals} {
		for _, y := range list {
			room += len(y.Name) + 1
		}
	}
	e.strings = append(make([]byte, 0, room), 0)
	e.stringAt = make(map[string]uint32, len(e.Locals)+len(e.Globals))
	if e.Target.Profile.KeepsNames {
		for _, s := range e.KnownNames {
			e.addString(s)
		}
		return
	}
	for _, s := range e.PrototypeStrings {
		e.addString(s)
	}
	var outer []string
	for _, list := range [][]*program.Symbol{e.Locals, e.Globals} {
		for _, y := range list {
			if !y.Unnamed && !(y.IsSection && (y.Fn != nil && y.Fn.Dead || y.Section != nil && (y.Section.Dead() || y.Section.State == program.Gone) && !e.leavesName(y.Section))) {
				if !e.HasMercury() {
					e.addString(y.Name)
				} else if y.OfParameterBank() {
					outer = append(outer, y.Name)
				} else if inner := y.NameInMercury(); inner != y.Name {
					e.addString(inner)
					if !y.Hidden && y.Section.HasSymbol() {
						outer = append(outer, y.Name)
					}
				} else {
					e.addString(y.Name)
				}
			}
		}
	}
	e.inner.strings = uint64(len(e.strings))
	for _, name := range outer {
		e.addString(name)
	}
}

// writeFreshStrings writes .shstrtab and .strtab of what stands in the file: the names of
// sections in their order, and those of symbols in theirs. The call graph adds its prototypes
// (KIT-039).
func (e *emitter) writeFreshStrings() {
	names := []byte{0}
	e.nameAt = make(map[string]uint32, len(e.table))
	for _, r := range e.table {
		at, ok := e.nameAt[r.Name]
		if !ok {
			at = uint32(len(names))
			e.nameAt[r.Name] = at
			names = append(append(names, r.Name...), 0)
		}
		r.nameAt = at
	}
	e.Std.Shstrtab.SetBytes(append(names, make([]byte, namesGap)...))

	e.strings, e.stringAt = []byte{0}, map[string]uint32{"": 0}
	for _, y := range e.emitted {
		e.addString(e.plainName(y))
	}
	for _, y := range e.emitted[:e.numMercury] {
		e.addString(y.NameInMercury())
	}
}

// plainName is the name of y in .symtab. Constants of the compiler have that of the Mercury half
// where its order is the plain one (KIT-039).
func (e *emitter) plainName(y *program.Symbol) string {
	if e.HasMercury() && e.Target.Profile.FreshTables && y.IsSection && y.Section != nil && y.Section.Bank == cubin.CompilerBankNumber {
		return y.NameInMercury()
	}
	return y.Name
}

// leavesName tells of a section that its name stays without it: that of the shared
// memory of a kernel that host code does not refer to (EMIT-030). Where that was known when
// the kernel was merged, the section is there only if it has variables (LTO-009).
func (e *emitter) leavesName(s *program.Section) bool {
	return s != nil && e.HostKernels() != nil && !e.Options.HostKernelsFirst && s.Dead() && s.Fn.Entry && s == s.Fn.Shared
}

// addString returns where s is in .strtab, to which it adds s if it is not there yet.
func (e *emitter) addString(s string) uint32 {
	at, ok := e.stringAt[s]
	if !ok {
		at = uint32(len(e.strings))
		e.stringAt[s] = at
		e.strings = append(append(e.strings, s...), 0)
	}
	return at
}

// writeCallGraph writes .nv.callgraph and .nv.prototype (REACH-001, REACH-002), and with
// their strings .strtab.
func (e *emitter) writeCallGraph() {
	b := appendWords(nil, 0, cubin.CallsDirect)
	for _, fn := range e.Functions {
		b = e.appendCalls(b, fn, e.callsOf(fn))
	}
	b = appendWords(b, 0, cubin.CallsTaken)
	for _, fn := range e.Functions {
		if fn.TakenAs != nil && !fn.Dead {
			offset := uint32(0) // an empty string of inputs stands elsewhere (EMIT-005)
			if !fn.Unsaid {
				offset = e.addString(*fn.TakenAs)
			}
			b = appendWords(b, e.number(fn.Symbol), offset)
		}
	}
	b = appendWords(b, 0, cubin.CallsIndirect)
	for _, fn := range e.Functions {
		for _, prototype := range fn.CallsVia.All() {
			if !fn.Dead {
				b = appendWords(b, e.number(fn.Symbol), e.addString(prototype))
			}
		}
	}
	if e.Target.Profile.ListsTakers {
		b = appendWords(b, 0, cubin.TakesAddress)
		for _, fn := range e.Functions {
			b = e.appendCalls(b, fn, fn.Taken)
		}
	}
	setBoth(e.Std.CallGraph, b)

	b = nil
	for _, fn := range e.Functions {
		if fn.HasPrototype() {
			b = appendWords(b, e.number(fn.Symbol), e.addString(*fn.Prototype))
		}
	}
	setBoth(e.Std.Prototype, b)
	e.Std.Strtab.SetBytes(e.strings)
}

// setBoth makes b the contents of s, and of its side in the Mercury half if it has one.
func setBoth(s *program.Section, b []byte) {
	s.SetBytes(b)
	if s.Mercury != nil {
		s.Mercury.SetBytes(b)
	}
}

// callsOf returns the calls of a function, with those by pointers where the file says what
// they may mean (KIT-073).
func (e *emitter) callsOf(fn *program.Function) program.FrontList[*program.Function] {
	calls := fn.Calls
	if e.Target.Profile.ResolvesPointers {
		calls = slices.Clone(calls)
		for _, prototype := range fn.CallsVia.All() {
			for _, callee := range e.Functions {
				if callee.TakenAs != nil && *callee.TakenAs == prototype {
					calls.Push(callee)
				}
			}
		}
	}
	return calls
}

// appendCalls writes the records of one caller. Several copies of a weak function
// may bring the same call; a relocatable link takes it once, the first time (EMIT-017).
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
		if !callee.Dead {
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

// chooseSections makes the relocation sections and orders the section table.
func (e *emitter) chooseSections() {
	sections := slices.Grow(slices.Clip(e.Sections), len(e.RelocationSections))
	for _, rs := range e.RelocationSections {
		if rs.Target.Dead() || rs.Target.State != program.Kept {
			continue
		}
		entries := e.entries(rs.Type, &rs.Target.Side)
		if entries == nil && !e.keepsEmpty(rs) {
			continue
		}
		s := &program.Section{
			Side:   program.Side{Name: rs.Name, Type: rs.Type, Flags: rs.Flags, Align: 8, EntSize: cubin.RelaSize},
			Target: rs.Target, Group: program.GroupRelocation, Linked: true, State: program.Kept, Bank: program.NoBank,
		}
		s.SetLater(entries)
		if rs.Type == cubin.SectionRel {
			s.EntSize = cubin.RelSize
		}
		sections = append(sections, s)
	}
	rows := make([]row, 0, len(sections)) // in one place
	e.table = make([]*row, 0, len(sections))
	for _, s := range sections {
		if s.State == program.Kept && !s.Dead() {
			rows = append(rows, row{Side: &s.Side, section: s, group: s.Group})
			e.table = append(e.table, &rows[len(rows)-1])
		}
	}
	slices.SortStableFunc(e.table, func(a, b *row) int { return int(a.group) - int(b.group) })
	e.extendNumbers()
	if e.HasMercury() {
		if e.Target.Profile.CopiesCallGraph {
			e.copyCallGraph()
		}
		e.chooseMercury()
		e.extendLate()
		e.table = append(e.table, e.mercuryTable...)
	}
	e.plainAt, e.mercuryAt = make([]uint32, len(e.Sections)+1), make([]uint32, len(e.Sections)+1)
	if e.HasMercury() {
		e.named = make(map[string]bool, len(e.table))
		for _, r := range e.table {
			e.named[r.Name] = true
		}
	}
	for i, r := range e.table {
		r.index = uint32(i + 1)
		switch {
		case r.section == nil, r.Type == cubin.SectionSymTabShNdx:
		case r.Side == r.section.Mercury:
			e.mercuryAt[r.section.ID] = r.index
		case r.group != program.GroupRelocation && !r.inMercury():
			e.plainAt[r.section.ID] = r.index
		}
	}
}

// extendNumbers adds .symtab_shndx to a link that made so many sections that symbols cannot
// hold all their numbers, whether or not so many are left (EMIT-024).
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

// newExtended returns .symtab_shndx, with a number for each symbol of .symtab, and its Mercury
// side, which has as many.
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
	commonNumber = cubin.ShnCommon & 0xffff // what st_shndx of a common symbol is
)

// writeSymbols writes .symtab, and the numbers of sections that do not fit into it.
func (e *emitter) writeSymbols() {
	b := make([]byte, 0, (len(e.emitted)+1)*cubin.SymbolSize)
	b = cubin.AppendSymbol(b, cubin.Symbol{Value: e.NullValue})
	numbers := make([]byte, 4, 4*(len(e.emitted)+1))
	named := map[*program.Section]bool{} // code of which a symbol is written
	for _, y := range e.emitted {
		out := cubin.Symbol{NameOffset: e.stringAt[e.plainName(y)], Bind: y.Bind, Type: y.Type, Other: y.Other, Value: y.Value + y.Addend, Size: y.Size}
		if y.Section != nil {
			out.Section = e.plainAt[y.Section.ID]
		}
		if e.HasMercury() && y.Fn != nil && y.Section != nil {
			switch {
			case y.Alias == nil:
			case !named[y.Section] && !e.Target.Profile.FindsBehindAliases: // the finalizer gives the first name of code its size
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

// extendedNumber returns what a symbol in s, whose place in the section table is number, has
// for its section beside .symtab_shndx, and what stands there. nvlink gives a section a number
// when it makes it, and another one with its place. A symbol takes each in turn: a number that
// fits is its own, any other goes into .symtab_shndx, where the one before stays otherwise.
// The number of "common" counts as one that fits (EMIT-041, EMIT-042).
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

// serial is the number that nvlink gives s when it makes it. In an executable .nv.rel.action
// comes between the sections of every file and those of the inputs.
func (e *emitter) serial(s *program.Section) uint32 {
	if e.Options.Relocatable || s == e.Std.Tkinfo || s == e.Std.Cuinfo {
		return uint32(s.Serial)
	}
	return uint32(s.Serial) + 1
}

// staysCommon reports whether nvlink takes s for "common" by its first number, and does not
// give its symbols another one (E-360). What is about s names that number as well.
func (e *emitter) staysCommon(s *program.Section) bool {
	return e.extended != nil && e.Options.Relocatable && s.Serial == commonNumber
}

// entries returns the entries of a relocation section of that type about a side, as nvlink
// holds them: last pushed first (RELOC-202). It is nil if there are none.
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

// relocationsWith returns those of the list that have an addend of their own, or none.
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
