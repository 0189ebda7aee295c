package layout

import "github.com/culink/culink/linker/internal/program"

// A relocatable link of nvlink does not place shared variables. It writes the alignment of a
// variable into the code that names it. With several variables, a later link cannot tell which
// one an instruction means. With a single variable it can: the code is correct if the variable
// is placed at its alignment (RELOC-407).

// findLostShared returns the kernels' static shared variables whose relocations an earlier link
// dropped without a note (RELOC-405). It returns none if an input has also lost the relocations
// of a variable outside of kernels, because any kernel may reach the code with its alignment.
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

// standsAtAlignment reports whether the kernel has a single variable, whose relocations are lost.
// The kernel's code finds this variable only if its offset is its alignment.
func (l *Placed) standsAtAlignment(e *Kernel, own []*program.SharedObject, lost map[*program.SharedObject]bool) bool {
	return len(own) == 1 && lost[own[0]] && len(e.Common)+len(e.dynamic) == 0 && !e.Fn.Shared.Filled &&
		own[0].Align+own[0].Size <= l.Target.MaxShared(l.Options.ExtendedShared)
}
