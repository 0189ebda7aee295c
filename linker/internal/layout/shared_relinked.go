package layout

import "github.com/culink/culink/linker/internal/program"

// A relocatable link of nvlink does not place shared variables. It writes the alignment of a
// variable into the code that uses the variable. If a kernel has several variables, a later link
// cannot find out which one an instruction means. If it has a single variable, the code is correct
// if that variable is placed at an offset equal to its alignment (RELOC-407).

// findLostShared returns the static shared variables of kernels whose relocations an earlier link
// dropped without a record (RELOC-405). It returns none if an input has also lost the relocations
// of a variable outside of kernels: any kernel may then reach code that has the alignment of that
// variable.
func (l *Placed) findLostShared() map[*program.SharedObject]bool {
	if l.Options.AcceptLostRelocations {
		return nil
	}
	lost := map[*program.SharedObject]bool{}
	for _, in := range l.Relinked {
		if in.Object.NotesRelocations() {
			continue
		}
		for _, y := range in.Unnamed() {
			switch {
			case y.Shared == nil, y.Shared.Size == 0:
			case y.Shared.Owner == nil:
				return nil
			default:
				lost[y.Shared] = true
			}
		}
	}
	return lost
}

// standsAtAlignment reports whether the kernel has exactly one variable, whose relocations are
// lost. The kernel's code finds the variable only if its offset equals its alignment.
func (l *Placed) standsAtAlignment(e *Kernel, own []*program.SharedObject, lost map[*program.SharedObject]bool) bool {
	return len(own) == 1 && lost[own[0]] && len(e.Common)+len(e.dynamic) == 0 && !e.Fn.Shared.Filled &&
		own[0].Align+own[0].Size <= l.Target.MaxShared(l.Options.ExtendedShared)
}
