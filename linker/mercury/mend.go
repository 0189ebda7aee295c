package mercury

import (
	"slices"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/internal/machine"
)

// Later finalizers schedule code anew, by rules of which not all are known. A schedule that follows from those that are
// known may let an instruction begin before what it reads is there: then it begins later than the rules say (KIT-106).

// mend lets instructions of steps, which m maps and which were code, begin later where they would not be safe, if code was,
// and reports whether any does.
func (m Map) mend(steps []step, code []machine.Instr, f Function) (changed bool) {
	if !isScheduledAnew(steps, code) {
		return false
	}
	for range machine.LongestStall {
		list, err := m.instructions(steps, Place{})
		if err != nil {
			return changed
		}
		report := check(list, m.targets(f.Targets), f.Input)
		if report.Verdict != hazard.Unsafe || !changed && check(code, f.Targets, f.Input).Verdict == hazard.Unsafe {
			return changed
		}
		longer := false
		for _, found := range report.Findings {
			if found.Verdict == hazard.Unsafe && stallLonger(steps[:found.Offset/InstructionSize]) {
				longer, changed = true, true
			}
		}
		if !longer {
			break
		}
	}
	return changed
}

// isScheduledAnew reports whether steps have another schedule than code.
func isScheduledAnew(steps []step, code []machine.Instr) bool {
	return len(steps) != len(code) || slices.ContainsFunc(steps, func(x step) bool { return x.inserted || x.High != code[x.old].High })
}

// stallLonger lets the last of steps that can stall for a cycle more do so, and reports whether one can.
func stallLonger(steps []step) bool {
	for i := range slices.Backward(steps) {
		x := &steps[i].Instr
		if x.Stall() < machine.LongestStall {
			*x = x.WithBoundedStall(x.Stall() + 1)
			return true
		}
		if x.Leaves() || x.Branches() {
			break
		}
	}
	return false
}
