package merge

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// Shared memory has no bytes and, in a relocatable file, no addresses: the value of a shared symbol is its
// alignment. Variables of a kernel are in .nv.shared.<kernel>, all others in .nv_debug.shared. The layout
// places both.

// mergeShared merges a shared variable. The program gets a further object each time that a definition gives the
// symbol a section. An extern array counts as such a definition, and so does a weak variable if the definition is
// strong (LAYOUT-406, LAYOUT-407).
func (in *merger) mergeShared(y *cubin.Symbol) *program.Symbol {
	known := in.known(y)
	switch {
	case known == nil:
		return in.newShared(y)
	case known.Shared == nil || !y.Defined():
	case y.Size == 0:
		if known.Shared.IsDynamic() && known.Bind == cubin.BindWeak && y.Bind == cubin.BindGlobal {
			in.takeShared(known, y)
		}
	case known.Shared.Missing:
		in.showShared(known, y)
		in.takeShared(known, y)
		known.Missing, known.Shared.Missing, known.Shared.Align = false, false, max(y.Value, 1)
		in.defineShared(known.Shared, y)
	case known.Shared.IsDynamic(), known.Bind == cubin.BindWeak && y.Bind == cubin.BindGlobal:
		known.Shared.Late = known.Shared.Extern
		if known.Bind == cubin.BindWeak && y.Bind == cubin.BindGlobal {
			in.takeShared(known, y)
		}
		in.defineShared(&program.SharedObject{Symbol: known, Align: max(y.Value, 1), Extern: known.Shared.Extern}, y)
	}
	return known
}

// newShared merges a shared variable that no earlier input refers to. The symbol table of an executable
// contains it only with -g, and with --preserve-relocs if it is static (EMIT-013).
func (in *merger) newShared(y *cubin.Symbol) *program.Symbol {
	symbol := in.newVariable(y)
	in.showShared(symbol, y)
	o := &program.SharedObject{Symbol: symbol, Align: in.sharedAlign(y)}
	symbol.Shared = o
	if in.Options.Relocatable && in.object.Extensible() && y.Size > 0 {
		symbol.Value = o.Align
	}
	in.markShown(symbol)
	defer in.add(symbol)
	switch {
	case y.Size == 0: // the output of -r defines extern arrays, at the start of the section
		o.Extern = true
		in.SharedInOrder = append(in.SharedInOrder, o)
		symbol.Section = in.moduleShared()
		symbol.Section.Align = max(symbol.Section.Align, o.Align)
	case !y.Defined():
		o.Missing, o.Size = true, y.Size
		symbol.Missing, symbol.Hidden, symbol.Unnamed = true, false, false
	default:
		o.Fixed = in.object.Extensible()
		return in.defineShared(o, y)
	}
	return symbol
}

// markShown makes a shared variable internal in an executable that shows it for --preserve-relocs (EMIT-013).
func (in *merger) markShown(symbol *program.Symbol) {
	if in.Options.PreserveRelocs && !in.Options.Relocatable && !in.Options.DebugSymbols() {
		symbol.Other |= cubin.OtherInternal
		symbol.MercuryOther |= cubin.OtherInternal
	}
}

// takeShared gives symbol the binding and st_other of y, which defines it (LAYOUT-989).
func (in *merger) takeShared(symbol *program.Symbol, y *cubin.Symbol) {
	symbol.Bind = y.Bind
	in.setOther(symbol, y)
	in.markShown(symbol)
	in.hideShared(symbol, y)
}

// hideShared hides an internal shared variable of an executable with -g. Those that --preserve-relocs shows stay (LAYOUT-989).
func (in *merger) hideShared(symbol *program.Symbol, y *cubin.Symbol) {
	static := y.Defined() && y.Size > 0
	if in.Options.DebugSymbols() && !in.Options.Relocatable && !(in.Options.PreserveRelocs && (static || in.showsInstance())) {
		symbol.Hidden = y.IsInternal()
		symbol.Unnamed = symbol.Hidden
	}
}

// showShared sets the symbol table entry of a shared variable that y refers to or defines.
func (in *merger) showShared(symbol *program.Symbol, y *cubin.Symbol) {
	if in.Options.Relocatable {
		symbol.Hidden, symbol.Value = false, y.Value
	} else {
		static := y.Defined() && y.Size > 0
		symbol.Hidden = !in.Options.DebugSymbols() && !(in.Options.PreserveRelocs && static)
		if y.Name == cubin.ExternInstance && !in.showsInstance() {
			symbol.Hidden = true // created by an earlier -r, only for relocations
		}
	}
	symbol.Unnamed = symbol.Hidden
	in.hideShared(symbol, y)
}

// sharedAlign returns the alignment of a shared variable. In an extensible whole program the value of the symbol is the
// place that the compiler chose, and the linker aligns nothing (LAYOUT-053).
func (in *merger) sharedAlign(y *cubin.Symbol) uint64 {
	if in.object.Extensible() && y.Size > 0 {
		return 1
	}
	return max(y.Value, 1)
}

// showsInstance reports whether an executable keeps the symbol that an earlier -r created for the extern arrays of
// a kernel (RELOC-403).
func (in *merger) showsInstance() bool {
	return in.Options.PreserveRelocs && in.Options.DebugSymbols() && in.Target.ReservedShared() > 0 && !in.HasMercury()
}

// defineShared puts o, an object of a static shared variable, into the section of y. An extern variable of known
// size gets its place in this way too (REACH-302).
func (in *merger) defineShared(o *program.SharedObject, y *cubin.Symbol) *program.Symbol {
	symbol := o.Symbol
	o.Size = y.Size
	in.SharedInOrder = append(in.SharedInOrder, o)
	symbol.Size, symbol.Bind, symbol.DefinedIn = y.Size, y.Bind, in.object.Name
	s := &in.object.File.Sections[y.Section]
	fn, lost := in.ownerOf(s)
	if lost {
		// The prevailing kernel also reserves space for the variables of this definition.
		in.places[y.Section] = place{state: dropped}
		if fn = in.winnerOf(s); fn == nil || fn.Shared == nil {
			return nil
		}
	}
	if p := &in.places[y.Section]; p.state == unplaced && s.Type != cubin.SectionShared {
		p.state = dropped // whatever its name, its bytes are not data (LAYOUT-411)
	}
	if fn == nil || fn.Shared == nil || !strings.HasPrefix(s.Name, cubin.EntrySharedPrefix) {
		out := in.moduleShared()
		if o.Fixed {
			o.Place = y.Value
		} else {
			out.Align = max(out.Align, y.Value)
		}
		out.State = program.Kept
		out.Size += y.Size
		symbol.Section, o.Section = out, out
		in.SharedObjects = append(in.SharedObjects, o)
		return symbol
	}
	if y.Bind == cubin.BindGlobal {
		in.stop(globalInKernel)
		return symbol
	}
	out := fn.Shared
	in.AddShared(fn)
	if out.State != program.Kept {
		in.AddName(out.Name, nil) // it stays even if -kernels-used drops the kernel (EMIT-031)
	}
	out.State, out.Size = program.Kept, s.Size
	if in.Options.Relocatable {
		out.Align = max(out.Align, o.Align)
	}
	symbol.Section, o.Section = out, out
	o.Owner, o.Place = fn, y.Value
	fn.WholeShared = fn.WholeShared || fn.FirstWhole
	if fn.FirstWhole && !in.object.Extensible() && !lost && !in.Options.Relocatable {
		in.refuseWhole(fn, in.object.Name, "shared variables") // LAYOUT-801
	}
	fn.SharedLocals = append(fn.SharedLocals, o)
	return symbol
}

// globalInKernel is the error message for a global variable in the shared memory of a kernel (MERGE-306).
const globalInKernel = "entry data cannot be GLOBAL"

// redefinesInKernel reports whether y is a global definition in the shared memory of a kernel and replaces the
// definition of known, with which it conflicts. After reporting the conflict nvlink stops in this case
// (MERGE-306).
func (in *merger) redefinesInKernel(known *program.Symbol, y *cubin.Symbol) bool {
	if y.Type != cubin.SymData || y.Space() != cubin.OtherShared || y.Bind != cubin.BindGlobal || !y.Defined() || int(y.Section) >= len(in.places) {
		return false
	}
	s := &in.object.File.Sections[y.Section]
	fn, lost := in.ownerOf(s)
	if lost {
		fn = in.winnerOf(s)
	}
	replaces := known.Section == nil || known.Bind == cubin.BindWeak
	return replaces && fn != nil && fn.Shared != nil && strings.HasPrefix(s.Name, cubin.EntrySharedPrefix)
}

// takeWholeShared merges the shared memory of the kernels of an extensible whole program. It keeps the compiler's
// layout and creates no symbols for the variables (LAYOUT-053). It runs after all other parts of the input are
// merged.
func (in *merger) takeWholeShared() {
	for i := range in.object.File.Sections {
		s := &in.object.File.Sections[i]
		if s.Type != cubin.SectionShared {
			continue
		}
		fn, lost := in.ownerOf(s)
		switch {
		case s.Name == cubin.ModuleSharedName:
			in.addNamelessOutside(s)
			continue
		case lost && in.Options.DebugSymbols():
			continue // the code that stays does not use it (E-351)
		case lost:
			fn = in.winnerOf(s)
		}
		if fn != nil && fn.Shared != nil {
			in.addWholeShared(fn, s)
		}
	}
}

// addWholeShared makes s, which an extensible whole program has for kernel fn, an unnamed variable of fn. The memory of each
// definition of fn stays, whichever of them prevails (LAYOUT-800).
func (in *merger) addWholeShared(fn *program.Function, s *cubin.Section) {
	in.AddName(fn.Shared.Name, nil) // it stays even if -kernels-used drops the kernel (EMIT-031)
	switch {
	case fn.WholeShared && !in.Options.DebugSymbols():
		fn.Shared.Align = max(fn.Shared.Align, s.AddrAlign)
	case fn.FirstWhole:
		fn.WholeShared, fn.LooseShared = true, fn.Shared.Symbol == nil
		fn.Shared.Size, fn.Shared.Align = s.Size, s.AddrAlign
	case in.Options.Relocatable:
		fn.Shared.Align = max(fn.Shared.Align, s.AddrAlign)
	}
	in.AddShared(fn)
	fn.Shared.State = program.Kept
	if !fn.WholeShared || !in.Options.DebugSymbols() {
		in.addNamelessShared(fn, s)
	}
}

// addNamelessShared adds an unnamed variable to the shared memory of fn. It has the size and the alignment of s.
func (in *merger) addNamelessShared(fn *program.Function, s *cubin.Section) {
	fn.SharedLocals = append(fn.SharedLocals, &program.SharedObject{
		Symbol: &program.Symbol{Value: s.AddrAlign, Size: s.Size, Hidden: true}, Nameless: true,
		Align: max(s.AddrAlign, 1), Size: s.Size, Owner: fn, Section: fn.Shared,
	})
}

// addNamelessOutside makes .nv_debug.shared of an extensible whole program an unnamed variable outside of kernels, beside those
// that have names (LAYOUT-986).
func (in *merger) addNamelessOutside(s *cubin.Section) {
	if in.Options.DebugSymbols() {
		return
	}
	out := in.moduleShared()
	out.Align = max(out.Align, s.AddrAlign)
	out.State = program.Kept
	o := &program.SharedObject{
		Symbol: &program.Symbol{Value: s.AddrAlign, Size: s.Size, Hidden: true}, Nameless: true,
		Align: max(s.AddrAlign, 1), Size: s.Size, Section: out,
	}
	in.SharedInOrder = slices.Insert(in.SharedInOrder, 0, o) // the sort of LAYOUT-030 meets it first
	in.SharedObjects = append(in.SharedObjects, o)
}

// takeLooseShared merges shared memory of kernels that has no variables as one unnamed variable (KIT-090). An
// earlier -r leaves such memory for extern arrays.
func (in *merger) takeLooseShared() {
	named := map[int]bool{}
	for i := range in.object.Symbols {
		if y := &in.object.Symbols[i]; y.Type != cubin.SymSection {
			named[int(y.Section)] = true
		}
	}
	for i := range in.object.File.Sections {
		s := &in.object.File.Sections[i]
		if s.Type != cubin.SectionShared || s.Size == 0 || named[i] || !strings.HasPrefix(s.Name, cubin.EntrySharedPrefix) {
			continue
		}
		fn, lost := in.ownerOf(s)
		if lost {
			fn = in.winnerOf(s)
		}
		if fn == nil || fn.Shared == nil {
			continue
		}
		in.AddShared(fn)
		if fn.Shared.State != program.Kept {
			in.AddName(fn.Shared.Name, nil) // as above
		}
		fn.Shared.State, fn.Shared.Size = program.Kept, s.Size
		if in.Options.Relocatable {
			fn.Shared.Align = max(fn.Shared.Align, s.AddrAlign)
		}
		in.addNamelessShared(fn, s)
	}
}

// moduleShared finds or creates .nv_debug.shared.
func (in *merger) moduleShared() *program.Section {
	if s := in.ByName[cubin.ModuleSharedName]; s != nil {
		return s
	}
	s := in.AddNewSection(program.Section{
		Side: program.Side{Name: cubin.ModuleSharedName, Type: cubin.SectionShared, Flags: cubin.FlagAlloc | cubin.FlagWrite, Align: 1},
		Bank: program.NoBank, Group: program.GroupNoBits, NoBits: true,
	})
	in.ByName[cubin.ModuleSharedName] = s
	return s
}
