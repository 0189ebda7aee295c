package linker

import (
	"slices"

	"github.com/culink/culink/linker/diag"
)

// Shared memory. Every kernel has its own .nv.shared.<kernel>, but a variable
// outside of kernels may be used by functions that several kernels reach, and
// code has one address for it: it must stand at the same offset in all of them.
// Two such variables interfere when one kernel reaches both; those that do not
// may share an offset (seed 001 "Interference graph"; LAYOUT-030 to LAYOUT-036).

// extern __shared__ arrays begin at a multiple of this many bytes.
const externSharedAlign = 16

// layoutShared gives every shared variable its offset and every kernel's section
// its size.
//
// When a variable outside of kernels is left over, because no kernel or more than
// one reaches the code that names it, all kernels' sections have at least the
// alignment of these variables in any input (LAYOUT-039).
func (l *laidOut) layoutShared(log *diag.Log) {
	l.hasExternShared = l.declaresExternShared()
	if len(l.sharedObjects) > 0 {
		l.options.trace(globalShared)
	}
	users, common := l.splitShared(log)
	end := l.groupShared(common, users)
	module := l.byName[moduleSharedName]
	var moduleAlign uint64
	if module != nil {
		if len(common) == 0 {
			module.align = 1
		}
		moduleAlign = module.align
	}
	for _, e := range l.entries {
		l.layoutEntryShared(e, moduleAlign)
	}
	l.joinDynamic()
	l.traceExternShared()
	l.addShared((*sharedObject).isExtern)
	limit := l.target.MaxShared(l.options.ExtendedShared)
	for _, e := range l.bySection() {
		if size := e.fn.shared.size; size > limit { // the system's part does not count
			log.Report(diag.TooMuchShared, e.fn.symbol.name, "shared", size, limit)
		}
		l.closeShared(e)
	}
	if module != nil {
		l.closeModuleShared(module, end)
	}
	l.placeSharedSymbols(module, end)
}

// bySection gives the kernels in the order of their sections; behind them those without.
func (l *laidOut) bySection() (list []*entry) {
	for _, s := range l.sections {
		if e := l.entryOf[s.fn]; e != nil && s == s.fn.shared {
			list = append(list, e)
		}
	}
	for _, e := range l.entries {
		if e.fn.shared.symbol == nil {
			list = append(list, e)
		}
	}
	return list
}

// reservedShared is the size of what the system keeps at the start of shared
// memory; -disable-smem-reservation gives it to the kernels (LAYOUT-050).
func (l *laidOut) reservedShared() uint64 {
	if l.options.NoReservedShared {
		return 0
	}
	return l.target.ReservedShared()
}

// sharedStart is where the first variable behind it may lie: -reserve-null-pointer
// leaves a byte out (LAYOUT-051).
func (l *laidOut) sharedStart() uint64 {
	if l.options.ReserveNullPointer {
		return 1
	}
	return 0
}

// closeModuleShared decides what is left of .nv_debug.shared: nothing, but that
// an extern __shared__ array keeps it, empty, when its alignment is that of such
// arrays; with -g and --preserve-relocs it stays as large as its variables need
// (LAYOUT-036).
func (l *laidOut) closeModuleShared(module *section, end uint64) {
	if l.hasExternShared {
		module.align = max(module.align, externSharedAlign)
	}
	if l.showsShared() {
		module.size, module.anonymous = end+l.reservedShared(), l.mercury && end == 0
		module.kept = end > 0 || l.hasExternShared
		return
	}
	module.size = 0
	if l.mercury {
		module.size, module.anonymous = l.reservedShared(), true
	}
	module.kept = l.hasExternShared && module.align == externSharedAlign
}

// showsShared tells whether the symbol table shows shared variables.
func (l *laidOut) showsShared() bool { return l.options.debugSymbols() || l.options.PreserveRelocs }

// placeSharedSymbols gives the symbols of shared variables, where the symbol table
// shows them, their addresses: static ones lie behind the reserved memory, an
// extern array begins behind the largest kernel's static ones (LAYOUT-037).
func (l *laidOut) placeSharedSymbols(module *section, end uint64) {
	if !l.showsShared() {
		return
	}
	reserved := l.reservedShared()
	if l.mercury {
		reserved = l.target.ReservedShared() // the finalizer does not ask
	}
	if reserved > 0 {
		l.options.trace(reservedSharedHeader)
	}
	for _, list := range [][]*symbol{l.locals, l.globals} {
		for _, y := range list {
			switch {
			case y.shared == nil:
			case y.shared.extern && l.options.debugSymbols():
				y.addend = l.dynamic[l.dynamicKey(nil, y)]
				if end > 0 || l.mercury {
					y.addend += reserved
				}
			case y.shared.extern:
				y.addend = reserved - 1
				y.shared.leftOver = end > 0
				if end > 0 && reserved > 0 && !l.mercury { // LAYOUT-047
					y.hidden, y.unnamed = false, false
				}
			default:
				y.addend = reserved
				if reserved > 0 {
					l.options.trace(sharedMoved, y.name, y.value+reserved)
				}
			}
		}
	}
}

// splitShared finds the kernels that reach each variable. A variable of one
// kernel becomes a local one of that kernel; the others stay common, the largest
// first (LAYOUT-030). What no code names is dropped. A kernel of an extensible whole
// program has no room for variables of others (LAYOUT-054).
func (l *laidOut) splitShared(log *diag.Log) (users map[*sharedObject][]*entry, common []*sharedObject) {
	users = map[*sharedObject][]*entry{}
	named := map[*sharedObject]bool{}
	for _, fn := range l.functions {
		for _, y := range fn.uses {
			named[y.shared] = true
		}
	}
	for _, e := range l.entries {
		for _, fn := range e.reachable {
			for _, y := range fn.uses {
				if list := users[y.shared]; len(list) == 0 || list[len(list)-1] != e {
					users[y.shared] = append(list, e)
				}
				if y.shared.extern {
					e.dynamic = append(e.dynamic, l.dynamicKey(fn, y))
				}
			}
		}
	}
	for _, o := range l.sharedInOrder {
		if o.owner != nil && o.owner.dead {
			o.symbol.value = ^uint64(0) // only debug information still names it (LAYOUT-049)
		}
	}
	bySize := listSort(l.outsideKernels(), func(a, b *sharedObject) bool { return a.size > b.size })
	for _, o := range bySize {
		for _, e := range slices.Backward(users[o]) {
			if e.fn.extensible && !o.extern {
				log.Report(diag.SharedOfWholeProgram, o.symbol.name, e.fn.symbol.name)
			}
		}
		switch {
		case o.extern:
		case len(users[o]) == 1:
			e := users[o][0]
			e.localised = append(e.localised, o)
			l.addShared(o.is)
			l.options.trace(sharedOfOneEntry, o.symbol.name, e.fn.order)
		case named[o]:
			common = append(common, o)
		default:
			o.symbol.hidden, o.symbol.unnamed = true, true
			l.options.trace(sharedUnused, o.symbol.name)
		}
	}
	for _, o := range common {
		for _, e := range users[o] {
			e.common = append(e.common, o)
		}
		l.addShared(o.is)
	}
	return users, common
}

// outsideKernels gives the variables outside of kernels in the order in which they were
// first mentioned. Extern arrays stand among them, although they are placed elsewhere:
// they count where the sort decides between equal ones (LAYOUT-404).
func (l *laidOut) outsideKernels() []*sharedObject {
	return slices.DeleteFunc(slices.Clone(l.sharedInOrder), func(o *sharedObject) bool {
		return o.owner != nil || o.section == nil && !o.extern
	})
}

// groupShared colours the common variables: each joins the first group in which
// it interferes with none. Groups follow each other (LAYOUT-031).
func (l *laidOut) groupShared(common []*sharedObject, users map[*sharedObject][]*entry) (end uint64) {
	var groups [][]*sharedObject
	taken := []map[*entry]bool{}
next:
	for _, o := range common {
		for g := range groups {
			if !anyIn(users[o], taken[g]) {
				groups[g] = append(groups[g], o)
				mark(users[o], taken[g])
				continue next
			}
		}
		groups = append(groups, []*sharedObject{o})
		taken = append(taken, map[*entry]bool{})
		mark(users[o], taken[len(taken)-1])
	}
	if len(groups) > 0 {
		end = l.sharedStart()
	}
	l.traceInterference(common, users, groups)
	for _, group := range groups {
		var align, size uint64
		for _, o := range group {
			align, size = max(align, o.align), max(size, o.size)
		}
		end = alignUp(end, align)
		for _, o := range group {
			o.symbol.value = end
			l.options.trace(variablePlaced, o.symbol.name, end)
			l.options.trace(sharedPlace, end, o.size)
		}
		end += size
	}
	return end
}

// traceInterference tells which common variables interfere, by their numbers in the
// order of the colouring, from 0, and which group each joined, from 1.
func (l *laidOut) traceInterference(common []*sharedObject, users map[*sharedObject][]*entry, groups [][]*sharedObject) {
	if l.options.Trace == nil {
		return
	}
	for i, o := range common {
		l.options.trace(sharedObjectSeen, i, o.symbol.name)
		mine := map[*entry]bool{}
		mark(users[o], mine)
		for k, other := range common {
			if k != i && anyIn(users[other], mine) {
				l.options.trace(sharedEdge, k)
			}
		}
		for g, group := range groups {
			if slices.Contains(group, o) {
				l.options.trace(sharedGroup, g+1)
			}
		}
	}
}

func anyIn(entries []*entry, set map[*entry]bool) bool {
	for _, e := range entries {
		if set[e] {
			return true
		}
	}
	return false
}

func mark(entries []*entry, set map[*entry]bool) {
	for _, e := range entries {
		set[e] = true
	}
}

// layoutEntryShared places the kernel's own variables behind the common ones that
// it uses: by alignment, then size, in the order that nvlink's sort gives, from
// its end (LAYOUT-032).
func (l *laidOut) layoutEntryShared(e *entry, moduleAlign uint64) {
	s := e.fn.shared
	if e.fn.wholeShared {
		l.options.trace(wholeSharedIgnored, s.name)
		return
	}
	if s.symbol != nil {
		s.align = max(s.align, moduleAlign)
	}
	if len(e.common)+len(e.fn.sharedLocals)+len(e.localised) > 0 {
		l.options.trace(sharedEntry, s.name)
		if len(e.common) == 0 {
			l.options.trace(sharedEntryAlone, e.fn.symbol.name)
		}
	}
	end := l.sharedStart()
	for _, o := range e.common {
		end = max(end, o.symbol.value+o.size)
	}
	own := append(append([]*sharedObject(nil), e.fn.sharedLocals...), e.localised...)
	own = listSort(own, func(a, b *sharedObject) bool {
		return a.align < b.align || a.align == b.align && a.size > b.size
	})
	for i := len(own) - 1; i >= 0; i-- {
		o := own[i]
		end = alignUp(end, o.align)
		o.symbol.value = end
		o.symbol.section = s
		l.options.trace(variablePlaced, o.symbol.name, end)
		end += o.size
		s.align = max(s.align, o.align)
	}
	if s.filled {
		end = max(end, s.size)
	}
	s.kept = s.filled || len(own)+len(e.common)+len(e.dynamic) > 0
	if s.kept {
		s.size = end
		l.options.trace(entrySharedSize, s.name, end)
	}
	if len(e.dynamic) > 0 {
		s.align = max(s.align, externSharedAlign)
		s.size = alignUp(end, externSharedAlign)
	}
}

// A dynamicKey is what has one value for the start of extern __shared__: a
// function that uses such an array, or with -g, where each array has a symbol, the
// array.
type dynamicKey struct {
	fn    *function
	array *symbol
}

func (l *laidOut) dynamicKey(fn *function, array *symbol) dynamicKey {
	if l.options.debugSymbols() {
		return dynamicKey{array: array}
	}
	return dynamicKey{fn: fn}
}

// joinDynamic lets kernels that share a key agree on where extern __shared__
// begins: at the largest of their ends (LAYOUT-033).
func (l *laidOut) joinDynamic() {
	for changed := true; changed; {
		changed = false
		for _, e := range l.entries {
			start := e.fn.shared.size
			for _, key := range e.dynamic {
				start = max(start, l.dynamic[key])
			}
			if len(e.dynamic) > 0 && start > e.fn.shared.size {
				e.fn.shared.size = start
				changed = true
			}
			for _, key := range e.dynamic {
				if at, ok := l.dynamic[key]; !ok || at < start {
					l.dynamic[key] = start
					changed = true
				}
			}
		}
	}
}

// closeShared decides whether the kernel's section stays, and adds the shared
// memory that the system reserves (LAYOUT-034). A kernel without shared memory
// has a section all the same when the program has an extern __shared__ array and
// the section's alignment is that of such arrays (LAYOUT-035).
func (l *laidOut) closeShared(e *entry) {
	s := e.fn.shared
	if !s.kept {
		if s.symbol == nil || !l.hasExternShared || s.align < externSharedAlign || (l.mercury || l.reservedShared() == 0) && s.align != externSharedAlign {
			return
		}
		s.kept = true
	}
	if s.symbol == nil {
		l.addSection(s)
	}
	if s.size == 0 && (l.mercury || l.reservedShared() == 0) {
		// What the system reserves comes with the machine code.
		s.anonymous, s.kept = true, s.align == externSharedAlign
	}
	s.size += l.reservedShared()
	if e.fn.wholeShared && !l.mercury {
		l.nullValue += l.reservedShared() // EMIT-018
	}
}

// addShared adds the sections of kernels that the options leave out, now that variables are
// there to lie in them: those for which is holds. Code that names one comes in the order of its
// relocations; of the kernels that get to it the last created one is first (LAYOUT-055).
func (l *laidOut) addShared(is func(*sharedObject) bool) {
	var waiting []*entry
	for _, e := range slices.Backward(l.entries) {
		if e.fn.shared.symbol == nil {
			waiting = append(waiting, e)
		}
	}
	if len(waiting) == 0 {
		return
	}
	for _, fn := range l.sharedUsers {
		if !slices.ContainsFunc(fn.uses, func(y *symbol) bool { return is(y.shared) }) {
			continue
		}
		for _, e := range waiting {
			if e.fn.shared.symbol == nil && slices.Contains(e.reachable, fn) {
				l.addSection(e.fn.shared)
			}
		}
	}
}

func (o *sharedObject) is(other *sharedObject) bool { return o == other }
func (o *sharedObject) isExtern() bool              { return o.extern }

// debugSymbols tells whether the output shows symbols for debuggers.
func (o *Options) debugSymbols() bool { return o.Debug && !o.SuppressDebugInfo }
