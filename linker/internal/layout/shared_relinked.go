package layout

import "github.com/culink/culink/linker/internal/program"

// A relocatable link of nvlink gives shared variables no places, and writes the alignment of a
// variable into the code that names it. Of several variables nobody can tell afterwards which
// one an instruction means. Of one alone everybody can: the code is right where the variable
// stands at its alignment (RELOC-407).

// findLostShared returns the static shared variables of kernels whose relocations an earlier
// link has dropped, and did not note (RELOC-405). It returns none where an input has lost one
// outside of kernels too: any kernel may reach the code that has its alignment.
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

// standsAtAlignment reports whether the kernel's own variables are one alone that was lost: the
// only place for it where the kernel's code finds it is its alignment.
func (l *Placed) standsAtAlignment(e *Kernel, own []*program.SharedObject, lost map[*program.SharedObject]bool) bool {
	return len(own) == 1 && lost[own[0]] && len(e.Common)+len(e.dynamic) == 0 && !e.Fn.Shared.Filled &&
		own[0].Align+own[0].Size <= l.Target.MaxShared(l.Options.ExtendedShared)
}
