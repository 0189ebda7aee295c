package mercury

import (
	"strings"
)

// Changes describes what the finalizer changes in a function. If it is zero, the machine code is that of the
// input.
type Changes uint16

// The changes.
const (
	// Fences is set if work-arounds before memory fences are removed, or NOPs after them inserted, by a known
	// rule.
	Fences Changes = 1 << iota
	// Scoreboards is set if nvlink reassigns the scoreboards by a rule that is not known for this code.
	// Finalize keeps those of the input. See [sass.SameButSchedule].
	Scoreboards
	// Timing is set if nvlink schedules the function again for a target on which something is faster. The
	// stalls follow a known rule. nvlink's scoreboards may differ. Finalize keeps those of the input, which
	// are valid on the target too. See [sass.SameButSchedule].
	Timing
	// Target is set if the function needs another schedule on the target, which only nvlink's code generator
	// makes. Finalize keeps the input's schedule. The result must not run on the target, because it does not
	// wait for instructions that take longer there.
	Target
	// Exits is set if barriers before exits are inserted or removed, by a known rule.
	Exits
	// Reallocated is set if the scoreboards are reassigned, by a known rule.
	Reallocated
	// Waits is set if other instructions wait, by a known rule.
	Waits
	// Joins is set if NOPs before reconvergence points are inserted or removed, by a known rule.
	Joins
	// Replaced is set if instructions are replaced by equivalent ones, by a known rule.
	Replaced
	// Distances is set if the issue distance of FP64 instructions is removed, by a known rule.
	Distances
	// Warps is set if the instructions that early compilers put after a WARPSYNC are removed, by a known rule.
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
