package linker

// extern __shared__ arrays have no size: their memory is what a launch asks for, behind
// the static variables of a kernel. Code has one address for an array too, so that all
// kernels that reach it must agree where they end.

// They begin at a multiple of this many bytes.
const externSharedAlign = 16

// A dynamicKey is what has one value for the start of extern __shared__: a
// function that uses such an array, or with -g, where each array has a symbol, the
// array. An array that got a size later has a key that no kernel gives a start.
type dynamicKey struct {
	fn    *function
	array *symbol
}

func (l *laidOut) dynamicKey(fn *function, array *symbol) dynamicKey {
	if l.options.debugSymbols() || array.shared.late {
		return dynamicKey{array: array}
	}
	return dynamicKey{fn: fn}
}

// placeExternShared says where extern arrays begin. The kernels that reach them have a
// section, also those that the options do not choose (LAYOUT-055).
func (l *laidOut) placeExternShared() {
	for _, e := range l.externUsers {
		l.addShared(e.fn)
	}
	l.joinDynamic()
	l.traceExternShared()
}

// joinDynamic lets kernels that share a key agree on where extern __shared__
// begins: at the largest of their ends (LAYOUT-033). With -g an array that no kernel
// reaches begins where nothing is before it (LAYOUT-408).
func (l *laidOut) joinDynamic() {
	if l.options.debugSymbols() {
		for _, o := range l.sharedInOrder {
			if o.extern {
				l.dynamic[l.dynamicKey(nil, o.symbol)] = alignUp(l.sharedStart(), externSharedAlign)
			}
		}
	}
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
