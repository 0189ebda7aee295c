package mercury

import (
	"slices"

	"github.com/culink/culink/linker/hazard"
)

// recolour returns code with other scoreboards: those that its compiler would have chosen if
// the first instruction, which loads the stack pointer, counted on none. It does so where
// it can tell how the compiler chose in code; else ok is false.
func recolour(code []instruction, targets map[int][]int, sm int, g goal) (coloured []instruction, ok bool) {
	s, ok := scheduleOf(code, targets, sm, g)
	if !ok || g.freesStack && s.tokens[0].at != 0 {
		return nil, false
	}
	r, ok := s.revise(g)
	if !ok {
		return nil, false
	}
	return r.colour()
}

// recolour gives steps, which m maps, other scoreboards, and says whether it could. It does so only
// if the new schedule is proven to be as safe as the old one, whatever its rules say (MERC-140). For another
// target the latencies of that must tell the same.
func (m Map) recolour(steps []step, targets map[uint64][]uint64, sm, target int, g goal) Changes {
	code, err := m.instructions(steps, Place{})
	if err != nil {
		return Scoreboards
	}
	targets = m.targets(targets)
	coloured, ok := recolour(code, byInstruction(targets), sm, g)
	if !ok || !isAsOn(target, sm, code, coloured, byInstruction(targets), g) || !asSafe(coloured, code, targets, sm) {
		return Scoreboards
	}
	for i, x := range coloured {
		steps[i].Instruction = steps[i].WithControlOf(x.Instruction)
		if makesRoom(coloured, i) {
			steps[i].instruction = steps[i].countingOn(x.countsOn())
		}
	}
	return Recoloured
}

// isAsOn reports whether the latencies of a target tell of code for another SM what those of the SM do: the
// same scoreboards, and that the same is back at the ends of blocks (MERC-130).
func isAsOn(target, sm int, code, coloured []instruction, targets map[int][]int, g goal) bool {
	if !slices.ContainsFunc(code, func(x instruction) bool { return x.latency(sm) != x.latency(target) }) {
		return true
	}
	there, ok := recolour(code, targets, target, g)
	if !ok || !slices.Equal(there, coloured) {
		return false
	}
	s, _ := scheduleOf(code, targets, sm, g)
	t, _ := scheduleOf(code, targets, target, g)
	s.findFlushes() // without what the waits of the input tell
	t.findFlushes()
	return slices.EqualFunc(s.flush, t.flush, slices.Equal[set])
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

// byInstruction returns targets of indirect branches, which are offsets, as numbers of
// instructions.
func byInstruction(targets map[uint64][]uint64) map[int][]int {
	numbers := make(map[int][]int, len(targets))
	for at, list := range targets {
		for _, to := range list {
			numbers[int(at/InstructionSize)] = append(numbers[int(at/InstructionSize)], int(to/InstructionSize))
		}
	}
	return numbers
}

// asSafe reports whether nothing is wrong with the schedule of after that was not wrong
// with that of before.
func asSafe(after, before []instruction, targets map[uint64][]uint64, sm int) bool {
	report := check(after, targets, sm) // most have nothing wrong, and then nothing new
	return len(report.Findings) == 0 || len(report.Beyond(check(before, targets, sm))) == 0
}

// check says whether the schedule of code is safe.
func check(code []instruction, targets map[uint64][]uint64, sm int) hazard.Report {
	return hazard.Check(hazard.Function{Text: text(code), SM: sm, Tables: targets})
}

// text encodes code.
func text(code []instruction) []byte {
	b := make([]byte, 0, len(code)*InstructionSize)
	for _, x := range code {
		b = x.Append(b)
	}
	return b
}
