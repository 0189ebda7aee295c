package linker

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// Functions are merged first. A name that several inputs define is one function:
// a strong definition replaces a weak one, of two weak ones the one that needs
// fewer registers stays, else the one for the newer virtual architecture, else the
// first (seed 004 "Weak resolution"; MERGE-020).

// mergeFunctions creates the function symbols of the input, in symbol order.
func (in *merger) mergeFunctions() {
	for i := range in.object.symbols {
		y := &in.object.symbols[i]
		if y.Type != cubin.SymFunc {
			continue
		}
		owner := in.ownerOfCode(y)
		if owner != nil {
			in.mergeFunction(owner)
		}
		switch {
		case owner != nil && (y.Bind == cubin.BindLocal || owner.IsEntry()):
			in.symbolOf[i] = in.mergeInner(y)
		case owner != nil && in.places[y.Section].state == unplaced: // MERGE-310
			missing := *y
			missing.Section = cubin.ShnUndef
			in.mergeFunction(&missing)
		default:
			in.mergeFunction(y)
		}
		if in.stopped {
			return
		}
	}
}

// mergeFunction takes one function of the input, once.
func (in *merger) mergeFunction(y *cubin.Symbol) {
	if in.symbolOf[y.Index] != nil {
		if y.Bind == cubin.BindWeak {
			in.options.trace(weakDone, y.Name)
		}
		return
	}
	known := in.known(y)
	if known != nil && !in.agrees(known, y) {
		in.symbolOf[y.Index] = known
		in.overlaps = in.overlaps || in.constantsOverlap(known, y)
		return
	}
	fn := in.functionFor(y)
	in.symbolOf[y.Index] = fn.symbol
	switch {
	case !y.Defined():
	case fn.symbol.section == nil:
		in.define(fn, y, known != nil)
	default:
		in.redefine(fn, y)
	}
}

// constantsOverlap tells whether two definitions of one function bring the compiler's
// constants, and not the same: nvlink ends with an error of its own then (DIAG-115).
func (in *merger) constantsOverlap(known *symbol, y *cubin.Symbol) bool {
	if in.mercury || known.fn == nil || known.fn.compilerConstants() == nil || !y.Defined() {
		return false // the Mercury half, which nvlink merges, has zeros there
	}
	for i := range in.object.file.Sections {
		s := &in.object.file.Sections[i]
		if bank, ok := s.ConstantBank(); ok && bank == compilerBankNumber && s.Info == y.Section {
			had, has := known.fn.compilerConstants().data, in.object.data(uint32(i))
			n := min(len(had), len(has))
			return !bytes.Equal(had[:n], has[:n])
		}
	}
	return false
}

// functionFor finds or makes the function that y names. Local and weak functions
// go to the list of local symbols, others to the global one (EMIT-010).
func (in *merger) functionFor(y *cubin.Symbol) *function {
	if known := in.known(y); known != nil && known.fn != nil {
		return known.fn
	}
	symbol := &symbol{name: y.Name, bind: y.Bind, size: y.Size, mentioned: in.object.name, input: y.Other}
	in.setOther(symbol, y)
	fn := &function{symbol: symbol, order: len(in.functions), entry: y.IsEntry()}
	symbol.fn = fn
	in.functions = append(in.functions, fn)
	in.add(symbol)
	return fn
}

// define gives fn the code of the input. The sections of a kernel's attributes
// and shared memory are made with it, whether they get contents or not (MERGE-002);
// those of one that the options do not name only if an earlier input has mentioned
// it (REACH-031).
func (in *merger) define(fn *function, y *cubin.Symbol, mentioned bool) {
	s := &in.object.file.Sections[y.Section]
	if in.places[y.Section].state == placed { // a second name for code that is placed: an alias
		in.defineAlias(fn, y)
		return
	}
	in.takeSymbol(fn, y)
	text := &section{
		name: codePrefix + fn.symbol.name, typ: cubin.SectionProgBits, flags: cubin.FlagAlloc | cubin.FlagExec, align: s.AddrAlign, bank: noBank,
		fn: fn, group: groupText, kept: true, linked: true,
	}
	fn.text = text
	fn.symbol.section = text
	in.takeCode(fn, y)
	in.addSection(text)
	in.byName[text.name] = text // MERGE-312
	if fn.entry {
		prepared := mentioned || in.isNamed(fn) || in.options.debugSymbols()
		if prepared { // else it waits for an attribute
			fn.infoSec = in.addSection(&section{
				name: ".nv.info." + fn.symbol.name, typ: cubin.SectionInfo, flags: cubin.FlagInfoLink, align: 4,
				bank: noBank, fn: fn, target: text, group: groupInfo, linked: true,
			})
		}
		fn.shared = &section{
			name: entrySharedPrefix + fn.symbol.name, typ: cubin.SectionShared,
			flags: cubin.FlagInfoLink | cubin.FlagAlloc | cubin.FlagWrite, align: 1,
			bank: noBank, fn: fn, target: text, group: groupNoBits, noBits: true,
		}
		if prepared { // else it waits for a variable
			in.addSection(fn.shared)
		}
		fn.bind(fn.shared)
	}
}

// ownerOfCode gives the function whose code y is a part of, when y is an alias or the
// compiler has put one function into another (nvcc -ewp); nil when y has code of its
// own. The section of code names the function that it belongs to.
func (in *merger) ownerOfCode(y *cubin.Symbol) *cubin.Symbol {
	if y.IsEntry() || !y.Defined() || int(y.Section) >= len(in.object.file.Sections) {
		return nil
	}
	index := in.object.file.Sections[y.Section].Info & 0xffffff
	if index == y.Index || int(index) >= len(in.object.symbols) {
		return nil
	}
	owner := in.object.symbols[index]
	owner.Type = cubin.SymFunc
	if int(owner.Section) >= len(in.object.file.Sections) {
		owner.Section = cubin.ShnUndef
	}
	return &owner
}

// mergeInner takes a local function inside of another one's code, or any inside of a
// kernel's: it lives and dies with that, and has a symbol only (MERGE-026).
func (in *merger) mergeInner(y *cubin.Symbol) *symbol {
	p := in.places[y.Section]
	if p.state != placed {
		return nil
	}
	symbol := &symbol{
		name: y.Name, bind: y.Bind, size: y.Size, value: y.Value,
		section: p.section, mentioned: in.object.name, definedIn: in.object.name,
	}
	in.setOther(symbol, y)
	in.add(symbol)
	return symbol
}

// takeSymbol lets the symbol of fn say what y says.
func (in *merger) takeSymbol(fn *function, y *cubin.Symbol) {
	fn.symbol.bind, fn.symbol.value, fn.symbol.size = y.Bind, y.Value, y.Size
	in.setOther(fn.symbol, y)
	if y.IsInternal() {
		in.hide(fn.symbol)
	}
	fn.symbol.definedIn = in.object.name
	fn.symbol.firstIn = cmp.Or(fn.symbol.firstIn, in.object.name)
	fn.entry = y.IsEntry()
}

// takeCode makes the input's code that of fn.
func (in *merger) takeCode(fn *function, y *cubin.Symbol) {
	s := &in.object.file.Sections[y.Section]
	fn.regInfo = s.Info >> 24
	fn.madeFor = in.object.file.SM()
	fn.extensible = in.object.extensible()
	fn.regCount, fn.counted = in.object.regCounts[y.Index]
	fn.virtual = in.object.origin.Virtual
	fn.barriers = uint16(s.Flags & cubin.FlagBarriers >> cubin.BarriersShift)
	fn.text.data, fn.text.owned = in.object.data(y.Section), false
	fn.text.size = s.Size
	fn.text.relocations = nil
	if in.object.isCode(s) {
		in.places[y.Section] = place{placed, fn.text, 0}
	}
	fn.text.clearCopy()
	in.placeCopy(y.Section, fn.text)
}

// redefine meets a second definition of fn.
func (in *merger) redefine(fn *function, y *cubin.Symbol) {
	old := fn.symbol
	if old.bind == cubin.BindWeak && in.isBetter(fn, y) {
		in.noteUnused(old, old.definedIn)
		in.replace(fn, y)
		return
	}
	in.noteUnused(old, in.object.name)
	in.places[y.Section] = place{state: dropped}
}

// isBetter tells whether the copy of a weak function that y names goes before the one
// that is there: a strong one does, else one with fewer registers, and of equal ones
// that which was compiled for a later virtual architecture (MERGE-020). A copy that
// says nowhere how many registers it needs stops the link (MERGE-301).
func (in *merger) isBetter(fn *function, y *cubin.Symbol) bool {
	name := fn.symbol.name
	if y.Bind == cubin.BindGlobal {
		in.options.trace(replacesWeak, name)
		return true
	}
	count, counted := in.object.regCounts[y.Index]
	if info := in.object.file.Sections[y.Section].Info >> 24; info != 0 {
		count, counted = info, true
	} else {
		in.options.trace(seeksNewRegisters, name)
	}
	if !counted {
		in.stop("no such new reg count")
		return false
	}
	oldCount, counted := fn.regCount, fn.counted
	if fn.regInfo != 0 {
		oldCount, counted = fn.regInfo, true
	} else {
		in.options.trace(seeksOldRegisters, name)
	}
	switch {
	case !counted:
		in.stop("no such original reg count")
	case count < oldCount:
		in.options.trace(replacesWeakFewerRegisters, name)
		return true
	case count == oldCount && in.object.origin.Virtual > fn.virtual:
		in.options.trace(replacesWeakNewerPTX, name)
		return true
	}
	return false
}

// replace puts the code of the input in the place of a weak definition: names and
// order stay; code, constants, attributes and relocations go (MERGE-021). Shared
// variables of the old copy keep their room. If the old code had relocations, those
// with addends in the debug sections of unwinds against the function go too, and where
// such ones came first those without (MERGE-023).
func (in *merger) replace(fn *function, y *cubin.Symbol) {
	if in.relocationNames[relocationKey{".rela" + fn.text.name, fn.text}] || in.relocationNames[relocationKey{".rel" + fn.text.name, fn.text}] {
		for name := range unwinds {
			if s := in.byName[name]; s != nil {
				lost := func(r relocation) bool {
					return (r.rela || s.relocatedFirst == cubin.SectionRela) && r.symbol == fn.symbol
				}
				for _, r := range s.relocations {
					if lost(r) {
						in.options.trace(removesWeakDebugRelocation)
					}
				}
				s.deleteRelocations(lost)
			}
		}
	}
	for name := range unwinds {
		if s := in.byName[name]; s != nil {
			s.markStale(fn.symbol)
		}
	}
	fn.replacedParameters = fn.bound[parameterPrefix+fn.symbol.name].length()
	for name, s := range fn.bound {
		if s != fn.shared && (y.Bind == cubin.BindWeak || s.bank != 0) {
			var jumps []relocation
			if s.copy != nil {
				jumps = s.copy.relocations
			}
			s.data, s.size, s.owned, s.parts = nil, 0, false, nil
			s.clearCopy()
			if s.bank == compilerBankNumber && s.copy != nil {
				s.copy.relocations = jumps // nvlink leaves those of the old copy (MERC-215)
				s.copy.markStale(fn.symbol)
			}
			s.kept, s.gone = false, true
		}
		if name == compilerConstantPrefix+fn.symbol.name {
			delete(in.nullSymbol, s)
			in.options.trace(removesWeakConstants)
		}
	}
	for range fn.text.relocations {
		in.options.trace(removesWeakRelocation)
	}
	if c := fn.text.copy; c != nil && len(c.relocations) > 0 {
		fn.replacedCapsule = true
	}
	in.takeSymbol(fn, y)
	in.takeCode(fn, y)
	for range fn.attributes {
		in.options.trace(removesWeakInfo)
	}
	fn.attributes, fn.mercury = nil, nil
	if len(fn.uses) > 0 {
		fn.uses, fn.knownUses = nil, nil
		in.sharedUsers = slices.DeleteFunc(in.sharedUsers, func(user *function) bool { return user == fn })
	}
	for _, a := range fn.described {
		a.gone = true
		if a.Code == nvinfo.FrameSize {
			in.options.trace(removesWeakFrameSize)
		}
	}
	fn.described = nil
}

// markStale notes that the relocations of s against y so far came with code that is
// replaced.
func (s *section) markStale(y *symbol) {
	for i := range s.relocations {
		s.relocations[i].stale = s.relocations[i].stale || s.relocations[i].symbol == y
	}
}

// defineAlias makes fn a second name of the function whose code y stands in: what
// refers to the alias refers to that function (MERGE-025).
func (in *merger) defineAlias(fn *function, y *cubin.Symbol) {
	in.takeSymbol(fn, y)
	code := in.places[y.Section].section
	fn.symbol.section = code
	fn.symbol.alias = code.fn.symbol
}
