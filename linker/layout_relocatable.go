package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// A relocatable link (-r) places no shared memory: the values of shared symbols
// stay their alignments, and every static one is resolved to that (errata). Only
// what a kernel's own code calls extern __shared__ gets a symbol of its own, whose
// value counts the bytes of the kernel's static variables.

const externInstance = "externsharedinstance"

// layoutRelocatableShared makes the instances of extern __shared__, and lets every
// kernel that reaches such an array have a section (LAYOUT-038). The section of the
// static ones outside of kernels has at least twice its alignment.
func (l *laidOut) layoutRelocatableShared() {
	l.instances = map[*function]*symbol{}
	for _, e := range l.entries {
		s := e.fn.shared
		for _, o := range e.fn.sharedLocals {
			l.options.trace(entryShared, o.symbol.name, o.symbol.value)
		}
		direct := e.fn.usesExternShared()
		if !direct && !slices.ContainsFunc(e.reachable, (*function).usesExternShared) {
			continue
		}
		s.anonymous = !s.kept
		switch {
		case !s.kept:
			s.kept, s.align, s.size = true, externSharedAlign, externSharedAlign
		case direct: // at least 0x20 bytes (LAYOUT-046)
			s.align, s.size = max(s.align, externSharedAlign), alignUp(max(s.size, 2*externSharedAlign), externSharedAlign)
		}
		if direct {
			l.instances[e.fn] = l.newInstance(e.fn)
		}
	}
	module := l.byName[moduleSharedName]
	if module != nil && module.size > 0 {
		module.size = max(module.size, 2*module.align)
	}
	if module != nil && l.declaresExternShared() {
		module.align = max(module.align, externSharedAlign)
		if !module.kept {
			module.kept, module.anonymous, module.size = true, true, externSharedAlign
		}
	}
}

func (f *function) usesExternShared() bool {
	return slices.ContainsFunc(f.uses, func(y *symbol) bool { return y.shared.extern })
}

// newInstance is the symbol for the extern arrays of kernel fn. Its value is the
// sum of the sizes of the kernel's own variables, without the gaps between them
// (LAYOUT-046).
func (l *laidOut) newInstance(fn *function) *symbol {
	var sizes uint64
	for _, o := range fn.sharedLocals {
		sizes += o.size
	}
	instance := &symbol{
		name: externInstance, bind: cubin.BindWeak, typ: cubin.SymData,
		other: cubin.OtherShared | cubin.OtherInternal, value: alignUp(sizes, externSharedAlign),
	}
	l.options.trace(externSharedInstance, len(l.instances), instance.value)
	l.locals = append(l.locals, instance)
	return instance
}

// declaresExternShared tells whether any input declares an extern __shared__ array.
func (l *laidOut) declaresExternShared() bool {
	return slices.ContainsFunc(l.globals, func(y *symbol) bool { return y.shared != nil && y.shared.extern })
}

// noPlaceYet is the value that -r gives to a variable that nothing defines yet. A
// constant's operand is resolved to it, so that no later link can mend it (errata).
const noPlaceYet = ^uint64(0)

func (l *laidOut) layoutRelocatableUndefined() {
	for _, y := range l.globals {
		if y.isUndefinedVariable() {
			y.value = noPlaceYet
		}
	}
}

func (y *symbol) isUndefinedVariable() bool {
	space := y.input & cubin.OtherSpaceMask
	return y.section == nil && y.fn == nil && y.shared == nil && !y.common &&
		(space == cubin.OtherGlobal || space == cubin.OtherConstant)
}
