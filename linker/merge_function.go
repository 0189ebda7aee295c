package linker

import (
	"bytes"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// Functions are merged first. A name that several inputs define is one function:
// a strong definition replaces a weak one, of two weak ones the one that needs
// fewer registers stays, else the first (seed 004 "Weak resolution"; MERGE-020).

// mergeFunctions creates the function symbols of the input, in symbol order.
func (in *merger) mergeFunctions() {
	for i := range in.object.symbols {
		y := &in.object.symbols[i]
		if y.Type != cubin.SymFunc {
			continue
		}
		if owner := in.ownerOfInner(y); owner != nil {
			in.mergeFunction(owner)
			in.symbolOf[i] = in.mergeInner(y)
		} else {
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
	if known := in.known(y); known != nil && !in.agrees(known, y) {
		in.symbolOf[y.Index] = known
		in.overlaps = in.overlaps || in.constantsOverlap(known, y)
		return
	}
	fn := in.functionFor(y)
	in.symbolOf[y.Index] = fn.symbol
	switch {
	case !y.Defined():
	case fn.symbol.section == nil:
		in.define(fn, y)
	default:
		in.redefine(fn, y)
	}
}

// constantsOverlap tells whether two definitions of one function bring the compiler's
// constants, and not the same: nvlink ends with an error of its own then (DIAG-115).
func (in *merger) constantsOverlap(known *symbol, y *cubin.Symbol) bool {
	if known.fn == nil || known.fn.compilerConstants() == nil || !y.Defined() {
		return false
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
	symbol := &symbol{name: y.Name, bind: y.Bind, typ: cubin.SymFunc, other: y.Other, size: y.Size, mentioned: in.object.name}
	fn := &function{symbol: symbol, order: len(in.functions), entry: y.IsEntry()}
	symbol.fn = fn
	in.functions = append(in.functions, fn)
	in.add(symbol)
	return fn
}

// define gives fn the code of the input. The sections of a kernel's attributes
// and shared memory are made with it, whether they get contents or not (MERGE-002).
func (in *merger) define(fn *function, y *cubin.Symbol) {
	s := &in.object.file.Sections[y.Section]
	if in.places[y.Section].state == placed { // a second name for code that is placed: an alias
		in.defineAlias(fn, y)
		return
	}
	in.takeSymbol(fn, y)
	text := &section{
		name: s.Name, typ: s.Type, flags: s.Flags &^ cubin.FlagBarriers, align: s.AddrAlign, bank: noBank,
		fn: fn, group: groupText, kept: true, linked: true,
	}
	fn.text = text
	fn.symbol.section = text
	in.takeCode(fn, y)
	in.addSection(text)
	if fn.entry {
		fn.infoSec = in.addSection(&section{
			name: ".nv.info." + fn.symbol.name, typ: cubin.SectionInfo, flags: cubin.FlagInfoLink, align: 4,
			bank: noBank, fn: fn, target: text, group: groupInfo, linked: true,
		})
		fn.shared = in.addSection(&section{
			name: ".nv.shared." + fn.symbol.name, typ: cubin.SectionShared,
			flags: cubin.FlagInfoLink | cubin.FlagAlloc | cubin.FlagWrite, align: 1,
			bank: noBank, fn: fn, target: text, group: groupNoBits, noBits: true,
		})
		fn.bind(fn.shared)
	}
}

// ownerOfInner gives the function whose code y is a part of, when the compiler has
// put one function into another (nvcc -ewp); nil when y has code of its own. The
// section of code names the function that it belongs to.
func (in *merger) ownerOfInner(y *cubin.Symbol) *cubin.Symbol {
	if y.Bind != cubin.BindLocal || int(y.Section) >= len(in.object.file.Sections) || !y.Defined() {
		return nil
	}
	index := in.object.file.Sections[y.Section].Info & 0xffffff
	if index == y.Index || int(index) >= len(in.object.symbols) {
		return nil
	}
	if owner := &in.object.symbols[index]; owner.Type == cubin.SymFunc && owner.Section == y.Section {
		return owner
	}
	return nil
}

// mergeInner takes a function inside of another one's code: it lives and dies with
// that, and has a symbol only (MERGE-026).
func (in *merger) mergeInner(y *cubin.Symbol) *symbol {
	p := in.places[y.Section]
	if p.state != placed {
		return nil
	}
	symbol := &symbol{
		name: y.Name, bind: y.Bind, typ: y.Type, other: y.Other, size: y.Size, value: y.Value,
		section: p.section, mentioned: in.object.name, definedIn: in.object.name,
	}
	in.add(symbol)
	return symbol
}

// takeSymbol lets the symbol of fn say what y says.
func (in *merger) takeSymbol(fn *function, y *cubin.Symbol) {
	fn.symbol.bind, fn.symbol.other = y.Bind, y.Other
	fn.symbol.value, fn.symbol.size = y.Value, y.Size
	fn.symbol.definedIn = in.object.name
	fn.entry = y.IsEntry()
}

// takeCode makes the input's code that of fn.
func (in *merger) takeCode(fn *function, y *cubin.Symbol) {
	s := &in.object.file.Sections[y.Section]
	fn.regInfo = s.Info >> 24
	fn.regCount = in.object.regCounts[y.Index]
	fn.barriers = uint16(s.Flags & cubin.FlagBarriers >> cubin.BarriersShift)
	fn.text.data, fn.text.owned = in.object.data(y.Section), false
	fn.text.size = s.Size
	fn.text.relocations = nil
	in.places[y.Section] = place{placed, fn.text, 0}
}

// redefine meets a second definition of fn.
func (in *merger) redefine(fn *function, y *cubin.Symbol) {
	old := fn.symbol
	in.traceWeak(fn, y)
	switch {
	case old.bind == cubin.BindWeak && (y.Bind == cubin.BindGlobal || in.object.regCounts[y.Index] < fn.regCount):
		in.noteUnused(old, old.definedIn)
		in.replace(fn, y)
	default:
		in.noteUnused(old, in.object.name)
		in.places[y.Section] = place{state: dropped}
	}
}

// traceWeak tells how a second definition of fn fares against a weak first one.
func (in *merger) traceWeak(fn *function, y *cubin.Symbol) {
	switch name := fn.symbol.name; {
	case fn.symbol.bind != cubin.BindWeak:
	case y.Bind == cubin.BindGlobal:
		in.options.trace(replacesWeak, name)
	case y.Bind == cubin.BindWeak:
		if in.object.file.Sections[y.Section].Info>>24 == 0 {
			in.options.trace(seeksNewRegisters, name)
		}
		if fn.regInfo == 0 {
			in.options.trace(seeksOldRegisters, name)
		}
		if in.object.regCounts[y.Index] < fn.regCount {
			in.options.trace(replacesWeakFewerRegisters, name)
		}
	}
}

// replace puts the code of the input in the place of a weak definition: names and
// order stay; code, constants, attributes and relocations go (MERGE-021). Shared
// variables of the old copy keep their room. If the old code had relocations with
// addends, those with addends in .debug_frame against the function go too
// (MERGE-023).
func (in *merger) replace(fn *function, y *cubin.Symbol) {
	if in.relocationNames[relocationKey{".rela" + fn.text.name, fn.text}] || in.relocationNames[relocationKey{".rel" + fn.text.name, fn.text}] {
		for name := range unwinds {
			if s := in.byName[name]; s != nil {
				s.relocations = slices.DeleteFunc(s.relocations, func(r relocation) bool {
					lost := r.rela && r.symbol == fn.symbol
					if lost {
						in.options.trace(removesWeakDebugRelocation)
					}
					return lost
				})
			}
		}
	}
	fn.replacedParameters = fn.bound[parameterPrefix+fn.symbol.name].length()
	for name, s := range fn.bound {
		if s != fn.shared && (y.Bind == cubin.BindWeak || s.bank != 0) {
			s.data, s.size, s.owned, s.parts = nil, 0, false, nil
			s.kept, s.gone = false, true
		}
		if name == compilerConstantPrefix+fn.symbol.name {
			in.nullSymbol[s] = 0
			in.options.trace(removesWeakConstants)
		}
	}
	for range fn.text.relocations {
		in.options.trace(removesWeakRelocation)
	}
	in.takeSymbol(fn, y)
	in.takeCode(fn, y)
	for range fn.attributes {
		in.options.trace(removesWeakInfo)
	}
	fn.attributes = nil
	fn.uses = nil
	kept := in.attributes[:0]
	for _, a := range in.attributes {
		if a.owner != fn {
			kept = append(kept, a)
		} else if a.Code == nvinfo.FrameSize {
			in.options.trace(removesWeakFrameSize)
		}
	}
	in.attributes = kept
}

// defineAlias makes fn a second name of the function whose code y stands in: what
// refers to the alias refers to that function (MERGE-025).
func (in *merger) defineAlias(fn *function, y *cubin.Symbol) {
	in.takeSymbol(fn, y)
	code := in.places[y.Section].section
	fn.symbol.section = code
	fn.symbol.alias = code.fn.symbol
}
