package linker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// Variables are merged after functions, in symbol order. The section that a
// variable lives in is placed at that moment (MERGE-001).

// mergeData creates the symbols of the input that are neither functions nor sections.
func (in *merger) mergeData() {
	for i := 1; i < len(in.object.symbols); i++ {
		y := &in.object.symbols[i]
		if y.Type == cubin.SymFunc || y.Type == cubin.SymSection || isLabel(y) || y.Name == "" && !y.Defined() {
			continue
		}
		if in.isReserved(y) {
			continue
		}
		if in.saysNothing(y) {
			in.symbolOf[i] = in.known(y)
			continue
		}
		if known := in.known(y); known != nil && !in.agrees(known, y) {
			in.symbolOf[i] = known
			continue
		}
		switch {
		case y.Type == cubin.SymData && y.Space() == cubin.OtherShared:
			if in.symbolOf[i] = in.mergeShared(y); in.stopped {
				return
			}
		case y.Section == cubin.ShnCommon:
			in.symbolOf[i] = in.mergeCommon(y)
		case !y.Defined():
			in.symbolOf[i] = in.mergeReference(y)
		default:
			in.symbolOf[i] = in.mergeVariable(y)
		}
	}
}

// isReserved tells whether y lies in the shared memory that the system reserves, which
// is not the program's to place before sm_100 (LAYOUT-060).
func (in *merger) isReserved(y *cubin.Symbol) bool {
	return !in.target.Mercury() && int(y.Section) < len(in.object.file.Sections) && in.object.file.Sections[y.Section].Type == cubin.SectionSharedReserved
}

// saysNothing tells whether y is an undefined symbol of no type that variables have: it
// stands for what earlier inputs say of its name, and is not missed (MERGE-305).
func (in *merger) saysNothing(y *cubin.Symbol) bool {
	return !y.Defined() && y.Type != cubin.SymObject && y.Type != cubin.SymData && !isHandle(y.Type)
}

// mergeReference takes a variable that the input uses and does not define.
func (in *merger) mergeReference(y *cubin.Symbol) *symbol {
	if known := in.known(y); known != nil {
		return known
	}
	if in.limits && y.Name == reservedSharedCap && in.object.capsuleNames(y) { // MERC-305
		return nil
	}
	symbol := in.newVariable(y)
	if isLinkers(y.Name) || isHandle(y.Type) || in.target.Mercury() && y.Bind != cubin.BindLocal {
		in.setProvided(symbol, y)
	} else {
		in.setUndefined(symbol, y)
	}
	in.add(symbol)
	return symbol
}

// setProvided says of symbol that the linker or the driver defines it.
func (in *merger) setProvided(symbol *symbol, y *cubin.Symbol) {
	symbol.bind = cubin.BindGlobal
	if in.target.Mercury() && (y.Type == cubin.SymObject || isLinkers(y.Name)) {
		symbol.value = y.Value
	}
	if isLinkers(y.Name) {
		symbol.typ = y.Type
	}
	if in.mercury && (y.Type == cubin.SymObject || isLinkers(y.Name)) {
		symbol.typ, symbol.mercury.typ = cubin.SymData, cubin.SymData
	}
	symbol.hidden = (y.Bind == cubin.BindWeak || isLinkers(y.Name)) && !keptReserved[y.Name] && !in.options.Relocatable
}

// setUndefined says of symbol that nothing defines it yet: it has NVIDIA's type of
// variables, where that is shown or the memory space is unknown, and no place
// (LAYOUT-403). An internal one is not missed (REACH-203).
func (in *merger) setUndefined(symbol *symbol, y *cubin.Symbol) {
	if in.options.Relocatable || y.Space() == 0 {
		symbol.typ, symbol.mercury.typ = cubin.SymData, cubin.SymData
	}
	symbol.missing = true
	symbol.hidden = y.IsInternal() && !in.options.Relocatable
	symbol.unnamed = symbol.hidden
	if y.Bind == cubin.BindLocal && y.Name == userConstantsSize {
		in.userConstantsSize = symbol
	}
}

// isLinkers tells the names that the linker or the system defines.
func isLinkers(name string) bool {
	return unifiedTables[name] || name == uftOffset || keptReserved[name]
}

// keptReserved are the names of the linker that stay in the symbol table of an
// executable although nothing defines them; the others (__UFT_OFFSET and so on)
// leave only their names in .strtab (EMIT-012).
var keptReserved = map[string]bool{
	".nv.reservedSmem.offset0": true, ".nv.reservedSmem.begin": true, reservedSharedCap: true,

	// The driver knows the sizes of descriptors, which code adds to a handle to ask for
	// a property of a texture, sampler or surface.
	".nv.unified.texrefDescSize": true, ".nv.independent.texrefDescSize": true,
	".nv.independent.samplerrefDescSize": true, ".nv.surfrefDescSize": true,
}

const reservedSharedCap = ".nv.reservedSmem.cap"

// newVariable makes a symbol for y. NVIDIA's symbol type for variables, and the
// memory space in st_other, stand in relocatable files only (EMIT-011).
func (in *merger) newVariable(y *cubin.Symbol) *symbol {
	symbol := &symbol{
		name: y.Name, bind: y.Bind, typ: y.Type, other: y.Other, size: y.Size,
		mentioned: in.object.name, input: y.Other,
	}
	if isHandle(y.Type) {
		symbol.mentioned = "<input>" // no file has it, for nvlink's messages (DIAG-114)
	}
	in.setOther(symbol, y)
	return symbol
}

// setOther gives symbol the type and st_other of y that the output shows. Variables are
// of NVIDIA's type while an output is relocatable; in an executable what has a memory
// space, be it code, is an object without one (EMIT-011). ELF's visibility
// "hidden" is forgotten.
func (in *merger) setOther(symbol *symbol, y *cubin.Symbol) {
	symbol.typ, symbol.other = y.Type, y.Other
	if symbol.typ == cubin.SymObject {
		symbol.typ = cubin.SymData
	}
	if symbol.other&cubin.OtherVisibility == cubin.OtherHidden {
		symbol.other &^= cubin.OtherVisibility
	}
	in.setMercury(symbol, y)
	if in.options.Relocatable || symbol.other&cubin.OtherSpaceMask == 0 {
		return
	}
	symbol.typ = cubin.SymObject
	symbol.other &^= cubin.OtherSpaceMask
}

// known is the symbol that other inputs have made for the name of y, if any.
func (in *merger) known(y *cubin.Symbol) *symbol {
	if y.Bind != cubin.BindLocal {
		return in.symbols[y.Name]
	}
	if y.Name == userConstantsSize && !y.Defined() {
		return cmp.Or(in.symbols[y.Name], in.userConstantsSize)
	}
	return nil
}

// add puts a new symbol into the list that its binding asks for.
func (in *merger) add(y *symbol) {
	if y.bind == cubin.BindGlobal {
		in.globals = append(in.globals, y)
	} else {
		in.locals = append(in.locals, y)
	}
	if y.bind != cubin.BindLocal {
		in.symbols[y.name] = y
	}
	if isHandle(y.typ) {
		in.handles = append(in.handles, y)
	}
}

// mergeVariable takes a variable that the input defines.
func (in *merger) mergeVariable(y *cubin.Symbol) *symbol {
	if y.Section >= cubin.ShnLoReserve && int(y.Section) >= len(in.places) { // absolute
		return nil
	}
	s := &in.object.file.Sections[y.Section]
	if isHandle(y.Type) && in.object.isCode(s) {
		return in.mergeHandleParameter(y, s)
	}
	if _, lost := in.ownerOf(s); lost {
		return in.mergeLost(y, s)
	}
	if in.places[y.Section].state == dropped { // a variable in code that lost
		return nil
	}
	if known := in.known(y); known != nil {
		return in.redefineVariable(known, y)
	}
	p := in.place(y.Section)
	symbol := in.newVariable(y)
	in.defineVariable(symbol, y, p)
	if p.section.bank == compilerBankNumber && p.section.fn != nil && y.Space() == cubin.OtherConstant { // MERGE-307
		symbol.other |= cubin.OtherInternal // whatever the compiler says
	}
	if symbol.other&cubin.OtherVisibility == cubin.OtherInternal {
		// Parameters, the compiler's constants, and the addresses of position-independent
		// code: relocations need them, the tables of an executable do not (MERGE-303).
		if y.Bind == cubin.BindLocal {
			p.section.internals = append(p.section.internals, symbol)
			if (in.mercury || in.limits) && p.section.bank == compilerBankNumber { // EMIT-411
				in.numOptimizer++
				symbol.name = fmt.Sprintf("%s.%d", innerName(p.section.name), in.numOptimizer)
			}
		}
		in.hide(symbol)
	}
	in.add(symbol)
	return symbol
}

// hide leaves an internal symbol, and its name, out of the tables of an executable.
func (in *merger) hide(symbol *symbol) {
	symbol.hidden = !in.options.Relocatable && !in.options.PreserveRelocs
	symbol.unnamed = symbol.hidden
}

// mergeLost takes a symbol of a function whose code lost. With -r its parameters
// get a symbol all the same, in the bank of the function that stays (MERGE-022).
func (in *merger) mergeLost(y *cubin.Symbol, s *cubin.Section) *symbol {
	if bank, ok := s.ConstantBank(); ok && bank == compilerBankNumber {
		in.numOptimizer++ // it is counted all the same
	}
	fn := in.winnerOf(s)
	if bank, ok := s.ConstantBank(); !ok || bank != 0 || fn == nil || y.Bind != cubin.BindLocal || fn.bound[s.Name] == nil {
		return nil
	}
	symbol := in.newVariable(y)
	symbol.section, symbol.value = fn.bound[s.Name], in.place(y.Section).base+y.Value
	in.hide(symbol)
	in.add(symbol)
	return symbol
}

// mergeHandleParameter takes a texture, sampler or surface that is a parameter of the kernel
// with code s. It belongs to the kernel, whichever input's code that has (MERGE-308).
func (in *merger) mergeHandleParameter(y *cubin.Symbol, s *cubin.Section) *symbol {
	kernel := s.Info & 0xffffff
	if int(kernel) >= len(in.symbolOf) || in.symbolOf[kernel] == nil || in.symbolOf[kernel].fn == nil {
		return nil
	}
	text := in.symbolOf[kernel].fn.text
	if text == nil {
		return nil
	}
	if known := in.handleParameters[handleParameter{text, y.Name}]; known != nil {
		return known
	}
	symbol := in.newVariable(y)
	symbol.section, symbol.definedIn = text, in.object.name
	in.handleParameters[handleParameter{text, y.Name}] = symbol
	in.add(symbol)
	return symbol
}

// A handleParameter tells such a symbol from others.
type handleParameter struct {
	text *section
	name string
}

// winnerOf gives the function that stays in place of the one that s belongs to.
func (in *merger) winnerOf(s *cubin.Section) *function {
	for i := range in.object.symbols {
		y := &in.object.symbols[i]
		if y.Type == cubin.SymFunc && y.Section == s.Info && in.symbolOf[i] != nil {
			return in.symbolOf[i].fn
		}
	}
	return nil
}

func (in *merger) defineVariable(symbol *symbol, y *cubin.Symbol, p place) {
	symbol.section = p.section
	symbol.value = p.base + y.Value
	symbol.size = y.Size
	symbol.definedIn = in.object.name
	symbol.common = false
}

// redefineVariable meets a definition of a name that is known.
func (in *merger) redefineVariable(known *symbol, y *cubin.Symbol) *symbol {
	s := &in.object.file.Sections[y.Section]
	switch {
	case known.common && s.Type == cubin.SectionGlobal:
		// A common stays one; the room of a strong definition is lost (MERGE-016).
		in.noteUnused(known, in.object.name)
		if y.Bind == cubin.BindGlobal {
			in.place(y.Section)
		}
	case known.common:
		in.noteUnused(known, known.definedIn)
		in.options.trace(initReplacesCommon, y.Name)
		known.mentioned = in.object.name // what was said of the common is forgotten (MERGE-037)
		in.defineVariable(known, y, in.place(y.Section))
	case known.section == nil:
		in.defineVariable(known, y, in.place(y.Section))
		in.setOther(known, y)
		known.bind = y.Bind
		known.hidden, known.unnamed = false, false
	case known.bind == cubin.BindWeak && y.Bind == cubin.BindGlobal:
		old := span{known.value, known.value + known.size}
		oldSection := known.section
		in.noteUnused(known, known.definedIn)
		in.defineVariable(known, y, in.place(y.Section))
		known.bind = y.Bind
		if oldSection.bank == noBank { // as below
			oldSection.replaced = append(oldSection.replaced, old)
		}
	default:
		// A copy that loses. Its bytes stay, its relocations go, but for those of
		// constants (MERGE-011).
		in.lost[y.Index] = true
		in.noteUnused(known, in.object.name)
		if s.Type != cubin.SectionGlobal && s.Type != cubin.SectionSharedReserved {
			p := in.place(y.Section)
			if p.section.bank != noBank {
				break
			}
			in.duplicates[p.section] = append(in.duplicates[p.section], span{p.base + y.Value, p.base + y.Value + y.Size})
		}
	}
	return known
}

// dropReplaced forgets the relocations of variables that a later definition replaced.
func (s *section) dropReplaced() {
	if len(s.replaced) == 0 {
		return
	}
	lost := disjoint(s.replaced)
	s.deleteRelocations(func(r relocation) bool { return lost.has(r.offset) })
}

// deleteRelocations forgets relocations, also those of the copy in the Mercury half,
// where data is the same.
func (s *section) deleteRelocations(lost func(relocation) bool) {
	s.relocations = slices.DeleteFunc(s.relocations, lost)
	if s.copy != nil {
		s.copy.relocations = slices.DeleteFunc(s.copy.relocations, lost)
	}
}

// mergeCommon takes a .common variable: its size is the largest seen, its
// alignment the first (MERGE-015). The layout allocates it. A weak variable without
// contents becomes common too (MERGE-016).
func (in *merger) mergeCommon(y *cubin.Symbol) *symbol {
	known := in.known(y)
	if known == nil {
		symbol := in.newVariable(y)
		symbol.common, symbol.value = true, y.Value
		symbol.definedIn = in.object.name
		if y.IsInternal() {
			in.hide(symbol)
		}
		in.commons = append(in.commons, symbol)
		in.add(symbol)
		return symbol
	}
	if known.section != nil || known.common {
		in.noteUnused(known, in.object.name)
	} else {
		known.definedIn = in.object.name
	}
	switch {
	case known.common:
		if y.Size > known.size {
			in.options.trace(commonGrows, y.Name)
			known.size, known.mentioned = y.Size, in.object.name
		}
	case known.section == nil || known.section.typ == cubin.SectionGlobal:
		known.common, known.section = true, nil
		in.commons = append(in.commons, known)
		known.value, known.size = y.Value, y.Size
	}
	return known
}
