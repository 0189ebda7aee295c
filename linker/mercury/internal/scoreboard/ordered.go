package scoreboard

// withoutOrdered returns a schedule of the same code in which the events that order makes superfluous are not counted (MERC-963).
func (s *schedule) withoutOrdered() *schedule {
	l := s.derive(s.policy)
	l.dropOrdered()
	l.cycle = l.clock()
	l.followAnew()
	return l
}

// dropOrdered removes the events of code of an early compiler that order makes superfluous. The compilers before 13.0 do not know
// that FCHK and BREV belong to the queue of the conversions, which reads operands and writes results in order.
func (l *schedule) dropOrdered() {
	if !l.early {
		return
	}
	var superfluous []*event
	for _, t := range l.events {
		if l.isOrdered(t) {
			superfluous = append(superfluous, t)
		}
	}
	for _, t := range superfluous {
		l.drop(t)
	}
}

// isOrdered reports whether the block of t waits for a later instruction of the queue of t before anything depends on t.
func (l *schedule) isOrdered(t *event) bool {
	if !l.code[t.at].WritesInOrder() {
		return false
	}
	for i := t.at + 1; i <= l.flow.Last[t.at] && !l.leaves(i) && !l.deps[i].Has(t.number); i++ {
		if l.awaitsOrdered(i, t) {
			return true
		}
	}
	return false
}

// awaitsOrdered reports whether instruction i depends on an event after t in the queue of t and in its block. That operands are
// read does not say that earlier results are written.
func (l *schedule) awaitsOrdered(i int, t *event) bool {
	return l.dependsOn(i, func(u *event) bool {
		return l.inOrder(t.at, u.at) && l.code[u.at].WritesInOrder() && (t.war || !u.war) && !l.exitDeps[i].Has(u.number)
	})
}
