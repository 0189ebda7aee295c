package linker

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Shared memory has no bytes and, in a relocatable file, no addresses: the value
// of a shared symbol is its alignment. Variables of a kernel stand in
// .nv.shared.<kernel>, all others in .nv_debug.shared; the layout places both.

// A sharedObject is a __shared__ variable, or a further definition of one: nvlink places
// each (LAYOUT-407).
type sharedObject struct {
	symbol  *symbol
	align   uint64
	size    uint64
	extern  bool      // extern __shared__: begins where the static ones end
	late    bool      // extern __shared__ that a later input defines with a size, so that nothing places it (LAYOUT-406)
	missing bool      // declared with its size, not defined yet
	owner   *function // the kernel whose section it stands in; nil for .nv_debug.shared
	section *section  // where it stood in the input

	leftOver bool // --preserve-relocs: an extern array while static ones are left over
}

const (
	moduleSharedName  = ".nv_debug.shared"
	entrySharedPrefix = ".nv.shared."
)

// mergeShared takes a shared variable. A definition adds an object each time that it
// gives the symbol a section: also to an extern array, and to a weak variable when it is
// a strong one (LAYOUT-406, LAYOUT-407).
func (in *merger) mergeShared(y *cubin.Symbol) *symbol {
	known := in.known(y)
	switch {
	case known == nil:
		return in.newShared(y)
	case known.shared == nil || !y.Defined() || y.Size == 0:
	case known.shared.missing:
		in.showShared(known, y)
		known.shared.missing, known.shared.align = false, max(y.Value, 1)
		in.defineShared(known.shared, y)
	case known.shared.isDynamic(), known.bind == cubin.BindWeak && y.Bind == cubin.BindGlobal:
		known.shared.late = known.shared.extern
		in.defineShared(&sharedObject{symbol: known, align: max(y.Value, 1), extern: known.shared.extern}, y)
	}
	return known
}

// newShared takes a shared variable that no earlier input names. The symbol table of an
// executable shows it only with -g, and with --preserve-relocs if it is static (EMIT-013).
func (in *merger) newShared(y *cubin.Symbol) *symbol {
	symbol := in.newVariable(y)
	in.showShared(symbol, y)
	o := &sharedObject{symbol: symbol, align: max(y.Value, 1)}
	symbol.shared = o
	if in.options.PreserveRelocs && !in.options.Relocatable && !in.options.debugSymbols() {
		symbol.other |= cubin.OtherInternal
		symbol.mercury.other |= cubin.OtherInternal
	}
	defer in.add(symbol)
	switch {
	case y.Size == 0: // an output of -r defines extern arrays, at the start of the section
		o.extern = true
		in.sharedInOrder = append(in.sharedInOrder, o)
		in.definesExternShared = in.definesExternShared || y.Defined()
		symbol.section = in.moduleShared()
		if in.options.Relocatable {
			symbol.section.align = max(symbol.section.align, o.align)
		}
	case !y.Defined():
		o.missing, o.size = true, y.Size
	default:
		return in.defineShared(o, y)
	}
	return symbol
}

// showShared says what the symbol table has of a shared variable that y mentions or defines.
func (in *merger) showShared(symbol *symbol, y *cubin.Symbol) {
	if in.options.Relocatable {
		symbol.hidden, symbol.value = false, y.Value
	} else {
		static := y.Defined() && y.Size > 0
		symbol.hidden = !in.options.debugSymbols() && !(in.options.PreserveRelocs && static)
		if y.Name == externInstance && !in.showsInstance() {
			symbol.hidden = true // made by an earlier -r, for relocations only
		}
	}
	symbol.unnamed = symbol.hidden
}

// showsInstance tells whether an executable has the symbol that an earlier -r has made for
// the extern arrays of a kernel (RELOC-403).
func (in *merger) showsInstance() bool {
	return in.options.PreserveRelocs && in.options.debugSymbols() && in.target.ReservedShared() > 0 && !in.mercury
}

// defineShared puts object o of a static shared variable into the section that y stands
// in. An extern variable of known size has waited for it (REACH-302).
func (in *merger) defineShared(o *sharedObject, y *cubin.Symbol) *symbol {
	symbol := o.symbol
	o.size = y.Size
	in.sharedInOrder = append(in.sharedInOrder, o)
	symbol.size, symbol.bind, symbol.definedIn = y.Size, y.Bind, in.object.name
	s := &in.object.file.Sections[y.Section]
	fn, lost := in.ownerOf(s)
	if lost {
		// The kernel that stays keeps room for the variables of this copy too.
		in.places[y.Section] = place{state: dropped}
		if fn = in.winnerOf(s); fn == nil || fn.shared == nil {
			return nil
		}
	}
	if fn == nil || fn.shared == nil || !strings.HasPrefix(s.Name, entrySharedPrefix) {
		out := in.moduleShared()
		out.align = max(out.align, y.Value)
		out.kept = true
		out.size += y.Size
		symbol.section, o.section = out, out
		in.sharedObjects = append(in.sharedObjects, o)
		return symbol
	}
	if y.Bind == cubin.BindGlobal { // MERGE-306
		in.stop("entry data cannot be GLOBAL")
		return symbol
	}
	out := fn.shared
	in.addShared(fn)
	if !out.kept {
		in.addName(out.name, nil) // it outlives a kernel that -kernels-used drops (EMIT-031)
	}
	out.kept, out.size = true, s.Size
	if in.options.Relocatable {
		out.align = max(out.align, o.align)
	}
	symbol.section, o.section = out, out
	o.owner = fn
	fn.sharedLocals = append(fn.sharedLocals, o)
	return symbol
}

// addShared makes the section of a kernel's shared memory, if it has waited for contents
// (REACH-031).
func (m *merged) addShared(fn *function) {
	if fn.shared.symbol == nil {
		m.addSection(fn.shared)
	}
}

// takeWholeShared takes the shared memory of the kernels of an extensible whole program as
// their compiler has laid it out, without symbols for the variables (LAYOUT-053). It comes
// behind all else of the input.
func (in *merger) takeWholeShared() {
	for i := range in.object.file.Sections {
		s := &in.object.file.Sections[i]
		if s.Type != cubin.SectionShared {
			continue
		}
		fn, lost := in.ownerOf(s)
		if fn == nil || lost || fn.shared == nil {
			continue
		}
		fn.looseShared = fn.shared.symbol == nil
		in.addShared(fn)
		in.addName(fn.shared.name, nil) // as above
		fn.wholeShared = true
		fn.shared.kept, fn.shared.size, fn.shared.align = true, s.Size, s.AddrAlign
	}
}

// moduleShared finds or makes .nv_debug.shared.
func (in *merger) moduleShared() *section {
	if s := in.byName[moduleSharedName]; s != nil {
		return s
	}
	s := in.addSection(&section{
		name: moduleSharedName, typ: cubin.SectionShared, flags: cubin.FlagAlloc | cubin.FlagWrite,
		align: 1, bank: noBank, group: groupNoBits, noBits: true,
	})
	in.byName[moduleSharedName] = s
	return s
}

// isDynamic tells whether o is an array whose size the launch decides.
func (o *sharedObject) isDynamic() bool { return o.extern && !o.late }
