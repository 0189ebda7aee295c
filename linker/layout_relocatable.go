package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// A relocatable link (-r) places no shared memory: the values of shared symbols
// stay their alignments, and every static one is resolved to that (errata). Only
// what a kernel's own code calls extern __shared__ is placed, behind the kernel's
// static variables: by a symbol of the kernel's own or, with -g, by that of the
// array.

const externInstance = "externsharedinstance"

// layoutRelocatableShared gives the shared sections their sizes and the extern
// arrays their starts (LAYOUT-038, LAYOUT-401, LAYOUT-402).
func (l *laidOut) layoutRelocatableShared() {
	l.instances = map[*function]*symbol{}
	l.hasExternShared = l.declaresExternShared()
	module := l.byName[moduleSharedName]
	for _, e := range l.entries {
		if (len(l.sharedObjects) > 0 || l.definesExternShared) && e.fn.shared.symbol != nil {
			e.fn.shared.align = max(e.fn.shared.align, module.align)
		}
		l.sumEntryShared(e)
		for _, o := range e.fn.sharedLocals {
			l.options.trace(entryShared, o.symbol.name, o.symbol.value)
		}
	}
	for _, e := range slices.Backward(l.entries) {
		if e.fn.wholeShared {
			l.nullValue = e.fn.shared.align // EMIT-018
		}
	}
	l.joinDynamic()
	if !l.options.KeepRelocs {
		l.placeExternArrays()
	}
	for _, e := range l.entries {
		s := e.fn.shared
		if s.size == 0 {
			s.kept, s.anonymous = (s.symbol != nil || len(e.dynamic) > 0) && l.hasExternShared && s.align == externSharedAlign, true
		}
		s.sizeAboveAlign()
		if s.kept && s.symbol == nil {
			l.addSection(s)
		}
	}
	if module == nil {
		return
	}
	if l.hasExternShared {
		module.align = max(module.align, externSharedAlign)
		if !module.kept {
			module.kept, module.anonymous = true, true
		}
	}
	module.size = 0
	for _, o := range l.sharedObjects {
		module.size += o.size
	}
	module.sizeAboveAlign()
}

// placeExternArrays says where the extern arrays of each kernel begin: with -g the arrays'
// own symbols do, else one for the kernel, which are in the order of the relocations of
// their code (LAYOUT-402).
func (l *laidOut) placeExternArrays() {
	for _, fn := range l.sharedUsers {
		e := l.entryOf[fn]
		switch {
		case e == nil || len(e.dynamic) == 0 || l.instances[e.fn] != nil:
		case l.options.debugSymbols():
			for _, key := range e.dynamic {
				key.array.value = l.dynamic[key]
			}
		default:
			l.instances[e.fn] = l.newInstance(l.dynamic[e.dynamic[0]])
		}
	}
}

// sumEntryShared makes the kernel's section as large as its own variables together,
// without the gaps between them. A kernel whose code names an extern array has the
// next multiple of 16 bytes (LAYOUT-046).
func (l *laidOut) sumEntryShared(e *entry) {
	s := e.fn.shared
	if e.fn.wholeShared {
		return
	}
	s.size = 0
	for _, o := range e.fn.sharedLocals {
		s.size += o.size
	}
	e.dynamic = nil
	for _, y := range e.fn.uses {
		if y.shared.extern {
			e.dynamic = append(e.dynamic, l.dynamicKey(e.fn, y))
		}
	}
	if len(e.dynamic) == 0 {
		return
	}
	s.kept = true
	s.align = max(s.align, externSharedAlign)
	s.size = alignUp(max(s.size, l.sharedStart()), externSharedAlign)
}

// sizeAboveAlign keeps the values of the section's symbols, which are alignments,
// inside of the section (LAYOUT-400).
func (s *section) sizeAboveAlign() {
	if s.kept && s.size <= s.align {
		s.size += s.align
	}
}

// newInstance is the symbol for the extern arrays of a kernel that begin at start.
func (l *laidOut) newInstance(start uint64) *symbol {
	instance := &symbol{
		name: externInstance, bind: cubin.BindWeak, typ: cubin.SymData,
		other: cubin.OtherShared | cubin.OtherInternal, value: start,
	}
	l.options.trace(externSharedInstance, len(l.instances), instance.value)
	l.locals = append(l.locals, instance)
	return instance
}

// declaresExternShared tells whether any input declares an extern __shared__ array.
func (l *laidOut) declaresExternShared() bool {
	return slices.ContainsFunc(l.globals, func(y *symbol) bool { return y.shared != nil && y.shared.extern })
}

// noPlaceYet is the value of a variable that nothing defines. A constant's operand is
// resolved to it, so that no later link can mend it (errata).
const noPlaceYet = ^uint64(0)

// layoutUndefined gives that value to the variables that nothing defines. The symbol
// table shows 0 where they may stay undefined.
func (l *laidOut) layoutUndefined() {
	for _, list := range [][]*symbol{l.locals, l.globals} {
		for _, y := range list {
			if !(y.missing && y.section == nil || l.options.Relocatable && y.isUndefinedVariable()) {
				continue
			}
			y.value = noPlaceYet
			if l.options.AllowUndefinedGlobals {
				y.addend = -y.value
			}
		}
	}
}

func (y *symbol) isUndefinedVariable() bool {
	space := y.input & cubin.OtherSpaceMask
	if y.shared != nil {
		return y.shared.missing
	}
	return y.section == nil && y.fn == nil && !y.common && (space == cubin.OtherGlobal || space == cubin.OtherConstant)
}
