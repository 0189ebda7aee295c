package input

import (
	"cmp"
	"context"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
)

// One entry of a fat binary is chosen from those that can serve the target (LOAD-017). The criteria are, in this
// order: the highest architecture; machine code before PTX; 'a' before 'f' before no suffix; the first or the last
// entry (KIT-300). Intermediate code is used if there is nothing else. With -dlto it is preferred, and a virtual
// target counts as the real one (LTO-012).

// Choose returns the entry of a fat binary that Load uses with these options, or nil if there is none. The error is
// a [diag.Diagnostic] about the target.
func (opt Options) Choose(entries []fatbin.Entry) (*fatbin.Entry, error) {
	l, err := newLoader(context.Background(), opt, &diag.Log{})
	if err != nil {
		return nil, err
	}
	return choose(entries, l.target, opt.LTO != nil), nil
}

// serves reports whether e can be used in a link for t. A virtual target below 100 accepts only PTX. A later virtual
// target accepts what the real one does (LOAD-051).
func serves(e *fatbin.Entry, t arch.Target) bool {
	if e.Flags&fatbin.Flag64Bit == 0 {
		return false
	}
	if e.Kind != fatbin.PTX && t.Kind == arch.Virtual && !t.Mercury() {
		return false
	}
	switch e.Kind {
	case fatbin.ELF:
		t.Kind = arch.Real
		return runsOn(e, t)
	case fatbin.PTX, fatbin.LTOIR, fatbin.Unknown16:
		return compilesFor(e, t)
	}
	return false
}

// compilesFor reports whether e, an input for a compiler, is 64-bit code for t or for an earlier architecture.
func compilesFor(e *fatbin.Entry, t arch.Target) bool {
	t.Kind = arch.Real
	return e.Flags&fatbin.Flag64Bit != 0 && t.AcceptsPTX(e.Arch, e.Suffix)
}

// choose returns the entry to link for t, or nil if there is none.
func choose(entries []fatbin.Entry, t arch.Target, lto bool) *fatbin.Entry {
	preference := map[fatbin.Kind]int{fatbin.ELF: 2, fatbin.PTX: 1}
	if lto {
		preference[fatbin.LTOIR] = 3
		t.Kind = arch.Real // a virtual target chooses as the real one does (LTO-012)
	}
	var best *fatbin.Entry
	for i := range entries {
		e := &entries[i]
		if !serves(e, t) || e.Kind == fatbin.LTOIR && !lto && t.Profile.Input.SkipsIntermediate {
			continue
		}
		if best == nil {
			best = e
			continue
		}
		if c := compare(e, best, preference); c > 0 || c == 0 && replacesEqual(e, t) {
			best = e
		}
	}
	return best
}

// replacesEqual reports whether e is preferred to an equal entry before it. It is if it is for the target's own
// architecture without a suffix. For machine code this holds only before 13.0 (KIT-300).
func replacesEqual(e *fatbin.Entry, t arch.Target) bool {
	return e.Arch == t.Number && e.Suffix == 0 && (e.Kind != fatbin.ELF || !t.Profile.Input.LinksFirstEqual)
}

// compare returns 1 if e is preferred to other, 0 if they are equal.
func compare(e, other *fatbin.Entry, preference map[fatbin.Kind]int) int {
	return cmp.Or(
		cmp.Compare(min(preference[e.Kind], 1), min(preference[other.Kind], 1)),
		cmp.Compare(e.Arch, other.Arch),
		cmp.Compare(preference[e.Kind], preference[other.Kind]),
		cmp.Compare(suffixPreference[e.Suffix], suffixPreference[other.Suffix]),
	)
}

var suffixPreference = map[byte]int{'a': 2, 'f': 1}

// runsOn reports whether machine code may be linked for t. From 100 on, two kinds of code need compatibility
// records: code for another number of the family, and code for an 'a' or 'f' name other than the target's. The
// records are the section .nv.compat in its entry, after a byte 0. From 13.1 on, code for an 'a' name is only for
// such targets (KIT-149).
func runsOn(e *fatbin.Entry, t arch.Target) bool {
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
	compat := e.Flags&fatbin.FlagCompat != 0
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
