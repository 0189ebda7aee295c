package mercury

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// Instructions of variable latency count what is not done yet on one of six scoreboards;
// what depends on it waits until the scoreboard is back at zero. A kernel that does not
// use its stack need not wait for the load of the stack pointer, and the finalizer then
// hands out the scoreboards anew (MERC-120). It does so by the compiler's own rules, of
// which allocation.go has those that are known (MERC-133, MERC-134).

// scoreboards is how many there are.
const scoreboards = 6

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
	pending          set    // instructions before which it may be pending, until something waits for it alone
	late             []late // later blocks that begin before it is back
}

const never = 1 << 30

// A schedule is what machine code says of its tokens.
type schedule struct {
	code     []instruction // in the order of the finalizer (MERC-159)
	original []instruction // in that of the function
	order    []int         // by instruction of code, its number in original
	spares   bool          // operands leave the last free scoreboard to others (KIT-178)
	isLean   bool          // branches wait for what they need alone (KIT-060)
	early    bool          // a compiler before 13.0 made the code
	free     bool          // the first token is the stack pointer, which nothing needs
	flow     flow
	sm       int
	cycle    []int // when an instruction begins, as the compiler takes it when it weighs losses
	producer []int // by instruction, the last one of fixed latency that the next one depends on; -1 where there is none
	tokens   []*token
	made     [][]*token       // by instruction
	needs    []set            // by instruction, the tokens that it depends on
	needed   []set            // by first instruction of a block, the tokens that something depends on there or later
	ends     []set            // of these, those that an EXIT or indirect branch waits for only because other code follows
	added    []set            // by instruction, those that it depends on and that only the new schedule counts
	waits    []set            // by instruction, the tokens that it waits for
	on       [scoreboards]set // the tokens on each, in the input
	pending  []set            // by instruction, the tokens that may be pending before it, as the input waits

	// By instruction that ends a block, the tokens of the block, those of them that are back by
	// then, and those of which that is not sure.
	own, flush []set
	loops      map[int]loop // in a lean one, by the end of the first block
	learned    []set        // by instruction, tokens that the input waits for, or not, for what the rules do not tell

	counted boardSet // those that have no tokens, as DEPBAR waits for a count of them
}

// maxTable bounds the instructions of a schedule times its tokens: what is beyond is left
// as it is.
const maxTable = 1 << 25

// scheduleOf reads the schedule of code, with the targets of its indirect branches, and what else is
// counted in one that is to be made of it.
// It is not known when there are instructions whose registers, or branches whose ends are
// not, or where it is too long.
func scheduleOf(code []instruction, targets map[int][]int, sm int, g goal) (s *schedule, known bool) {
	s = &schedule{code: code, free: recoloured(code), early: g.early, sm: sm, made: make([][]*token, len(code))}
	if s.flow, known = flowOf(code, targets); !known {
		return nil, false
	}
	if !g.lean && sm >= firstTwoAdd {
		s.flow = s.flow.endingAt(func(i int) bool { return s.flow.meetsAtBarrier(code, i) })
	}
	s.original = code
	s.order = s.flow.order(code)
	code, s.flow = s.flow.sort(code, s.order)
	s.code = code
	if s.counted, known = countedBoards(code); !known {
		return nil, false
	}
	touched, read, written := make([]sass.Registers, len(code)), make([]sass.Registers, len(code)), make([]sass.Registers, len(code))
	for i, x := range code {
		writes, reads, ok := sass.Uses(x.Instruction, sm)
		if !ok && !x.leaves() {
			return nil, false
		}
		touched[i], read[i], written[i] = writes.Union(reads), reads, writes
		if x.ReadBarrier() < scoreboards && !s.counted.has(x.ReadBarrier()) {
			operands := reads.Only(sass.General)
			if x.textures() || x.isAsynchronous() {
				operands = operands.Union(reads.Only(sass.Uniform))
			}
			if x.WriteBarrier() == sass.NoBarrier { // the predicate of an atomic, which comes with them
				operands = operands.Union(writes.Only(sass.Predicate))
			}
			s.newToken(i, true, x.ReadBarrier(), operands)
		}
		if x.WriteBarrier() < scoreboards && !s.counted.has(x.WriteBarrier()) {
			s.newToken(i, false, x.WriteBarrier(), writes)
		}
		s.addTokens(i, reads.Only(sass.General), writes, g)
	}
	if len(s.tokens) == 0 || len(s.tokens)*len(code) > maxTable {
		return nil, false
	}
	s.needs, s.ends, s.waits, s.learned = s.newSets(), s.newSets(), s.newSets(), s.newSets()
	users := s.byRegister()
	for i := range code {
		s.depend(i, read[i], written, users)
		s.dependOnFence(i)
		s.dependAtEnd(i)
	}
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
	t.long = !reads && x.loads()
	if t.latency = x.latency(s.sm); reads {
		t.latency = x.readLatency(of, s.sm)
	}
	s.tokens = append(s.tokens, t)
	if !t.added() {
		s.made[at] = append(s.made[at], t)
	}
}

// newSets returns a set of tokens for each instruction.
func (s *schedule) newSets() []set {
	return newSets(len(s.code), len(s.tokens))
}

// A user is tokens of one register: results that are to be written to it, and operands that are
// to be read from it.
type user struct{ writes, reads set }

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
				all.list = append(all.list, user{newSet(len(s.tokens)), newSet(len(s.tokens))})
			}
			if u := all.of(file, n); t.reads && file != sass.Predicate {
				u.reads.add(t.number)
			} else {
				u.writes.add(t.number)
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
		needs.addAll(users.of(file, n).reads)
		needs.addAll(users.of(file, n).writes)
	}
	for n := range needs.all {
		if t := s.tokens[n]; !t.added() && s.inOrder(t.at, i) && (t.reads || s.code[i].writesInOrder()) {
			needs.remove(n)
		}
	}
	for file, n := range reads.All {
		needs.addAll(users.of(file, n).writes)
	}
	for n := range needs.all {
		if t := s.tokens[n]; s.code[i].Low>>12&0xf^t.guard == 8 && t.guard&7 != 7 && !setsGuard(written, t, i) {
			needs.remove(n)
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
			s.needs[i].add(n)
		case x.Op() == sass.OpEXIT && t.reads && from.readsLate(), !t.reads && from.Op() == sass.OpLDCU:
			if !s.needs[i].has(n) {
				s.ends[i].add(n)
			}
			s.needs[i].add(n)
		}
	}
}

// inOrder reports whether instruction k comes after i in a block, in the same queue. Double precision has one
// where it is slow (KIT-063).
func (s *schedule) inOrder(i, k int) bool {
	q := s.code[i].queue()
	return i < k && q != 0 && (q != doubleQueue || s.code[i].isSlowDouble(s.sm)) && q == s.code[k].queue() && s.flow.last[i] == s.flow.last[k]
}

// clock finds when the instructions begin, one after the other: each waits for what it
// depends on in its block; waits for what earlier blocks made take no time. The stall of an instruction may be for one
// before it, that the next one depends on: waits since then take in some of it (MERC-157).
func (s *schedule) clock() []int {
	begins, stalled := make([]int, len(s.code)+1), make([]int, len(s.code)+1) // stalled: without waits
	for i, x := range s.code {
		for n := range s.needs[i].all {
			if t := s.tokens[n]; t.at < i && t.at >= s.flow.first[i] && !s.ends[i].has(n) {
				begins[i] = max(begins[i], begins[t.at]+t.latency)
			}
		}
		stall := x.Stall()
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
		if i+1 >= len(s.code) || s.flow.first[i+1] != s.flow.first[i] {
			continue
		}
		next := touched[i+1].Marks()
		for p := i; p >= s.flow.first[i] && p > i-longestFixed; p-- {
			if marks[p]&next != 0 && s.code[p].WriteBarrier() == sass.NoBarrier && written[p].Overlaps(touched[i+1]) {
				s.producer[i] = p
				break
			}
		}
	}
}

// flowTokens returns for each instruction the tokens that may be pending before it. clear
// takes out of p those that are back when instruction i begins.
func (s *schedule) flowTokens(clear func(i int, p set)) []set {
	pending := s.newSets()
	todo := make([]int, 0, len(s.code))
	queued := make([]bool, len(s.code))
	for i := range slices.Backward(s.code) {
		todo, queued[i] = append(todo, i), true
	}
	after := newSet(len(s.tokens))
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo, queued[i] = todo[:len(todo)-1], false
		copy(after, pending[i])
		clear(i, after)
		for _, t := range s.made[i] {
			after.add(t.number)
		}
		for _, next := range s.flow.next[i] {
			if pending[next].addAll(after) && !queued[next] {
				todo, queued[next] = append(todo, next), true
			}
		}
	}
	return pending
}

// findPending finds where the tokens may be pending, as the input waits.
func (s *schedule) findPending() {
	s.on = s.boards(func(t *token) int { return t.board })
	s.pending = s.flowTokens(func(i int, p set) {
		switch {
		case s.code[i].collective():
			return // what other threads do then does not count
		case s.code[i].isBarrier():
			s.endRound(i, p)
			s.endFence(i, p, s.on)
			return
		}
		for b := range scoreboards {
			if s.code[i].WaitsFor(b) {
				p.removeAll(s.on[b])
			}
		}
	})
}

// readWaits finds which tokens each instruction waits for: those that it depends on. What a
// warp does together waits for all.
func (s *schedule) readWaits() {
	s.findFlushes()
	here := newSet(len(s.tokens))
	var last [scoreboards]lastWait
	for i, x := range s.code {
		switch {
		case x.collective():
			continue
		case x.isBarrier():
			s.waits[i].addAll(s.needs[i])
			continue
		case x.Op() == sass.OpENDCOLLECTIVE:
			for _, t := range s.tokens {
				s.waits[i].add(t.number)
			}
			continue
		case x.leaves():
			s.waits[i].addAll(s.pending[i])
			continue
		}
		for n := range s.needs[i].all {
			if !s.pending[i].has(n) || x.WaitsFor(s.tokens[n].board) {
				s.waits[i].add(n)
			}
		}
		for b := range scoreboards {
			counts := func(t *token) bool { return t.board == b }
			waits := x.WaitsFor(b)
			if !waits && (s.flow.last[i] != i || slices.ContainsFunc(s.made[i], counts)) {
				continue
			}
			some := here.take(s.pending[i], s.on[b])
			explained := here.meets(s.needs[i]) || s.again(i, here, counts) || waits && (last[b].explains(s, i, b) || s.endsInRound(i, here))
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
	return s.early && (s.code[i].Op() == sass.OpENDCOLLECTIVE || i > 0 && s.code[i-1].isBarrier())
}

// findFlushes finds for each end of a block the tokens of the block that are back when it
// comes, as far as latencies are known: to wait for them costs nothing, and frees their
// scoreboards.
func (s *schedule) findFlushes() {
	s.own, s.flush = s.newSets(), s.newSets()
	for _, t := range s.tokens {
		end := s.flow.last[t.at]
		if end == t.at || end == len(s.code)-1 || s.code[end].collective() {
			continue
		}
		s.own[end].add(t.number)
		if s.cycle[end]-s.cycle[t.at] >= t.latency {
			s.flush[end].add(t.number)
		}
	}
}

// flushes reports whether instruction i ends a block of which tokens are pending, and all of
// these are back. What earlier blocks have pending does not matter (MERC-134).
func (s *schedule) flushes(i int, pending set) bool { return s.flush[i].holds(pending, s.own[i]) }

// ofBlock returns which of some tokens are of the block that instruction i ends.
func (s *schedule) ofBlock(i int, tokens set) set {
	own := slices.Clone(tokens)
	own.keep(s.own[i])
	return own
}

// learnFlush puts right what is back at the end of a block by what the input does there with
// a scoreboard on which these tokens are pending. A wait elsewhere, or for what earlier
// blocks made, is for all of them; where the stack pointer is among them, it is what tells.
func (s *schedule) learnFlush(end int, pending set, waits bool) {
	if waits == s.flushes(end, pending) {
		return
	}
	own, stack := s.ofBlock(end, pending), s.free && pending.has(0)
	switch {
	case waits && own.some():
		s.flush[end].addAll(own)
	case waits && stack:
		s.waits[end].add(0)
		pending.remove(0)
		s.learned[end].addAll(pending)
	case waits:
		s.waits[end].addAll(pending)
		s.learned[end].addAll(pending)
	case stack:
		s.flush[end].remove(0)
	default:
		s.flush[end].remove(own.last())
		s.learned[end].addAll(own)
	}
}

// again reports whether instruction i counts on a scoreboard that counts, of an earlier
// round of a loop, what comes after it in the code: then it waits first.
func (s *schedule) again(i int, pending set, counts func(*token) bool) bool {
	return slices.ContainsFunc(s.made[i], counts) && pending.from(s.made[i][0].number)
}

// boards returns the tokens on each scoreboard; one of negative number counts none.
func (s *schedule) boards(of func(*token) int) (on [scoreboards]set) {
	for b := range on {
		on[b] = newSet(len(s.tokens))
	}
	for _, t := range s.tokens {
		if b := of(t); b >= 0 {
			on[b].add(t.number)
		}
	}
	return on
}

// follow finds who depends on t, who waits for it, and where it is pending.
func (s *schedule) follow(t *token) {
	t.consumer, t.waiter, t.pending = never, never, newSet(len(s.code))
	for i := s.flow.last[t.at]; i > t.at; i-- {
		if s.needs[i].has(t.number) && !s.ends[i].has(t.number) {
			t.consumer = i
		}
		if s.waits[i].has(t.number) || s.flush[i].has(t.number) {
			t.waiter = i
		}
	}
	todo := slices.Collect(s.flow.ahead(t.at))
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.pending.has(i) || i == t.at {
			continue
		}
		t.pending.add(i)
		if !s.waits[i].has(t.number) {
			todo = slices.AppendSeq(todo, s.flow.ahead(i))
		}
	}
}
