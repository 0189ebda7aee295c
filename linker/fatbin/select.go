package fatbin

import (
	"cmp"

	"github.com/culink/culink/linker/arch"
)

// Choice among the entries of a fat binary (LOAD-017): of those that can serve
// the target, the highest architecture; then machine code before PTX; then 'a'
// before 'f' before plain; then the first. Intermediate code is taken when
// there is nothing else; with -dlto it comes first, and a virtual target counts as the real
// one (LTO-012).

// Serves reports whether e can be used in a link for t. A virtual target below 100
// takes PTX only; a later one chooses as the real one does (LOAD-051).
func (e *Entry) Serves(t arch.Target) bool {
	if e.Flags&Flag64Bit == 0 {
		return false
	}
	if e.Kind != PTX && t.Kind == arch.Virtual && !t.Mercury() {
		return false
	}
	switch e.Kind {
	case ELF:
		t.Kind = arch.Real
		return e.runsOn(t)
	case PTX, LTOIR, Unknown16:
		return e.compilesFor(t)
	}
	return false
}

// compilesFor reports whether e, which a compiler reads, has 64 bits and is for t or an
// earlier architecture.
func (e *Entry) compilesFor(t arch.Target) bool {
	t.Kind = arch.Real
	return e.Flags&Flag64Bit != 0 && t.AcceptsPTX(e.Arch, e.Suffix)
}

// Select returns the entry to link for t; nil when there is none.
func Select(entries []Entry, t arch.Target, lto bool) *Entry {
	preference := map[Kind]int{ELF: 2, PTX: 1}
	if lto {
		preference[LTOIR] = 3
		t.Kind = arch.Real // a virtual target chooses as the real one does (LTO-012)
	}
	var best *Entry
	for i := range entries {
		e := &entries[i]
		if e.Serves(t) && (best == nil || e.compare(best, preference) > 0) {
			best = e
		}
	}
	return best
}

// compare is positive when e is preferred to other.
func (e *Entry) compare(other *Entry, preference map[Kind]int) int {
	return cmp.Or(
		cmp.Compare(min(preference[e.Kind], 1), min(preference[other.Kind], 1)),
		cmp.Compare(e.Arch, other.Arch),
		cmp.Compare(preference[e.Kind], preference[other.Kind]),
		cmp.Compare(suffixPreference[e.Suffix], suffixPreference[other.Suffix]),
	)
}

var suffixPreference = map[byte]int{'a': 2, 'f': 1}

// runsOn reports whether machine code may be linked for t. From 100 on, code for
// another number of the family, or for an 'a' or 'f' name that is not the
// target's, needs the .nv.compat section in its entry, after a byte 0, which
// tells what the code relies on. From 13.1 on code for an 'a' name is for such targets alone (KIT-149).
func (e *Entry) runsOn(t arch.Target) bool {
	if e.Suffix == 'a' && t.Suffix != 'a' && t.Profile.Accept.RefusesSpecific {
		return false
	}
	number := e.Arch
	if t.Profile.Input.RenamesEntries {
		number = t.Profile.Current(number)
	}
	if !t.Accepts(number, 0) {
		return false
	}
	if number < arch.MinMercury {
		return e.Suffix != 'f'
	}
	compat := e.Flags&FlagCompat != 0
	if number != t.Number {
		return compat && len(e.Options) > 0 && e.Options[0] == 0 && arch.Portable(e.Options[1:])
	}
	switch {
	case compat, e.Suffix == 0:
		return true
	case e.Suffix == 'a':
		return t.Suffix == 'a'
	}
	return t.Suffix != 'a'
}
