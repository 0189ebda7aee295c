package mercury

import (
	"fmt"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
	"github.com/culink/culink/linker/sass"
)

// A reason explains why the scoreboards of the input are kept, if no single event is the cause.
type reason string

func (r reason) String() string { return string(r) }

// reallocate assigns other scoreboards to the steps, or returns why those of the input are kept. It assigns them only if the new
// schedule is proven to be as safe as the old one (MERC-140). The latencies of the target must also lead to the same schedule as
// those of the input's SM.
func (w *work) reallocate(g scoreboard.Goal) (changes Changes, kept fmt.Stringer) {
	m := w.codeMap()
	code, err := w.instructions(m)
	if err != nil {
		return Scoreboards, reason(err.Error())
	}
	targets := m.Targets(w.Targets)
	allocated, refused, ok := scoreboard.Reallocate(code, cfg.ByInstruction(targets), w.Input, g)
	switch {
	case refused != nil:
		return Scoreboards, refused
	case !ok:
		return Scoreboards, reason("control flow, registers or waits that the rules do not explain (MERC-155)")
	case !scoreboard.IsAsOn(w.Target, w.Input, code, allocated, cfg.ByInstruction(targets), g):
		return Scoreboards, reason("latencies of the target that lead to another schedule (MERC-130)")
	case !asSafe(allocated, code, targets, w.Input):
		return Scoreboards, reason("a schedule that is not proven as safe as the input's (MERC-140)")
	}
	for i, x := range allocated {
		w.steps[i].Instr = w.steps[i].WithControlOf(x)
		if x.Op() == sass.OpDEPBAR {
			w.steps[i].Instr = w.steps[i].CountingOn(x.CountsOn())
		}
	}
	return Reallocated, nil
}

// asSafe reports whether the check of the schedule after finds no hazard that it does not find in the schedule before.
func asSafe(after, before []machine.Instr, targets map[uint64][]uint64, sm int) bool {
	report := check(after, targets, sm) // usually there is no finding at all
	return len(report.Findings) == 0 || len(report.Beyond(check(before, targets, sm))) == 0
}

// check checks if the schedule of code is safe.
func check(code []machine.Instr, targets map[uint64][]uint64, sm int) hazard.Report {
	return hazard.Check(hazard.Function{Text: machine.Text(code), SM: sm, Tables: targets})
}
