package layout

import (
	"math"
	"math/bits"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// This file lays out shared memory. Every kernel has its own section .nv.shared.<kernel>. Functions
// that several kernels reach may use a variable outside of kernels. Their code has one address for
// it, so that it must have the same offset in all of these kernels. Two such variables interfere if
// one kernel reaches both. Variables that do not interfere may share an offset (seed 001
// "Interference graph"; LAYOUT-030 to LAYOUT-036).

// layoutShared sets the offset of every shared variable and the size of every kernel's section.
//
// A variable outside of kernels stays outside if the code that uses it is reached by no kernel or
// by several. If any such variable stays, the section of every kernel has at least the largest
// alignment that an input gives to one of these variables (LAYOUT-039).
func (l *Placed) layoutShared(log *diag.Log) {
	l.hasExternShared = l.declaresExternShared()
	if len(l.SharedObjects) > 0 {
		l.Options.TraceStep(trace.GlobalShared)
	}
	uses := l.sharedUses()
	users, externUsers := l.usersOfShared(uses), l.usersOfExtern(uses)
	common := l.splitShared(users, log)
	end := l.groupShared(common, users)
	module := l.ByName[cubin.ModuleSharedName]
	var moduleAlign uint64
	if module != nil {
		if len(common) == 0 {
			module.Align = 1
		}
		moduleAlign = module.Align
		module.Size = 0
		if l.showsShared() {
			module.Size = end
		}
	}
	lost := l.findLostShared()
	for _, e := range l.Kernels {
		l.layoutEntryShared(e, moduleAlign, lost)
	}
	l.placeExternShared(externUsers)
	l.checkShared()
	for _, e := range l.Kernels {
		l.closeShared(e)
	}
	if module != nil {
		l.closeModuleShared(module, end)
	}
	l.placeSharedSymbols(module, end)
}

// checkShared refuses sections that are too large. The memory that is reserved for the system does
// not count. It also checks .nv_debug.shared if that keeps its size. nvlink makes the name in the
// message from the section's name as if it were a kernel's section: it removes as many bytes as the
// prefix has (LAYOUT-055).
func (l *Placed) checkShared() {
	limit := l.Target.MaxShared(l.Options.ExtendedShared)
	for _, s := range l.Sections {
		if s.Type == cubin.SectionShared && s.Size > limit && (s.Fn == nil || l.KernelOf[s.Fn] != nil) {
			l.refuse(s, diag.TooMuchShared, s.Name[len(cubin.EntrySharedPrefix):], "shared", s.Size, limit)
		}
	}
}

// ReservedShared returns the size of the memory at the start of shared memory that is reserved for
// the system. With -disable-smem-reservation kernels can use it (LAYOUT-050).
func (l *Placed) ReservedShared() uint64 {
	if l.Options.NoReservedShared {
		return 0
	}
	return l.Target.ReservedShared()
}

// ShownReserve returns the size of the reserved memory that the values of shared symbols include.
func (l *Placed) ShownReserve() uint64 {
	if l.ReservedComesLast() && l.Target.Profile.Layout.ReservesAlways {
		return l.Target.ReservedShared() // the finalizer does not ask (KIT-138)
	}
	return l.ReservedShared()
}

// sharedStart returns the lowest offset of a variable after the reserved memory. With
// -reserve-null-pointer the first byte stays unused (LAYOUT-051).
func (l *Placed) sharedStart() uint64 {
	if l.Options.ReserveNullPointer {
		return 1
	}
	return 0
}

// closeModuleShared decides whether .nv_debug.shared stays. Normally it is dropped. It stays
// without contents if there is an extern __shared__ array and the section's alignment is that of
// such arrays. With -g and --preserve-relocs it stays with the size of its variables (LAYOUT-036).
func (l *Placed) closeModuleShared(module *program.Section, end uint64) {
	if l.hasExternShared {
		module.Align = max(module.Align, ExternSharedAlign)
	}
	if l.showsShared() {
		module.Size += l.ReservedShared()
		module.Anonymous = l.ReservedComesLast() && end == 0
		module.Keep(end > 0 || l.hasExternShared)
		return
	}
	if l.ReservedComesLast() {
		module.Size, module.Anonymous = l.ReservedShared(), true
	}
	module.Keep(l.hasExternShared && module.Align == ExternSharedAlign)
}

// showsShared reports whether the symbol table shows shared variables.
func (l *Placed) showsShared() bool { return l.Options.DebugSymbols() || l.Options.PreserveRelocs }

// placeSharedSymbols sets the addresses of the symbols of shared variables if the symbol table
// shows them. Static variables are after the reserved memory. An extern array begins after the
// static variables of the kernel that has most of them (LAYOUT-037).
func (l *Placed) placeSharedSymbols(module *program.Section, end uint64) {
	if !l.showsShared() {
		return
	}
	reserved := l.ShownReserve()
	if reserved > 0 {
		l.Options.TraceStep(trace.ReservedSharedHeader)
	}
	for _, o := range l.SharedInOrder {
		y := o.Symbol
		switch {
		case o != y.Shared: // each object moves the symbol (LAYOUT-407)
			if !l.ReservedComesLast() && (end > 0 || !o.Extern) {
				y.Addend += reserved
			}
		case o.Extern && l.Options.DebugSymbols():
			y.Addend = l.dynamic[l.dynamicKey(nil, y)]
			if end > 0 || l.ReservedComesLast() {
				y.Addend += reserved
			}
			y.Shared.LeftOver = end > 0
			if end > 0 && l.Options.PreserveRelocs { // that of an earlier -r, too (RELOC-403)
				y.Hidden, y.Unnamed = false, false
			}
		case o.Extern:
			y.Addend = reserved - 1
			y.Shared.LeftOver = end > 0
			if end > 0 && reserved > 0 && !l.ReservedComesLast() { // LAYOUT-047
				y.Hidden, y.Unnamed = false, false
			}
		default:
			y.Addend = reserved
			if reserved > 0 {
				l.Options.TraceStep(trace.SharedMoved, y.Name, y.Value+reserved)
			}
		}
	}
}

// groupShared colours the interference graph of the common variables. Each variable joins the first
// group that has no interfering variable. Groups are placed one after the other (LAYOUT-031).
func (l *Placed) groupShared(common []*program.SharedObject, users map[*program.Symbol][]*Kernel) (end uint64) {
	var groups [][]*program.SharedObject
	taken := map[*Kernel]*groupSet{}
	for _, o := range common {
		var sets []*groupSet
		for _, e := range users[o.Symbol] {
			if taken[e] == nil {
				taken[e] = &groupSet{}
			}
			sets = append(sets, taken[e])
		}
		g := firstFree(sets)
		if g == len(groups) {
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], o)
		for _, s := range sets {
			s.add(g)
		}
	}
	if len(groups) > 0 {
		end = l.sharedStart()
	}
	l.traceInterference(common, users, groups)
	for _, group := range groups {
		var align, size uint64
		for _, o := range group {
			align, size = max(align, o.Align), max(size, o.Size)
		}
		end = cubin.AlignUp(end, align)
		for _, o := range group {
			o.Symbol.Value = end
			l.tracePlace(o.Symbol, "LAYOUT-031", o.Align, o.Size)
			l.Options.TraceStep(trace.SharedPlace, end, o.Size)
		}
		end += size
	}
	return end
}

// A groupSet is a bit set of the groups in which a kernel has a variable. There can be thousands of
// groups, because variables that all interfere each need their own.
type groupSet struct {
	words []uint64
	full  int // all groups of the words before this one are taken
}

func (s *groupSet) add(group int) {
	for len(s.words) <= group/64 {
		s.words = append(s.words, 0)
	}
	s.words[group/64] |= 1 << (group % 64)
	for s.full < len(s.words) && s.words[s.full] == math.MaxUint64 {
		s.full++
	}
}

// firstFree returns the first group that is in none of the sets.
func firstFree(sets []*groupSet) int {
	word := 0
	for _, s := range sets {
		word = max(word, s.full)
	}
	for ; ; word++ {
		taken := uint64(0)
		for _, s := range sets {
			if word < len(s.words) {
				taken |= s.words[word]
			}
		}
		if taken != math.MaxUint64 {
			return 64*word + bits.TrailingZeros64(^taken)
		}
	}
}

// traceInterference traces which common variables interfere, and which group each of them joined.
// Variables are numbered from 0 in the order of the colouring, and groups from 1.
func (l *Placed) traceInterference(common []*program.SharedObject, users map[*program.Symbol][]*Kernel, groups [][]*program.SharedObject) {
	if l.Options.Trace == nil {
		return
	}
	for i, o := range common {
		l.Options.TraceStep(trace.SharedObjectSeen, i, o.Symbol.Name)
		mine := map[*Kernel]bool{}
		mark(users[o.Symbol], mine)
		for k, other := range common {
			if k != i && anyIn(users[other.Symbol], mine) {
				l.Options.TraceStep(trace.SharedEdge, k)
			}
		}
		for g, group := range groups {
			if slices.Contains(group, o) {
				l.Options.TraceStep(trace.SharedGroup, g+1)
			}
		}
	}
}

func anyIn(entries []*Kernel, set map[*Kernel]bool) bool {
	for _, e := range entries {
		if set[e] {
			return true
		}
	}
	return false
}

func mark(entries []*Kernel, set map[*Kernel]bool) {
	for _, e := range entries {
		set[e] = true
	}
}

// layoutEntryShared places the kernel's own variables after the common ones that it uses. They are
// sorted by alignment, then by size. They are placed in the reverse of the order that nvlink's sort
// produces (LAYOUT-032).
func (l *Placed) layoutEntryShared(e *Kernel, moduleAlign uint64, lost map[*program.SharedObject]bool) {
	s := e.Fn.Shared
	if e.Fn.WholeShared {
		l.Options.TraceStep(trace.WholeSharedIgnored, s.Name)
		l.sumWholeShared(e)
		for _, o := range e.Fn.SharedLocals {
			o.Symbol.Value, o.Symbol.Section = o.Place, s
		}
		s.Align = max(s.Align, moduleAlign)
		s.Size = l.keepPlaces(e, s.Size)
		return
	}
	if l.StandsAsItIs(e) {
		l.sumNameless(e)
		l.alignForArrays(e)
		return
	}
	if s.Symbol != nil {
		s.Align = max(s.Align, moduleAlign)
	}
	if len(e.Common)+len(e.Fn.SharedLocals)+len(e.Localised) > 0 {
		l.Options.TraceStep(trace.SharedEntry, s.Name)
		if len(e.Common) == 0 {
			l.Options.TraceStep(trace.SharedEntryAlone, e.Fn.Symbol.Name)
		}
	}
	end := l.sharedStart()
	for _, o := range e.Common {
		end = max(end, o.Symbol.Value+o.Size)
	}
	localised := e.Localised
	if e.Fn.Extensible {
		end, localised = max(end, l.keepPlaces(e, 0)), nil
	}
	own := append(append([]*program.SharedObject(nil), e.Fn.SharedLocals...), localised...)
	own = listSort(own, func(a, b *program.SharedObject) bool {
		return a.Align < b.Align || a.Align == b.Align && a.Size > b.Size
	})
	if l.standsAtAlignment(e, own, lost) {
		end = own[0].Align
	}
	for i := len(own) - 1; i >= 0; i-- {
		o := own[i]
		end = cubin.AlignUp(end, o.Align)
		o.Symbol.Value = end
		o.Symbol.Section = s
		if o.Nameless && (l.nullOf == nil || l.nullOf == e) {
			l.nullOf, l.NullValue = e, end
		}
		l.tracePlace(o.Symbol, "LAYOUT-032", o.Align, o.Size)
		end += o.Size
		s.Align = max(s.Align, o.Align)
	}
	if s.Filled {
		end = max(end, s.Size)
	}
	s.Keep(s.Filled || len(own)+len(e.Localised)+len(e.Common)+len(e.dynamic) > 0)
	if s.State == program.Kept {
		s.Size = end
		l.Options.TraceStep(trace.EntrySharedSize, s.Name, end)
	}
	l.alignForArrays(e)
}

// keepPlaces gives the variables that only e, a kernel of an extensible whole program, reaches the places that the compiler
// chose. Those of ordinary inputs have none, and their sizes are added to size, which is returned (LAYOUT-986).
func (l *Placed) keepPlaces(e *Kernel, size uint64) uint64 {
	var end uint64
	for _, o := range e.Localised {
		o.Symbol.Section = e.Fn.Shared
		e.Fn.Shared.Align = max(e.Fn.Shared.Align, o.Align)
		if !o.Fixed {
			o.Symbol.Value = math.MaxUint32
			size += o.Size
			continue
		}
		o.Symbol.Value = o.Place
		end = max(end, o.Place+o.Size)
	}
	return max(size, end)
}

// sumWholeShared sets the size of the shared memory of a kernel of an extensible whole program. Only code that was compiled with
// -g has symbols for its variables. nvlink reserves space for the variables and again for the section of the input, with -g only
// for the variables (LAYOUT-750). Variables are not aligned, sections are (LAYOUT-800).
func (l *Placed) sumWholeShared(e *Kernel) {
	s := e.Fn.Shared
	var size, end uint64
	for _, o := range e.Fn.SharedLocals {
		if o.Nameless {
			size = cubin.AlignUp(size, o.Align)
		}
		size = min(size, math.MaxUint32) + min(o.Size, math.MaxUint32) // more is refused as too much
		end = max(end, min(o.Place, math.MaxUint32)+min(o.Size, math.MaxUint32))
		s.Align = max(s.Align, o.Align)
	}
	switch {
	case len(e.Fn.SharedLocals) == 0:
	case l.Options.DebugSymbols():
		s.Size, s.Align = end, 1
	default:
		s.Size = size
	}
}

// closeShared decides whether the kernel's section stays, and adds the size of the memory reserved
// for the system (LAYOUT-034). The section can also stay if the kernel has no shared memory: the
// program must have an extern __shared__ array, and the section must have the alignment of such
// arrays (LAYOUT-035).
func (l *Placed) closeShared(e *Kernel) {
	s := e.Fn.Shared
	if s.State != program.Kept {
		if s.Symbol == nil || !l.hasExternShared || s.Align < ExternSharedAlign || (l.ReservedComesLast() || l.ReservedShared() == 0) && s.Align != ExternSharedAlign {
			return
		}
		s.State = program.Kept
	}
	if !l.ReservedComesLast() && l.StandsAsItIs(e) {
		return
	}
	if !l.ReservedComesLast() && e.Fn.WholeShared && (e.Fn.LooseShared || s.Size == 0) { // LAYOUT-056
		s.Anonymous = s.Size == 0
		return
	}
	if s.Size == 0 && (l.ReservedComesLast() || l.ReservedShared() == 0) {
		// The finalizer adds the reserved memory.
		s.Anonymous = true
		s.Keep(e.Fn.WholeShared || s.Align == ExternSharedAlign)
	}
	s.Size += l.ReservedShared()
	for _, o := range e.Fn.SharedLocals {
		if o.Nameless && !l.ReservedComesLast() {
			l.NullValue += l.ReservedShared() // EMIT-018
		}
	}
}
