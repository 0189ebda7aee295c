package hazard

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A meeting is an access of an instruction to registers of a flight (an outstanding event) for which the
// instruction does not wait. It is an error unless enough cycles have passed.
type meeting struct {
	flight *flight
	at     int // the accessing instruction
	file   sass.File
	write  bool // it writes the registers; otherwise it reads them
	leaves bool // it leaves the function, so that another function uses the registers
}

// does returns the verb of the meeting in a reason.
func (m meeting) does() string {
	switch {
	case m.leaves:
		return "leaves to another function"
	case m.write:
		return "writes"
	}
	return "reads"
}

// say returns the text of a reason. It describes the access of m to the registers of its flight, and ends with
// how.
func (m meeting) say(how string) string {
	f := m.flight
	return fmt.Sprintf("%s %v %s of the instruction at %#x%s", m.does(), m.file, [...]string{result: "results", operand: "operands", space: "results"}[f.kind], f.at*sass.Size, how)
}

// A step is an instruction with its registers.
type step struct {
	x             sass.Instruction
	known         bool
	writes, reads sass.Registers
	marks         uint64             // of writes and reads
	isSlow        bool               // without a scoreboard its results never become available: their latency is unknown
	uniform       bool               // the guard is a uniform predicate
	leaves        bool               // calls a function or returns from one
	returns       bool               // execution continues after the function's own calls
	fences        bool               // it waits for memory, which takes longer than its stall
	leftAlone     func(*flight) bool // for a call: results that the called function does not use
	guard         guard
	queue, reader queue
	waits         uint64 // scoreboards that it waits for
	down          int8   // scoreboard of a DEPBAR
	count         uint8  // maximum number of events that may remain on that scoreboard
}

// A walk follows all paths through the code of a function.
type walk struct {
	sm    int
	steps []step
	flow  *flow
	work  int   // remaining work, in visited flights
	taken state // buffer for the state along an edge
}

// workPerInstruction limits a walk: it is the number of flights that may be visited for each instruction.
// Compiled code needs about fifty.
const workPerInstruction = 4000

func newWalk(code []sass.Instruction, sm int, tables map[int][]int, isSlow func(*step) bool) *walk {
	w := &walk{sm: sm, steps: make([]step, len(code)), flow: flowOf(code, sm, tables), work: 100_000 + workPerInstruction*len(code)}
	for i, x := range code {
		s := &w.steps[i]
		s.x, s.guard, s.queue, s.reader = x, guardOf(x), queueOf(operation(x)), readerOf(operation(x))
		s.waits, s.down = waits(x), untracked
		if operation(x) == sass.OpDEPBAR {
			s.waits |= x.Field(32, 6)
			if x.Bit(47) {
				s.down, s.count = int8(x.Field(44, 3)), uint8(x.Field(38, 6))
			}
		}
		s.leaves, s.fences, s.isSlow = leaves(operation(x)), fences(operation(x)), isSlow(s)
		form, known := sass.FormOf(x, sm)
		if s.known = known; !known {
			s.known = s.target()
			s.marks = s.reads.Marks()
			continue
		}
		s.writes, s.reads = sass.UsesOf(form.Operands(), x, sm)
		s.marks = s.writes.Marks() | s.reads.Marks()
		for _, o := range form.Operands() {
			s.uniform = s.uniform || o.At == 12 && o.File == sass.UniformPredicate
		}
	}
	for _, i := range w.flow.jumps {
		w.steps[i].leaves = false
	}
	for _, i := range w.flow.returns {
		w.steps[i].leaves, w.steps[i].returns = false, true
	}
	uses := map[int]sass.Registers{} // of the functions inside, by their calls
	for _, function := range w.flow.inside {
		var used sass.Registers
		for i := range function.body {
			used = used.Union(w.steps[i].writes).Union(w.steps[i].reads).Union(uses[i])
		}
		for _, call := range function.calls {
			uses[call] = used
			w.steps[call].leftAlone = func(f *flight) bool { return f.kind == result && f.forever && !f.live.Overlaps(used) }
		}
	}
	return w
}

// leaves reports whether an operation calls a function or returns from one. The other function may use any
// register, and does not wait for earlier events.
func leaves(op uint16) bool { return op == sass.OpCALLRel || op == sass.OpCALLAbs || op == sass.OpRET }

// fences reports whether an operation waits until memory is consistent.
func fences(op uint16) bool { return op == sass.OpMEMBAR || op == sass.OpERRBAR }

// target reports whether s calls a function or returns from one. The form of such an instruction was not
// measured. target adds the registers with the target address to those that s reads.
func (s *step) target() bool {
	switch s.x.Opcode() {
	case sass.OpCALLRel | 1<<9, sass.OpCALLAbs | 1<<9, sass.OpRET | 4<<9: // through a register
		s.reads.Add(sass.General, uint(s.x.Field(24, 8)), 2)
		return true
	case sass.OpCALLRel | 4<<9, sass.OpCALLAbs | 4<<9:
		return true
	}
	return false
}

// Scheduling fields of an instruction.
func stall(x sass.Instruction) uint8     { return uint8(x.Stall()) }
func writeBoard(x sass.Instruction) int8 { return board(x.WriteBarrier()) }
func readBoard(x sass.Instruction) int8  { return board(x.ReadBarrier()) }
func waits(x sass.Instruction) uint64    { return x.WaitMask() }
func board(field int) int8 {
	if field == sass.NoBarrier {
		return untracked
	}
	return int8(field)
}

// run determines the state at the start of each block, and reports each meeting. If a block's initial state
// grows, the block is visited again. visit is called for each visit. The function that it returns replaces the
// one of the previous visit. run returns false if there is too much work.
func (w *walk) run(visit func(block int) func(meeting)) bool {
	r := &round{walk: w, visit: visit, entries: make([]state, len(w.steps)), queued: make([]bool, len(w.steps)), first: len(w.steps)}
	for _, i := range w.blocks() {
		r.push(i)
	}
	return r.settle()
}

// blocks returns the starts of blocks.
func (w *walk) blocks() (begins []int) {
	for i := range w.steps {
		if w.flow.leader[i] || i > 0 && w.ends(i-1) {
			w.flow.leader[i] = true
			begins = append(begins, i)
		}
	}
	return begins
}

// A round holds the blocks of a walk that are still to be visited.
type round struct {
	*walk
	visit   func(block int) func(meeting)
	entries []state // states at the starts of blocks
	queued  []bool
	first   int // no earlier block is queued
	state   state
}

// push queues a block. Queued blocks are visited in the order of the code, because earlier blocks usually lead
// to later ones.
func (r *round) push(i int) {
	r.queued[i] = true
	r.first = min(r.first, i)
}

// settle visits blocks until nothing changes. It returns false if there is too much work.
func (r *round) settle() bool {
	for ; r.first < len(r.queued); r.first++ {
		if i := r.first; r.queued[i] {
			r.queued[i] = false
			if !r.follow(i) {
				return false
			}
			r.first = min(r.first, i+1) - 1
		}
	}
	return true
}

// follow propagates the state through block i to its successors.
func (r *round) follow(i int) bool {
	met := r.visit(i)
	s := append(r.state[:0], r.entries[i]...)
	for ; ; i++ {
		if s = r.step(i, s, met); r.work < 0 {
			return false
		}
		if r.ends(i) {
			break
		}
	}
	r.state = s
	for _, e := range r.flow.next[i] {
		merged, changed := r.entries[e.to].merge(r.along(e, i, s))
		r.entries[e.to] = merged
		if changed {
			r.push(e.to)
		}
	}
	return true
}

// ends reports whether a block ends after instruction i.
func (w *walk) ends(i int) bool {
	next := w.flow.next[i]
	return len(next) != 1 || next[0].to != i+1 || w.flow.leader[i+1]
}

// along returns the state after an edge that leaves instruction i. It is s without the events that only start
// under the opposite of the edge's condition.
func (w *walk) along(e edge, i int, s state) state {
	back, excludes := e.to <= i && !w.steps[i].returns, !e.when.unconditional() && !w.steps[i].uniform
	if !back && !excludes {
		return s
	}
	s = append(w.taken[:0], s...)
	w.taken = s
	if excludes {
		s = s.filter(func(f *flight) bool {
			p := &w.steps[f.at]
			return !f.stale && !p.uniform && p.guard.excludes(e.when)
		})
	}
	for k := range s {
		s[k].carried = s[k].carried || back
	}
	return s
}

// step propagates s through instruction i, and reports its meetings.
func (w *walk) step(i int, s state, met func(meeting)) state {
	y := &w.steps[i]
	w.work -= len(s) + 1
	if y.waits != 0 || y.down != untracked {
		s = s.filter(func(f *flight) bool {
			return uint64(f.over)&y.waits != 0 || f.board >= 0 && f.board == y.down && f.younger >= y.count ||
				f.behind >= 0 && f.behind == y.down && f.later >= y.count
		})
	}
	w.touch(i, s, met)
	switch {
	case y.returns: // takes longer than any fixed latency
		s = s.filter(func(f *flight) bool { return f.board < 0 && !f.forever })
	case !y.leaves:
		s = w.start(i, s)
	case y.guard.unconditional():
		s = s.filter(func(f *flight) bool { return !y.leavesAlone(f) })
	}
	if y.fences {
		for k := range s {
			s[k].fenced = true
		}
	}
	return s.after(stall(y.x))
}

// touch reports the meetings of instruction i with s. It then removes the registers that i writes from s, and
// marks the flights whose guard i changes.
func (w *walk) touch(i int, s state, met func(meeting)) {
	y := &w.steps[i]
	guards := y.writes.P|y.writes.UP != 0
	for k := range s {
		f := &s[k]
		touches := f.marks&y.marks != 0 || y.leaves
		if !touches && !guards {
			continue
		}
		p := &w.steps[f.at]
		if touches && (f.stale || p.uniform != y.uniform || !p.guard.excludes(y.guard)) {
			w.meet(meeting{flight: f, at: i}, met)
			if y.guard.unconditional() {
				f.live.Remove(&y.writes)
				f.marks = f.live.Marks()
			}
		}
		if guards { // the true predicate is not among them
			f.stale = f.stale || y.changesGuard(p)
		}
	}
}

// changesGuard reports whether y writes the predicate of the guard of p, which may be y itself (MERC-360).
func (y *step) changesGuard(p *step) bool {
	file := sass.Predicate
	if p.uniform {
		file = sass.UniformPredicate
	}
	return y.writes.Has(file, p.guard.predicate())
}

// meet reports the meetings of m's flight and instruction.
func (w *walk) meet(m meeting, met func(meeting)) {
	f, y := m.flight, &w.steps[m.at]
	if f.kind != operand {
		m.inFiles(&y.reads, met)
	}
	if !w.steps[f.at].before(f.kind, y) {
		m.write = true
		m.inFiles(&y.writes, met)
	}
	if y.leaves && (f.board >= 0 || f.forever) && !y.leavesAlone(f) { // a branch takes longer than any fixed latency
		m.write, m.leaves = f.kind == operand, true
		m.inFiles(&f.live, met)
	}
}

// readsFirst reports whether the instruction of m reads a register of the flight as the first register of an
// operand. It may need further registers of the operand later.
func (w *walk) readsFirst(m meeting) bool {
	x := w.steps[m.at].x
	form, known := sass.FormOf(x, w.sm)
	if !known {
		return true // a call, with its target address in a register
	}
	operands := slices.Clone(form.Operands())
	for i := range operands {
		operands[i].Count = 1
	}
	_, reads := sass.UsesOf(operands, x, w.sm)
	return m.flight.live.Overlaps(reads.Only(m.file))
}

// isWrittenAgain reports whether the value that m reads under a guard may be a newer one than that of the
// flight, written by an instruction with the same guard.
func (w *walk) isWrittenAgain(m meeting) bool {
	reader := &w.steps[m.at]
	if m.write || reader.guard.unconditional() {
		return false
	}
	live, reads := m.flight.live.Only(m.file), reader.reads.Only(m.file)
	for i := m.flight.at + 1; i < m.at; i++ {
		if y := &w.steps[i]; y.guard == reader.guard && y.uniform == reader.uniform && y.writes.Overlaps(live) && y.writes.Overlaps(reads) {
			return true
		}
	}
	return false
}

// leavesAlone reports whether the function that y calls does not use the outstanding registers of f, which no
// scoreboard counts. An example is an unused load of the stack pointer.
func (y *step) leavesAlone(f *flight) bool { return y.leftAlone != nil && y.leftAlone(f) }

// mayExclude reports whether s and y have guards in different files, one of which may be a copy of the other.
func (s *step) mayExclude(y *step) bool {
	return s.uniform != y.uniform && !s.guard.unconditional() && !y.guard.unconditional()
}

// before reports whether the events of s are complete before y writes its results, because both use the same
// ordered unit.
func (s *step) before(k kind, y *step) bool {
	switch k {
	case operand:
		return s.reader != 0 && s.reader == y.reader
	case space: // no order was measured
		return false
	}
	return s.queue != 0 && s.queue == y.queue
}

// endsBefore reports whether the events of s are complete when those of y are, a later step.
func (s *step) endsBefore(k kind, y *step) bool {
	if k != result {
		return s.before(k, y)
	}
	return endInOrder(s.queue, y.queue)
}

// inFiles calls met once for each register file in which some register of the set used is outstanding. The
// meeting that it passes names that file.
func (m meeting) inFiles(used *sass.Registers, met func(meeting)) {
	for files := m.flight.live.Files(used); files != 0; files &= files - 1 {
		m.file = sass.File(bits.TrailingZeros8(files))
		met(m)
	}
}

// after advances the time and drops flights without registers.
func (s state) after(cycles uint8) state {
	kept := 0
	for k := range s {
		f := &s[k]
		f.age = min(f.age+cycles, horizon)
		if f.board < 0 && f.age == horizon && !f.forever || f.marks == 0 {
			continue
		}
		if kept < k {
			s[kept] = *f
		}
		kept++
	}
	return s[:kept]
}

// noteStart updates the flights of s for the events that instruction i starts on the same scoreboard or unit.
func (w *walk) noteStart(i int, s state, write, read int8) {
	y := &w.steps[i]
	queues := y.reader != 0 // a unit that orders reads also orders results
	if write == untracked && read == untracked && !queues {
		return
	}
	for k := range s {
		f := &s[k]
		if f.board >= 0 && (f.board == write || f.board == read) && f.younger < 255 {
			f.younger++
		}
		if f.behind >= 0 && (f.behind == write || f.behind == read) && f.later < 255 {
			f.later++
		}
		if queues && w.steps[f.at].endsBefore(f.kind, y) { // it goes through the unit, whatever its guard
			if f.board == untracked && f.behind == untracked {
				f.behind = write
			}
			f.over |= bit(write)
			if f.kind == operand {
				f.over |= bit(read)
			}
		}
	}
}

// start adds the events that instruction i starts.
func (w *walk) start(i int, s state) state {
	y := &w.steps[i]
	write, read := writeBoard(y.x), readBoard(y.x)
	w.noteStart(i, s, write, read)
	late, early := y.writes, sass.Registers{}
	if findsSpace(operation(y.x)) {
		early = y.writes.Only(sass.Predicate)
		late.Remove(&early)
	}
	stale := y.changesGuard(y)
	if marks := late.Marks(); marks != 0 {
		s = s.add(&flight{at: i, kind: result, stale: stale, board: write, behind: untracked, over: bit(write), live: late, marks: marks, forever: write == untracked && y.isSlow})
	}
	if !y.isSlow && !readsLate(operation(y.x)) && y.reader != memory && write < 0 && read < 0 {
		return s
	}
	b := read // the results come after the operands are read
	if b == untracked {
		b = write
	}
	for _, f := range [...]flight{{kind: operand, live: y.reads.Only(sass.General)}, {kind: space, live: early}} {
		if f.marks = f.live.Marks(); f.marks != 0 {
			f.at, f.stale, f.board, f.behind, f.over, f.forever = i, stale, b, untracked, bit(read)|bit(write), b == untracked
			s = s.add(&f)
		}
	}
	return s
}

// bit returns the bit of a scoreboard.
func bit(board int8) uint8 {
	if board == untracked {
		return 0
	}
	return 1 << board
}
