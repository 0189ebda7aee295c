package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// emit writes the output: sections in groups, symbols and names in order of
// creation, everything at the place that follows (EMIT-001, EMIT-002).
//
// Before: code and data are patched.
// After:  the bytes of the file; the program is used up.
func emit(r *relocated) ([]byte, error) {
	e := &emitter{relocated: r, stringAt: map[string]uint32{}}
	e.addRelocationAction()
	e.numberSymbols()
	if err := e.rebuildDebug(); err != nil {
		return nil, err
	}
	e.writeAttributes()
	e.writeNotes()
	e.chooseSections()
	e.writeStrings()
	e.writeCallGraph()
	e.writeSymbols()
	e.leak()
	image, err := e.image()
	if err != nil {
		return nil, err
	}
	return image.Encode()
}

// An emitter holds the tables of the output while they grow.
type emitter struct {
	*relocated
	emitted    []*symbol // the symbol table but for its null entry
	numLocal   int
	numMercury int               // of emitted, how many stand in the Mercury symbol table too
	nameAt     map[string]uint32 // in .shstrtab
	strings    []byte
	stringAt   map[string]uint32 // in .strtab
	table      []*section        // the section table but for its null entry

	mercuryTable   []*section // its end, the Mercury half
	mercurySymbols *section   // .nv.merc.symtab
	firstGlobal    uint32     // the first global symbol in it
	inner          innerFile
}

// relocationAction is the content of .nv.rel.action, the same in every
// executable (EMIT-006).
var relocationAction = []byte{0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 5, 0x36}

func (e *emitter) addRelocationAction() {
	if e.options.Relocatable || e.mercury {
		return
	}
	s := e.addStandard(".nv.rel.action", cubin.SectionRelAction, 0, 8, 8, groupInfo)
	s.data, s.size = relocationAction, uint64(len(relocationAction))
}

// numberSymbols chooses the symbols of the output and numbers them: locals, then
// globals, each in order of creation (EMIT-010).
func (e *emitter) numberSymbols() {
	e.std.prototype.kept = slices.ContainsFunc(e.functions, (*function).hasPrototype)
	var last []*symbol
	for _, list := range [][]*symbol{e.locals, e.globals} {
		for _, y := range list {
			if y.isSection && !y.section.hasSymbol() || y.hidden || y.inDeadCode() {
				continue
			}
			if e.mercury && y.ofParameterBank() {
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
	for i, y := range e.emitted {
		y.index = uint32(i + 1)
	}
	if len(last) > 0 {
		e.numLocal = len(e.emitted) // the last ones are local
	}
}

// inDeadCode tells whether y went away with the code that it is a part of.
func (y *symbol) inDeadCode() bool {
	return y.section != nil && y.section.group == groupText && y.section.dead()
}

// hasSymbol tells whether the section stands in the output with a symbol of its
// own (EMIT-014).
func (s *section) hasSymbol() bool {
	if s == nil || !s.kept || s.dead() {
		return false
	}
	switch s.typ {
	case cubin.SectionInfo, cubin.SectionCompat, cubin.SectionStrTab, cubin.SectionSymTab:
		return s.filled
	case cubin.SectionCallGraph, cubin.SectionPrototype, cubin.SectionNote, cubin.SectionRelAction:
		return true
	}
	return (s.size > 0 || s.copy != nil && s.copy.size > 0) && !s.anonymous
}

// hasPrototype tells whether .nv.prototype lists the function (REACH-002).
func (f *function) hasPrototype() bool { return f.prototype != nil && !f.dead && f.takenAs == nil }

// writeNotes writes what the output was compiled for into .note.nv.cuinfo, and on which
// other devices it runs.
func (e *emitter) writeNotes() {
	copy(e.std.cuinfo.writable(), e.originNote())
	if s := e.std.compat; s != nil {
		if e.mercury {
			e.compat.LimitFastPath(e.fastPaths())
		} else {
			e.compat.DropFastPath()
		}
		s.data = nvinfo.Encode(e.compat.Records())
		s.size = uint64(len(s.data))
		s.kept = s.size > 0
	}
}

// writeStrings writes .shstrtab and .strtab. No name stands twice, none is a
// suffix of another's; what died with its function is left out (EMIT-002, EMIT-005).
func (e *emitter) writeStrings() {
	names, offsets := []byte{0}, map[string]uint32{}
	for _, n := range e.names {
		if n.section != nil && n.section.group == groupParameters && e.inner.names == 0 {
			e.inner.names = uint64(len(names))
		}
		if (n.fn != nil && n.fn.dead || n.section != nil && n.section.gone) && !e.leavesName(n.section) {
			continue
		}
		if _, ok := offsets[n.name]; !ok {
			offsets[n.name] = uint32(len(names))
			names = append(names, e.paddedName(n)...)
		}
	}
	if e.inner.names == 0 {
		e.inner.names = uint64(len(names))
	}
	for _, s := range e.mercuryTable {
		s.nameAt = uint32(len(names))
		names = append(append(names, s.name...), 0)
	}
	e.nameAt = offsets
	e.std.shstrtab.data, e.std.shstrtab.size = names, uint64(len(names))

	e.strings = []byte{0}
	for _, s := range e.prototypeStrings {
		e.addString(s)
	}
	var outer []string
	for _, list := range [][]*symbol{e.locals, e.globals} {
		for _, y := range list {
			if !y.unnamed && !(y.isSection && (y.fn != nil && y.fn.dead || y.section != nil && (y.section.dead() || y.section.gone) && !e.leavesName(y.section))) {
				if !e.mercury {
					e.addString(y.name)
				} else if y.ofParameterBank() {
					outer = append(outer, y.name)
				} else if inner := y.innerName(); inner != y.name {
					e.addString(inner)
					if !y.hidden && y.section.hasSymbol() {
						outer = append(outer, y.name)
					}
				} else {
					e.addString(y.name)
				}
			}
		}
	}
	e.inner.strings = uint64(len(e.strings))
	for _, name := range outer {
		e.addString(name)
	}
	e.std.strtab.data, e.std.strtab.size = e.strings, uint64(len(e.strings))
}

// leavesName tells of a section that its name stays without it: that of the shared
// memory of a kernel that host code does not refer to (EMIT-030).
func (e *emitter) leavesName(s *section) bool {
	return s != nil && e.hostKernels() != nil && s.dead() && s.fn.entry && s == s.fn.shared
}

func (e *emitter) addString(s string) {
	if _, ok := e.stringAt[s]; ok {
		return
	}
	e.stringAt[s] = uint32(len(e.strings))
	e.strings = append(append(e.strings, s...), 0)
}

// writeCallGraph writes .nv.callgraph and .nv.prototype (REACH-001, REACH-002).
func (e *emitter) writeCallGraph() {
	b := appendWords(nil, 0, callsDirect)
	for _, fn := range e.functions {
		b = e.appendCalls(b, fn, fn.calls)
	}
	b = appendWords(b, 0, callsTaken)
	for _, fn := range e.functions {
		if fn.takenAs != nil && !fn.dead {
			offset := e.stringAt[*fn.takenAs]
			if fn.unsaid {
				offset = 0 // an empty string of inputs stands elsewhere (EMIT-005)
			}
			b = appendWords(b, fn.symbol.index, offset)
		}
	}
	b = appendWords(b, 0, callsIndirect)
	for _, fn := range e.functions {
		for _, prototype := range fn.callsVia.all() {
			if !fn.dead {
				b = appendWords(b, fn.symbol.index, e.stringAt[prototype])
			}
		}
	}
	b = appendWords(b, 0, takesAddress)
	for _, fn := range e.functions {
		b = e.appendCalls(b, fn, fn.taken)
	}
	e.std.callGraph.data, e.std.callGraph.size = b, uint64(len(b))

	b = nil
	for _, fn := range e.functions {
		if fn.hasPrototype() {
			b = appendWords(b, fn.symbol.index, e.stringAt[*fn.prototype])
		}
	}
	e.std.prototype.data, e.std.prototype.size = b, uint64(len(b))
}

// appendCalls writes the records of one caller. Several copies of a weak function
// may bring the same call; a relocatable link takes it once, the first time (EMIT-017).
func (e *emitter) appendCalls(b []byte, caller *function, callees frontList[*function]) []byte {
	if caller.dead {
		return b
	}
	if e.options.Relocatable && len(callees) > 1 {
		seen := make(map[*function]bool, len(callees))
		callees = slices.DeleteFunc(slices.Clone(callees), func(callee *function) bool {
			again := seen[callee]
			seen[callee] = true
			return again
		})
	}
	for _, callee := range callees.all() {
		if !callee.dead {
			b = appendWords(b, caller.symbol.index, callee.symbol.index)
		}
	}
	return b
}

func appendWords(b []byte, words ...uint32) []byte {
	for _, w := range words {
		b = le.AppendUint32(b, w)
	}
	return b
}

// chooseSections makes the relocation sections and orders the section table.
func (e *emitter) chooseSections() {
	sections := e.sections
	for _, rs := range e.relocationSections {
		if rs.target.dead() || !rs.target.kept {
			continue
		}
		data := rs.encode()
		if len(data) == 0 && !e.keepsEmpty(rs) {
			continue
		}
		s := &section{
			name: rs.name, typ: rs.typ, flags: rs.flags, align: 8, entSize: cubin.RelaSize,
			data: data, size: uint64(len(data)), target: rs.target, group: groupRelocation, linked: true, kept: true, bank: noBank,
		}
		if rs.typ == cubin.SectionRel {
			s.entSize = cubin.RelSize
		}
		sections = append(sections, s)
	}
	for _, s := range sections {
		if s.kept && !s.dead() {
			e.table = append(e.table, s)
		}
	}
	slices.SortStableFunc(e.table, func(a, b *section) int { return int(a.group) - int(b.group) })
	if e.mercury {
		e.chooseCopies()
		e.table = append(e.table, e.mercuryTable...)
	}
	for i, s := range e.table {
		s.index = uint32(i + 1)
	}
}

// writeSymbols writes .symtab.
func (e *emitter) writeSymbols() {
	b := make([]byte, 0, (len(e.emitted)+1)*cubin.SymbolSize)
	b = cubin.AppendSymbol(b, cubin.Symbol{Value: e.nullValue})
	named := map[*section]bool{} // code of which a symbol is written
	for _, y := range e.emitted {
		out := cubin.Symbol{NameOffset: e.stringAt[y.name], Bind: y.bind, Type: y.typ, Other: y.other, Value: y.value + y.addend, Size: y.size}
		if y.section != nil {
			out.Section = y.section.index
		}
		if e.mercury && y.fn != nil && y.section != nil {
			switch {
			case y.alias == nil:
			case !named[y.section]: // the finalizer gives the first name of code its size
				out.Size = y.section.size
			default:
				out.Size = y.mercury.size
			}
			named[y.section] = true
		}
		b = cubin.AppendSymbol(b, out)
	}
	e.std.symtab.data, e.std.symtab.size = b, uint64(len(b))
	if e.mercury {
		e.numberCapsules()
		e.writeMercurySymbols()
	}
}
