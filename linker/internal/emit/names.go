package emit

import (
	"bytes"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/parallel"
)

// Section names are in .shstrtab and symbol names in .strtab, in the order in which nvlink created them. Both
// tables also have names of sections and symbols that are not in the output.

// writeStrings writes .shstrtab and .strtab in parallel. No name is stored twice, except those that the
// finalizer adds (EMIT-480). Names do not share suffixes. Names that were discarded with their function are
// omitted (EMIT-002, EMIT-005).
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
		room += len(e.Names[i].Name)
	}
	e.names, e.nameAt = newStringTable(len(e.Names), room), make([]uint32, len(e.Names)+1)
	for i := range e.Names {
		n := &e.Names[i]
		ofParameters := n.Section != nil && n.Section.Group == program.GroupParameters
		if ofParameters {
			e.endInnerNames()
		}
		if !e.Target.Profile.Emit.KeepsNames && (n.Fn != nil && n.Fn.Dead || n.Section != nil && n.Section.State == program.Gone) && !e.leavesName(n.Section) {
			continue
		}
		if ofParameters {
			e.nameAt[i+1] = e.names.append(n.Name)
			continue
		}
		e.nameAt[i+1] = e.names.addAs(n.Name, func(b []byte) []byte { return e.appendName(b, n) })
	}
	e.endInnerNames()
	if e.HasMercury() {
		e.renameAgain()
	}
	for _, s := range e.mercuryTable {
		s.nameAt = e.names.append(s.Name)
	}
	e.Std.Shstrtab.SetBytes(e.names.bytes)
}

// renameAgain changes the stored names of renamed sections if several sections share one name. nvlink replaces
// the prefix of the name in place, once for each section. Each replacement after the first finds the plain
// prefix already there. It removes as many bytes as the inner prefix is longer (EMIT-481).
func (e *emitter) renameAgain() {
	renamed := map[uint32]bool{}
	for _, r := range e.table {
		inner := r.section.NameInMercury(r.Name)
		if r.inMercury() || inner == r.Name {
			continue
		}
		at := e.nameOf(r)
		if renamed[at] {
			replacePrefix(e.names.bytes[at:][:len(inner)+1], r.Name, inner)
		}
		renamed[at] = true
	}
}

// replacePrefix replaces the prefix of a section's name in the space of the inner name. Plain and inner name
// differ only in the prefix, which ends in a dot.
func replacePrefix(space []byte, plain, inner string) {
	rest := 0 // length of the name after the prefix
	for plain[len(plain)-2-rest] == inner[len(inner)-2-rest] {
		rest++
	}
	name, _, _ := bytes.Cut(space[len(inner)-rest:], []byte{0})
	n := copy(space[len(plain)-rest:], name)
	clear(space[len(plain)-rest+n:])
}

// nameOf returns the offset of the name of r in .shstrtab.
func (e *emitter) nameOf(r *row) uint32 {
	at := r.nameAt
	if at == 0 {
		at = e.nameAt[r.serial]
	}
	if at == 0 {
		at, _ = e.names.find(r.Name)
	}
	return at
}

// stringOf returns the offset of name in .strtab. name is one of the names of y.
func (e *emitter) stringOf(y *program.Symbol, name string) uint32 {
	if at := e.stringAt[y.ID]; at != 0 && name == y.Name {
		return at
	}
	at, _ := e.strings.find(name)
	return at
}

// writeSymbolNames writes .strtab.
func (e *emitter) writeSymbolNames() {
	number, room := len(e.Locals)+len(e.Globals)+len(e.PrototypeStrings), 0
	for _, list := range [][]*program.Symbol{e.Locals, e.Globals} {
		for _, y := range list {
			room += len(y.Name)
		}
	}
	for _, s := range e.PrototypeStrings {
		room += len(s)
	}
	e.strings, e.stringAt = newStringTable(number, room), make([]uint32, e.NumSymbols+1)
	if e.Target.Profile.Emit.KeepsNames {
		for _, s := range e.KnownNames {
			e.strings.add(s)
		}
		return
	}
	for _, s := range e.PrototypeStrings {
		e.strings.add(s)
	}
	var outer []*program.Symbol
	for _, list := range [][]*program.Symbol{e.Locals, e.Globals} {
		for _, y := range list {
			if !y.Unnamed && !(y.IsSection && (y.Fn != nil && y.Fn.Dead || y.Section != nil && (y.Section.Dead() || y.Section.State == program.Gone) && !e.leavesName(y.Section))) {
				if !e.HasMercury() {
					e.stringAt[y.ID] = e.strings.add(y.Name)
				} else if y.OfParameterBank() {
					outer = append(outer, y)
				} else if inner := y.NameInMercury(); inner != y.Name {
					e.strings.add(inner)
					if !y.Hidden && y.Section.HasSymbol() {
						outer = append(outer, y)
					}
				} else {
					e.stringAt[y.ID] = e.strings.add(y.Name)
				}
			}
		}
	}
	e.inner.strings = uint64(len(e.strings.bytes))
	for _, y := range outer {
		e.stringAt[y.ID] = e.strings.append(y.Name)
	}
}

// writeFreshStrings writes .shstrtab and .strtab with only the names of the sections and symbols in the output,
// in their order. The call graph adds its prototypes (KIT-039).
func (e *emitter) writeFreshStrings() {
	e.names, e.nameAt = newStringTable(len(e.table), 0), []uint32{0}
	for _, r := range e.table {
		r.nameAt = e.names.add(r.Name)
	}
	e.Std.Shstrtab.SetBytes(append(e.names.bytes, make([]byte, namesGap)...))

	e.strings, e.stringAt = newStringTable(len(e.emitted), 0), make([]uint32, e.NumSymbols+1)
	e.strings.emptyFirst = true
	for _, y := range e.emitted {
		e.strings.add(e.plainName(y))
	}
	for _, y := range e.emitted[:e.numMercury] {
		e.strings.add(y.NameInMercury())
	}
}

// plainName returns the name of y in .symtab. Compiler-generated constants have their name of the Mercury half
// if that half has the order of the plain one (KIT-039).
func (e *emitter) plainName(y *program.Symbol) string {
	if e.HasMercury() && e.Target.Profile.Emit.FreshTables && y.IsSection && y.Section != nil && y.Section.Bank == cubin.CompilerBankNumber {
		return y.NameInMercury()
	}
	return y.Name
}

// leavesName reports whether the name of a section stays in the table although the section is not in the
// output. Such a name belongs to the shared memory of a kernel that host code does not refer to (EMIT-030). If
// that was known when the kernel was merged, the section exists only if it has variables (LTO-009). With -r
// there is another case: constants of a definition that was discarded for one without constants, if a third
// definition replaces that one (MERGE-038).
func (e *emitter) leavesName(s *program.Section) bool {
	switch {
	case s == nil:
		return false
	case s.State == program.Gone && s.Orphan:
		return e.Options.Relocatable
	}
	return e.HostKernels() != nil && !e.Options.HostKernelsFirst && s.Dead() && s.Fn.Entry && s == s.Fn.Shared
}

// endInnerNames records where the names of the inner file end: where nvlink reaches the parameter banks or the
// Mercury half. The name of a section that the finalizer adds follows.
func (e *emitter) endInnerNames() {
	if e.inner.names != 0 {
		return
	}
	e.inner.names = uint64(len(e.names.bytes))
	if e.late != nil {
		e.late.nameAt = e.names.append(extendedName)
	}
}

// appendName appends n with its terminator as .shstrtab has it. If the section has another name in the Mercury
// half, the plain name is stored in the space of that inner name. If the section is not in the output, the
// inner name stays.
func (e *emitter) appendName(b []byte, n *program.SectionName) []byte {
	inner := n.Name
	if e.HasMercury() {
		inner = n.Section.NameInMercury(n.Name)
	}
	if inner != n.Name && !e.named[n.Name] {
		return append(append(b, inner...), 0)
	}
	b = append(b, n.Name[:min(len(n.Name), len(inner)+1)]...)
	for range len(inner) + 1 - len(n.Name) {
		b = append(b, 0)
	}
	return b
}
