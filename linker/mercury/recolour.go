package mercury

import (
	"slices"

	"github.com/culink/culink/linker/hazard"
)

// An allocation hands out scoreboards, in the order of the code.
type allocation struct {
	*schedule
	board   []int // by token; none when it has none
	boards  [scoreboards]holding
	pending []set // by token, the instructions before which it may be pending
	last    int   // the last scoreboard that is not the texture unit's
	far     set   // where a load is pending that goes on into another block
	blind   bool  // results that nothing in their block depends on share a scoreboard by loss
	doubts  set   // tokens whose scoreboard the rules may miss
	begin   int   // of the block whose tokens get scoreboards
	work    int   // what may still be done, in words of sets
}

// maxWork bounds an allocation, so that code in which everything shares scoreboards does
// not take long; about a tenth of a second.
const maxWork = 1 << 23

// A holding is what a scoreboard counts.
type holding struct {
	tokens []*token
	busy   set // the instructions before which one may be pending
}

const unassigned = -1

// firstForLoads is the first scoreboard of loads; textureBoard, the last one, is that of the
// texture unit in code that uses it.
const firstForLoads, textureBoard = 2, scoreboards - 1

// recolour returns code with other scoreboards: those that its compiler would have chosen if
// the first instruction, which loads the stack pointer, counted on none. It does so where
// it can tell how the compiler chose in code; else ok is false.
func recolour(code []instruction, sm int) (coloured []instruction, ok bool) {
	s, ok := scheduleOf(code, sm)
	if !ok || len(s.tokens) == 0 || s.tokens[0].at != 0 {
		return nil, false
	}
	before, ok := s.allocate(s.tokens)
	if !ok || !slices.Equal(s.colour(before), code) {
		return nil, false
	}
	after, ok := s.allocate(s.tokens[1:])
	if !ok || after.doubtful(before) {
		return nil, false
	}
	return s.colour(after), true
}

// doubtful reports whether the rules may miss a scoreboard of a, where they could not be seen
// to find that of before.
func (a *allocation) doubtful(before *allocation) bool {
	a.doubts.removeAll(before.doubts)
	return a.blind || a.doubts.some()
}

// recolourSteps returns the code of steps other scoreboards, and says whether it could. It
// does so only if the new schedule is proven to be as safe as the old one, whatever its
// rules say (MERC-140).
func recolourSteps(steps []step, sm int) Changes {
	code := make([]instruction, len(steps))
	for i, x := range steps {
		code[i] = x.instruction
	}
	coloured, ok := recolour(code, sm)
	if !ok || !asSafe(coloured, code, sm) {
		return Scoreboards
	}
	for i := range steps {
		steps[i].instruction = coloured[i]
	}
	return Recoloured
}

// asSafe reports whether nothing is wrong with the schedule of after that was not wrong
// with that of before.
func asSafe(after, before []instruction, sm int) bool {
	check := func(code []instruction) hazard.Report {
		return hazard.Check(hazard.Function{Text: text(code), SM: sm})
	}
	report := check(after) // most have nothing wrong, and then nothing new
	return len(report.Findings) == 0 || len(report.Beyond(check(before))) == 0
}

// text encodes code.
func text(code []instruction) []byte {
	b := make([]byte, 0, len(code)*InstructionSize)
	for _, x := range code {
		b = x.append(b)
	}
	return b
}

// allocate hands out scoreboards for tokens. It is not ok when that is too much work.
func (s *schedule) allocate(tokens []*token) (a *allocation, ok bool) {
	a = &allocation{schedule: s, work: maxWork, board: make([]int, len(s.tokens)), pending: make([]set, len(s.tokens)), last: textureBoard, far: newSet(len(s.code)), doubts: newSet(len(s.tokens))}
	if slices.ContainsFunc(s.code, instruction.textures) {
		a.last--
	}
	for b := range a.boards {
		a.boards[b].busy = newSet(len(s.code))
	}
	for i, t := range s.tokens {
		a.board[i], a.pending[i] = unassigned, t.pending
	}
	for _, t := range tokens {
		if b, ok := a.farBoard(t); ok {
			if b == a.last {
				a.far.addAll(t.pending)
			}
			a.give(t, b)
		}
	}
	for _, t := range tokens {
		if a.board[t.number] == unassigned {
			a.enter(a.flow.first[t.at])
			b := a.choose(t)
			if a.give(t, b) {
				a.share(b)
			}
		}
		if a.work < 0 {
			return nil, false
		}
	}
	return a, true
}

// farBoard returns the scoreboard that t has whatever else there is, if any: the texture
// unit's, or the last one of all others for a load that goes on into another block.
func (a *allocation) farBoard(t *token) (b int, ok bool) {
	switch {
	case t.long && a.code[t.at].textures():
		return textureBoard, true
	case t.long && t.consumer == never && !a.dies(t):
		return a.last, true
	}
	return 0, false
}

// dies reports whether t can be pending in no block but its own, or where the code ends.
func (a *allocation) dies(t *token) bool {
	first, last := a.flow.first[t.at], a.flow.last[t.at]
	return len(a.flow.next[last]) > 0 && !slices.ContainsFunc(a.flow.next[last], func(i int) bool { return i != first && !(a.flow.last[i] == i && len(a.flow.next[i]) == 0) })
}

// enter goes on to the block that begins at an instruction: what is back at the ends of the
// blocks before is waited for there.
func (a *allocation) enter(begin int) {
	last := a.begin
	a.begin = begin
	for b := range a.boards {
		if slices.ContainsFunc(a.boards[b].tokens, func(t *token) bool {
			end := a.flow.last[t.at]
			return last <= end && end < begin && a.flush[end].has(t.number)
		}) {
			a.share(b)
		}
	}
}

// frees reports whether instruction i waits for a scoreboard on which these tokens may be
// pending.
func (a *allocation) frees(i int, pending set) bool {
	return a.waits[i].meets(pending) || i < a.begin && a.flush[i].holds(pending)
}

// give counts t on scoreboard b, and reports whether others may be pending there with it.
func (a *allocation) give(t *token, b int) (shared bool) {
	h := &a.boards[b]
	shared = h.busy.meets(t.pending)
	a.board[t.number] = b
	h.tokens = append(h.tokens, t)
	h.busy.addAll(t.pending)
	return shared
}

// choose finds a scoreboard for t: one that is waited for where t will be, or that counts
// such operands too that nothing in the block waits for; the first free one; or, if none
// is, that where the least is lost by waiting for several at once.
func (a *allocation) choose(t *token) int {
	lowest := 0
	if t.long {
		lowest = firstForLoads
	}
	for a.counted.has(lowest) {
		lowest++
	}
	reserved := a.isFar(t.at)
	a.work -= t.number + a.flow.last[t.at] - t.at
	var active [scoreboards][]*token // pending after t
	for b := range active {
		for _, u := range a.boards[b].tokens {
			if t.at+1 < len(a.code) && a.pending[u.number].has(t.at+1) {
				active[b] = append(active[b], u)
			}
		}
	}
	for b, others := range active[:a.last+1] {
		if t.consumer != never && (b != a.last || !reserved) && len(others) > 0 &&
			a.firstWait(others, t) == t.consumer && slices.ContainsFunc(others, func(u *token) bool { return a.needs[t.consumer].has(u.number) }) {
			return b
		}
	}
	if t.reads && t.consumer == never {
		for b, others := range active[:a.last+1] {
			if onlyReads(others) && slices.ContainsFunc(others, func(u *token) bool { return a.flow.last[u.at] == a.flow.last[t.at] }) {
				return b
			}
		}
	}
	if b, ok := a.free(a.near(t), t, lowest, reserved); ok {
		if here, _ := a.free(a.inBlock(t), t, lowest, reserved); t.reads && t.consumer == never && here != b && !a.meetsAhead(t, here) {
			a.doubts.add(t.number)
		}
		return b
	}
	if t.consumer == never {
		here := a.inBlock(t)
		if t.at+1 < len(a.code) {
			here.add(t.at + 1)
		}
		if b, ok := a.free(here, t, lowest, reserved); ok {
			return b
		}
		if t.reads {
			return lowest
		}
	}
	best, least, second := lowest, never+1, never+1
	for b := lowest; b <= a.last; b++ {
		if a.counted.has(b) {
			continue
		}
		loss := a.loss(t, active[b], b == a.last && reserved)
		if t.consumer == never {
			loss = max(loss, noLoss)
		}
		if loss < least {
			best, least, second = b, loss, least
		} else {
			second = min(second, loss)
		}
	}
	a.blind = a.blind || !t.long && !t.reads && t.consumer == never
	if !t.long && second-least < doubt {
		a.doubts.add(t.number)
	}
	return best
}

// doubt is the difference of two losses, in cycles, below which it is not sure which of them
// the compiler takes for the smaller one: latencies are known about as well.
const doubt = 8

// noLoss is what is lost at least for a result that nothing in its block waits for: all
// that is less is as good.
const noLoss = 16

// loss is how many cycles are lost when t is waited for together with others, the pending
// ones of a scoreboard.
func (a *allocation) loss(t *token, others []*token, reserved bool) int {
	switch {
	case len(others) == 0:
		return never
	case reserved:
		return never - 1
	}
	when := func(i int) int { return a.cycle[min(i, len(a.code))] }
	wait := a.firstWait(others, t)
	if t.waiter >= wait {
		return t.latency - (when(wait) - when(t.at))
	}
	loss := -never
	for _, u := range others {
		loss = max(loss, u.latency-(when(t.waiter)-when(u.at)))
	}
	return loss
}

// firstWait is the first instruction after t, in its block, that waits for one of others.
func (a *allocation) firstWait(others []*token, t *token) int {
	first := never
	a.work -= len(others)
	for _, u := range others {
		if a.flow.last[u.at] == a.flow.last[t.at] && u.at < t.at {
			first = min(first, u.waiter)
			continue
		}
		for i := t.at + 1; i <= a.flow.last[t.at] && a.pending[u.number].has(i); i++ {
			a.work--
			if a.waits[i].has(u.number) || a.flush[i].has(u.number) {
				first = min(first, i)
				break
			}
		}
	}
	return first
}

// isFar reports whether a load that goes on into another block is pending in the block of
// instruction i.
func (a *allocation) isFar(i int) bool {
	for k := a.flow.first[i]; k <= a.flow.last[i]; k++ {
		if a.far.has(k) {
			return true
		}
	}
	return false
}

// free returns the first scoreboard on which nothing is pending in a set of instructions.
func (a *allocation) free(in set, t *token, lowest int, reserved bool) (b int, ok bool) {
	for b := lowest; b <= a.last; b++ {
		if a.counted.has(b) || b == a.last && (reserved || t.consumer == never && !t.long) {
			continue
		}
		if !a.boards[b].busy.meets(in) {
			return b, true
		}
	}
	return 0, false
}

// onlyReads reports whether tokens are operands that nothing in their blocks depends on.
func onlyReads(tokens []*token) bool {
	return !slices.ContainsFunc(tokens, func(u *token) bool { return !u.reads || u.consumer != never })
}

// near is where t must not meet others: wherever it is pending; of operands only up to the
// next blocks.
func (a *allocation) near(t *token) set {
	near := t.pending
	switch {
	case t.reads:
		near = a.inBlock(t)
	case t.long && t.consumer == never:
		near = slices.Clone(near)
	default:
		return near
	}
	for _, i := range a.flow.next[a.flow.last[t.at]] {
		if t.pending.has(i) || i <= t.at && t.consumer == never {
			near.add(i)
		}
	}
	return near
}

// meetsAhead reports whether t meets a token of scoreboard b where its block goes on, and that
// token comes there from blocks that were before.
func (a *allocation) meetsAhead(t *token, b int) bool {
	for p := range a.flow.first[t.at] {
		for _, next := range a.flow.next[p] {
			if slices.Contains(a.flow.next[a.flow.last[t.at]], next) && slices.ContainsFunc(a.boards[b].tokens, func(u *token) bool {
				return a.pending[u.number].has(next) && (u.at == p || a.pending[u.number].has(p))
			}) {
				return true
			}
		}
	}
	return false
}

// inBlock is where t is pending in its block.
func (a *allocation) inBlock(t *token) set {
	in := newSet(len(a.code))
	for i := t.at + 1; i <= a.flow.last[t.at]; i++ {
		if t.pending.has(i) {
			in.add(i)
		}
	}
	return in
}

// share finds anew where the tokens of scoreboard b are pending: to wait for one is to
// wait for all.
func (a *allocation) share(b int) {
	h := &a.boards[b]
	made := make(map[int]set, len(h.tokens)) // by instruction
	arriving := map[int]set{}
	todo := newSet(len(a.code))
	arrive := func(i int, tokens set) {
		if arriving[i] == nil {
			arriving[i] = newSet(len(a.tokens))
		}
		arriving[i].addAll(tokens)
		todo.add(i)
	}
	for _, t := range h.tokens {
		a.work -= len(todo)
		a.pending[t.number] = newSet(len(a.code))
		if made[t.at] == nil {
			made[t.at] = newSet(len(a.tokens))
		}
		made[t.at].add(t.number)
	}
	for i, tokens := range made {
		for _, next := range a.flow.ahead(i) {
			arrive(next, tokens)
		}
	}
	before := map[int]set{}
	for a.work >= 0 {
		i, ok := todo.first()
		if !ok {
			break
		}
		a.work -= len(todo) + 8*len(arriving[i])
		todo.remove(i)
		if before[i] == nil {
			before[i] = newSet(len(a.tokens))
		}
		if !before[i].addAll(arriving[i]) || a.frees(i, before[i]) {
			continue
		}
		after := slices.Clone(before[i])
		after.removeAll(made[i])
		for _, next := range a.flow.ahead(i) {
			arrive(next, after)
		}
	}
	h.busy.clear()
	for i, tokens := range before {
		for n := range tokens.all {
			a.work--
			a.pending[n].add(i)
			h.busy.add(i)
		}
	}
}

// colour returns the code with the scoreboards of a, and the waits that follow: an
// instruction waits for a scoreboard when it waits for a token of it that may be pending;
// what a warp does together, for all that are.
func (s *schedule) colour(a *allocation) []instruction {
	on := s.boards(func(t *token) int { return a.board[t.number] })
	here := newSet(len(s.tokens))
	waits := func(i int, p set) (mask uint64) {
		for b := range scoreboards {
			copy(here, p)
			here.keep(on[b])
			if s.waits[i].meets(here) || s.flush[i].holds(here) || s.again(i, here, func(t *token) bool { return a.board[t.number] == b }) || s.code[i].collective() && here.some() {
				mask |= 1 << b
			}
		}
		return mask
	}
	pending := s.flowTokens(func(i int, p set) {
		mask := waits(i, p)
		for b := range scoreboards {
			if mask>>b&1 == 1 && !s.code[i].collective() {
				p.removeAll(on[b])
			}
		}
	})
	code := slices.Clone(s.code)
	for i := range code {
		x := &code[i]
		x.high = x.high&^(uint64(0x3f&^s.counted)<<waitMask) | waits(i, pending[i])<<waitMask
		for _, field := range [...]int{writeScoreboard, readScoreboard} {
			if !s.counted.has(int(x.high >> field & 7)) {
				x.high |= noScoreboard << field
			}
		}
		for _, t := range s.made[i] {
			field := writeScoreboard
			if t.reads {
				field = readScoreboard
			}
			if b := a.board[t.number]; b != unassigned {
				x.high = x.high&^(7<<field) | uint64(b)<<field
			}
		}
	}
	return code
}
