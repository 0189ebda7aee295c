package mercury

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

// recolour returns code with other scoreboards: those that its compiler would have assigned if
// the first instruction, which loads the stack pointer, counted on none. It does so where
// the rules explain the assignment in code; else ok is false, and refused says which event they do not explain, if it is
// one.
func recolour(code []instruction, targets map[int][]int, sm int, g goal) (coloured []instruction, refused *refusal, ok bool) {
	s, ok := scheduleOf(code, targets, sm, g)
	if !ok || g.freesStack && s.tokens[0].at != 0 {
		return nil, nil, false
	}
	r, refused := s.revise(g)
	if refused != nil {
		return nil, refused, false
	}
	coloured, ok = r.colour()
	return coloured, nil, ok
}

// A refusal is an outstanding event to which the rules assign another scoreboard than the input has.
type refusal struct {
	at           int // the instruction, in the order of the function
	op           sass.Op
	operands     bool
	chosen, have int
}

// tooMuch is the refusal of code in which the assignment would take too long.
var tooMuch = &refusal{at: unassigned}

// String says so: "LDG at 0x1a0 result: rule SB2 (MERC-133), input SB3".
func (r *refusal) String() string {
	if r == tooMuch {
		return "the assignment of scoreboards would take too long (MERC-133)"
	}
	what := "result"
	if r.operands {
		what = "operands"
	}
	return fmt.Sprintf("%v at %#x %s: rule SB%d (MERC-133), input SB%d", r.op, r.at*InstructionSize, what, r.chosen, r.have)
}

// A reason is why the scoreboards of the input stay where no event tells.
type reason string

func (r reason) String() string { return string(r) }

// recolour gives steps, which m maps, other scoreboards, or says why those of the input are kept. It does so only
// if the new schedule is proven to be as safe as the old one, whatever its rules say (MERC-140). For another
// target the latencies of that must lead to the same.
func (m Map) recolour(steps []step, targets map[uint64][]uint64, sm, target int, g goal) (changes Changes, kept fmt.Stringer) {
	code, err := m.instructions(steps, Place{})
	if err != nil {
		return Scoreboards, reason(err.Error())
	}
	targets = m.targets(targets)
	coloured, refused, ok := recolour(code, byInstruction(targets), sm, g)
	switch {
	case refused != nil:
		return Scoreboards, refused
	case !ok:
		return Scoreboards, reason("control flow, registers or waits that the rules do not explain (MERC-155)")
	case !isAsOn(target, sm, code, coloured, byInstruction(targets), g):
		return Scoreboards, reason("latencies of the target that lead to another schedule (MERC-130)")
	case !asSafe(coloured, code, targets, sm):
		return Scoreboards, reason("a schedule that is not proven as safe as the input's (MERC-140)")
	}
	for i, x := range coloured {
		steps[i].instruction = steps[i].WithControlOf(x)
		if makesRoom(coloured, i) {
			steps[i].instruction = steps[i].countingOn(x.countsOn())
		}
	}
	return Recoloured, nil
}

// isAsOn reports whether the latencies of a target tell of code for another SM what those of the SM do: the
// same scoreboards, and that the same is back at the ends of blocks (MERC-130).
func isAsOn(target, sm int, code, coloured []instruction, targets map[int][]int, g goal) bool {
	if !slices.ContainsFunc(code, func(x instruction) bool { return x.latency(sm) != x.latency(target) }) {
		return true
	}
	there, _, ok := recolour(code, targets, target, g)
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
