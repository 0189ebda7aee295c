package adversary

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

// A Result is the result of attacking a function.
type Result struct {
	// Attack describes a path that fails; it is empty if none was found.
	Attack string
	// All reports that every path was tried. If Attack is empty then, no path fails.
	All bool
	// States is the number of visited states.
	States int
}

// Harmless reports whether no path fails.
func (r Result) Harmless() bool { return r.All && r.Attack == "" }

// Attack tries the paths of a function. It visits at most limit states.
func Attack(f hazard.Function, limit int) (Result, error) {
	p, err := programOf(f)
	if err != nil {
		return Result{}, err
	}
	g := &game{program: p, seen: map[key]bool{}, visited: make([]bool, len(p.code))}
	for i := range p.code { // code that no path reaches is entered from elsewhere
		if !g.visited[i] {
			g.enter(&state{at: i})
		}
		for len(g.todo) > 0 {
			if g.attack != "" || g.lost || len(g.seen) > limit {
				return Result{Attack: g.attack, States: len(g.seen)}, nil
			}
			s := g.todo[len(g.todo)-1]
			g.todo = g.todo[:len(g.todo)-1]
			g.play(s)
		}
	}
	return Result{Attack: g.attack, All: g.attack == "" && !g.lost, States: len(g.seen)}, nil
}

// A game contains the paths that were tried.
type game struct {
	*program
	todo    []*state
	seen    map[key]bool
	visited []bool // instructions
	attack  string
	lost    bool // a path leads to an unknown place
}

// enter queues a state that was not seen before.
func (g *game) enter(s *state) {
	if s.at < 0 || s.at >= len(g.code) {
		if s.at != len(g.code) {
			g.lost = true
		}
		return
	}
	g.visited[s.at] = true
	if key := s.key(); !g.seen[key] {
		g.seen[key] = true
		g.todo = append(g.todo, s)
	}
}

// play executes one instruction. If its guard may be true or false, both cases are played.
func (g *game) play(s *state) {
	x := &g.code[s.at]
	g.wait(s, x)
	holds, known := s.holds.of(x.guard)
	if known {
		g.carryOut(s, x, holds)
		return
	}
	for _, holds := range [2]bool{true, false} {
		t := s.clone()
		t.holds.assume(x.guard, holds)
		g.carryOut(t, x, holds)
		if g.attack != "" {
			return
		}
	}
}

// carryOut executes x if its guard holds, and enters the next states.
func (g *game) carryOut(s *state, x *instruction, holds bool) {
	next := []int{s.at + 1}
	if holds {
		g.touch(s, x)
		g.begin(s, x, x.writes, x.reads)
		next = g.branch(s, x)
	} else { // it still goes through its unit, because other threads may need it
		g.begin(s, x, sass.Registers{}, sass.Registers{})
	}
	if g.attack != "" {
		return
	}
	g.pass(s, x.stall)
	for i, to := range next {
		t := s
		if i+1 < len(next) {
			t = s.clone()
		}
		t.at = to
		g.enter(t)
	}
}

// wait completes those tasks that x waits for.
func (g *game) wait(s *state, x *instruction) {
	if x.waits == 0 && x.down == none {
		return
	}
	done := make([]bool, len(s.tasks))
	for i := range s.tasks {
		done[i] = g.counts(&s.tasks[i], x.waits)
	}
	if x.down != none {
		g.countDown(s, x.down, x.left, done)
	}
	for i := range s.tasks { // tasks that are ordered before a completed one
		for k := i + 1; k < len(s.tasks) && !done[i]; k++ {
			done[i] = done[k] && g.inOrder(&s.tasks[i], &s.tasks[k])
		}
	}
	n := 0
	s.tasks = slices.DeleteFunc(s.tasks, func(task) bool { n++; return done[n-1] })
}

// counts reports whether a scoreboard in set counts a task. An instruction writes its results after it has
// read its operands, so that a scoreboard for results covers both.
func (g *game) counts(t *task, set uint8) bool {
	x := &g.code[t.at]
	return x.results != none && set>>x.results&1 == 1 || t.isEarly() && x.operands != none && set>>x.operands&1 == 1
}

// inOrder reports whether t is complete whenever later is.
func (g *game) inOrder(t, later *task) bool {
	first, second := g.code[t.at].Instruction, g.code[later.at].Instruction
	if t.reading {
		return g.machine.ReadsBefore(first, second)
	}
	return !t.found && !later.isEarly() && g.machine.EndsBefore(first, second)
}

// endsInOrder reports whether t is complete when later is. Both are counted on the same scoreboard, and later
// started after t.
func (g *game) endsInOrder(t, later *task) bool {
	first, second := g.code[t.at].Instruction, g.code[later.at].Instruction
	return !t.found && g.machine.EndsBefore(first, second) || t.reading && g.machine.ReadsBefore(first, second)
}

// countDown completes tasks until at most left are outstanding on a scoreboard. If they are unordered, any of
// them may remain.
func (g *game) countDown(s *state, board int8, left int, done []bool) {
	var under []int // instructions, oldest first
	for i := range s.tasks {
		t := &s.tasks[i]
		x := &g.code[t.at]
		counted := !t.isEarly() && x.results == board || t.isEarly() && x.operands == board
		if !counted {
			continue
		}
		under = append(under, i)
	}
	for k := 0; k < len(under)-left; k++ {
		for _, later := range under[k+1:] {
			if left > 0 && !g.endsInOrder(&s.tasks[under[k]], &s.tasks[later]) {
				return
			}
		}
		done[under[k]] = true
	}
}

// touch checks whether x uses registers of a task.
func (g *game) touch(s *state, x *instruction) {
	for i := range s.tasks {
		t := &s.tasks[i]
		for file := sass.General; file <= sass.UniformPredicate; file++ {
			live := t.live.Only(file)
			if !t.reading && live.Overlaps(x.reads) && !g.isThere(t, x, file, false) {
				g.attackBy(s, t, x, file, "reads")
				return
			}
			if live.Overlaps(x.writes) && !g.inOrderWith(t, x) && !g.isThere(t, x, file, true) {
				g.attackBy(s, t, x, file, "writes")
				return
			}
		}
		t.live.Remove(&x.writes)
	}
}

// inOrderWith reports whether t is complete when x writes its results.
func (g *game) inOrderWith(t *task, x *instruction) bool {
	first := g.code[t.at].Instruction
	if t.reading {
		return g.machine.ReadsBefore(first, x.Instruction)
	}
	return !t.found && g.machine.WritesBefore(first, x.Instruction)
}

// isThere reports whether t is complete because enough cycles have passed.
func (g *game) isThere(t *task, x *instruction, file sass.File, write bool) bool {
	first := &g.code[t.at]
	if t.reading {
		cycles, ok := g.machine.HasRead(first.Instruction, x.Instruction, file)
		return ok && t.age >= cycles
	}
	if t.found || first.results != none {
		return false
	}
	cycles, ok := g.machine.Enough(first.Instruction, x.Instruction, file, write)
	return ok && t.age >= cycles
}

func (g *game) attackBy(s *state, t *task, x *instruction, file sass.File, does string) {
	what := "results"
	if t.reading {
		what = "operands"
	}
	g.attack = fmt.Sprintf("%#x %s %v %s of %#x, %d cycles after it", s.at*sass.Size, does, file, what, t.at*sass.Size, t.age)
}

// begin adds the tasks of x for the registers that it writes and reads.
func (g *game) begin(s *state, x *instruction, writes, reads sass.Registers) {
	s.holds.keep(^writes.P, ^writes.UP)
	slow := g.machine.ReadsLate(x.Instruction)
	if g.machine.FindsSpace(x.Instruction) {
		found := writes.Only(sass.Predicate)
		writes.Remove(&found)
		s.begin(task{at: s.at, found: true, live: found, guard: x.guard})
	}
	if writes.Marks() != 0 || slow {
		s.begin(task{at: s.at, live: writes, guard: x.guard})
	}
	if slow {
		s.begin(task{at: s.at, reading: true, live: reads.Only(sass.General), guard: x.guard})
	}
}

// branch returns the instructions that may follow x.
func (g *game) branch(s *state, x *instruction) (next []int) {
	at := s.at
	switch x.operation {
	case sass.OpBRA:
		if x.Low>>32&3 == 0 && x.Field(87, 4) == pt && x.Opcode() == sass.OpBRA|4<<9 {
			return []int{x.target}
		}
		return []int{x.target, at + 1}
	case sass.OpWARPSYNC:
		if x.Bit(86) {
			return []int{x.target, at + 1}
		}
	case sass.OpBRX, sass.OpBRXU, sass.OpJMX, sass.OpJMXU, sass.OpJMP:
		g.lost = g.lost || len(g.tables[at]) == 0
		return g.tables[at]
	case sass.OpEXIT:
		if x.Field(87, 4) != pt {
			return []int{at + 1}
		}
		return nil
	case sass.OpKILL, sass.OpRTT:
		return nil
	case sass.OpCALLRel, sass.OpCALLAbs:
		if x.target == none || x.target == at+1 {
			g.leave(s)
			s.tasks = nil
			break
		}
		s.calls = append(s.calls, at+1)
		if len(s.calls) > deepest {
			s.calls = slices.Delete(s.calls, 0, 1)
		}
		return []int{x.target}
	case sass.OpRET:
		if n := len(s.calls); n > 0 {
			to := s.calls[n-1]
			s.calls = s.calls[:n-1]
			return []int{to}
		}
		g.leave(s)
		return nil
	}
	return []int{at + 1}
}

// leave reports outstanding events that the other function cannot know about when control leaves this one.
func (g *game) leave(s *state) {
	for i := range s.tasks {
		t := &s.tasks[i]
		x := &g.code[t.at]
		if t.live.Marks() == 0 || t.at == s.at {
			continue
		}
		if t.reading {
			if cycles, ok := g.machine.HasReadForAnother(x.Instruction, sass.General); ok && t.age >= cycles {
				continue
			}
		} else if x.results == none && !g.machine.IsSlow(x.Instruction) { // a branch takes longer
			continue
		}
		g.attack = fmt.Sprintf("%#x leaves what %#x has under way to another function", s.at*sass.Size, t.at*sass.Size)
		return
	}
}

// oldest returns the age of a task above which its age makes no difference.
func (g *game) oldest(t *task) int {
	x := &g.code[t.at]
	switch {
	case t.live.Marks() == 0, !t.reading && x.results != none:
		return 0
	case t.reading:
		return x.longest
	}
	return longest
}

// pass advances the time and drops tasks that can no longer cause an error.
func (g *game) pass(s *state, cycles int) {
	s.tasks = slices.DeleteFunc(s.tasks, func(t task) bool {
		x := &g.code[t.at]
		return !g.machine.ReadsLate(x.Instruction) && (t.live.Marks() == 0 || t.age >= longest)
	})
	alive := slices.IndexFunc(s.tasks, func(t task) bool { return t.live.Marks() != 0 })
	if alive < 0 {
		alive = len(s.tasks)
	}
	s.tasks = s.tasks[alive:] // dead tasks before it have no effect on others
	var p, up uint8
	for i := range s.tasks {
		t := &s.tasks[i]
		t.age = min(t.age+cycles, g.oldest(t))
		switch {
		case t.guard.number == pt || t.live.Marks() == 0:
		case t.guard.file == sass.Predicate:
			p |= 1 << t.guard.number
		default:
			up |= 1 << t.guard.number
		}
	}
	s.holds.keep(p, up)
}
