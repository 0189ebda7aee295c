package mercury

import "slices"

// The compilers up to 13.0 let a branch at the end of a block wait for what is back by then
// (MERC-134). In later releases it waits for nothing: what depends on a token does, and a call or a
// return does for all. Scoreboards are handed out as follows from that (KIT-060).

// waitWhereNeeded returns code with the waits of later releases; ok is false where it is not
// known how the compiler came to those of code, or where the result would not be as safe.
func waitWhereNeeded(code []instruction, sm int) (after []instruction, ok bool) {
	s, ok := scheduleOf(code, sm)
	if !ok {
		return nil, false
	}
	own := &allocation{schedule: s, board: make([]int, len(s.tokens))}
	for i, t := range s.tokens {
		own.board[i] = t.board
	}
	if !slices.Equal(s.colour(own), code) {
		return nil, false
	}
	before, ok := s.allocate(s.tokens)
	allocates := ok && slices.Equal(before.board, own.board)
	for i, x := range code {
		switch {
		case x.leaves(), x.op() == opENDCOLLECTIVE:
			for n := range s.tokens {
				s.waits[i].add(n)
			}
		case x.op() == opBRA:
			s.waits[i] = s.needs[i]
			s.flush[i] = newSet(len(s.tokens))
		default:
			s.waits[i].addAll(s.needs[i])
		}
	}
	for _, t := range s.tokens {
		s.follow(t)
	}
	switch {
	case allocates:
		if own, ok = s.allocate(s.tokens); !ok {
			return nil, false
		}
	case s.collides(own.board):
		return nil, false
	}
	after = s.colour(own)
	return after, asSafe(after, code, sm)
}

// collides reports whether tokens of different blocks share a scoreboard of which one is still
// pending where the other begins to be.
func (s *schedule) collides(board []int) bool {
	for i, made := range s.made {
		for _, t := range made {
			for _, u := range s.tokens {
				if u != t && board[u.number] == board[t.number] && u.pending.has(i) && !s.waits[i].has(u.number) && s.flow.last[u.at] != s.flow.last[t.at] {
					return true
				}
			}
		}
	}
	return false
}

// waitStepsWhereNeeded lets steps wait so, and reports whether anything changed.
func waitStepsWhereNeeded(steps []step, sm int) (changed bool) {
	code := make([]instruction, len(steps))
	for i, x := range steps {
		code[i] = x.instruction
	}
	after, ok := waitWhereNeeded(code, sm)
	for i := range after {
		changed = changed || ok && steps[i].instruction != after[i]
		if ok {
			steps[i].instruction = after[i]
		}
	}
	return changed
}
