package program

import "slices"

// UseShared records that the code of f refers to a shared variable.
func (m *Program) UseShared(f *Function, y *Symbol) {
	if f.uses(y) {
		return
	}
	if len(f.Uses) == 0 {
		m.SharedUsers = append(m.SharedUsers, f)
	}
	f.Uses = append(f.Uses, y)
	switch {
	case f.knownUses != nil:
		f.knownUses[y] = true
	case len(f.Uses) > fewUses:
		f.knownUses = make(map[*Symbol]bool, 4*fewUses)
		for _, known := range f.Uses {
			f.knownUses[known] = true
		}
	}
}

// fewUses is the number of a function's shared variables up to which a linear search is used.
const fewUses = 8

// uses reports whether the code of f is known to refer to y.
func (f *Function) uses(y *Symbol) bool {
	if f.knownUses != nil {
		return f.knownUses[y]
	}
	return slices.Contains(f.Uses, y)
}

// A SharedObject is a __shared__ variable, or a further definition of one. nvlink places each of these
// definitions (LAYOUT-407).
type SharedObject struct {
	Symbol   *Symbol   // set by merge
	Align    uint64    // set by merge
	Size     uint64    // set by merge
	Extern   bool      // extern __shared__: begins where the static ones end; set by merge
	Late     bool      // extern __shared__ that a later input defines with a size, so that nothing places it (LAYOUT-406); set by merge
	Nameless bool      // room of a kernel in which no variable stands; set by merge
	Missing  bool      // declared with its size, not defined yet; set by merge
	Owner    *Function // the kernel whose section it stands in; nil for .nv_debug.shared; set by merge
	Section  *Section  // where it stood in the input; set by merge
	Place    uint64    // the value of its symbol in the input, if it has an owner or is Fixed; set by merge
	Fixed    bool      // outside of kernels, in an extensible whole program: it stays at Place (LAYOUT-986); set by merge

	Sole     *Function // the one kernel that reaches it, if it is outside of kernels; set by layout
	LeftOver bool      // -g or --preserve-relocs: an extern array while static ones are left over; set by layout
}

// AddShared adds the section of a kernel's shared memory if the program lacks it. The program lacks it if it had no contents
// so far (REACH-033).
func (m *Program) AddShared(fn *Function) {
	if fn.Shared.Symbol == nil {
		m.AddSection(fn.Shared)
	}
}

// IsDynamic reports whether o is an array whose size is set at launch.
func (o *SharedObject) IsDynamic() bool { return o.Extern && !o.Late }

// ForgetShared clears the list of shared variables that the code of f refers to.
func (m *Program) ForgetShared(f *Function) {
	if len(f.Uses) > 0 {
		f.Uses, f.knownUses = nil, nil
		m.SharedUsers = slices.DeleteFunc(m.SharedUsers, func(user *Function) bool { return user == f })
	}
}
