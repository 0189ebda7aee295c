package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// A relocatable link (-r) places no static shared variables. The values of their symbols stay their
// alignments, and references are resolved to these values (errata). Only the extern __shared__
// arrays that a kernel's own code uses are placed, after the kernel's static variables. The value
// of a symbol is the start of these arrays. Usually it is a symbol of the kernel, with -g that of
// the array.

// layoutRelocatableShared sets the sizes of the shared sections and the starts of the
// extern arrays (LAYOUT-038, LAYOUT-401, LAYOUT-402).
func (l *Placed) layoutRelocatableShared() {
	l.Instances = map[*program.Function]*program.Symbol{}
	l.hasExternShared = l.declaresExternShared()
	module := l.ByName[cubin.ModuleSharedName]
	raises := len(l.SharedObjects) > 0 || l.hasExternShared
	for _, e := range l.Kernels {
		if raises && e.Fn.Shared.Symbol != nil && !l.StandsAsItIs(e) {
			e.Fn.Shared.Align = max(e.Fn.Shared.Align, module.Align)
		}
		l.sumEntryShared(e)
		for _, o := range e.Fn.SharedLocals {
			l.Options.TraceStep(trace.EntryShared, o.Symbol.Name, o.Symbol.Value)
		}
	}
	l.setNullValue()
	l.joinDynamic()
	if !l.Options.KeepRelocs {
		l.placeExternArrays()
	}
	for _, e := range l.Kernels {
		s := e.Fn.Shared
		if s.Size == 0 {
			s.Anonymous = true
			s.Keep(e.Fn.WholeShared || (s.Symbol != nil || len(e.dynamic) > 0) && l.hasExternShared && s.Align == ExternSharedAlign)
		}
		sizeAboveAlign(s)
		if s.State == program.Kept {
			l.AddShared(e.Fn)
		}
	}
	if module == nil {
		return
	}
	if l.hasExternShared {
		module.Align = max(module.Align, ExternSharedAlign)
		if module.State != program.Kept {
			module.State, module.Anonymous = program.Kept, true
		}
	}
	module.Size = l.sizeOutside()
	sizeAboveAlign(module)
}

// sizeOutside returns the size of .nv_debug.shared. Variables are not aligned. Those of extensible whole programs stay at the
// places that the compiler chose, and the section that they stand in counts once more, aligned (LAYOUT-986).
func (l *Placed) sizeOutside() (size uint64) {
	for _, o := range l.SharedObjects {
		switch {
		case o.Fixed:
			size = max(size, o.Place+o.Size)
		case o.Nameless:
			size = cubin.AlignUp(size, o.Align) + o.Size
		default:
			size += o.Size
		}
	}
	return size
}

// setNullValue sets the value of the null symbol to the alignment of shared memory without a name. The first kernel with such
// memory sets it. If there is none, the last section outside of kernels does (EMIT-018, LAYOUT-986).
func (l *Placed) setNullValue() {
	for _, o := range l.SharedObjects {
		if o.Nameless && l.namesShared() {
			l.NullValue = o.Align
		}
	}
	for _, e := range slices.Backward(l.Kernels) {
		for _, o := range e.Fn.SharedLocals {
			if o.Nameless && l.Chosen(e.Fn) {
				l.NullValue = o.Align
			}
		}
	}
}

// placeExternArrays sets the symbols for the starts of extern arrays. With -g these are the arrays'
// own symbols. Otherwise each kernel gets one symbol. The symbols are in the order of the
// relocations of the kernels' code (LAYOUT-402).
func (l *Placed) placeExternArrays() {
	if l.Options.DebugSymbols() {
		for _, o := range l.SharedInOrder {
			if o.Extern {
				o.Symbol.Value = l.dynamic[l.dynamicKey(nil, o.Symbol)]
			}
		}
		return
	}
	for _, fn := range l.SharedUsers {
		if e := l.KernelOf[fn]; e != nil && len(e.dynamic) > 0 {
			l.Instances[e.Fn] = l.newInstance(l.dynamic[e.dynamic[0]])
			l.AddShared(e.Fn)
		}
	}
}

// sumEntryShared sets the size of the kernel's section to the sum of its own variables, without the
// gaps between them. If the kernel's code uses an extern array, the size is rounded up to a
// multiple of 16 bytes (LAYOUT-046).
func (l *Placed) sumEntryShared(e *Kernel) {
	s := e.Fn.Shared
	if e.Fn.WholeShared {
		l.sumWholeShared(e)
		return
	}
	s.Size = 0
	for _, o := range e.Fn.SharedLocals {
		if o.Nameless {
			s.Size = cubin.AlignUp(s.Size, o.Align)
		}
		s.Size += o.Size
	}
	e.dynamic, e.arrays = nil, nil
	for _, y := range e.Fn.Uses {
		if y.Shared.IsDynamic() {
			e.dynamic = append(e.dynamic, l.dynamicKey(e.Fn, y))
			e.arrays = append(e.arrays, y)
		}
	}
	if len(e.dynamic) == 0 {
		return
	}
	s.State = program.Kept
	s.Align = max(s.Align, l.alignOfArrays(e.arrays))
	s.Size = max(s.Size, l.sharedStart())
	if l.Target.Profile.Layout.AlignsExternShared && !l.Options.DebugSymbols() {
		s.Size = max(s.Size, e.arrays[0].Value)
	}
	s.Size = cubin.AlignUp(s.Size, l.alignOfArrays(e.arrays[:1]))
}

// sizeAboveAlign makes the section larger than its alignment if necessary. The values of its
// symbols are alignments, and must be inside the section (LAYOUT-400).
func sizeAboveAlign(s *program.Section) {
	if s.State == program.Kept && s.Size <= s.Align {
		s.Size += s.Align
	}
}

// newInstance creates the symbol for a kernel's extern arrays, which begin at start.
func (l *Placed) newInstance(start uint64) *program.Symbol {
	instance := l.NewSymbol(program.Symbol{
		Name: cubin.ExternInstance, Bind: cubin.BindWeak, Type: cubin.SymData,
		Other: cubin.OtherShared | cubin.OtherInternal, Value: start,
	})
	l.Options.TraceStep(trace.ExternSharedInstance, len(l.Instances), instance.Value)
	l.List(instance)
	return instance
}

// declaresExternShared reports whether any input declares an extern __shared__ array.
func (l *Placed) declaresExternShared() bool {
	isExtern := func(y *program.Symbol) bool { return y.Shared != nil && y.Shared.Extern }
	return slices.ContainsFunc(l.Globals, isExtern) || slices.ContainsFunc(l.Locals, isExtern)
}

// noPlaceYet is the value of an undefined variable. Operands that refer to an undefined constant
// are resolved to this value, so that no later link can repair them (errata).
const noPlaceYet = ^uint64(0)

// layoutUndefined sets undefined variables to noPlaceYet. Where they may stay undefined, the symbol
// table shows 0.
func (l *Placed) layoutUndefined() {
	for _, list := range [][]*program.Symbol{l.Locals, l.Globals} {
		for _, y := range list {
			if !(y.Missing && y.Section == nil || l.Options.Relocatable && y.IsUndefinedVariable()) {
				continue
			}
			y.Value = noPlaceYet
			if l.Options.AllowUndefinedGlobals && l.Target.Profile.Layout.PlacesUndefined {
				y.Addend = -y.Value
			}
		}
	}
}
