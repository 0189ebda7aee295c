// Package arch holds what differs from one GPU architecture to the next and
// from one toolkit version to the next, as data.
//
// A target is named like sm_90a: a kind (sm_ for machine code, compute_ for a
// virtual architecture, lto_ for link-time optimisation), a number, and
// perhaps a suffix. Code for plain sm_100 also runs on later members of its
// family (sm_103); 'a' code runs on its own number only; 'f' code runs on its
// family. What a linked file may use (shared memory, Mercury code) follows
// from number and suffix of the target.
package arch

import "slices"

// An Architecture is one GPU architecture: everything that its number decides.
type Architecture struct {
	Number   int    // 90
	Suffixes string // the suffixes that its names may carry: "", "a", "af"
	// RunsOn lists the numbers of the targets whose links take cubins of this
	// architecture; 'a' cubins of 100 and later go to their own number only.
	RunsOn []int
	// Family names the architectures whose 'f' code is exchangeable, by their
	// first number; 0 before family code existed.
	Family int
	// ExtendedShared is the most shared memory, in bytes, that an entry may use
	// on an 'a' target or with -enable-extended-smem.
	ExtendedShared uint64
}

// Architectures lists what nvlink 13.0 links for, by number (LOAD-001, LOAD-002,
// LOAD-004).
var Architectures = [...]Architecture{
	{Number: 75, RunsOn: []int{75}, ExtendedShared: 0x10000},
	{Number: 80, RunsOn: []int{80, 86, 89}, ExtendedShared: 0x28c00},
	{Number: 86, RunsOn: []int{86, 89}, ExtendedShared: 0x18c00},
	{Number: 87, RunsOn: []int{87}, ExtendedShared: 0x28c00},
	{Number: 88, RunsOn: []int{88}, ExtendedShared: 0x18c00},
	{Number: 89, RunsOn: []int{89}, ExtendedShared: 0x18c00},
	{Number: 90, Suffixes: "a", RunsOn: []int{90}, ExtendedShared: 0x38c00},
	{Number: 100, Suffixes: "af", RunsOn: []int{100, 103}, Family: 100, ExtendedShared: 0x38c00},
	{Number: 103, Suffixes: "af", RunsOn: []int{103}, Family: 100, ExtendedShared: 0x38c00},
	{Number: 110, Suffixes: "af", RunsOn: []int{110}, Family: 110, ExtendedShared: 0x38c00},
	{Number: 120, Suffixes: "af", RunsOn: []int{120, 121}, Family: 120, ExtendedShared: 0x18c00},
	{Number: 121, Suffixes: "af", RunsOn: []int{121}, Family: 120, ExtendedShared: 0x18c00},
}

// Lookup finds the architecture of a number; nil when there is none.
func Lookup(number int) *Architecture {
	i := slices.IndexFunc(Architectures[:], func(a Architecture) bool { return a.Number == number })
	if i < 0 {
		return nil
	}
	return &Architectures[i]
}

// MinMercury is the first architecture number whose cubins carry Mercury code.
const MinMercury = 100

// MaxShared is the shared memory, in bytes, of an entry on a target without extended
// shared memory.
const MaxShared = 0xc000

// reservedShared is the size in bytes of the area that the system keeps at the
// start of shared memory, from sm_90 on.
const reservedShared = 0x400
