package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// A relocatable link (-r) places no shared memory: the values of shared symbols
// stay their alignments, and every static one is resolved to that (errata). Only
// what a kernel's own code calls extern __shared__ gets a symbol of its own, whose
// value is where the kernel's static variables end.

const externInstance = "externsharedinstance"

// layoutRelocatableShared makes the instances of extern __shared__, and lets every
// kernel that reaches such an array have a section (LAYOUT-038).
func (l *laidOut) layoutRelocatableShared() {
	l.instances = map[*function]*symbol{}
	for _, e := range l.entries {
		s := e.fn.shared
		direct := e.fn.usesExternShared()
		if !direct && !slices.ContainsFunc(e.reachable, (*function).usesExternShared) {
			continue
		}
		s.anonymous = !s.kept
		if !s.kept {
			s.kept, s.align, s.size = true, externSharedAlign, externSharedAlign
		}
		if direct {
			s.align, s.size = max(s.align, externSharedAlign), alignUp(s.size, externSharedAlign)
			l.instances[e.fn] = l.newInstance(e.fn)
		}
	}
	if module := l.byName[moduleSharedName]; module != nil && l.declaresExternShared() {
		module.align = max(module.align, externSharedAlign)
		if !module.kept {
			module.kept, module.anonymous, module.size = true, true, externSharedAlign
		}
	}
}

func (f *function) usesExternShared() bool {
	return slices.ContainsFunc(f.uses, func(y *symbol) bool { return y.shared.extern })
}

func (l *laidOut) newInstance(fn *function) *symbol {
	var end uint64
	for _, o := range fn.sharedLocals {
		end = alignUp(end, o.align) + o.size
	}
	instance := &symbol{
		name: externInstance, bind: cubin.BindWeak, typ: cubin.SymData,
		other: cubin.OtherShared | cubin.OtherInternal, value: alignUp(end, externSharedAlign),
	}
	l.locals = append(l.locals, instance)
	return instance
}

// declaresExternShared tells whether any input declares an extern __shared__ array.
func (l *laidOut) declaresExternShared() bool {
	return slices.ContainsFunc(l.globals, func(y *symbol) bool { return y.shared != nil && y.shared.extern })
}
