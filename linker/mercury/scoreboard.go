package mercury

import (
	"slices"

	"github.com/culink/culink/linker/sass"
)

// Instructions of variable latency count what is not done yet on one of six scoreboards;
// what depends on it waits until the scoreboard is back at zero. A kernel that does not
// use its stack need not wait for the load of the stack pointer, and the finalizer then
// hands out the scoreboards anew (MERC-120). It does so by the compiler's own rules, of
// which recolour.go has those that are known.

// scoreboards is how many there are.
const scoreboards = 6

// A token is what an instruction counts on a scoreboard: results that are not written yet,
// or operands that are not read yet.
type token struct {
	number    int
	at        int  // the instruction
	reads     bool // operands, not results
	board     int  // in the input
	long      bool // a result that comes from memory
	latency   int  // cycles, about
	registers sass.Registers
	guard     uint64

	// Of the block of the instruction, the first one after it that depends on the token,
	// and the first that waits for it; never when there is none.
	consumer, waiter int
	pending          set // instructions before which it may be pending, until something waits for it alone
}

const never = 1 << 30

// A schedule is what machine code says of its tokens.
type schedule struct {
	code   []instruction
	flow   flow
	cycle  []int // when an instruction begins, had nothing to wait
	tokens []*token
	made   [][]*token // by instruction
	needs  []set      // by instruction, the tokens that it depends on
	waits  []set      // by instruction, the tokens that it waits for

	idle [][]*token // of waits that nothing depends on, the tokens that each may be for

	counted boardSet // those that have no tokens, as DEPBAR waits for a count of them
}

// A boardSet is a set of scoreboards, a bit each.
type boardSet uint8

func (s boardSet) has(b int) bool { return s>>b&1 == 1 }

// countedBoards returns the scoreboards that DEPBAR waits for until few enough are under
// way: groups of copies to shared memory, or results that come in order. The compiler
// sets these aside before it hands out the others, and the finalizer leaves them. It is not
// known where DEPBAR waits for several scoreboards.
func countedBoards(code []instruction) (s boardSet, known bool) {
	for _, x := range code {
		if x.op() == opDEPBAR {
			const several, counts = 0x3f << 32, 1 << 47
			if x.low&several != 0 || x.low&counts == 0 {
				return 0, false
			}
			s |= 1 << (x.low >> 44 & 7)
		}
	}
	return s, true
}

// maxTable bounds the instructions of a schedule times its tokens: what is beyond is left
// as it is.
const maxTable = 1 << 23

// scheduleOf reads the schedule of code whose first instruction loads the stack pointer.
// It is not known when there are instructions whose registers, or branches whose ends are
// not, waits for nothing, or waits at the end of a loop for results that nothing there depends on.
func scheduleOf(code []instruction, sm int) (s *schedule, known bool) {
	s = &schedule{code: code, cycle: make([]int, len(code)+1), made: make([][]*token, len(code))}
	if s.flow, known = flowOf(code); !known {
		return nil, false
	}
	if s.counted, known = countedBoards(code); !known {
		return nil, false
	}
	touched, written := make([]sass.Registers, len(code)), make([]sass.Registers, len(code))
	for i, x := range code {
		writes, reads, ok := sass.Uses(sass.Instruction{Low: x.low, High: x.high}, sm)
		if !ok {
			return nil, false
		}
		touched[i], written[i] = writes.Union(reads), writes
		s.cycle[i+1] = s.cycle[i] + int(x.high>>scheduleStart&0xf)
		if x.reads() < scoreboards && !s.counted.has(int(x.reads())) {
			s.newToken(i, true, int(x.reads()), reads.Only(sass.General))
		}
		if x.writes() < scoreboards && !s.counted.has(int(x.writes())) {
			s.newToken(i, false, int(x.writes()), writes)
		}
	}
	if len(s.tokens) == 0 || s.tokens[0].at != 0 || len(s.tokens)*len(code) > maxTable {
		return nil, false
	}
	s.needs, s.waits = s.newSets(), s.newSets()
	for i := range code {
		for _, t := range s.tokens {
			if s.depends(i, t, touched[i], written[i]) {
				s.needs[i].add(t.number)
			}
		}
	}
	if !s.readWaits() {
		return nil, false
	}
	for _, t := range s.tokens {
		s.follow(t)
	}
	return s, true
}

func (s *schedule) newToken(at int, reads bool, board int, of sass.Registers) {
	t := &token{number: len(s.tokens), at: at, reads: reads, board: board, registers: of, guard: s.code[at].low >> 12 & 0xf}
	t.long = !reads && s.code[at].loads()
	t.latency = s.code[at].latency(reads)
	s.tokens = append(s.tokens, t)
	s.made[at] = append(s.made[at], t)
}

// newSets returns a set of tokens for each instruction.
func (s *schedule) newSets() []set {
	sets := make([]set, len(s.code))
	for i := range sets {
		sets[i] = newSet(len(s.tokens))
	}
	return sets
}

// depends reports whether instruction i, which touches and writes registers, must not be done
// before token t is back. Operands of one queue are read in order; of instructions on
// opposite conditions only one is done.
func (s *schedule) depends(i int, t *token, touches, writes sass.Registers) bool {
	x, y := s.code[i], s.code[t.at]
	if x.low>>12&0xf^t.guard == 8 && t.guard&7 != 7 {
		return false
	}
	if t.reads {
		return t.registers.Overlaps(writes) && (x.queue() == 0 || x.queue() != y.queue())
	}
	return t.registers.Overlaps(touches)
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
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo, queued[i] = todo[:len(todo)-1], false
		after := slices.Clone(pending[i])
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

// readWaits finds what each instruction waits for. Of the tokens of a scoreboard these are
// those that it depends on; at the end of a block, where it depends on none, all, but no
// operands that happen to be on the scoreboard of the stack pointer.
func (s *schedule) readWaits() bool {
	on := s.boards(func(t *token) int { return t.board })
	stack := s.tokens[0]
	pending := s.flowTokens(func(i int, p set) {
		if s.code[i].collective() {
			return // what other threads do then does not count
		}
		for b := range scoreboards {
			if s.code[i].waitsFor(b) {
				p.removeAll(on[b])
			}
		}
	})
	for i, x := range s.code {
		if x.collective() {
			continue
		}
		if x.op() == opENDCOLLECTIVE {
			s.waits[i].addAll(pending[i])
			continue
		}
		for n := range s.needs[i].all {
			if !pending[i].has(n) {
				s.waits[i].add(n)
			}
		}
		for b := range scoreboards {
			if !x.waitsFor(b) || s.counted.has(b) {
				continue
			}
			var all, needed, writes []int
			for n := range pending[i].all {
				if !on[b].has(n) {
					continue
				}
				all = append(all, n)
				if s.needs[i].has(n) {
					needed = append(needed, n)
				}
				if !s.tokens[n].reads {
					writes = append(writes, n)
				}
			}
			switch {
			case len(all) == 0:
				return false
			case len(needed) > 0:
				all = needed
			case slices.Contains(all, stack.number):
				all = writes
			}
			if len(needed) == 0 && len(writes) > 0 && s.flow.closesLoop(i) {
				return false // it is not known which of the results of the next round it is for
			}
			if len(needed) == 0 && len(all) > 1 {
				var idle []*token
				for _, n := range all {
					idle = append(idle, s.tokens[n])
				}
				s.idle = append(s.idle, idle)
			}
			for _, n := range all {
				s.waits[i].add(n)
			}
		}
	}
	return true
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
		if s.needs[i].has(t.number) {
			t.consumer = i
		}
		if s.waits[i].has(t.number) {
			t.waiter = i
		}
	}
	todo := slices.Clone(s.flow.next[t.at])
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.pending.has(i) || i == t.at {
			continue
		}
		t.pending.add(i)
		if !s.waits[i].has(t.number) {
			todo = append(todo, s.flow.next[i]...)
		}
	}
}

// A queue is a unit that reads the operands of its instructions in order.
type queue int

const (
	sharedQueue queue = 1 + iota
	conversionQueue
)

func (x instruction) queue() queue {
	switch x.op() {
	case opLDS, opSTS, opATOMS, opATOMSCAS, opATOMSPOPC, opSHFL, opLDSM, opSTSM:
		return sharedQueue
	case opMUFU, opF2I, opI2F, opPOPC, opFLO, opF2F, opFRND, opF2F64, opF2I64, opI2F64, opFRND64:
		return conversionQueue
	}
	return 0
}

// loads reports whether the results of x come from memory beyond the multiprocessor.
func (x instruction) loads() bool {
	switch x.op() {
	case opLDG, opATOMG, opATOMGCAS, opLD, opATOM, opATOMCAS, opLDL, opTEX, opTEXB, opTLD, opTLDB, opTLD4, opTLD4B, opTXQ, opTXQB, opSULD, opSUATOM, opSUATOMCAS:
		return true
	}
	return false
}

// latency is about how many cycles it takes until the results of x are written, or its
// operands read; found from what the compiler prefers.
func (x instruction) latency(reads bool) int {
	switch {
	case reads:
		return 30
	case x.loads():
		return 80
	}
	switch x.op() {
	case opLDC, opLDCU:
		return 44
	case opLDS:
		return 36
	case opS2UR:
		return 26
	case opMUFU:
		return 24
	}
	return 30
}
