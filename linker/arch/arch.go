// Package arch describes the differences between GPU architectures and between releases of the CUDA toolkit as
// data.
//
// A [Profile] is a release: its strings and numbers in linked files and messages, the architectures that it
// links for, and one field for each behaviour in which releases differ, grouped by phase in behaviour.go. The
// table of releases is in releases.go, the table of their differences in differences.go. docs/toolkits.md is
// generated from both.
//
// A [Target] is an architecture in a release, and passes the profile to every phase of a link. Its name has the
// form sm_90a: a kind (sm_ for machine code, compute_ for a virtual architecture, lto_ for link-time
// optimisation), a number, and an optional suffix. Code for plain sm_100 also runs on later members of its
// family (sm_103). 'a' code runs only on its own number, and 'f' code on its family. The features that a linked
// file may use (shared memory, Mercury code) depend on the number and suffix of the target.
package arch

// An Architecture is one GPU architecture with all properties that depend on its number.
type Architecture struct {
	Number   int    // 90
	Suffixes string // the valid suffixes of its names: "", "a", "af"
	// Since and Until are the first and the last release that link for the architecture, numbered as
	// Profile.API. 0 means that there is no limit.
	Since, Until uint32
	// RunsOn lists the numbers of the targets that accept cubins of this architecture. 'a' cubins of 100 and
	// later run only on their own number.
	RunsOn []int
	// Family identifies the architectures that can exchange 'f' code. It is the number of the first of them. It
	// is 0 for architectures before such code existed.
	Family int
	// Shared is the maximum shared memory of an entry, in bytes, for releases whose limit depends on the
	// architecture. 0 means that no such release has the architecture.
	Shared uint64
	// SurfaceSlot is the size in bytes of a surface in constant bank 0. It is 0 if constant bank 0 has a handle
	// instead.
	SurfaceSlot uint64
	// ExtendedShared is the maximum shared memory of an entry, in bytes, on an 'a' target or with
	// -enable-extended-smem.
	ExtendedShared uint64
	// FastPaths holds the targets to which a fast finalizer can convert the architecture's code, as bits of
	// CAN_FASTPATH_FINALIZE (INFO-013).
	FastPaths uint32
	// WorkArounds is SW_WAR of finalized code, the mask of hardware errors that the finalizer works around
	// (MERC-315, KIT-420).
	WorkArounds uint32
	// Adds67 is set if finalized code has record 0x67 (KIT-420).
	Adds67 bool
}

// architectures lists the architectures that nvlink supports, by number (LOAD-001, LOAD-002, LOAD-004,
// KIT-006).
var architectures = [...]Architecture{
	{Number: 35, Until: 118, RunsOn: []int{35, 37}, SurfaceSlot: 32},
	{Number: 37, Until: 118, RunsOn: []int{37}, SurfaceSlot: 32},
	{Number: 50, Until: 129, RunsOn: []int{50, 52}, Shared: 0x10000},
	{Number: 52, Until: 129, RunsOn: []int{52}, Shared: 0x18000},
	{Number: 53, Until: 129, RunsOn: []int{53}, Shared: 0x10000},
	{Number: 60, Until: 129, RunsOn: []int{60, 61}, Shared: 0x10000},
	{Number: 61, Until: 129, RunsOn: []int{61}, Shared: 0x18000},
	{Number: 62, Until: 129, RunsOn: []int{62}, Shared: 0x10000},
	{Number: 70, Until: 129, RunsOn: []int{70, 75}, Shared: 0x18000},
	{Number: 72, Until: 129, RunsOn: []int{72}, Shared: 0x10000},
	{Number: 75, RunsOn: []int{75}, Shared: 0x10000, ExtendedShared: 0x10000},
	{Number: 80, Until: 131, RunsOn: []int{80, 86, 89}, Shared: 0x29000, ExtendedShared: 0x28c00},
	{Number: 80, Since: 132, RunsOn: []int{80, 86, 87, 88, 89}, Shared: 0x29000, ExtendedShared: 0x28c00},
	{Number: 86, Until: 131, RunsOn: []int{86, 89}, Shared: 0x19000, ExtendedShared: 0x18c00},
	{Number: 86, Since: 132, RunsOn: []int{86, 87, 88, 89}, Shared: 0x19000, ExtendedShared: 0x18c00},
	{Number: 87, Since: 118, Until: 131, RunsOn: []int{87}, Shared: 0x29000, ExtendedShared: 0x28c00},
	{Number: 87, Since: 132, RunsOn: []int{87, 88, 89}, Shared: 0x29000, ExtendedShared: 0x28c00},
	{Number: 88, Since: 130, Until: 131, RunsOn: []int{88}, ExtendedShared: 0x18c00},
	{Number: 88, Since: 132, RunsOn: []int{88, 89}, ExtendedShared: 0x18c00},
	{Number: 89, Since: 118, RunsOn: []int{89}, Shared: 0x29000, ExtendedShared: 0x18c00},
	{Number: 90, Since: 118, Until: 118, RunsOn: []int{90}},
	{Number: 90, Since: 120, Suffixes: "a", RunsOn: []int{90}, Shared: 0x29000, ExtendedShared: 0x38c00},
	{Number: 100, Since: 128, Until: 128, Suffixes: "a", RunsOn: []int{100}, ExtendedShared: 0x38c00, WorkArounds: 8},
	{Number: 100, Since: 129, Until: 129, Suffixes: "af", RunsOn: []int{100, 103}, Family: 100, ExtendedShared: 0x38c00, WorkArounds: 8},
	{Number: 100, Since: 130, Suffixes: "af", RunsOn: []int{100, 103}, Family: 100, ExtendedShared: 0x38c00, FastPaths: 0x09, WorkArounds: 8},
	{Number: 101, Since: 128, Until: 128, Suffixes: "a", RunsOn: []int{101}, ExtendedShared: 0x38c00, WorkArounds: 8},
	{Number: 101, Since: 129, Until: 129, Suffixes: "af", RunsOn: []int{101}, Family: 101, ExtendedShared: 0x38c00, WorkArounds: 8},
	{Number: 103, Since: 129, Suffixes: "af", RunsOn: []int{103}, Family: 100, ExtendedShared: 0x38c00, WorkArounds: 8},
	{Number: 107, Since: 134, Suffixes: "af", RunsOn: []int{107}, Family: 107, ExtendedShared: 0x38c00, Adds67: true},
	{Number: 110, Since: 130, Suffixes: "af", RunsOn: []int{110}, Family: 110, ExtendedShared: 0x38c00, WorkArounds: 8},
	{Number: 120, Since: 128, Until: 128, Suffixes: "a", RunsOn: []int{120}, ExtendedShared: 0x18c00},
	{Number: 120, Since: 129, Until: 129, Suffixes: "af", RunsOn: []int{120, 121}, Family: 120, ExtendedShared: 0x18c00},
	{Number: 120, Since: 130, Suffixes: "af", RunsOn: []int{120, 121}, Family: 120, ExtendedShared: 0x18c00, FastPaths: 0x50},
	{Number: 121, Since: 129, Suffixes: "af", RunsOn: []int{121}, Family: 120, ExtendedShared: 0x18c00},
}

// inputOnly lists architectures that releases know in machine code of their inputs, although they do not link for them
// (LOAD-990).
var inputOnly = [...]Architecture{
	{Number: 10, Since: 131}, {Number: 11, Since: 131}, {Number: 12, Since: 131}, {Number: 13, Since: 131},
	{Number: 20, Since: 131}, {Number: 21, Since: 131},
	{Number: 30, Since: 131}, {Number: 32, Since: 131}, {Number: 35, Since: 131}, {Number: 37, Since: 131},
	{Number: 50, Since: 131}, {Number: 52, Since: 131}, {Number: 53, Since: 131},
	{Number: 60, Since: 131}, {Number: 61, Since: 131}, {Number: 62, Since: 131},
	{Number: 69, Since: 131, Until: 131},
	{Number: 70, Since: 131, RunsOn: []int{75}},
	{Number: 72, Since: 132}, {Number: 73, Since: 132},
	{Number: 101, Since: 132}, {Number: 102, Since: 132},
}

// sourceOnly lists architectures that releases know in PTX of their inputs, although they do not link for them (LOAD-992).
// An entry for 0 is chosen too, and is an error afterwards.
var sourceOnly = [...]Architecture{
	{Number: 0},
	{Number: 10}, {Number: 11}, {Number: 12}, {Number: 13},
	{Number: 20}, {Number: 21},
	{Number: 30}, {Number: 32}, {Number: 35}, {Number: 37},
	{Number: 50}, {Number: 52}, {Number: 53},
	{Number: 60}, {Number: 61}, {Number: 62},
	{Number: 69, Until: 131},
	{Number: 70},
	{Number: 72, Since: 132}, {Number: 73, Since: 132},
	{Number: 101, Since: 132}, {Number: 102, Since: 132},
}

// Most of these constants are the number of the first architecture with some property.
const (
	MinMercury       = 100        // its cubins contain Mercury code
	MinCompat        = 90         // its cubins record in .nv.compat where they may run
	MinFastPath      = MinMercury // its linked files have CAN_FASTPATH_FINALIZE
	minSpecific      = 90         // it has an 'a' name
	minReserved      = 90         // the system reserves a part of its shared memory
	minPartlyKept    = 90         // --preserve-relocs does not keep all relocations, according to nvlink's message (OPT-022)
	minOnly64        = 90         // it has no 32-bit pointers (KIT-220)
	minPTXAsUnit     = 90         // nvlink compiles a .ptx file for it to a relocatable cubin (LOAD-019)
	onlyRecompiled   = 90         // the only target for which cubins must not be older than Profile.Accept.MinAPI
	FastPath103      = uint32(8)  // sm_103, as a bit of CAN_FASTPATH_FINALIZE
	ParametersStart  = 0x380      // offset of the parameters in bank 0 for the finalizer, and of slots if there is no kernel
	HandlesAlign     = 16         // alignment of the slots of textures after the parameters, for the finalizer
	MaxShared        = 0xc000     // maximum shared memory, in bytes, of an entry on a target without extended shared memory
	reservedForTools = 0x400      // size in bytes of the area that the system reserves at the start of shared memory
)
