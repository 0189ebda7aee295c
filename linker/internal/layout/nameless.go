package layout

import "github.com/culink/culink/linker/cubin"

// Later releases keep the shared memory of a kernel in which no variable stands as an unnamed variable (KIT-090). nvlink
// lays out the shared memory of a kernel that the options leave out only if it has named variables. Otherwise the section
// has the unnamed ones, and neither extern arrays nor the memory that is reserved for the system, unless the finalizer adds
// that (LAYOUT-970).

// StandsAsItIs reports whether the shared memory of a kernel consists of unnamed variables, and is not laid out.
func (l *Placed) StandsAsItIs(e *Kernel) bool { return e.nameless }

// consistsOfNameless computes StandsAsItIs.
func (l *Placed) consistsOfNameless(e *Kernel) bool {
	if l.Chosen(e.Fn) || e.Fn.WholeShared || len(e.Fn.SharedLocals) == 0 {
		return false
	}
	for _, o := range e.Fn.SharedLocals {
		if !o.Nameless {
			return false
		}
	}
	return true
}

// sumNameless sets the size and the alignment of the shared memory of a kernel that is not laid out.
func (l *Placed) sumNameless(e *Kernel) {
	s := e.Fn.Shared
	s.Size = 0
	for _, o := range e.Fn.SharedLocals {
		o.Symbol.Section, o.Symbol.Value = s, cubin.AlignUp(s.Size, o.Align)
		s.Size = o.Symbol.Value + o.Size
		s.Align = max(s.Align, o.Align)
	}
	s.Keep(true)
}
