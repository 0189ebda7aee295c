package mercury

import (
	"slices"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Not all rules are known by which later finalizers schedule code. With the known rules an instruction may
// issue before its operands are available. The repair delays such an instruction (KIT-106). No delay helps where a wait is missing.
// There the repair adds the wait (KIT-984).

// repair delays instructions that issue too soon now and did not in the input, or not by as many cycles. It adds waits that are
// missing now and were not in the input. It reports whether there are any such instructions.
func (w *work) repair() (changed bool) {
	if !isScheduledAnew(w.steps, w.code) {
		return false
	}
	m := w.codeMap()
	var before *hazard.Report
	for range machine.LongestStall {
		list, err := w.instructions(m)
		if err != nil {
			return changed
		}
		report := check(list, m.Targets(w.Targets), w.Input)
		if report.Verdict != hazard.Unsafe {
			return changed
		}
		if before == nil {
			before = w.checkInput()
		}
		longer := false
		for _, found := range report.Beyond(*before) {
			if found.Verdict == hazard.Unsafe && w.mend(found) {
				longer, changed = true, true
			}
		}
		if !longer {
			break
		}
	}
	return changed
}

// mend adds the wait that a finding misses, or a cycle before the instruction. It reports whether it could.
func (w *work) mend(f hazard.Finding) bool {
	at, other := f.Offset/machine.Size, f.Other/machine.Size
	if !f.Misses() {
		return stallLonger(w.steps[:at])
	}
	x, y := &w.steps[at], w.steps[other]
	mask := x.WaitMask()
	for _, b := range [...]int{y.ReadBarrier(), y.WriteBarrier()} {
		if b != sass.NoBarrier {
			mask |= 1 << b
		}
	}
	if mask == x.WaitMask() {
		return false
	}
	x.Instr = x.WithWaitMask(mask)
	return true
}

// checkInput checks the schedule of the input. The places of the findings are those of the same instructions in steps.
func (w *work) checkInput() *hazard.Report {
	places := make(map[uint64]uint64, len(w.steps))
	for i, x := range w.steps {
		if !x.Inserted {
			places[uint64(x.Old)*machine.Size] = uint64(i) * machine.Size
		}
	}
	report := check(w.code, w.Targets, w.Input)
	kept := report.Findings[:0]
	for _, f := range report.Findings {
		at, stays := places[f.Offset]
		if other, also := places[f.Other]; stays && also {
			f.Offset, f.Other = at, other
			kept = append(kept, f)
		}
	}
	report.Findings = kept
	return &report
}

// isScheduledAnew reports whether the schedule of steps differs from that of code.
func isScheduledAnew(steps []codemap.Step, code []machine.Instr) bool {
	return len(steps) != len(code) || slices.ContainsFunc(steps, func(x codemap.Step) bool { return x.Inserted || x.High != code[x.Old].High })
}

// stallLonger adds a cycle to the last stall in steps that can be longer, and reports whether there is one.
func stallLonger(steps []codemap.Step) bool {
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
