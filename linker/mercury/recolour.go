package mercury

import (
	"fmt"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
)

// A reason is why the scoreboards of the input stay where no event tells.
type reason string

func (r reason) String() string { return string(r) }

// recolour gives steps, which m maps, other scoreboards, or says why those of the input are kept. It does so only
// if the new schedule is proven to be as safe as the old one, whatever its rules say (MERC-140). For another
// target the latencies of that must lead to the same.
func (m Map) recolour(steps []step, targets map[uint64][]uint64, sm, target int, g scoreboard.Goal) (changes Changes, kept fmt.Stringer) {
	code, err := m.instructions(steps, Place{})
	if err != nil {
		return Scoreboards, reason(err.Error())
	}
	targets = m.targets(targets)
	coloured, refused, ok := scoreboard.Reallocate(code, scoreboard.ByInstruction(targets), sm, g)
	switch {
	case refused != nil:
		return Scoreboards, refused
	case !ok:
		return Scoreboards, reason("control flow, registers or waits that the rules do not explain (MERC-155)")
	case !scoreboard.IsAsOn(target, sm, code, coloured, scoreboard.ByInstruction(targets), g):
		return Scoreboards, reason("latencies of the target that lead to another schedule (MERC-130)")
	case !asSafe(coloured, code, targets, sm):
		return Scoreboards, reason("a schedule that is not proven as safe as the input's (MERC-140)")
	}
	for i, x := range coloured {
		steps[i].Instr = steps[i].WithControlOf(x)
		if scoreboard.MakesRoom(coloured, i) {
			steps[i].Instr = steps[i].CountingOn(x.CountsOn())
		}
	}
	return Recoloured, nil
}

// targets returns where indirect branches lead in the new code.
func (m Map) targets(old map[uint64][]uint64) map[uint64][]uint64 {
	moved := make(map[uint64][]uint64, len(old))
	for at, list := range old {
		for _, to := range list {
			moved[m.own(at)] = append(moved[m.own(at)], m.Offset(to))
		}
	}
	return moved
}

// asSafe reports whether nothing is wrong with the schedule of after that was not wrong
// with that of before.
func asSafe(after, before []machine.Instr, targets map[uint64][]uint64, sm int) bool {
	report := check(after, targets, sm) // most have nothing wrong, and then nothing new
	return len(report.Findings) == 0 || len(report.Beyond(check(before, targets, sm))) == 0
}

// check says whether the schedule of code is safe.
func check(code []machine.Instr, targets map[uint64][]uint64, sm int) hazard.Report {
	return hazard.Check(hazard.Function{Text: text(code), SM: sm, Tables: targets})
}

// text encodes code.
func text(code []machine.Instr) []byte {
	b := make([]byte, 0, len(code)*InstructionSize)
	for _, x := range code {
		b = x.Append(b)
	}
	return b
}
