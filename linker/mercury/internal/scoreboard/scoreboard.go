package scoreboard

import (
	"slices"

	"github.com/culink/culink/linker/mercury/internal/cfg"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// A token is what an instruction counts on a scoreboard: results that are not written yet,
// or operands that are not read yet.
type token struct {
	number    int
	at        int  // the instruction
	reads     bool // operands, not results
	board     int  // in the input; unassigned where only the new schedule counts it
	long      bool // a result that comes from memory
	latency   int  // cycles, about
	registers sass.Registers
	guard     uint64

	// Of the block of the instruction, the first one after it that depends on the token,
	// and the first that waits for it; never when there is none.
	consumer, waiter int
	pending          cfg.Set // instructions before which it may be pending, until something waits for it alone
	late             []late  // later blocks that begin before it is back
}

const never = 1 << 30

// A schedule is what machine code says of its tokens.
type schedule struct {
	code     []machine.Instr // in the order of the finalizer (MERC-159)
	original []machine.Instr // in that of the function
	order    []int           // by instruction of code, its number in original
	policy   policy
	early    bool // a compiler before 13.0 made the code
	free     bool // the first token is the stack pointer, which nothing needs
	flow     cfg.Flow
	sm       int
	cycle    []int // when an instruction begins, as the compiler takes it when it weighs losses
	producer []int // by instruction, the last one of fixed latency that the next one depends on; -1 where there is none
	tokens   []*token
	made     [][]*token                   // by instruction
	needs    []cfg.Set                    // by instruction, the tokens that it depends on
	needed   []cfg.Set                    // by first instruction of a block, the tokens that something depends on there or later
	ends     []cfg.Set                    // of these, those that an EXIT or indirect branch waits for only because other code follows
	added    []cfg.Set                    // by instruction, those that it depends on and that only the new schedule counts
	waits    []cfg.Set                    // by instruction, the tokens that it waits for
	on       [machine.Scoreboards]cfg.Set // the tokens on each, in the input
	pending  []cfg.Set                    // by instruction, the tokens that may be pending before it, as the input waits

	// By instruction that ends a block, the tokens of the block, those of them that are back by
	// then, and those of which that is not sure.
	own, flush []cfg.Set
	loops      map[int]cfg.Loop // of a schedule with on-demand waits, by the end of the first block
	learned    []cfg.Set        // by instruction, tokens that the input waits for, or not, for what the rules do not tell

	exits       []exit // before which barriers are inserted
	hasBarriers bool   // the barriers are of this schedule

	counted boardSet // those that have no tokens, as DEPBAR waits for a count of them
}

// maxTable bounds the instructions of a schedule times its tokens: what is beyond is left
// as it is.
const maxTable = 1 << 25

// scheduleOf reads the schedule of code, with the targets of its indirect branches, and what else is
// counted in one that is to be made of it.
// It is not known when there are instructions whose registers, or branches whose ends are
// not, or where it is too long.
func scheduleOf(code []machine.Instr, targets map[int][]int, sm int, g Goal) (s *schedule, known bool) {
	s = &schedule{code: code, policy: blockEnds{}, free: StackPointerUnused(code), early: g.From.Early, sm: sm, made: make([][]*token, len(code))}
	if s.flow, known = cfg.FlowOf(code, targets); !known {
		return nil, false
	}
	if !g.Relaxes() && sm >= machine.FirstTwoAdd {
		s.flow = s.flow.EndingAt(func(i int) bool { return s.flow.MeetsAtBarrier(code, i) })
	}
	s.original = code
	s.order = s.flow.Order(code)
	code, s.flow = s.flow.Sort(code, s.order)
	s.code = code
	if g.InsertsBarriers {
		s.exits = exitsOf(code)
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
		if x.ReadBarrier() < machine.Scoreboards && !s.counted.has(x.ReadBarrier()) {
			operands := reads.Only(sass.General)
			if x.Textures() || x.IsAsynchronous() {
				operands = operands.Union(reads.Only(sass.Uniform))
			}
			if x.WriteBarrier() == sass.NoBarrier { // the predicate of an atomic, which comes with them
				operands = operands.Union(writes.Only(sass.Predicate))
			}
			s.newToken(i, true, x.ReadBarrier(), operands)
		}
		if x.WriteBarrier() < machine.Scoreboards && !s.counted.has(x.WriteBarrier()) {
			s.newToken(i, false, x.WriteBarrier(), writes)
		}
		s.addTokens(i, reads.Only(sass.General), writes, g)
	}
	if len(s.tokens) == 0 || len(s.tokens)*len(code) > maxTable {
		return nil, false
	}
	s.needs, s.ends, s.waits, s.learned, s.added = s.newSets(), s.newSets(), s.newSets(), s.newSets(), s.newSets()
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
	for _, t := range s.tokens {
		if t.added() {
			t.vanish(len(code))
		} else {
			s.follow(t)
		}
	}
	s.findLate()
	return s, true
}

func (s *schedule) newToken(at int, reads bool, board int, of sass.Registers) {
	x := s.code[at]
	t := &token{number: len(s.tokens), at: at, reads: reads, board: board, registers: of, guard: x.Low >> 12 & 0xf}
	t.long = !reads && x.Loads()
	if t.latency = x.Latency(s.sm); reads {
		t.latency = x.ReadLatency(of, s.sm)
	}
	s.tokens = append(s.tokens, t)
	if !t.added() {
		s.made[at] = append(s.made[at], t)
	}
}

// newSets returns a set of tokens for each instruction.
func (s *schedule) newSets() []cfg.Set {
	return cfg.NewSets(len(s.code), len(s.tokens))
}

// A user is tokens of one register: results that are to be written to it, and operands that are
// to be read from it.
type user struct{ writes, reads cfg.Set }

// users are those of all registers, by number; the first one has no tokens.
type users struct {
	list   []user
	number [4][256]uint16 // by file and register
}

// of returns the tokens of a register.
func (u *users) of(file sass.File, n uint) *user { return &u.list[u.number[file][n]] }

// byRegister returns the tokens of each register that any has.
func (s *schedule) byRegister() *users {
	all := &users{list: make([]user, 1)}
	for _, t := range s.tokens {
		for file, n := range t.registers.All {
			number := &all.number[file][n]
			if *number == 0 {
				*number = uint16(len(all.list))
				all.list = append(all.list, user{cfg.NewSet(len(s.tokens)), cfg.NewSet(len(s.tokens))})
			}
			if u := all.of(file, n); t.reads && file != sass.Predicate {
				u.reads.Add(t.number)
			} else {
				u.writes.Add(t.number)
			}
		}
	}
	return all
}

// depend finds the tokens that must be back before instruction i is done, which reads and
// writes registers. Operands of one queue are read in order, and results of some are written in
// order; of instructions on opposite conditions only one is done, if nothing between them changes these.
func (s *schedule) depend(i int, reads sass.Registers, written []sass.Registers, users *users) {
	needs := s.needs[i]
	for file, n := range written[i].All {
		needs.AddAll(users.of(file, n).reads)
		needs.AddAll(users.of(file, n).writes)
	}
	for n := range needs.All {
		if t := s.tokens[n]; !t.added() && s.inOrder(t.at, i) && (t.reads || s.code[i].WritesInOrder()) {
			needs.Remove(n)
		}
	}
	for file, n := range reads.All {
		needs.AddAll(users.of(file, n).writes)
	}
	for n := range needs.All {
		if t := s.tokens[n]; s.code[i].Low>>12&0xf^t.guard == 8 && t.guard&7 != 7 && !setsGuard(written, t, i) {
			needs.Remove(n)
		}
	}
}

// setsGuard reports whether between t and instruction i, which is later in the code, something writes the
// predicate on whose condition t is.
func setsGuard(written []sass.Registers, t *token, i int) bool {
	for k := t.at + 1; k < i; k++ {
		if written[k].P>>(t.guard&7)&1 == 1 {
			return true
		}
	}
	return false
}

// dependAtEnd finds the tokens that must be back before instruction i because other code follows:
// all before a RET; before an EXIT operands of what outlasts the threads, and loads into uniform
// registers, as before an indirect branch that has its target in such.
func (s *schedule) dependAtEnd(i int) {
	x := s.code[i]
	if op := x.Op(); op != sass.OpRET && op != sass.OpEXIT && op != sass.OpBRXU {
		return
	}
	for n, t := range s.tokens {
		from := s.code[t.at]
		switch {
		case x.Op() == sass.OpRET:
			s.needs[i].Add(n)
		case x.Op() == sass.OpEXIT && t.reads && from.ReadsLate(), !t.reads && from.Op() == sass.OpLDCU:
			if !s.needs[i].Has(n) {
				s.ends[i].Add(n)
			}
			s.needs[i].Add(n)
		}
	}
}

// inOrder reports whether instruction k comes after i in a block, in the same queue. Double precision has one
// where it is slow (KIT-063).
func (s *schedule) inOrder(i, k int) bool {
	q := s.code[i].Queue()
	return i < k && q != 0 && (q != machine.DoubleQueue || s.code[i].IsSlowDouble(s.sm)) && q == s.code[k].Queue() && s.flow.Last[i] == s.flow.Last[k]
}

// clock finds when the instructions begin, one after the other: each waits for what it
// depends on in its block; waits for what earlier blocks made take no time. The stall of an instruction may be for one
// before it, that the next one depends on: waits since then take in some of it (MERC-157).
func (s *schedule) clock() []int {
	begins, stalled := make([]int, len(s.code)+1), make([]int, len(s.code)+1) // stalled: without waits
	for i, x := range s.code {
		for n := range s.needs[i].All {
			if t := s.tokens[n]; t.at < i && t.at >= s.flow.First[i] && !s.ends[i].Has(n) {
				begins[i] = max(begins[i], begins[t.at]+t.latency)
			}
		}
		stall := x.Stall()
		if cycles, inserted := s.barrierTime(i); inserted {
			begins[i+1], stalled[i+1] = begins[i]+cycles, stalled[i]+cycles
			continue
		}
		stalled[i+1] = stalled[i] + stall
		begins[i+1] = begins[i] + stall
		if p := s.producer[i]; p >= 0 && stalled[i+1]-stalled[p] <= longestFixed {
			begins[i+1] = max(begins[i]+1, begins[p]+stalled[i+1]-stalled[p])
		}
	}
	return begins
}

// longestFixed is about the longest time, in cycles, that a result of fixed latency takes.
const longestFixed = 16

// findProducers finds for each instruction the last of fixed latency up to it whose result the next
// one, in the same block, touches.
func (s *schedule) findProducers(touched, written []sass.Registers) {
	s.producer = make([]int, len(s.code))
	marks := make([]uint64, len(s.code)) // of written
	for i := range s.producer {
		s.producer[i], marks[i] = -1, written[i].Marks()
		if i+1 >= len(s.code) || s.flow.First[i+1] != s.flow.First[i] {
			continue
		}
		next := touched[i+1].Marks()
		for p := i; p >= s.flow.First[i] && p > i-longestFixed; p-- {
			if marks[p]&next != 0 && s.code[p].WriteBarrier() == sass.NoBarrier && written[p].Overlaps(touched[i+1]) {
				s.producer[i] = p
				break
			}
		}
	}
}

// flowTokens returns for each instruction the tokens that may be pending before it. clear
// takes out of p those that are back when instruction i begins.
func (s *schedule) flowTokens(clear func(i int, p cfg.Set)) []cfg.Set {
	pending := s.newSets()
	todo := make([]int, 0, len(s.code))
	queued := make([]bool, len(s.code))
	for i := range slices.Backward(s.code) {
		todo, queued[i] = append(todo, i), true
	}
	after := cfg.NewSet(len(s.tokens))
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo, queued[i] = todo[:len(todo)-1], false
		copy(after, pending[i])
		clear(i, after)
		for _, t := range s.made[i] {
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

// findPending finds where the tokens may be pending, as the input waits.
func (s *schedule) findPending() {
	s.on = s.boards(func(t *token) int { return t.board })
	s.pending = s.flowTokens(func(i int, p cfg.Set) {
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

// readWaits finds which tokens each instruction waits for: those that it depends on. What a
// warp does together waits for all.
func (s *schedule) readWaits() {
	s.findFlushes()
	here := cfg.NewSet(len(s.tokens))
	var last [machine.Scoreboards]lastWait
	for i, x := range s.code {
		switch {
		case x.Collective():
			continue
		case x.IsBarrier():
			s.waits[i].AddAll(s.needs[i])
			continue
		case x.Op() == sass.OpENDCOLLECTIVE:
			for _, t := range s.tokens {
				s.waits[i].Add(t.number)
			}
			continue
		case x.Leaves():
			s.waits[i].AddAll(s.pending[i])
			continue
		}
		for n := range s.needs[i].All {
			if !s.pending[i].Has(n) || x.WaitsFor(s.tokens[n].board) {
				s.waits[i].Add(n)
			}
		}
		for b := range machine.Scoreboards {
			counts := func(t *token) bool { return t.board == b }
			waits := x.WaitsFor(b)
			if !waits && (s.flow.Last[i] != i || slices.ContainsFunc(s.made[i], counts)) {
				continue
			}
			some := here.Take(s.pending[i], s.on[b])
			explained := here.Meets(s.needs[i]) || s.again(i, here, counts) || waits && (last[b].explains(s, i, b) || s.endsInRound(i, here))
			if waits {
				last[b].note(i, explained && !s.needsEarlier(i, here))
			}
			if some && !explained && !s.renewed(i) {
				s.learnFlush(i, here, waits)
			}
		}
	}
}

// renewed reports whether instruction i waits as the rules say whatever it does in the input, of an early compiler: the
// end of what a warp does together, and what stands behind a NOP for a fence, which only later compilers have wait for all.
func (s *schedule) renewed(i int) bool {
	return s.early && (s.code[i].Op() == sass.OpENDCOLLECTIVE || i > 0 && s.code[i-1].IsBarrier())
}

// findFlushes finds for each end of a block the tokens of the block that are back when it
// comes, as far as latencies are known: to wait for them costs nothing, and frees their
// scoreboards.
func (s *schedule) findFlushes() {
	s.own, s.flush = s.newSets(), s.newSets()
	for _, t := range s.tokens {
		end := s.flow.Last[t.at]
		if end == t.at || end == len(s.code)-1 || s.code[end].Collective() {
			continue
		}
		s.own[end].Add(t.number)
		if s.cycle[end]-s.cycle[t.at] >= t.latency {
			s.flush[end].Add(t.number)
		}
	}
}

// flushes reports whether instruction i ends a block of which tokens are pending, and all of
// these are back. What earlier blocks have pending does not matter (MERC-134).
func (s *schedule) flushes(i int, pending cfg.Set) bool { return s.flush[i].Holds(pending, s.own[i]) }

// ofBlock returns which of some tokens are of the block that instruction i ends.
func (s *schedule) ofBlock(i int, tokens cfg.Set) cfg.Set {
	own := slices.Clone(tokens)
	own.Keep(s.own[i])
	return own
}

// learnFlush puts right what is back at the end of a block by what the input does there with
// a scoreboard on which these tokens are pending. A wait elsewhere, or for what earlier
// blocks made, is for all of them; where the stack pointer is among them, it is what tells.
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

// again reports whether instruction i counts on a scoreboard that counts, of an earlier
// round of a loop, what comes after it in the code: then it waits first.
func (s *schedule) again(i int, pending cfg.Set, counts func(*token) bool) bool {
	return slices.ContainsFunc(s.made[i], counts) && pending.From(s.made[i][0].number)
}

// boards returns the tokens on each scoreboard; one of negative number counts none.
func (s *schedule) boards(of func(*token) int) (on [machine.Scoreboards]cfg.Set) {
	for b := range on {
		on[b] = cfg.NewSet(len(s.tokens))
	}
	for _, t := range s.tokens {
		if b := of(t); b >= 0 {
			on[b].Add(t.number)
		}
	}
	return on
}

// follow finds who depends on t, who waits for it, and where it is pending.
func (s *schedule) follow(t *token) {
	t.consumer, t.waiter, t.pending = never, never, cfg.NewSet(len(s.code))
	for i := s.flow.Last[t.at]; i > t.at; i-- {
		if s.needs[i].Has(t.number) && !s.ends[i].Has(t.number) {
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
