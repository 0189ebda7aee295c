package arch

import (
	"slices"
	"strconv"
	"strings"
)

// A Profile describes an emulated release of the CUDA toolkit: all differences of its nvlink from that of
// another release. Phases check its fields and never the release number. The behaviours of a release are
// grouped by the phase that uses them.
type Profile struct {
	Version      string // "13.0.88"
	Major, Minor int
	// API is the version number in cubins, major*10+minor. It is the last word of .note.nv.cuinfo, and the
	// number in "newer than toolkit".
	API     uint32
	Release string // second string of the tool note, and a line of --version
	Build   string // third string of the tool note

	// Interpolated marks a release whose nvlink was never tested. Its behaviour is inferred from the releases
	// before and after it, and from images that its libnvJitLink made (KIT-083).
	Interpolated bool

	Architectures []Architecture // targets of the release, by number
	InputOnly     []Architecture // those that it knows only in machine code of its inputs
	SourceOnly    []Architecture // those that it knows only in PTX of its inputs

	Mercury *Profile // the profile for targets with Mercury code; nil if it is the same

	Options   Options
	Input     Input
	Accept    Accept
	Merge     Merge
	Reach     Reach
	Layout    Layout
	Relocate  Relocate
	Finalizer Finalizer
	Info      Info
	Emit      Emit
	Report    Report
}

// A Scheduler identifies the compiler that scheduled the code of an input. Its fields are the changes of later
// finalizers that the code has already. The zero Scheduler is the compiler of 13.0.
type Scheduler struct {
	Early         bool // from before 13.0 (MERC-108)
	Later         bool // from after 13.0: waits follow KIT-040 and KIT-060 to KIT-062
	CountsDoubles bool // from 13.3 on: FP64 instructions are counted on sm_100 (KIT-063)
	Close         bool // from 13.4 on: FP64 instructions have no issue distance (KIT-050)
	ReservesLast  bool // from 13.5 on: the last free scoreboard is reserved (KIT-178)
}

// Scheduler returns the compiler whose schedules equal those of the finalizer.
func (f *Finalizer) Scheduler() Scheduler {
	return Scheduler{Later: f.WaitsOnDemand, CountsDoubles: f.CountsDoubles, Close: f.ClosesDistances, ReservesLast: f.ReservesLast}
}

// OfLibrary returns the profile of the release's libnvJitLink.
func (p *Profile) OfLibrary() *Profile {
	if !slices.ContainsFunc(ofLibrary, func(d Difference) bool { return Holds(p.API, d.Since, d.Until) }) {
		return p
	}
	library := *p
	library.apply(ofLibrary, p.API)
	return &library
}

// Short returns the version without its last number, as "13.0".
func (p *Profile) Short() string { return strconv.Itoa(p.Major) + "." + strconv.Itoa(p.Minor) }

// OriginNote returns the name of the note section that records what a linked file was compiled for.
func (p *Profile) OriginNote() string {
	if p.Info.EarlyNotes {
		return ".note.nv.cuver"
	}
	return ".note.nv.cuinfo"
}

// PTX returns the newest version of PTX that the assembler of the release supports. For 12.4 it is 84, which
// means 8.4. 12.6 has the version of 12.5.
func (p *Profile) PTX() int {
	version := int(p.API) - 40
	if Holds(p.API, 126, 129) {
		version--
	}
	return version
}

// Current returns the number of an architecture in the release. sm_101 of 12.8 and 12.9 is sm_110 from 13.0 on
// (LOAD-054).
func (p *Profile) Current(number int) int {
	const early, later = 101, 110
	if number == early && p.Lookup(later) != nil {
		return later
	}
	return number
}

// Lookup finds the architecture with a number. It returns nil if the release does not link for it.
func (p *Profile) Lookup(number int) *Architecture { return lookup(p.Architectures, number) }

// ofInput finds the architecture of machine code. It returns nil if the release does not know it.
func (p *Profile) ofInput(number int) *Architecture {
	if a := p.Lookup(number); a != nil {
		return a
	}
	return lookup(p.InputOnly, number)
}

// ofPTX reports whether the release knows the architecture of PTX (LOAD-992).
func (p *Profile) ofPTX(number int) bool {
	return p.Lookup(number) != nil || lookup(p.SourceOnly, number) != nil
}

func lookup(list []Architecture, number int) *Architecture {
	i := slices.IndexFunc(list, func(a Architecture) bool { return a.Number == number })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Has reports whether the release has a name of the architecture with this suffix.
func (p *Profile) Has(number int, suffix byte) bool {
	a := p.Lookup(number)
	return a != nil && strings.IndexByte(a.Suffixes, suffix) >= 0
}

// Parse parses a target name. ok is false if the release does not list it (OPT: "Value '%s' is not defined for
// option 'arch'").
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
			if t.Mercury() && p.Mercury != nil {
				t.Profile = p.Mercury
			}
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

// Names returns every target name, sorted as in --help.
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
