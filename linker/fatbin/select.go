package fatbin

import (
	"cmp"

	"github.com/culink/culink/linker/arch"
)

// Choice among the entries of a fat binary (LOAD-017): of those that can serve
// the target, the highest architecture; then machine code before PTX before
// intermediate code; then 'a' before 'f' before plain; then the first.

// Serves tells whether e can be used in a link for t. A virtual target takes
// no machine code.
func (e *Entry) Serves(t arch.Target) bool {
	if e.Flags&Flag64Bit == 0 {
		return false
	}
	switch e.Kind {
	case ELF:
		return t.Kind == arch.Real && t.Accepts(e.Arch, e.Suffix)
	case PTX, LTOIR:
		return t.AcceptsPTX(e.Arch, e.Suffix)
	}
	return false
}

// Select gives the entry to link for t; nil when there is none.
func Select(entries []Entry, t arch.Target) *Entry {
	var best *Entry
	for i := range entries {
		e := &entries[i]
		if e.Serves(t) && (best == nil || e.compare(best) > 0) {
			best = e
		}
	}
	return best
}

// compare is positive when e is preferred to other.
func (e *Entry) compare(other *Entry) int {
	return cmp.Or(
		cmp.Compare(e.Arch, other.Arch),
		cmp.Compare(preference[e.Kind], preference[other.Kind]),
		cmp.Compare(suffixPreference[e.Suffix], suffixPreference[other.Suffix]),
	)
}

var (
	preference       = map[Kind]int{ELF: 2, PTX: 1, LTOIR: 0}
	suffixPreference = map[byte]int{'a': 2, 'f': 1, 0: 0}
)
