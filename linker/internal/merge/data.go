package merge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// Variables are merged after functions, in symbol order. Merging a variable also places its section (MERGE-001).

// mergeData creates the symbols of the input that are neither functions nor sections.
func (in *merger) mergeData() {
	for _, i := range in.order {
		y := &in.object.Symbols[i]
		if i == 0 || y.Type == cubin.SymFunc || y.Type == cubin.SymSection || cubin.IsLabel(y) || y.Name == "" && in.saysNothing(y) {
			continue
		}
		if in.isReserved(y) {
			continue
		}
		if in.saysNothing(y) {
			in.symbolOf[i] = in.known(y)
			continue
		}
		if in.isHomeless(y) {
			in.stop("section not mapped")
			return
		}
		if known := in.known(y); known != nil && !in.agrees(known, y) {
			in.symbolOf[i] = known
			if in.redefinesInKernel(known, y) {
				in.stop(globalInKernel)
				return
			}
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
			if in.symbolOf[i] = in.mergeReference(y); in.stopped {
				return
			}
		default:
			in.symbolOf[i] = in.mergeVariable(y)
		}
	}
}

// isHomeless reports whether y is a texture, sampler or surface in a section that has not been placed yet.
// Merging a handle does not place its section (MERGE-045).
func (in *merger) isHomeless(y *cubin.Symbol) bool {
	return cubin.IsHandle(y.Type) && y.Defined() && int(y.Section) < len(in.places) && in.places[y.Section].state == unplaced
}

// isReserved reports whether y is in the shared memory that is reserved for the system. Before sm_100 the program
// does not place such variables (LAYOUT-060).
func (in *merger) isReserved(y *cubin.Symbol) bool {
	return !in.Target.Mercury() && int(y.Section) < len(in.object.File.Sections) && in.object.File.Sections[y.Section].Type == cubin.SectionSharedReserved
}

// saysNothing reports whether y is an undefined symbol of a type that no variable has. Such a symbol refers to
// whatever earlier inputs define under its name, and need not be defined (MERGE-305).
func (in *merger) saysNothing(y *cubin.Symbol) bool {
	return !y.Defined() && y.Type != cubin.SymObject && y.Type != cubin.SymData && !cubin.IsHandle(y.Type)
}

// mergeReference merges a variable that the input uses but does not define.
func (in *merger) mergeReference(y *cubin.Symbol) *program.Symbol {
	if known := in.known(y); known != nil {
		return known
	}
	if in.limits && y.Name == program.ReservedSharedCap && in.object.CapsuleNames(y) { // MERC-305
		return nil
	}
	symbol := in.newVariable(y)
	if (y.Bind == cubin.BindWeak || y.Bind == cubin.BindLocal && in.isLinkers(y.Name)) && in.Target.Profile.Merge.KeepsWeak {
		if in.Target.Profile.Merge.KeepsType {
			symbol.Type = y.Type
		}
		in.add(symbol)
		return symbol
	}
	if in.isLinkers(y.Name) || cubin.IsHandle(y.Type) {
		if in.Symbols[y.Name] != nil { // y is local (MERGE-741)
			in.stop("adding global symbols of same name")
			return nil
		}
		in.setProvided(symbol, y)
	} else {
		in.setUndefined(symbol, y)
	}
	in.add(symbol)
	return symbol
}

// isLinkers reports whether a name is defined by the linker of this release or by the system (KIT-271).
func (in *merger) isLinkers(name string) bool {
	return program.IsLinkers(name) && (name != cubin.TensorMemoryColumns || in.Target.Profile.Merge.CountsColumns)
}

// setProvided marks symbol as one that the linker or the driver defines. The value and type in the input have no
// effect, nor has the size of a handle (MERGE-314).
func (in *merger) setProvided(symbol *program.Symbol, y *cubin.Symbol) {
	symbol.Bind = cubin.BindGlobal
	if cubin.IsHandle(y.Type) {
		symbol.Size = 0
		return
	}
	symbol.Value, symbol.Type = program.ProvidedValue(y.Name, in.Target.Number), cubin.SymObject
	symbol.Mercury.Value = 0
	if in.HasMercury() {
		symbol.Type, symbol.MercuryType = cubin.SymData, cubin.SymData
	}
	symbol.Hidden = !program.KeptReserved[y.Name] && !in.Options.Relocatable
}

// setUndefined marks symbol as undefined so far. The symbol has no place. Its type is NVIDIA's type of variables
// if that is visible or the memory space is unknown (LAYOUT-403). An internal symbol need not be defined
// (REACH-203).
func (in *merger) setUndefined(symbol *program.Symbol, y *cubin.Symbol) {
	if in.Options.Relocatable || y.Space() == 0 {
		symbol.Type, symbol.MercuryType = cubin.SymData, cubin.SymData
	}
	symbol.Missing = true
	symbol.Hidden = y.IsInternal() && !in.Options.Relocatable
	symbol.Unnamed = symbol.Hidden
	if y.Bind == cubin.BindLocal && y.Name == cubin.UserConstantsSize {
		in.UserConstantsSize = symbol
	}
}

// newVariable creates a symbol for y. Only relocatable files contain NVIDIA's symbol type for variables and the
// memory space in st_other (EMIT-011).
func (in *merger) newVariable(y *cubin.Symbol) *program.Symbol {
	symbol := in.NewSymbol(program.Symbol{
		Name: y.Name, Bind: y.Bind, Type: y.Type, Other: y.Other, Size: y.Size,
		Mentioned: in.object.Name, Input: y.Other,
	})
	if cubin.IsHandle(y.Type) {
		symbol.Mentioned = "<input>" // no file has it, in nvlink's messages (DIAG-114)
	}
	in.setOther(symbol, y)
	return symbol
}

// setOther sets the type and st_other of symbol in the output from those of y. In a relocatable output variables
// have NVIDIA's type. In an executable, every symbol with a memory space, even code, has the type of an object
// and no memory space (EMIT-011). ELF's visibility "hidden" is dropped.
func (in *merger) setOther(symbol *program.Symbol, y *cubin.Symbol) {
	symbol.Type, symbol.Other = y.Type, y.Other
	if symbol.Type == cubin.SymObject {
		symbol.Type = cubin.SymData
	}
	if symbol.Other&cubin.OtherVisibility == cubin.OtherHidden {
		symbol.Other &^= cubin.OtherVisibility
	}
	in.setMercury(symbol, y)
	if in.Options.Relocatable || symbol.Other&cubin.OtherSpaceMask == 0 {
		return
	}
	symbol.Type = cubin.SymObject
	symbol.Other &^= cubin.OtherSpaceMask
}

// known returns the symbol that earlier inputs have created for the name of y, or nil. A handle of the program is
// compared with local symbols too, whatever its own binding (MERGE-740).
func (in *merger) known(y *cubin.Symbol) *program.Symbol {
	if cubin.IsHandle(y.Type) && !y.Defined() {
		return in.knownToHandle(y.Name)
	}
	if y.Bind != cubin.BindLocal {
		return in.Symbols[y.Name]
	}
	if y.Name == cubin.UserConstantsSize && !y.Defined() {
		return cmp.Or(in.Symbols[y.Name], in.UserConstantsSize)
	}
	return nil
}

// knownToHandle returns the symbol of a name, global or local, with which a handle is compared. The parameters of kernels
// are not among them (E-352).
func (in *merger) knownToHandle(name string) *program.Symbol {
	if known := in.Symbols[name]; known != nil {
		return known
	}
	if first := in.firstLocals[name]; first != nil && !cubin.IsHandle(first.Type) {
		return first
	}
	return nil
}

// add adds a new symbol to the list for its binding.
func (in *merger) add(y *program.Symbol) {
	in.List(y)
	if y.Bind != cubin.BindLocal {
		in.Symbols[y.Name] = y
	} else {
		in.noteLocal(y)
	}
	if cubin.IsHandle(y.Type) {
		in.Handles = append(in.Handles, y)
	}
}

// noteLocal records a local symbol if it is the first symbol of its name. Later functions (MERGE-380) and handles
// (MERGE-740) are compared with it.
func (in *merger) noteLocal(y *program.Symbol) {
	if _, noted := in.firstLocals[y.Name]; !noted && in.Symbols[y.Name] == nil {
		in.firstLocals[y.Name] = y
	}
}

// mergeVariable merges a variable that the input defines.
func (in *merger) mergeVariable(y *cubin.Symbol) *program.Symbol {
	if y.Section >= cubin.ShnLoReserve && int(y.Section) >= len(in.places) { // absolute
		return nil
	}
	s := &in.object.File.Sections[y.Section]
	if cubin.IsHandle(y.Type) && in.object.IsCode(s) {
		return in.mergeHandleParameter(y, s)
	}
	if _, lost := in.ownerOf(s); lost {
		return in.mergeLost(y, s)
	}
	if in.places[y.Section].state == dropped { // a variable in discarded code
		return nil
	}
	if known := in.known(y); known != nil {
		return in.redefineVariable(known, y)
	}
	p := in.place(y.Section)
	symbol := in.newVariable(y)
	in.defineVariable(symbol, y, p)
	if p.section.Bank == cubin.CompilerBankNumber && y.Space() == cubin.OtherConstant { // MERGE-307
		symbol.Other |= cubin.OtherInternal // whatever the compiler has set
		symbol.Bind = cubin.BindLocal
	}
	if symbol.Other&cubin.OtherVisibility == cubin.OtherInternal {
		// Relocations need the following symbols, but the symbol table of an executable omits them: parameters,
		// compiler-generated constants, and the addresses of position-independent code (MERGE-303).
		if y.Bind == cubin.BindLocal {
			p.section.Internals = append(p.section.Internals, symbol)
			if in.Target.Profile.Merge.NumbersConstants && (in.HasMercury() || in.limits) && p.section.Bank == cubin.CompilerBankNumber { // EMIT-411
				in.numOptimizer++
				symbol.Name = fmt.Sprintf("%s.%d", cubin.NameInMercury(p.section.Name), in.numOptimizer)
			}
		}
		in.hide(symbol)
	}
	in.add(symbol)
	return symbol
}

// hide omits an internal symbol and its name from the symbol and string tables of an executable.
func (in *merger) hide(symbol *program.Symbol) {
	symbol.Hidden = !in.Options.Relocatable && !in.Options.PreserveRelocs
	symbol.Unnamed = symbol.Hidden
}

// mergeLost merges a symbol that belongs to a function whose code was discarded. With -r its parameters still get
// a symbol, in the bank of the prevailing function (MERGE-022).
func (in *merger) mergeLost(y *cubin.Symbol, s *cubin.Section) *program.Symbol {
	if bank, ok := s.ConstantBank(); ok && bank == cubin.CompilerBankNumber {
		in.numOptimizer++ // it still counts
	}
	fn := in.winnerOf(s)
	if bank, ok := s.ConstantBank(); !ok || bank != 0 || fn == nil || y.Bind != cubin.BindLocal || fn.Bound.Named(s.Name) == nil {
		return nil
	}
	symbol := in.newVariable(y)
	symbol.Section, symbol.Value = fn.Bound.Named(s.Name), in.place(y.Section).base+y.Value
	in.hide(symbol)
	in.add(symbol)
	return symbol
}

// mergeHandleParameter merges a texture, sampler or surface that is a parameter of the kernel whose code is s. It
// belongs to the kernel even if the kernel's code is from another input, and is local whatever its binding (MERGE-308).
func (in *merger) mergeHandleParameter(y *cubin.Symbol, s *cubin.Section) *program.Symbol {
	kernel := s.CodeSymbol()
	if int(kernel) >= len(in.symbolOf) || in.symbolOf[kernel] == nil || in.symbolOf[kernel].Fn == nil {
		return nil
	}
	text := in.symbolOf[kernel].Fn.Text
	if text == nil {
		return nil
	}
	if known := in.handleParameters[handleParameter{text, y.Name}]; known != nil {
		return known
	}
	symbol := in.newVariable(y)
	symbol.Section, symbol.DefinedIn, symbol.Bind = text, in.object.Name, cubin.BindLocal
	in.handleParameters[handleParameter{text, y.Name}] = symbol
	in.add(symbol)
	return symbol
}

// A handleParameter identifies a parameter by its name and the code of its kernel.
type handleParameter struct {
	text *program.Section
	name string
}

// winnerOf returns the prevailing function for the function that section s belongs to.
func (in *merger) winnerOf(s *cubin.Section) *program.Function {
	return in.winners[s.Info]
}

// findWinners records the prevailing function for each code section of the input. It is that of the first symbol
// in the section that is part of the link. Functions inside the code of others do not count.
func (in *merger) findWinners() {
	for i := range slices.Backward(in.object.Symbols) {
		if _, isInner := in.inner[uint32(i)]; isInner {
			continue
		}
		if y := &in.object.Symbols[i]; y.Type == cubin.SymFunc && in.symbolOf[i] != nil && int(y.Section) < len(in.winners) {
			in.winners[y.Section] = in.symbolOf[i].Fn
		}
	}
}

func (in *merger) defineVariable(symbol *program.Symbol, y *cubin.Symbol, p place) {
	symbol.Section = p.section
	symbol.Value = p.base + y.Value
	symbol.Size = y.Size
	symbol.DefinedIn = in.object.Name
	symbol.Common, symbol.Overtaken = false, false
}

// redefineVariable merges a definition of a known name.
func (in *merger) redefineVariable(known *program.Symbol, y *cubin.Symbol) *program.Symbol {
	s := &in.object.File.Sections[y.Section]
	switch {
	case known.Overtaken && y.Bind == cubin.BindGlobal && s.Type == cubin.SectionGlobal:
		in.NoteUnused(known, known.DefinedIn)
		known.Bind = y.Bind
		in.defineVariable(known, y, in.place(y.Section))
	case known.Common && y.Bind == cubin.BindGlobal && s.Type == cubin.SectionGlobal && !in.Target.Profile.Merge.DiscardsCommon:
		in.NoteUnused(known, in.object.Name)
		in.place(y.Section) // the space is unused (MERGE-016)
		known.Bind, known.Met = y.Bind, true
	case known.Common && y.Bind == cubin.BindGlobal:
		in.NoteUnused(known, known.DefinedIn)
		known.Bind = y.Bind
		in.Options.TraceStep(trace.InitReplacesCommon, y.Name)
		known.Mentioned = in.object.Name // the claims about the common symbol are ignored (MERGE-037)
		in.defineVariable(known, y, in.place(y.Section))
	case known.Section == nil && !known.Common:
		in.defineVariable(known, y, in.place(y.Section))
		in.setOther(known, y)
		known.Bind = y.Bind
		known.Hidden, known.Unnamed = false, false
	case known.Bind == cubin.BindWeak && y.Bind == cubin.BindGlobal:
		in.NoteUnused(known, known.DefinedIn)
		in.defineVariable(known, y, in.place(y.Section))
		known.Bind = y.Bind
	default:
		// This definition is discarded, but its bytes stay in the section, which is merged with those that have no
		// symbols. A weak definition does not replace a common either (MERGE-901). If the prevailing definition is
		// weak, its relocations are dropped, except for those of constants (MERGE-011).
		if in.lost == nil {
			in.lost, in.duplicates = map[uint32]bool{}, map[uint32][]program.Span{}
		}
		in.lost[y.Index] = true
		if discards := in.Target.Profile.Merge.DiscardsCommon; known.Common && (discards || s.Type == cubin.SectionGlobalInit) {
			known.Overtaken, known.Mentioned = !discards, in.object.Name // MERGE-973, MERGE-980
		}
		in.NoteUnused(known, in.object.Name)
		if known.Bind == cubin.BindWeak {
			in.duplicates[y.Section] = append(in.duplicates[y.Section], program.Span{From: y.Value, To: y.Value + y.Size})
		}
	}
	return known
}

// mergeCommon merges a common symbol. Its size is the largest of all inputs, its alignment the first one
// (MERGE-015). The layout allocates it. A weak variable without contents becomes common too (MERGE-016).
func (in *merger) mergeCommon(y *cubin.Symbol) *program.Symbol {
	known := in.known(y)
	if known == nil {
		symbol := in.newVariable(y)
		symbol.Common, symbol.Value = true, y.Value
		symbol.DefinedIn = in.object.Name
		if y.IsInternal() {
			in.hide(symbol)
		}
		in.Commons = append(in.Commons, symbol)
		in.add(symbol)
		return symbol
	}
	if known.Section != nil || known.Common {
		in.NoteUnused(known, in.object.Name)
	} else {
		known.DefinedIn = in.object.Name
	}
	switch {
	case known.Section != nil && (in.Target.Profile.Merge.DiscardsCommon || y.Bind == cubin.BindWeak):
	case known.Common:
		if y.Size > known.Size {
			in.Options.TraceStep(trace.CommonGrows, y.Name)
			known.Size, known.Mentioned = y.Size, in.object.Name
		}
	case known.Section == nil || known.Section.Type == cubin.SectionGlobal:
		known.Mentioned = in.object.Name // as a function's (MERGE-382)
		known.Common, known.Section = true, nil
		in.Commons = append(in.Commons, known)
		known.Value, known.Size = y.Value, y.Size
	}
	return known
}
