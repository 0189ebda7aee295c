package mercury

import (
	"strings"
)

// Changes is what the finalizer changes in a function. Without any, the machine code is the input's.
type Changes uint16

// The changes.
const (
	// Fences: work-arounds before memory fences are removed, or NOPs after them inserted, by rule.
	Fences Changes = 1 << iota
	// Scoreboards: nvlink reassigns the scoreboards by a rule that is not known for this code; Finalize keeps
	// those of the input. See [sass.SameButSchedule].
	Scoreboards
	// Timing: nvlink schedules the function again for a target on which something is faster. The stalls follow
	// by rule. nvlink's scoreboards may differ; Finalize keeps those of the input, which are valid on the
	// target too. See [sass.SameButSchedule].
	Timing
	// Target: the function needs another schedule on the target, which only nvlink's code generator makes.
	// Finalize keeps the input's schedule. It must not run on the target, because it does not wait for
	// instructions that take longer there.
	Target
	// Exits: barriers before exits are inserted or removed, by rule.
	Exits
	// Reallocated: the scoreboards are reassigned, by rule.
	Reallocated
	// Waits: other instructions wait, by rule.
	Waits
	// Joins: NOPs before reconvergence points are inserted or removed, by rule.
	Joins
	// Replaced: instructions are replaced by equivalent ones, by rule.
	Replaced
	// Distances: the issue distance of FP64 instructions is removed, by rule.
	Distances
	// Warps: instructions that early compilers have after a WARPSYNC are removed, by rule.
	Warps

	Clean Changes = 0
)

// String returns the names of the changes: "clean", "fences", "fences+scoreboards".
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
