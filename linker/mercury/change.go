package mercury

import (
	"strings"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
	"github.com/culink/culink/linker/mercury/internal/stall"
	"github.com/culink/culink/linker/sass"
)

// Changes is what the finalizer changes in a function; none means that its machine
// code is the input's.
type Changes uint16

// The changes.
const (
	// Fences: work-arounds before memory fences go, or what stands behind them comes, by rule.
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
	// Exits: barriers before exits come or go, by rule.
	Exits
	// Recoloured: the scoreboards are handed out anew, by rule.
	Recoloured
	// Waits: instructions wait at other places, by rule.
	Waits
	// Joins: what stands before the places where threads meet comes or goes, by rule.
	Joins
	// Replaced: instructions give way to others that do the same, by rule.
	Replaced
	// Distances: what keeps instructions apart goes, by rule.
	Distances
	// Warps: what early compilers put behind a WARPSYNC goes, by rule.
	Warps

	Clean Changes = 0
)

// String names the changes: "clean", "fences", "fences+scoreboards".
func (c Changes) String() string {
	var names []string
	for i, name := range [...]string{"fences", "scoreboards", "timing", "target", "exits", "recoloured", "waits", "joins", "replaced", "distances", "warps"} {
		if c>>i&1 == 1 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "clean"
	}
	return strings.Join(names, "+")
}

// closed reports whether code is all that runs when the kernel does: it calls nothing.
// Only kernels are closed; a device function returns into code that is not known
// (MERC-110).
func closed(code []machine.Instr, entry bool) bool {
	if !entry {
		return false
	}
	for _, x := range code {
		if x.IsCall() {
			return false
		}
	}
	return true
}

// FreeStack reports whether machine code loads the stack pointer at its begin, makes no use
// of it and waits for nothing there: after a link its scoreboards may be handed out anew.
func FreeStack(text []byte) bool {
	code := machine.Body(text)
	return len(code) > 0 && code[0].Low&0xffffffff == scoreboard.LoadStack && code[0].WriteBarrier() == sass.NoBarrier && scoreboard.FreeStack(code)
}

// Retarget returns machine code for SM input, with the targets of its indirect branches, as it is in a file
// for SM target that is not finalized as a whole (MERC-306), and tells what changes.
func Retarget(text []byte, targets map[uint64][]uint64, input, target int) ([]byte, Changes) {
	if input == target {
		return text, Clean
	}
	code := machine.Body(text)
	changes := retargeted(code, input, target)
	if changes&Timing == 0 {
		return text, changes
	}
	steps := codemap.StepsOf(code)
	stalls := stall.Code{Steps: steps, Before: code, Map: codemap.New(len(code), uint64(len(text)), steps), Targets: targets, Input: input, Target: target}
	if stalls.Retarget() {
		return encode(steps, text), changes | Waits
	}
	return text, changes
}

// retargeted tells what changes in code for SM input in a link for SM target.
//
// On sm_103 double precision is slow: results have to be waited for, where sm_100 knows
// when they are there; and the instructions of that unit, among them conversions from
// and to 64 bits, keep a distance (MERC-130). Some is faster (MERC-132).
// Between sm_120 and sm_121 nothing differs (MERC-131).
func retargeted(code []machine.Instr, input, target int) Changes {
	if input != 100 || target != 103 {
		return Clean
	}
	conversions, differs := 0, false
	for _, x := range code {
		switch x.Op() {
		case sass.OpDMUL, sass.OpDADD, sass.OpDSETP, sass.OpDFMA:
			return Target
		case sass.OpF2F64, sass.OpF2I64, sass.OpI2F64, sass.OpFRND64:
			conversions++
		}
		differs = differs || x.Latency(input) != x.Latency(target) || x.Converts(input) != x.Converts(target) || x.EarlyUnit(input) != x.EarlyUnit(target)
	}
	switch {
	case conversions > 1:
		return Target
	case differs:
		return Timing
	}
	return Clean
}
