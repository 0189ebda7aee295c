package arch

import (
	"slices"
	"strconv"
	"strings"
)

// Kind tells what a target name asks for.
type Kind uint8

// The kinds of targets. Only Real targets give a linked file: a Virtual one
// reads its inputs and writes nothing, an LTO one is refused (LOAD-003).
const (
	Real    Kind = iota // sm_90
	Virtual             // compute_90
	LTO                 // lto_90
)

// Prefixes are the beginnings of target names, by Kind.
var Prefixes = [...]string{Real: "sm_", Virtual: "compute_", LTO: "lto_"}

// A Target is what -arch names.
type Target struct {
	Name   string // as typed: "sm_90a"
	Number int    // 90
	Suffix byte   // 'a', 'f', or 0
	Kind   Kind
}

// Parse reads a target name; false when nvlink 13.0 does not list it (OPT:
// "Value '%s' is not defined for option 'arch'").
func Parse(name string) (Target, bool) {
	for kind, prefix := range Prefixes {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		for _, a := range Architectures {
			suffix, ok := strings.CutPrefix(rest, strconv.Itoa(a.Number))
			if !ok {
				continue
			}
			t := Target{Name: name, Number: a.Number, Kind: Kind(kind)}
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
func Names() []string {
	var names []string
	for _, prefix := range Prefixes {
		for _, a := range Architectures {
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

// SM is the name of the real architecture: "sm_90a" for compute_90a.
func (t Target) SM() string {
	return Prefixes[Real] + strings.TrimPrefix(t.Name, Prefixes[t.Kind])
}

// Accepts tells whether a link for t takes a cubin of the given architecture
// number and suffix ('a', 'f' or 0). The target's own suffix never matters (LOAD-001);
// a virtual target takes machine code of every architecture up to its own (LOAD-051).
func (t Target) Accepts(number int, suffix byte) bool {
	a := Lookup(number)
	if a == nil {
		return false
	}
	if t.Kind == Virtual && number < MinMercury {
		return number <= t.Number
	}
	if suffix == 'a' {
		return number == t.Number
	}
	return slices.Contains(a.RunsOn, t.Number)
}

// AcceptsPTX tells whether PTX for the given virtual architecture can be
// compiled for t (LOAD-002): plain PTX for every later number, 'f' PTX within
// its family, 'a' PTX for the same name only. Where there is no 'a' name the
// suffix does not matter.
func (t Target) AcceptsPTX(number int, suffix byte) bool {
	from, to := Lookup(number), Lookup(t.Number)
	switch {
	case suffix == 'a' && number >= minSpecific:
		return number == t.Number && t.Suffix == 'a'
	case suffix == 'f':
		return from != nil && to != nil && from.Family != 0 && from.Family == to.Family && number <= t.Number
	}
	return number <= t.Number
}

// minSpecific is the first architecture number with an 'a' name.
const minSpecific = 90

// Mercury tells whether cubins of t carry Mercury code beside machine code.
func (t Target) Mercury() bool { return t.Number >= MinMercury }

// ReservedShared is the size in bytes of the system's area at the start of
// shared memory: 0x400 from sm_90 on, else 0.
func (t Target) ReservedShared() uint64 {
	if t.Number >= 90 {
		return reservedShared
	}
	return 0
}

// MaxShared is the most shared memory, in bytes, that an entry may use.
// An 'a' target always has the extended limit of its architecture, the others
// with -enable-extended-smem (LOAD-004).
func (t Target) MaxShared(extended bool) uint64 {
	if extended || t.Suffix == 'a' {
		if a := Lookup(t.Number); a != nil {
			return a.ExtendedShared
		}
	}
	return MaxShared
}

// Compat tells whether cubins of t carry .nv.compat records.
func (t Target) Compat() bool { return t.Number >= 90 }
