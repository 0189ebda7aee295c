package mercury

import (
	"strings"
)

// Changes is what the finalizer changes in a function; none means that its machine
// code is the input's.
type Changes uint16

// The changes.
const (
	// Fences: work-arounds before memory fences are removed, or NOPs after them inserted, by rule.
	Fences Changes = 1 << iota
	// Scoreboards: nvlink hands the scoreboards out anew, by a rule that is not known for
	// this code; Finalize leaves those of the input. See [sass.SameButSchedule].
	Scoreboards
	// Timing: nvlink schedules the function anew, for a target where something is faster. Its
	// stalls follow, by rule; its scoreboards may be others, where Finalize leaves those of the
	// input, which are valid there too. See [sass.SameButSchedule].
	Timing
	// Target: the function needs another schedule on the target, which nvlink's code
	// generator makes. Finalize leaves the input's, which must not run there: it does
	// not wait for what takes longer on the target.
	Target
	// Exits: barriers before exits are inserted or removed, by rule.
	Exits
	// Reallocated: the scoreboards are assigned anew, by rule.
	Reallocated
	// Waits: instructions wait at other places, by rule.
	Waits
	// Joins: NOPs before reconvergence points are inserted or removed, by rule.
	Joins
	// Replaced: instructions are replaced by equivalent ones, by rule.
	Replaced
	// Distances: the issue distance of FP64 instructions is removed, by rule.
	Distances
	// Warps: instructions of early compilers after a WARPSYNC are removed, by rule.
	Warps

	Clean Changes = 0
)

// String names the changes: "clean", "fences", "fences+scoreboards".
func (c Changes) String() string {
	var names []string
	for i, name := range [...]string{"fences", "scoreboards", "timing", "target", "exits", "reallocated", "waits", "joins", "replaced", "distances", "warps"} {
		if c>>i&1 == 1 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "clean"
	}
	return strings.Join(names, "+")
}
