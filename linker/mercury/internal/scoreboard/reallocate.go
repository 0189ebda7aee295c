package scoreboard

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// Reallocate returns code with the scoreboards that its compiler would assign for a goal. ok is false if the rules do not explain
// the scoreboards that code has now. In that case refused is the first event that they do not explain, if there is one.
func Reallocate(code []machine.Instr, targets map[int][]int, sm int, g Goal) (allocated []machine.Instr, refused *Refusal, ok bool) {
	s, ok := scheduleOf(code, targets, sm, g)
	if !ok || g.FreesStack && s.events[0].at != 0 {
		return nil, nil, false
	}
	r, refused := s.revise(g)
	if refused != nil {
		return nil, refused, false
	}
	allocated, ok = r.assign()
	return allocated, nil, ok
}

// A Refusal is an outstanding event to which the rules assign another scoreboard than the input has.
type Refusal struct {
	At           int // the instruction, in the order of the function
	Op           sass.Op
	Operands     bool
	Chosen, Have int
}

// TooMuch is the refusal of code for which the assignment would take too long.
var TooMuch = &Refusal{At: unassigned}

// String describes the refusal: "LDG at 0x1a0 result: rule SB2 (MERC-133), input SB3".
func (r *Refusal) String() string {
	if r == TooMuch {
		return "the assignment of scoreboards would take too long (MERC-133)"
	}
	what := "result"
	if r.Operands {
		what = "operands"
	}
	return fmt.Sprintf("%v at %#x %s: rule SB%d (MERC-133), input SB%d", r.Op, r.At*machine.Size, what, r.Chosen, r.Have)
}

// IsAsOn reports whether code for sm gets the same schedule with the latencies of target as with those of sm. Two schedules
// are the same if they have the same scoreboards, and the same events are complete at the ends of blocks (MERC-130).
func IsAsOn(target, sm int, code, allocated []machine.Instr, targets map[int][]int, g Goal) bool {
	if !slices.ContainsFunc(code, func(x machine.Instr) bool { return x.Latency(sm) != x.Latency(target) }) {
		return true
	}
	there, _, ok := Reallocate(code, targets, target, g)
	if !ok || !slices.Equal(there, allocated) {
		return false
	}
	s, _ := scheduleOf(code, targets, sm, g)
	t, _ := scheduleOf(code, targets, target, g)
	s.findFlushes() // without learning from the waits of the input
	t.findFlushes()
	return slices.EqualFunc(s.flush, t.flush, slices.Equal[cfg.Set])
}
