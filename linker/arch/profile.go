package arch

import (
	"slices"
	"strconv"
	"strings"
)

// A Profile is a release of the CUDA toolkit that culink stands in for: everything by which
// its nvlink differs from that of another release. Phases ask its fields and never which
// release it is.
type Profile struct {
	Version      string // "13.0.88"
	Major, Minor int
	// API is the version number in cubins, major*10+minor: the last word of
	// .note.nv.cuinfo, and the number of "newer than toolkit".
	API     uint32
	Release string // second string of the tool note, and a line of --version
	Build   string // third string of the tool note

	Architectures []Architecture // that it links for, by number

	// The file.
	OSABI            uint8  // in the header of linked files
	ABIVersion       uint8  // in the header of linked files
	ELFVersion       uint32 // e_version of linked files
	RelocationAction []byte // content of .nv.rel.action, the same in every executable (EMIT-006)

	// The inputs.
	MinAPI uint32 // the first release whose cubins of sm_90 it takes (LOAD-013)
}

// Lookup finds the architecture of a number; nil when the release does not link for it.
func (p *Profile) Lookup(number int) *Architecture {
	i := slices.IndexFunc(p.Architectures, func(a Architecture) bool { return a.Number == number })
	if i < 0 {
		return nil
	}
	return &p.Architectures[i]
}

// Parse reads a target name; false when the release does not list it (OPT:
// "Value '%s' is not defined for option 'arch'").
func (p *Profile) Parse(name string) (Target, bool) {
	for kind, prefix := range Prefixes {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		for i := range p.Architectures {
			a := &p.Architectures[i]
			suffix, ok := strings.CutPrefix(rest, strconv.Itoa(a.Number))
			if !ok {
				continue
			}
			t := Target{Name: name, Number: a.Number, Kind: Kind(kind), Profile: p}
			switch {
			case suffix == "":
				return t, true
			case len(suffix) == 1 && strings.Contains(a.Suffixes, suffix):
				t.Suffix = suffix[0]
				return t, true
			}
		}
	}
	return Target{}, false
}

// Names lists every target name, sorted, as --help shows them.
func (p *Profile) Names() []string {
	var names []string
	for _, prefix := range Prefixes {
		for _, a := range p.Architectures {
			base := prefix + strconv.Itoa(a.Number)
			names = append(names, base)
			for _, s := range a.Suffixes {
				names = append(names, base+string(s))
			}
		}
	}
	slices.Sort(names)
	return names
}

// TooOld reports whether a cubin of an architecture must be compiled again, by the release
// that made it: those of sm_90 of before 12.0 (LOAD-013).
func (p *Profile) TooOld(number int, api uint32) bool {
	return number == onlyRecompiled && api < p.MinAPI
}
