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

// layoutRelocatableShared makes the instances of extern __shared__ and rounds the
// sections of the kernels that have one (LAYOUT-038).
func (l *laidOut) layoutRelocatableShared() {
	l.instances = map[*function]*symbol{}
	for _, e := range l.entries {
		s := e.fn.shared
		if !slices.ContainsFunc(e.fn.uses, func(y *symbol) bool { return y.shared.extern }) {
			continue
		}
		var end uint64
		for _, o := range e.fn.sharedLocals {
			end = alignUp(end, o.align) + o.size
		}
		instance := &symbol{
			name: externInstance, bind: cubin.BindWeak, typ: cubin.SymData,
			other: cubin.OtherShared | cubin.OtherInternal, value: alignUp(end, externSharedAlign),
		}
		l.locals = append(l.locals, instance)
		l.instances[e.fn] = instance
		s.anonymous = !s.kept
		s.kept, s.align = true, max(s.align, externSharedAlign)
		s.size = max(alignUp(s.size, externSharedAlign), externSharedAlign)
	}
	if module := l.byName[moduleSharedName]; module != nil && l.hasExternShared {
		module.kept, module.align = true, max(module.align, externSharedAlign)
		if module.size == 0 {
			module.size = externSharedAlign
		}
	}
}
