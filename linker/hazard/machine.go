package hazard

import "github.com/culink/culink/linker/sass"

// A Machine describes the known properties of the multiprocessor of an SM: latencies and orders, but not how it
// executes code. Programs that verify this package use it, such as linker/hazard/adversary.
type Machine struct{ g *generation }

// MachineOf returns the machine of an SM. ok is false if that SM was not measured.
func MachineOf(sm int) (Machine, bool) {
	g := generationOf(sm)
	return Machine{g}, g != nil
}

// IsSlow reports whether x has variable latency. Without a scoreboard, its results are never known to be
// available, and its operands are not known to be read when the next instruction starts.
func (m Machine) IsSlow(x sass.Instruction) bool {
	return m.g.isSlow(operation(x))
}

// Enough returns a number of cycles after first. After these cycles correct code was seen in which second
// reads, or with write overwrites, the registers of a file. ok is false if there was no such code.
func (m Machine) Enough(first, second sass.Instruction, file sass.File, write bool) (cycles int, ok bool) {
	op := operation(first)
	if m.g.isSlow(op) && !m.g.mayBeFixed(op) {
		return 0, false
	}
	cycles = never
	writes, _, _ := sass.Uses(second, int(m.g.since))
	for _, c := range classesOf(operation(second), writes) {
		from, to := m.g.bounds(pair{op, result, file, c, write})
		cycles = min(cycles, int(max(from, to)))
	}
	return cycles, cycles <= horizon
}

// HasRead returns the number of cycles after which first has read its operands, so that second may overwrite
// them. ok is false if only a scoreboard shows that.
func (m Machine) HasRead(first, second sass.Instruction, file sass.File) (cycles int, ok bool) {
	if own, ok := m.g.find(pair{operation(first), operand, file, classOf(operation(second)), true}); ok {
		return int(own.cycles), true
	}
	return m.hasRead(first)
}

// hasRead returns the number of cycles after which first has read its operands, whatever the next instruction
// is. ok is false if only a scoreboard shows that.
func (m Machine) hasRead(first sass.Instruction) (cycles int, ok bool) {
	_, most := m.g.readTimes(operation(first))
	return int(most), most < never
}

// Longest returns the greatest result that Enough and HasRead have for the events of first.
func (m Machine) Longest(first sass.Instruction) (cycles int) {
	op := operation(first)
	cycles, _ = m.hasRead(first)
	for _, k := range [...]kind{result, operand} {
		for file := sass.General; file <= sass.UniformPredicate; file++ {
			for second := logic; second <= another; second++ {
				for _, write := range []bool{false, true} {
					p := pair{op, k, file, second, write}
					if own, ok := m.g.find(p); ok {
						cycles = max(cycles, int(own.cycles))
					}
					if from, to := m.g.bounds(p); k == result && to <= horizon {
						cycles = max(cycles, int(from), int(to))
					}
				}
			}
		}
	}
	return cycles
}

// HasReadForAnother returns the number of cycles after which first has read its operands, so that any
// instruction of another function may overwrite them. ok is false if only a scoreboard shows that.
func (m Machine) HasReadForAnother(first sass.Instruction, file sass.File) (cycles int, ok bool) {
	p := pair{operation(first), operand, file, logic, true} // these write soonest
	if own, ok := m.g.find(p); ok && own.count >= enough {
		return int(own.cycles), true
	}
	p.second = another
	if own, ok := m.g.find(p); ok {
		return int(own.cycles), true
	}
	return m.hasRead(first)
}

// WritesBefore reports whether the results of first are available before second, a later instruction, writes
// its own.
func (m Machine) WritesBefore(first, second sass.Instruction) bool {
	q := queueOf(operation(first))
	return q != 0 && q == queueOf(operation(second))
}

// EndsBefore reports whether the results of first are available when those of second, a later instruction, are.
func (m Machine) EndsBefore(first, second sass.Instruction) bool {
	return endInOrder(queueOf(operation(first)), queueOf(operation(second)))
}

// ReadsBefore reports whether first has read its operands before second, a later instruction, reads its own.
func (m Machine) ReadsBefore(first, second sass.Instruction) bool {
	r := readerOf(operation(first))
	return r != 0 && r == readerOf(operation(second))
}

// FindsSpace reports whether x is an atomic that writes its predicate when it has read its operands.
func (m Machine) FindsSpace(x sass.Instruction) bool { return findsSpace(operation(x)) }

// ReadsLate reports whether x reads its operands some time after it starts.
func (m Machine) ReadsLate(x sass.Instruction) bool {
	return m.IsSlow(x) || readsLate(operation(x)) || readerOf(operation(x)) == memory || writeBoard(x) >= 0 || readBoard(x) >= 0
}
