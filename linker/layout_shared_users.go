package linker

import (
	"slices"

	"github.com/culink/culink/linker/diag"
)

// Which kernels reach a shared variable decides where it lies: one kernel's becomes its
// own, several kernels' must lie at one offset in all of them, and what no code names
// goes. The order in which variables find their kernels is that in which kernels that had
// to wait for their section get it (LAYOUT-055).

// usersOfShared gives the kernels that reach code that names a shared variable: code in
// the order of its relocations, and of the kernels that reach it the last created first.
// It has an empty list for a variable that only code names that no kernel reaches.
func (l *laidOut) usersOfShared() map[*symbol][]*entry {
	reaching := map[*function][]*entry{}
	for _, e := range slices.Backward(l.entries) {
		for _, fn := range e.reachable {
			if len(fn.uses) > 0 {
				reaching[fn] = append(reaching[fn], e)
			}
		}
	}
	type use struct {
		variable *symbol
		by       *entry
	}
	users, known := map[*symbol][]*entry{}, map[use]bool{}
	for _, fn := range l.sharedUsers {
		for _, y := range fn.uses {
			kernels := users[y]
			for _, e := range reaching[fn] {
				if !known[use{y, e}] {
					known[use{y, e}] = true
					kernels = append(kernels, e)
				}
				if y.shared.isDynamic() {
					if len(e.dynamic) == 0 {
						l.externUsers = append(l.externUsers, e)
					}
					e.dynamic = append(e.dynamic, l.dynamicKey(fn, y))
				}
			}
			users[y] = kernels
		}
	}
	return users
}

// splitShared finds the kernels that reach each variable. A variable of one
// kernel becomes a local one of that kernel; the others stay common, the largest
// first (LAYOUT-030). What no code names is dropped. A kernel of an extensible whole
// program has no room for variables of others (LAYOUT-054).
func (l *laidOut) splitShared(users map[*symbol][]*entry, log *diag.Log) (common []*sharedObject) {
	for _, o := range l.sharedInOrder {
		if o.owner != nil && o.owner.dead {
			o.symbol.value = ^uint64(0) // only debug information still names it (LAYOUT-049)
		}
	}
	bySize := listSort(l.outsideKernels(), func(a, b *sharedObject) bool { return a.size > b.size })
	for _, o := range bySize {
		kernels, named := users[o.symbol]
		for _, e := range kernels {
			if e.fn.extensible && !o.extern {
				log.Report(diag.SharedOfWholeProgram, o.symbol.name, e.fn.symbol.name)
			}
		}
		switch {
		case o.extern:
		case len(kernels) == 1:
			e := kernels[0]
			e.localised = append(e.localised, o)
			l.addShared(e.fn)
			l.options.trace(sharedOfOneEntry, o.symbol.name, e.fn.order)
		case named:
			common = append(common, o)
		default:
			o.symbol.hidden, o.symbol.unnamed = true, true
			l.options.trace(sharedUnused, o.symbol.name)
		}
	}
	for _, o := range common {
		for _, e := range users[o.symbol] {
			e.common = append(e.common, o)
			l.addShared(e.fn)
		}
	}
	return common
}

// outsideKernels gives the variables outside of kernels in the order in which they were
// first mentioned. Extern arrays stand among them, although they are placed elsewhere:
// they count where the sort decides between equal ones (LAYOUT-404).
func (l *laidOut) outsideKernels() []*sharedObject {
	return slices.DeleteFunc(slices.Clone(l.sharedInOrder), func(o *sharedObject) bool {
		return o.owner != nil || o.section == nil && !o.extern
	})
}
