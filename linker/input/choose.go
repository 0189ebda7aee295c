package input

import (
	"cmp"
	"context"
	"strings"

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
	case fatbin.Unknown16:
		return servesUnknown(e, t)
	case fatbin.PTX, fatbin.LTOIR:
		return compilesFor(e, t)
	}
	return false
}

// compilesFor reports whether e, an input for a compiler, is 64-bit code for t or for an earlier architecture.
func compilesFor(e *fatbin.Entry, t arch.Target) bool {
	t.Kind = arch.Real
	return e.Flags&fatbin.Flag64Bit != 0 && t.AcceptsPTX(e.Arch, letter(e, t))
}

// servesUnknown reports whether e, an entry of kind 16, can be used in a link for t. Its architecture is judged as that
// of machine code, and its letter as that of PTX. A release that does not know the kind uses no such entry (LOAD-540).
func servesUnknown(e *fatbin.Entry, t arch.Target) bool {
	t.Kind = arch.Real
	plain := *e
	plain.Suffix = 0
	return t.Profile.Input.Checks(uint16(e.Kind)) && runsOn(&plain, t) && t.AcceptsPTX(e.Arch, letter(e, t))
}

// letter returns the letter of the architecture of e that counts in the release of t, or 0 (KIT-540). An 'a' counts
// before 13.1 only if the architecture has such a name (KIT-543). Where letters of PTX do not count, PTX for an 'f' name
// that does not exist is still for no target (KIT-541).
func letter(e *fatbin.Entry, t arch.Target) byte {
	p := &t.Profile.Input
	compiled := e.Kind == fatbin.PTX || e.Kind == fatbin.LTOIR
	exists := t.Profile.Has(e.Arch, e.Suffix)
	switch {
	case strings.IndexByte(p.EntryLetters, e.Suffix) < 0,
		e.Suffix == 'a' && !exists && !p.ReadsOldLetter,
		compiled && p.PlainPTX && (e.Suffix == 'a' || exists):
		return 0
	}
	return e.Suffix
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
		if c := compare(e, best, t, preference); c > 0 || c == 0 && replacesEqual(e, t) {
			best = e
		}
	}
	return best
}

// replacesEqual reports whether e is preferred to an equal entry before it. It is if it is for the target's own
// architecture without a suffix. For machine code this holds only before 13.0 (KIT-300).
func replacesEqual(e *fatbin.Entry, t arch.Target) bool {
	return e.Arch == t.Number && letter(e, t) == 0 && (e.Kind != fatbin.ELF || !t.Profile.Input.LinksFirstEqual)
}

// compare returns 1 if e is preferred to other, 0 if they are equal.
func compare(e, other *fatbin.Entry, t arch.Target, preference map[fatbin.Kind]int) int {
	return cmp.Or(
		cmp.Compare(min(preference[e.Kind], 1), min(preference[other.Kind], 1)),
		cmp.Compare(e.Arch, other.Arch),
		cmp.Compare(preference[e.Kind], preference[other.Kind]),
		cmp.Compare(rank(e, t), rank(other, t)),
	)
}

// rank orders entries for one number by their letter. An 'a' name that does not exist ranks as one without a letter.
func rank(e *fatbin.Entry, t arch.Target) int {
	suffix := letter(e, t)
	if suffix == 'a' && !t.Profile.Has(e.Arch, suffix) {
		return 0
	}
	return suffixPreference[suffix]
}

var suffixPreference = map[byte]int{'a': 2, 'f': 1}

// runsOn reports whether machine code may be linked for t. From 100 on, two kinds of code need compatibility
// records: code for another number of the family, and code for an 'a' or 'f' name other than the target's. The
// records are the section .nv.compat in its entry, after a byte 0. From 13.1 on, code for an 'a' name is only for
// such targets (KIT-149).
func runsOn(e *fatbin.Entry, t arch.Target) bool {
	suffix := letter(e, t)
	if suffix == 'a' && t.Suffix != 'a' && t.Profile.Accept.RefusesSpecific {
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
		return suffix != 'f'
	}
	compat := e.Flags&fatbin.FlagCompat != 0 && !t.Profile.Input.IgnoresEntryCompat
	if number != t.Number {
		return compat && len(e.Options) > 0 && e.Options[0] == 0 && arch.Portable(e.Options[1:])
	}
	switch {
	case compat, suffix == 0:
		return true
	case suffix == 'a':
		return t.Suffix == 'a'
	}
	return t.Suffix != 'a'
}
