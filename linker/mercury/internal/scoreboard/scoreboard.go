package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// An event is what an instruction counts on a scoreboard. It is outstanding until the results of the instruction are written
// (RAW), or until its operands are read (WAR).
type event struct {
	number    int
	at        int  // the instruction
	war       bool // operands that are not read yet (WAR); else results that are not written yet (RAW)
	board     int  // in the input; unassigned where only the new schedule counts it
	long      bool // a result of a load from memory
	latency   int  // in cycles, as the compiler estimates it
	registers sass.Registers
	guard     uint64

	// consumer is the first instruction after the event, in its block, that depends on it. waiter is the first that waits for it.
	// Each is never if there is none.
	consumer, waiter int
	pending          cfg.Set       // the instructions before which it may be pending, if each wait is for it alone
	latencyLeft      []latencyLeft // at the entry of later blocks
}

const never = 1 << 30

// A schedule is machine code with its outstanding events.
type schedule struct {
	code     []machine.Instr // in the order of the finalizer (MERC-159)
	original []machine.Instr // in the order of the function
	order    []int           // by instruction of code, its number in original
	policy   policy
	early    bool // a compiler before 13.0 made the code
	free     bool // the first event is the load of the stack pointer, which is unused
	flow     cfg.Flow
	blocks   cfg.Flow    // with the ends of blocks in the input, which may be more
	delays   map[int]int // by instruction, the cycles that it takes longer than its stall, for the NOPs behind its block (MERC-361)
	sm       int
	cycle    []int // the issue cycle of each instruction, as the compiler estimates it
	producer []int // by instruction, the last one of fixed latency on which the next one depends; -1 if there is none
	events   []*event
	defs     [][]*event                   // by instruction
	deps     []cfg.Set                    // by instruction, the events on which it depends
	needed   []cfg.Set                    // by first instruction of a block, the events on which this or a later block depends
	exitDeps []cfg.Set                    // of deps, those of an EXIT or indirect branch that hold because other code follows
	added    []cfg.Set                    // by instruction, the dependences that only the new schedule has
	waits    []cfg.Set                    // by instruction, the events that it waits for
	on       [machine.Scoreboards]cfg.Set // the events on each scoreboard, in the input
	pending  []cfg.Set                    // by instruction, the events that may be pending before it, with the waits of the input

	local   []cfg.Set        // by last instruction of a block, the events of the block
	flush   []cfg.Set        // of local, the events that are complete at the end of the block
	loops   map[int]cfg.Loop // with on-demand waits, by the last instruction of the loop's head
	learned []cfg.Set        // by instruction, the events for which the input waits, or does not, against the rules

	exits       []exit // before which barriers are inserted or removed
	hasBarriers bool   // the barriers are of this schedule
	dropsFences bool   // of two fences the first is dropped from this schedule (KIT-983)

	schedulesFences bool // of two fences the first is scheduled in the new schedule alone (KIT-360)

	resized  []bool   // by first instruction of a block, whether the finalizer computes the size of the cluster in it anew (MERC-351)
	needless []uint64 // by instruction, the scoreboards for which the input of an early compiler waits in vain

	counted boardSet // scoreboards without events: DEPBAR waits for a count on them
}

// maxTable limits the number of instructions of a schedule times the number of its events. Code above the limit keeps its
// schedule.
const maxTable = 1 << 25

// scheduleOf reads the schedule of code for a goal. targets are the targets of its indirect branches. known is false if the
// registers of an instruction or the targets of a branch are not known, or if the code is too long.
func scheduleOf(code []machine.Instr, targets map[int][]int, sm int, g Goal) (s *schedule, known bool) {
	s = &schedule{code: code, policy: blockEnds{}, free: StackPointerUnused(code, sm), early: g.From.Early, sm: sm, defs: make([][]*event, len(code))}
	if s.flow, known = cfg.FlowOf(code, targets); !known {
		return nil, false
	}
	if !g.To.Later && machine.IsConsumer(sm) && (!g.From.Early || returns(code)) {
		s.flow = s.flow.EndingAt(func(i int) bool { return s.flow.MeetsAtBarrier(code, i) })
	}
	s.dropsFences, s.schedulesFences, s.original = g.DropsFences, g.SchedulesFences, code
	code = withDEPBARWaits(code)
	s.order = s.flow.Order(code)
	code, s.flow = s.flow.Sort(code, s.order)
	s.flow, s.delays = s.flow.BeforeDelays(code)
	s.code, s.blocks = code, s.flow
	if g.Relaxes() && machine.IsConsumer(sm) {
		s.blocks = s.flow.EndingAt(func(i int) bool { return s.flow.MeetsAtBarrier(code, i) })
	}
	if g.InsertsBarriers || g.RemovesBarriers {
		s.exits, s.hasBarriers = exitsOf(code), g.RemovesBarriers
	}
	if s.counted, known = countedBoards(code); !known {
		return nil, false
	}
	touched, read, written := make([]sass.Registers, len(code)), make([]sass.Registers, len(code)), make([]sass.Registers, len(code))
	for i, x := range code {
		writes, reads, ok := sass.Uses(x.Instruction, sm)
		if !ok && !x.Leaves() {
			return nil, false
		}
		touched[i], read[i], written[i] = writes.Union(reads), reads, writes
		s.readEvents(i, reads, writes)
		s.addEvents(i, reads.Only(sass.General), writes, g)
	}
	if len(s.events) == 0 || len(s.events)*len(code) > maxTable {
		return nil, false
	}
	s.needless, s.resized = make([]uint64, len(code)), s.findResized()
	s.deps, s.exitDeps, s.waits, s.learned, s.added = s.newSets(), s.newSets(), s.newSets(), s.newSets(), s.newSets()
	users := s.byRegister()
	for i := range code {
		s.depend(i, read[i], written, users)
		s.dependOnFence(i)
		s.dependAtEnd(i)
	}
	s.dependAtBarriers()
	s.findPending()
	s.dependByMemory()
	s.setAdded()
	s.findProducers(touched, written)
	s.cycle = s.clock()
	s.readWaits()
	for _, t := range s.events {
		if t.added() {
			t.remove(len(code))
		} else {
			s.follow(t)
		}
	}
	s.findLatencyLeft()
	return s, true
}

// returns reports whether code is that of a function that returns, not of a kernel. In code of 12.8 and 12.9 a WARPSYNC ends a block
// only there (MERC-962).
func returns(code []machine.Instr) bool {
	return slices.ContainsFunc(code, func(x machine.Instr) bool { return x.Op() == sass.OpRET })
}

// readEvents adds the events that instruction i counts in the input. reads and writes are the registers of the instruction.
func (s *schedule) readEvents(i int, reads, writes sass.Registers) {
	x := s.code[i]
	if x.ReadBarrier() < machine.Scoreboards && !s.counted.has(x.ReadBarrier()) {
		operands := reads.Only(sass.General)
		if x.ByTextureUnit() || x.ReadsLate() {
			operands = operands.Union(reads.Only(sass.Uniform))
		}
		// The predicate of an atomic comes with them. LDGSTS writes none (MERC-332).
		if x.WriteBarrier() == sass.NoBarrier && x.Op() != sass.OpLDGSTS || x.FindsSpace() {
			operands = operands.Union(writes.Only(sass.Predicate))
		}
		s.newEvent(i, true, x.ReadBarrier(), operands)
		overwritten := writes.Only(sass.General)
		s.events[len(s.events)-1].registers.Remove(&overwritten)
	}
	if x.WriteBarrier() < machine.Scoreboards && !s.counted.has(x.WriteBarrier()) {
		if x.ReadBarrier() != sass.NoBarrier && x.FindsSpace() {
			early := writes.Only(sass.Predicate)
			writes.Remove(&early)
		}
		s.newEvent(i, false, x.WriteBarrier(), writes)
	}
}

func (s *schedule) newEvent(at int, reads bool, board int, of sass.Registers) {
	x := s.code[at]
	t := &event{number: len(s.events), at: at, war: reads, board: board, registers: of, guard: x.Low >> 12 & 0xf}
	t.long = !reads && x.Loads()
	if t.latency = x.Latency(s.sm); reads {
		t.latency = x.ReadLatency(of, s.sm)
	}
	s.events = append(s.events, t)
	if !t.added() {
		s.defs[at] = append(s.defs[at], t)
	}
}

// newSets returns a set of events for each instruction.
func (s *schedule) newSets() []cfg.Set {
	return cfg.NewSets(len(s.code), len(s.events))
}

// A user holds the events of one register: those whose results write it, and those whose operands read it.
type user struct{ writes, reads cfg.Set }

// users holds the events of all registers, by number. The first entry has no events.
type users struct {
	list   []user
	number [4][256]uint16 // by file and register
}

// of returns the events of a register.
func (u *users) of(file sass.File, n uint) *user { return &u.list[u.number[file][n]] }

// byRegister returns the events of each register that has any.
func (s *schedule) byRegister() *users {
	all := &users{list: make([]user, 1)}
	for _, t := range s.events {
		for file, n := range t.registers.All {
			number := &all.number[file][n]
			if *number == 0 {
				*number = uint16(len(all.list))
				all.list = append(all.list, user{cfg.NewSet(len(s.events)), cfg.NewSet(len(s.events))})
			}
			if u := all.of(file, n); t.war && file != sass.Predicate {
				u.reads.Add(t.number)
			} else {
				u.writes.Add(t.number)
			}
		}
	}
	return all
}

// depend finds the events that must be complete before instruction i, which reads and writes registers. Three kinds of pairs need
// no wait: a queue reads its operands in order; some queues write results in order; and of two instructions with opposite guards
// only one executes, unless the guard is written between them.
func (s *schedule) depend(i int, reads sass.Registers, written []sass.Registers, users *users) {
	deps := s.deps[i]
	for file, n := range written[i].All {
		deps.AddAll(users.of(file, n).reads)
		deps.AddAll(users.of(file, n).writes)
	}
	for n := range deps.All {
		if t := s.events[n]; !t.added() && s.inOrder(t.at, i) && (t.war || s.code[i].WritesInOrder()) {
			deps.Remove(n)
		}
	}
	for file, n := range reads.All {
		deps.AddAll(users.of(file, n).writes)
	}
	for n := range deps.All {
		if t := s.events[n]; s.code[i].Low>>12&0xf^t.guard == 8 && t.guard&7 != 7 && !setsGuard(written, t, i) {
			deps.Remove(n)
		}
	}
}

// setsGuard reports whether an instruction from that of t to i, a later instruction, writes the guard of t. The instruction of t may do so
// itself (MERC-360).
func setsGuard(written []sass.Registers, t *event, i int) bool {
	for k := t.at; k < i; k++ {
		if written[k].P>>(t.guard&7)&1 == 1 {
			return true
		}
	}
	return false
}

// dependAtEnd finds the events that must be complete before instruction i because control leaves the code there. A RET waits for
// all events. An EXIT waits for operands that may be read after the thread has ended, and for loads into uniform registers. An
// indirect branch through a uniform register and a reconvergence point wait for these loads too (MERC-980).
func (s *schedule) dependAtEnd(i int) {
	x := s.code[i]
	op := x.Op()
	if op != sass.OpRET && op != sass.OpEXIT && op != sass.OpBRXU && op != sass.OpBSYNC {
		return
	}
	for n, t := range s.events {
		from := s.code[t.at]
		switch {
		case op == sass.OpRET:
			s.deps[i].Add(n)
		case op == sass.OpEXIT && s.readsLate(t), !t.war && from.Op() == sass.OpLDCU:
			if !s.deps[i].Has(n) {
				s.exitDeps[i].Add(n)
			}
			s.deps[i].Add(n)
		}
	}
}

// readsLate reports whether t is for operands that may be read after the thread has ended. Those of textures are if they come in
// uniform registers (MERC-992).
func (s *schedule) readsLate(t *event) bool {
	from := s.code[t.at]
	return t.war && (from.ReadsLate() || from.ByTextureUnit() && t.registers.Only(sass.Uniform) != sass.Registers{})
}

// leaves reports whether instruction i is a call, a return, or a trap at the end of the code. These wait for all events
// (MERC-986).
func (s *schedule) leaves(i int) bool { return s.code[i].Leaves() || s.flow.EndsAtTrap(s.code, i) }

// awaitsAll reports whether instruction i waits for all pending events.
func (s *schedule) awaitsAll(i int) bool { return s.code[i].AwaitsAll() || s.leaves(i) }

// inOrder reports whether instruction k comes after i in the same block and the same queue. FP64 instructions have a queue where
// FP64 is slow (KIT-063).
func (s *schedule) inOrder(i, k int) bool {
	q := s.code[i].Queue()
	return i < k && q != 0 && (q != machine.DoubleQueue || s.code[i].IsSlowDouble(s.sm)) && q == s.code[k].Queue() && s.flow.Last[i] == s.flow.Last[k]
}

// clock estimates the issue cycle of each instruction, in the order of the code. An instruction waits for its dependences in its
// block. Waits for events of earlier blocks take no time. The stall of an instruction may be for a result of an earlier one on
// which the next instruction depends; later waits then take up a part of that stall (MERC-157).
func (s *schedule) clock() []int {
	begins, stalled := make([]int, len(s.code)+1), make([]int, len(s.code)+1) // stalled: without waits
	for i := range s.code {
		for n := range s.deps[i].All {
			if t := s.events[n]; t.at < i && t.at >= s.flow.First[i] && !s.exitDeps[i].Has(n) {
				begins[i] = max(begins[i], begins[t.at]+t.latency)
			}
		}
		if e, inserted := s.barrierAt(i); inserted {
			begins[i+1], stalled[i+1] = s.afterBarrier(i, e, begins, stalled)
			continue
		}
		takes, stall := s.cyclesOf(i)
		begins[i+1], stalled[i+1] = begins[i]+takes, stalled[i]+stall
		if p := s.producer[i]; p >= 0 && stalled[i+1]-stalled[p] <= longestFixed {
			begins[i+1] = max(begins[i]+1, begins[p]+stalled[i+1]-stalled[p])
		}
	}
	return begins
}

// cyclesOf returns how long instruction i takes, and its stall as it counts in code that does not wait. The dead loads of a fence
// are inserted after scoreboards are assigned. Up to 13.0 its stalls are of that time too (MERC-254).
func (s *schedule) cyclesOf(i int) (takes, stall int) {
	x := s.code[i]
	switch {
	case x.IsDeadLoad():
		return 0, 0
	case x.IsOfFence() && !s.policy.countsFence():
		return 0, x.Stall()
	case awaitsReduction(s.code, i) && !s.policy.awaitsReductions():
		return 0, 0
	case x.Op() == sass.OpBAR && s.isShortBarrier(i):
		return 1, x.Stall()
	}
	cycles := x.Stall() + s.delays[i]
	return cycles, cycles
}

// isShortBarrier reports whether BAR at i takes only a cycle, not its stall. The stall is for the branch or the EXIT after it.
func (s *schedule) isShortBarrier(i int) bool {
	if e, inserted := s.barrierAt(i + 1); inserted {
		return s.hasBarriers && e.first == i+1 // the EXIT is no longer the next instruction
	}
	return i+1 < len(s.code) && s.code[i+1].Op() == sass.OpBRA && !s.policy.countsBarrier()
}

// longestFixed is about the longest fixed latency, in cycles.
const longestFixed = 16

// findProducers finds, for each instruction, the last instruction of fixed latency up to it whose result the next instruction of
// the block uses, no later than it can. The stall of the instruction is then for that result; otherwise it has another reason, such
// as a unit that is busy.
func (s *schedule) findProducers(touched, written []sass.Registers) {
	s.producer = make([]int, len(s.code))
	marks := make([]uint64, len(s.code)) // of written
	for i := range s.producer {
		s.producer[i], marks[i] = -1, written[i].Marks()
		if i+1 >= len(s.code) || s.flow.First[i+1] != s.flow.First[i] {
			continue
		}
		next, cycles := touched[i+1].Marks(), 0
		for p := i; p >= s.flow.First[i] && p > i-longestFixed; p-- {
			cycles += s.code[p].Stall()
			if marks[p]&next != 0 && s.code[p].WriteBarrier() == sass.NoBarrier && written[p].Overlaps(touched[i+1]) && cycles <= s.least(p, i+1) {
				s.producer[i] = p
				break
			}
		}
	}
}

// least returns the least number of cycles from the issue of instruction i to that of instruction k.
func (s *schedule) least(i, k int) int {
	from, _ := machine.NewOperation(s.code[i], s.sm)
	x, _ := machine.NewOperation(s.code[k], s.sm)
	return x.After(&from)
}

// flowEvents returns, for each instruction, the events that may be pending before it. clear removes from p the events that are
// complete when instruction i is issued.
func (s *schedule) flowEvents(clear func(i int, p cfg.Set)) []cfg.Set {
	pending := s.newSets()
	todo := make([]int, 0, len(s.code))
	queued := make([]bool, len(s.code))
	for i := range slices.Backward(s.code) {
		todo, queued[i] = append(todo, i), true
	}
	after := cfg.NewSet(len(s.events))
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo, queued[i] = todo[:len(todo)-1], false
		copy(after, pending[i])
		clear(i, after)
		for _, t := range s.defs[i] {
			after.Add(t.number)
		}
		for _, next := range s.flow.Next[i] {
			if pending[next].AddAll(after) && !queued[next] {
				todo, queued[next] = append(todo, next), true
			}
		}
	}
	return pending
}

// findPending finds where the events may be pending, with the waits of the input.
func (s *schedule) findPending() {
	s.on = s.boards(func(t *event) int { return t.board })
	s.pending = s.flowEvents(func(i int, p cfg.Set) {
		switch {
		case s.code[i].Collective():
			return // what other threads do then does not count
		case s.code[i].IsBarrier():
			s.endRound(i, p)
			s.endFence(i, p, s.on)
			return
		}
		for b := range machine.Scoreboards {
			if s.code[i].WaitsFor(b) {
				p.RemoveAll(s.on[b])
			}
		}
	})
}

// readFixedWaits finds the events that instruction i waits for if it is one whose waits do not depend on its wait mask. ok is
// false if it is another one.
func (s *schedule) readFixedWaits(i int) (ok bool) {
	switch x := s.code[i]; {
	case x.Collective():
	case x.IsBarrier():
		s.waits[i].AddAll(s.deps[i])
	case x.Op() == sass.OpENDCOLLECTIVE:
		for _, t := range s.events {
			s.waits[i].Add(t.number)
		}
	case s.leaves(i):
		s.waits[i].AddAll(s.pending[i])
	default:
		return false
	}
	return true
}

// readWaits finds the events that each instruction waits for because it depends on them. A collective operation waits for all
// events.
func (s *schedule) readWaits() {
	s.findFlushes()
	alone, first := s.pendingAlone(), s.newSets()
	for i := range s.code {
		mask := s.code[i].WaitMask()
		if !s.readFixedWaits(i) {
			mask = s.readWaitsOf(i, first[i], alone)
		}
		s.passFirst(i, mask, first)
	}
}

// readWaitsOf finds the events that instruction i waits for. first has the events that are pending before i in the first pass of
// the compiler, alone those that are pending in code of an early compiler. The result has the scoreboards for which i waits in
// that pass already: not only because of a back edge.
func (s *schedule) readWaitsOf(i int, first cfg.Set, alone []cfg.Set) (mask uint64) {
	x, here := s.code[i], cfg.NewSet(len(s.events))
	for n := range s.deps[i].All {
		if !s.pending[i].Has(n) || x.WaitsFor(s.events[n].board) || s.renewed(i) {
			s.waits[i].Add(n)
		}
	}
	for b := range machine.Scoreboards {
		counts := func(t *event) bool { return t.board == b }
		waits := x.WaitsFor(b)
		if waits && awaitsReduction(s.code, i) && b == x.CountsOn() || !waits && (s.flow.Last[i] != i || slices.ContainsFunc(s.defs[i], counts)) {
			continue
		}
		some := here.Take(s.pending[i], s.on[b])
		explained := here.Meets(s.deps[i]) || s.countsAroundLoop(i, here, counts) || waits && (s.needsFirst(i, b, first) || s.endsIteration(i, here))
		if waits && !(explained && !s.needsEarlier(i, here)) {
			mask |= 1 << b
		}
		if waits && !explained && s.waitsForItself(i, b, alone) {
			s.needless[i] |= 1 << b
			continue
		}
		if some && !explained && !s.renewed(i) {
			s.learnFlush(i, here, waits)
		}
	}
	return mask
}

// renewed reports whether the rules alone determine the waits of instruction i, in code of an early compiler. They do for the end
// of a collective operation. They also do for the instruction after the NOP of a fence: only later compilers let that NOP wait
// for all events. And they do for the first instruction of a collective operation, which relied on the wait before it (MERC-981).
func (s *schedule) renewed(i int) bool {
	return s.early && (s.resized[s.flow.First[i]] || s.code[i].Op() == sass.OpENDCOLLECTIVE || i > 0 && (s.code[i-1].IsBarrier() || s.code[i-1].Collective()))
}

// findFlushes finds, for each block, the events that are complete at its end by their latencies. A wait for them there costs
// nothing and frees their scoreboards. Loads from memory never count as complete: their latency is only assumed.
func (s *schedule) findFlushes() {
	s.local, s.flush = s.newSets(), s.newSets()
	for _, t := range s.events {
		end := s.flow.Last[t.at]
		if end == t.at || end == len(s.code)-1 || s.code[end].Collective() {
			continue
		}
		s.local[end].Add(t.number)
		if !t.long && s.cycle[end]-s.cycle[t.at] >= t.latency {
			s.flush[end].Add(t.number)
		}
	}
}

// flushes reports whether instruction i ends a block and all pending events of that block are complete. Events of earlier blocks
// do not matter (MERC-134).
func (s *schedule) flushes(i int, pending cfg.Set) bool { return s.flush[i].Holds(pending, s.local[i]) }

// ofBlock returns those of the events that belong to the block that instruction i ends.
func (s *schedule) ofBlock(i int, events cfg.Set) cfg.Set {
	own := slices.Clone(events)
	own.Keep(s.local[i])
	return own
}

// learnFlush corrects the estimate of which events are complete at the end of a block. It compares the estimate with what the
// input does there for a scoreboard with these pending events. If the input waits and none of the events is of this block, the
// wait counts as one for all of them. If the load of the stack pointer is among them, that load is taken as the reason.
func (s *schedule) learnFlush(end int, pending cfg.Set, waits bool) {
	if waits == s.flushes(end, pending) {
		return
	}
	own, stack := s.ofBlock(end, pending), s.free && pending.Has(0)
	switch {
	case waits && own.Some():
		s.flush[end].AddAll(own)
	case waits && stack:
		s.waits[end].Add(0)
		pending.Remove(0)
		s.learned[end].AddAll(pending)
	case waits:
		s.waits[end].AddAll(pending)
		s.learned[end].AddAll(pending)
	case stack:
		s.flush[end].Remove(0)
	default:
		s.flush[end].Remove(own.Last())
		s.learned[end].AddAll(own)
	}
}

// countsAroundLoop reports whether instruction i counts on a scoreboard that has pending events of later instructions, that is,
// of the previous iteration of a loop. If so, i waits for them first.
func (s *schedule) countsAroundLoop(i int, pending cfg.Set, counts func(*event) bool) bool {
	return slices.ContainsFunc(s.defs[i], counts) && pending.From(s.defs[i][0].number)
}

// boards returns the events of each scoreboard. of returns a negative number for an event without a scoreboard.
func (s *schedule) boards(of func(*event) int) (on [machine.Scoreboards]cfg.Set) {
	for b := range on {
		on[b] = cfg.NewSet(len(s.events))
	}
	for _, t := range s.events {
		if b := of(t); b >= 0 {
			on[b].Add(t.number)
		}
	}
	return on
}

// follow finds the consumer and the waiter of t, and the instructions before which t is pending.
func (s *schedule) follow(t *event) {
	t.consumer, t.waiter, t.pending = never, never, cfg.NewSet(len(s.code))
	for i := s.flow.Last[t.at]; i > t.at; i-- {
		if s.deps[i].Has(t.number) && (!s.exitDeps[i].Has(t.number) || s.policy.endsOperands(s, t)) {
			t.consumer = i
		}
		if s.waits[i].Has(t.number) || s.flush[i].Has(t.number) {
			t.waiter = i
		}
	}
	todo := slices.Collect(s.flow.Ahead(t.at))
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.pending.Has(i) || i == t.at {
			continue
		}
		t.pending.Add(i)
		if !s.waits[i].Has(t.number) {
			todo = slices.AppendSeq(todo, s.flow.Ahead(i))
		}
	}
}
