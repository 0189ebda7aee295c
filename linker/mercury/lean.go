package mercury

import "slices"

// The compilers up to 13.0 let the end of a block wait for what is back by then (MERC-134). Later
// ones do so only where a loop begins, and where one goes round for what was pending before it;
// other branches wait for what they need alone, and a call for all. The rest of the schedule
// follows from that (KIT-060).

// lean returns the schedule of the same code as the later compilers make it.
func (s *schedule) lean() *schedule {
	l := *s
	l.isLean = true
	l.waits, l.learned = slices.Clone(s.waits), slices.Clone(s.learned)
	l.own, l.flush = s.newSets(), s.newSets()
	l.needs, l.tokens, l.made = s.newSets(), nil, make([][]*token, len(s.code))
	for _, t := range s.tokens {
		c := *t
		l.tokens = append(l.tokens, &c)
		l.made[t.at] = append(l.made[t.at], &c)
	}
	for i, x := range s.code {
		switch {
		case x.leaves() || x.op() == opENDCOLLECTIVE:
			l.waits[i] = newSet(len(s.tokens))
			for n := range s.tokens {
				l.waits[i].add(n)
			}
		case s.flow.last[i] == i:
			l.waits[i] = slices.Clone(s.waits[i])
			l.waits[i].keep(s.needs[i])
			l.learned[i] = newSet(len(s.tokens))
		}
	}
	for i, added := range s.added {
		l.needs[i].addAll(s.needs[i])
		l.needs[i].addAll(added)
		if added.some() {
			l.waits[i] = slices.Clone(l.waits[i])
			l.waits[i].addAll(added)
		}
	}
	l.dropOperands()
	l.cycle = l.clock()
	l.flushAtLoops(s)
	for _, t := range l.tokens {
		l.follow(t)
		t.late = nil // what earlier blocks made counts for nothing
	}
	return &l
}

// flushAtLoops finds what is waited for because it is back by then: by what comes before the first
// instruction of a loop, and, of what was pending before the loop, by the branch to it.
func (l *schedule) flushAtLoops(s *schedule) {
	isBack := func(t *token, i int) bool { return l.cycle[i]-l.cycle[t.at] >= t.latency }
	for end, x := range l.code {
		if x.op() != opBRA || x.distance() >= 0 {
			continue
		}
		head := end + 1 + int(x.distance()/InstructionSize)
		for _, t := range l.tokens {
			l.own[end].add(t.number)
			if (t.at < head || t.at > end) && isBack(t, end) {
				l.flush[end].add(t.number)
			}
		}
		before := head - 1
		if before < 0 || !slices.Contains(l.flow.next[before], head) || l.code[before].branches() {
			continue
		}
		for _, t := range l.tokens {
			l.own[before].add(t.number)
			if t.at > before || s.flush[before].has(t.number) || !s.own[before].has(t.number) && isBack(t, before) {
				l.flush[before].add(t.number)
			}
		}
	}
}

// branches reports whether x goes to another place of the function, or ends it, or may.
func (x instruction) branches() bool {
	switch x.op() {
	case opBRA, opBRX, opBRXU, opBSYNC, opEXIT:
		return true
	}
	return false
}

// stallLess takes from the stalls of steps the second cycle of what the next instruction, as code
// has both, waited for at once and waits for no more (KIT-103), and reports whether there was any.
func stallLess(steps []step, code []instruction) (changed bool) {
	const untilCounted = 2
	for i := range len(steps) - 1 {
		x, next := &steps[i], steps[i+1]
		if next.old != x.old+1 || x.inserted || next.inserted {
			continue
		}
		waited := code[next.old].waitsOn(code[x.old])
		if waited && !next.waitsOn(x.instruction) && x.high>>scheduleStart&0xf == untilCounted {
			x.high -= 1 << scheduleStart
			changed = true
		}
	}
	return changed
}
