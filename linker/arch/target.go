package arch

import (
	"slices"
	"strings"
)

// Kind is the kind of a target.
type Kind uint8

// These are the kinds of targets. Only a Real target produces a linked file. A Virtual target reads its inputs
// and writes nothing, and an LTO target is refused (LOAD-003).
const (
	Real    Kind = iota // sm_90
	Virtual             // compute_90
	LTO                 // lto_90
)

// Prefixes are the prefixes of target names, by Kind.
var Prefixes = [...]string{Real: "sm_", Virtual: "compute_", LTO: "lto_"}

// MaxNumber is the largest architecture number that a target or an entry of a fat binary may have.
const MaxNumber = 999

// A Target is the target of -arch.
type Target struct {
	Name   string // as typed: "sm_90a"
	Number int    // 90
	Suffix byte   // 'a', 'f', or 0
	Kind   Kind
	// Profile is the release to which the target belongs.
	Profile *Profile
}

// SM returns the name of the real architecture: "sm_90a" for compute_90a.
func (t Target) SM() string {
	return Prefixes[Real] + strings.TrimPrefix(t.Name, Prefixes[t.Kind])
}

// Accepts reports whether a link for t accepts a cubin. number and suffix ('a', 'f' or 0) are those of the
// cubin's architecture. The target's own suffix does not matter (LOAD-001). A virtual target accepts machine
// code of every architecture up to its own (LOAD-051, KIT-092).
func (t Target) Accepts(number int, suffix byte) bool {
	a := t.Profile.ofInput(number)
	if a == nil {
		return false
	}
	if t.Kind == Virtual && (number < MinMercury || t.Profile.Accept.JudgesMercury) {
		return number <= t.Number && (t.Suffix != 'f' || !t.Profile.Accept.KeepsFamilies || a.Family == t.Profile.Lookup(t.Number).Family)
	}
	if suffix == 'a' {
		return number == t.Number
	}
	return slices.Contains(a.RunsOn, t.Number)
}

// TooOld reports whether a link for t accepts no machine code of the release that made a cubin. This applies to
// sm_90 and compute_90, and code from before 12.0 (KIT-013).
func (t Target) TooOld(api uint32) bool {
	return t.Number == onlyRecompiled && api < t.Profile.Accept.MinAPI
}

// AcceptsPTX reports whether PTX for the given virtual architecture can be compiled for t (LOAD-002). Plain PTX
// can be compiled for every later number, 'f' PTX only within its family, and 'a' PTX only for the same name.
// 'a' PTX for an architecture without an 'a' name can be compiled for later numbers of 'a' targets (KIT-543). From 13.2
// on 'f' PTX below sm_100 can be compiled for the same ten numbers (KIT-544). Plain PTX for an architecture that the release does
// not know cannot be compiled (LOAD-992).
func (t Target) AcceptsPTX(number int, suffix byte) bool {
	from, to := t.Profile.Lookup(number), t.Profile.Lookup(t.Number)
	switch {
	case suffix == 'a' && number >= minSpecific:
		return number == t.Number && t.Suffix == 'a'
	case suffix == 'a' && t.Suffix != 'a':
		return false // only a fat binary can name such an architecture (KIT-543)
	case suffix == 'f' && number < MinMercury && t.Profile.Accept.OldFamilies:
		const members = 10 // 80 to 89 are a family
		return number/members == t.Number/members && number <= t.Number && t.Profile.ofPTX(number)
	case suffix == 'f':
		return from != nil && to != nil && from.Family != 0 && from.Family == to.Family && number <= t.Number
	}
	return number <= t.Number && t.Profile.ofPTX(number)
}

// Mercury reports whether cubins for t contain Mercury code in addition to machine code.
func (t Target) Mercury() bool { return t.Number >= MinMercury }

// ReservedShared returns the size in bytes of the area at the start of shared memory that is reserved for the
// system. It is 0x400 from sm_90 on, and 0 before.
func (t Target) ReservedShared() uint64 {
	if t.Number >= minReserved {
		return reservedForTools
	}
	return 0
}

// SurfaceSlot returns the size in bytes of a surface in constant bank 0, or 0 if surfaces are handles there.
func (t Target) SurfaceSlot() uint64 {
	if a := t.Profile.Lookup(t.Number); a != nil {
		return a.SurfaceSlot
	}
	return 0
}

// MaxShared returns the maximum shared memory of an entry, in bytes. An 'a' target always has the extended
// limit of its architecture (KIT-167). Other targets have it with -enable-extended-smem (LOAD-004).
func (t Target) MaxShared(extended bool) uint64 {
	a := t.Profile.Lookup(t.Number)
	switch {
	case a == nil:
	case t.Profile.Layout.SharedByArchitecture:
		return a.Shared
	case extended || t.Suffix == 'a' && t.Profile.Layout.ExtendsSpecific:
		return a.ExtendedShared
	}
	return MaxShared
}

// Compat reports whether linked files for t have .nv.compat records.
func (t Target) Compat() bool { return t.Profile.Info.Notes && t.Number >= MinCompat }

// FastPaths returns the targets to which a fast finalizer can convert code for t, as bits of
// CAN_FASTPATH_FINALIZE (INFO-013).
func (t Target) FastPaths() uint32 {
	if a := t.Profile.Lookup(t.Number); a != nil {
		return a.FastPaths
	}
	return 0
}

// WorkArounds returns the mask of hardware errors that the finalizer works around in code for an architecture (MERC-315).
func WorkArounds(number int) uint32 {
	if a := lookup(architectures[:], number); a != nil {
		return a.WorkArounds
	}
	return 0
}

// Adds67 reports whether finalized code for t has record 0x67 (KIT-420).
func (t Target) Adds67() bool {
	a := t.Profile.Lookup(t.Number)
	return a != nil && a.Adds67
}

// PreservesPartly reports whether nvlink warns that --preserve-relocs does not keep all relocations (OPT-022).
func (t Target) PreservesPartly() bool { return t.Number >= minPartlyKept }

// Only64 reports whether code for the target has 64-bit pointers only (KIT-220).
func (t Target) Only64() bool { return t.Number >= minOnly64 }

// PTXIsAUnit reports whether nvlink compiles a .ptx file to a relocatable cubin. For other targets it compiles
// the file to a whole program, so that there is nothing to link (LOAD-019, KIT-204).
func (t Target) PTXIsAUnit() bool {
	return t.Number >= minPTXAsUnit || !t.Profile.Input.WholePTX
}
