package arch

import (
	"slices"
	"strconv"
	"strings"
)

// A Profile is a release of the CUDA toolkit that culink stands in for: everything by which
// its nvlink differs from that of another release. Phases ask its fields and never which
// release it is. A release's behaviours are grouped by the phase that asks for them.
type Profile struct {
	Version      string // "13.0.88"
	Major, Minor int
	// API is the version number in cubins, major*10+minor: the last word of
	// .note.nv.cuinfo, and the number of "newer than toolkit".
	API     uint32
	Release string // second string of the tool note, and a line of --version
	Build   string // third string of the tool note

	// Interpolated marks a release whose nvlink is untested: its behaviour follows from the
	// releases before and after it, and from images of its libnvJitLink (KIT-083).
	Interpolated bool

	Architectures []Architecture // targets of the release, by number

	Mercury *Profile // the profile for targets with Mercury code; nil where it is the same

	Options  Options
	Input    Input
	Accept   Accept
	Merge    Merge
	Reach    Reach
	Layout   Layout
	Relocate Relocate
	Info     Info
	Emit     Emit
	Report   Report

	// The finalizer.
	Finalizer
	KeepsCapsules      bool // capsules have the header and the records of 12.8 (KIT-163)
	SpacesProducts     bool // other instructions fill the time between matrix products (KIT-055)
	PairsRegisters     bool // of replaced code a register whose end is not found has no begin (KIT-440)
	PausesRegisters    bool // of replaced code a register holds from after the NOPs that follow (KIT-441)
	EndsEmptyLines     bool // a line program without rows has an end of sequence (KIT-052)
	FindsBehindAliases bool // a function is found behind its alias (KIT-104)
}

// A Scheduler is who scheduled the code of an input: what its compiler does already that finalizers of later releases do.
// The zero Scheduler is the compiler of 13.0.
type Scheduler struct {
	Early        bool // it is from before 13.0 (MERC-108)
	Later        bool // it is from after 13.0: waits are those of KIT-040 and KIT-060 to KIT-063
	Close        bool // it is from 13.4 on: FP64 instructions have no issue distance (KIT-050)
	ReservesLast bool // it is from 13.5 on: the last free scoreboard is reserved (KIT-178)
}

// Scheduler returns the compiler whose schedules those of a finalizer are.
func (f *Finalizer) Scheduler() Scheduler {
	return Scheduler{Later: f.WaitsWhereNeeded, Close: f.ClosesDistances, ReservesLast: f.SparesLast}
}

// A Finalizer is what the finalizer of a release does otherwise than that of 13.0.
type Finalizer struct {
	RenewsCode       bool // Mercury code of compilers before 13.0 becomes that of later ones (KIT-164)
	KeepsStack       bool // finalized code waits for the stack pointer where the compiler lets it (KIT-168)
	WaitsAtCalls     bool // finalized code waits at a call, not one instruction before (KIT-040)
	WaitsWhereNeeded bool // in finalized code branches wait for what they need alone (KIT-060)
	CountsFences     bool // in finalized code up to sm_110 a memory fence before another one is counted (KIT-062)
	CountsDoubles    bool // in finalized code of sm_100 instructions of double precision and products of integer matrices are counted (KIT-063)
	StallsFences     bool // in finalized code a memory fence before another one stalls (KIT-061)
	AddsTwo          bool // finalized code of sm_120 and later has IADD for additions of two numbers (KIT-043)
	Retimes          bool // the stalls of finalized code of sm_120 and later follow from what it has become (KIT-106)
	ShortensProducts bool // the Mercury forms of finalized products of integer matrices leave their operands to the machine code (KIT-173)
	PassesWindows    bool // in finalized code what adds the window of shared memory keeps no register, nor keeps others from it (KIT-190)
	AddsNothing      bool // in finalized code additions of nothing, not NOPs, take long times between products of matrices (KIT-109)
	SparesLast       bool // in finalized code operands that nothing in their block needs leave the last free scoreboard to others (KIT-178)
	PadsJoins        bool // in finalized code a NOP stands before each place where threads meet (KIT-041)
	ClosesDistances  bool // in finalized code nothing keeps instructions of double precision apart (KIT-050)
	DropsSelfMoves   bool // in finalized code moves of a register to itself go (KIT-143)
	Unschedules      bool // finalized code that was compiled without optimisation waits for nothing (KIT-042)
}

// Short is the version without its last number: "13.0".
func (p *Profile) Short() string { return strconv.Itoa(p.Major) + "." + strconv.Itoa(p.Minor) }

// OriginNote is the name of the note section that records what a linked file was compiled for.
func (p *Profile) OriginNote() string {
	if p.Info.EarlyNotes {
		return ".note.nv.cuver"
	}
	return ".note.nv.cuinfo"
}

// PTX is the newest version of PTX that the assembler of the release knows: 84, which is 8.4, of 12.4.
// 12.6 has that of 12.5.
func (p *Profile) PTX() int {
	version := int(p.API) - 40
	if Holds(p.API, 126, 129) {
		version--
	}
	return version
}

// Current returns the number under which the release knows an architecture: sm_101 of 12.8 and 12.9 is
// sm_110 from 13.0 on (LOAD-054).
func (p *Profile) Current(number int) int {
	const early, later = 101, 110
	if number == early && p.Lookup(later) != nil {
		return later
	}
	return number
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
// that made it: those of sm_90 of before 12.0 (KIT-013).
func (p *Profile) TooOld(number int, api uint32) bool {
	return number == onlyRecompiled && api < p.Accept.MinAPI
}
