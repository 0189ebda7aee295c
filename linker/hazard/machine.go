package hazard

import "github.com/culink/culink/linker/sass"

// A Machine contains the known properties of the multiprocessor of an SM: latencies and orders, but not the
// execution of code. It is for programs that verify this package, such as linker/hazard/adversary.
type Machine struct{ g *generation }

// MachineOf returns the machine of an SM. ok is false if it was not measured.
func MachineOf(sm int) (Machine, bool) {
	g := generationOf(sm)
	return Machine{g}, g != nil
}

// IsSlow reports whether the results of x are never available without a scoreboard, and its operands are not
// read when the next instruction starts.
func (m Machine) IsSlow(x sass.Instruction) bool { return m.g.variable.has(operation(x)) }

// Enough returns the number of cycles after first until second may read or overwrite its registers of a file,
// as seen in correct code. ok is false if this was not seen.
func (m Machine) Enough(first, second sass.Instruction, file sass.File, write bool) (cycles int, ok bool) {
	op := operation(first)
	if m.g.variable.has(op) && !m.g.fixed.has(op) {
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

// HasRead returns the number of cycles after first until its operands are read, so that second may overwrite
// them. ok is false if only a scoreboard can tell.
func (m Machine) HasRead(first, second sass.Instruction, file sass.File) (cycles int, ok bool) {
	if own, ok := m.g.find(pair{operation(first), operand, file, classOf(operation(second)), true}); ok {
		return int(own.cycles), true
	}
	return m.hasRead(first)
}

// hasRead returns the number of cycles after first until its operands are read, for any next instruction. ok is
// false if only a scoreboard can tell.
func (m Machine) hasRead(first sass.Instruction) (cycles int, ok bool) {
	_, most := m.g.readTimes(operation(first))
	return int(most), most < never
}

// Longest returns the maximum result of Enough and HasRead for the events of first.
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

// HasReadForAnother returns the number of cycles after first until its operands are read, so that any
// instruction of another function may overwrite them. ok is false if only a scoreboard can tell.
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

// WritesBefore reports whether the results of first are available before second, which starts later, writes its
// own.
func (m Machine) WritesBefore(first, second sass.Instruction) bool {
	q := queueOf(operation(first))
	return q != 0 && q == queueOf(operation(second))
}

// EndsBefore reports whether the results of first are available when those of second are, which starts later
// and uses the same scoreboard.
func (m Machine) EndsBefore(first, second sass.Instruction) bool {
	q, r := queueOf(operation(first)), queueOf(operation(second))
	return q != 0 && (q == r || q == textures && r == surfaces || q == surfaces && r == textures)
}

// ReadsBefore reports whether the operands of first are read before second, which starts later, reads its own.
func (m Machine) ReadsBefore(first, second sass.Instruction) bool {
	r := readerOf(operation(first))
	return r != 0 && r == readerOf(operation(second))
}

// ReadsLate reports whether the operands of x are read some time after it starts.
func (m Machine) ReadsLate(x sass.Instruction) bool {
	return m.IsSlow(x) || readerOf(operation(x)) == memory || writeBoard(x) >= 0 || readBoard(x) >= 0
}
