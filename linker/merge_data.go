package linker

import (
	"math"

	"github.com/culink/culink/linker/cubin"
)

// Variables are merged after functions, in symbol order. The section that a
// variable lives in is placed at that moment (MERGE-001).

// mergeData creates the symbols of the input that are neither functions nor sections.
func (in *merger) mergeData() {
	for i := 1; i < len(in.object.symbols); i++ {
		y := &in.object.symbols[i]
		if y.Type == cubin.SymFunc || y.Type == cubin.SymSection || y.Name == "" || isLabel(y) {
			continue
		}
		if in.isReserved(y) {
			continue
		}
		if known := in.known(y); known != nil && !in.agrees(known, y) {
			in.symbolOf[i] = known
			continue
		}
		switch {
		case y.Type == cubin.SymData && y.Space() == cubin.OtherShared:
			in.symbolOf[i] = in.mergeShared(y)
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
// is not the program's to place (LAYOUT-060).
func (in *merger) isReserved(y *cubin.Symbol) bool {
	return int(y.Section) < len(in.object.file.Sections) && in.object.file.Sections[y.Section].Type == cubin.SectionSharedReserved
}

// mergeReference takes a variable that the input uses and does not define. A local
// one (.nv.ptx.const0.size) has the value that stands in the input.
func (in *merger) mergeReference(y *cubin.Symbol) *symbol {
	if y.Bind == cubin.BindLocal {
		symbol := in.newVariable(y)
		symbol.value = math.MaxUint64
		symbol.local = true
		if y.Type == cubin.SymObject {
			symbol.typ = cubin.SymData // LAYOUT-403
		}
		symbol.hidden = !in.options.Relocatable
		symbol.unnamed = symbol.hidden
		in.add(symbol)
		return symbol
	}
	if known := in.known(y); known != nil {
		known.weakRef = known.weakRef && y.Bind == cubin.BindWeak
		return known
	}
	symbol := in.newVariable(y)
	symbol.bind = cubin.BindGlobal
	symbol.weakRef = y.Bind == cubin.BindWeak
	symbol.hidden = (symbol.weakRef || unifiedTables[y.Name] || y.Name == uftOffset) && !keptReserved[y.Name] && !in.options.Relocatable
	in.add(symbol)
	return symbol
}

// keptReserved are the names of the linker that stay in the symbol table of an
// executable although nothing defines them; the others (__UFT_OFFSET and so on)
// leave only their names in .strtab (EMIT-012).
var keptReserved = map[string]bool{".nv.reservedSmem.offset0": true}

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

// setOther gives symbol the type and st_other of y that the output shows.
func (in *merger) setOther(symbol *symbol, y *cubin.Symbol) {
	symbol.typ, symbol.other = y.Type, y.Other
	if in.options.Relocatable {
		return
	}
	symbol.other &^= cubin.OtherSpaceMask
	if symbol.typ == cubin.SymData {
		symbol.typ = cubin.SymObject
	}
}

// known is the symbol that other inputs have made for the name of y, if any.
func (in *merger) known(y *cubin.Symbol) *symbol {
	if y.Bind == cubin.BindLocal {
		return nil
	}
	return in.symbols[y.Name]
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
}

// mergeVariable takes a variable that the input defines.
func (in *merger) mergeVariable(y *cubin.Symbol) *symbol {
	if y.Section >= cubin.ShnLoReserve && int(y.Section) >= len(in.places) { // absolute
		return nil
	}
	s := &in.object.file.Sections[y.Section]
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
	if y.Bind == cubin.BindLocal && y.Other&cubin.OtherInternal != 0 {
		// Parameters and the compiler's constants: relocations need them, the
		// tables of an executable do not.
		p.section.internals = append(p.section.internals, symbol)
		symbol.hidden = !in.options.Relocatable && !in.options.PreserveRelocs
		symbol.unnamed = symbol.hidden
	}
	in.add(symbol)
	return symbol
}

// mergeLost takes a symbol of a function whose code lost. With -r its parameters
// get a symbol all the same, in the bank of the function that stays (MERGE-022).
func (in *merger) mergeLost(y *cubin.Symbol, s *cubin.Section) *symbol {
	fn := in.winnerOf(s)
	if bank, ok := s.ConstantBank(); !ok || bank != 0 || fn == nil || y.Bind != cubin.BindLocal || fn.bound[s.Name] == nil {
		return nil
	}
	symbol := in.newVariable(y)
	symbol.section, symbol.value = fn.bound[s.Name], y.Value
	symbol.hidden = !in.options.Relocatable && !in.options.PreserveRelocs
	symbol.unnamed = symbol.hidden
	in.add(symbol)
	return symbol
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
		in.defineVariable(known, y, in.place(y.Section))
	case known.section == nil:
		in.defineVariable(known, y, in.place(y.Section))
		in.setOther(known, y)
		known.bind = y.Bind
		known.hidden, known.weakRef = false, false
	case known.bind == cubin.BindWeak && y.Bind == cubin.BindGlobal:
		old := span{known.value, known.value + known.size}
		oldSection := known.section
		in.noteUnused(known, known.definedIn)
		in.defineVariable(known, y, in.place(y.Section))
		known.bind = y.Bind
		oldSection.dropRelocations(old)
	default:
		// A copy that loses. Its bytes stay, its relocations go, but for those of
		// constants (MERGE-011).
		in.lost[y.Index] = true
		in.noteUnused(known, in.object.name)
		if s.Type != cubin.SectionGlobal {
			p := in.place(y.Section)
			if p.section.bank != noBank {
				break
			}
			in.duplicates[p.section] = append(in.duplicates[p.section], span{p.base + y.Value, p.base + y.Value + y.Size})
		}
	}
	return known
}

// dropRelocations forgets the relocations that lie in a span.
func (s *section) dropRelocations(lost span) {
	kept := s.relocations[:0]
	for _, r := range s.relocations {
		if r.offset < lost.from || r.offset >= lost.to {
			kept = append(kept, r)
		}
	}
	s.relocations = kept
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
		}
		known.size = max(known.size, y.Size)
	case known.section == nil || known.section.typ == cubin.SectionGlobal:
		known.common, known.section = true, nil
		known.value, known.size = y.Value, y.Size
	}
	return known
}
