package hazard

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/culink/culink/linker/sass"
)

// A Survey learns what [Check] treats as safe, from functions with safe schedules. The command in learn
// generates least_table.go with it.
type Survey struct {
	Since, Until int // range of SMs with the same distances
	Functions    int // number of functions learned from

	// These are counts by operation: instructions with results, instructions whose results a scoreboard
	// counts, and instructions whose uncounted results are used.
	results, counted, used map[uint16]int

	pairs map[pair]least
}

// NewSurvey returns an empty survey of SMs.
func NewSurvey(since, until int) *Survey {
	return &Survey{Since: since, Until: until, results: map[uint16]int{}, counted: map[uint16]int{}, used: map[uint16]int{}, pairs: map[pair]least{}}
}

// Known returns the data in the table for the SMs from since on, or nil if there is none.
func Known(since int) *Survey {
	i := slices.IndexFunc(generations[:], func(g generation) bool { return int(g.since) == since })
	if i < 0 {
		return nil
	}
	g := &generations[i]
	s := NewSurvey(since, int(g.until))
	for op := range uint16(len(g.variable) * 64) {
		if g.variable.has(op) {
			s.results[op], s.counted[op] = 1, 1
		}
		if g.fixed.has(op) {
			s.used[op] = uses
		}
	}
	for _, l := range g.least {
		s.pairs[pairOf(l.pair)] = l
	}
	return s
}

// Count determines which instructions of a function have variable latency.
func (s *Survey) Count(f Function) {
	code, _, err := f.code()
	if err != nil || unscheduled(code) {
		return
	}
	for _, x := range code {
		writes, _, known := sass.Uses(x, f.SM)
		if !known || writes == (sass.Registers{}) {
			continue
		}
		s.results[operation(x)]++
		if writeBoard(x) >= 0 {
			s.counted[operation(x)]++
		}
	}
}

// Learn learns the distances of the pairs in a function, and reports contradictions. All functions must have
// been counted with Count before.
func (s *Survey) Learn(f Function, report func(string)) {
	code, tables, err := f.code()
	if err != nil {
		report(err.Error())
		return
	}
	if unscheduled(code) {
		return
	}
	w := newWalk(code, f.SM, tables, func(y *step) bool { return s.variable(operation(y.x)) })
	for k := range w.steps {
		if y := &w.steps[k]; !y.known {
			report(fmt.Sprintf("sm_%d: unknown form: %016x %016x", f.SM, y.x.High, y.x.Low))
			return // it may access registers of other instructions
		}
	}
	s.Functions++
	met := map[int][]meeting{} // by block
	w.run(func(block int) func(meeting) {
		delete(met, block)
		return func(m meeting) {
			f := *m.flight
			m.flight = &f
			met[block] = append(met[block], m)
		}
	})
	for _, block := range slices.Sorted(maps.Keys(met)) {
		for _, m := range met[block] {
			if text := s.learn(w, m); text != "" {
				report(fmt.Sprintf("sm_%d: %s, as in %s at %#x", f.SM, text, f.Name, m.at*sass.Size))
			}
		}
	}
}

// learn records the distance of a meeting. If it contradicts what was counted, learn returns a description.
func (s *Survey) learn(w *walk, m meeting) (text string) {
	p, met := w.pairOf(m), m.flight
	switch {
	case met.carriedUnwaited(), met.kind == result && met.board >= 0 && w.steps[met.at].mayExclude(&w.steps[m.at]):
		return "" // these are doubtful
	case met.kind == result && met.board >= 0:
		text = fmt.Sprintf("results of %#x touched by %#x without a wait", p.first, w.steps[m.at].x.Opcode())
		p.kind = unwaited
	case met.kind == result && met.forever && !m.write && !m.leaves:
		s.used[p.first]++
	}
	if met.kind == result && met.age >= horizon {
		return text
	}
	l, ok := s.pairs[p]
	if !ok || met.age < l.cycles {
		l.cycles = met.age
	}
	l.count++
	l.pair = p.number()
	s.pairs[p] = l
	return text
}

// variable reports whether an operation has variable latency, so that scoreboards count its results. It is
// enough if they do for most instructions with results, because some results are never used.
func (s *Survey) variable(op uint16) bool { return s.counted[op]*2 > s.results[op] }

// fixed reports whether an operation of variable latency also has forms of fixed latency. It does if its
// uncounted results are used.
func (s *Survey) fixed(op uint16) bool { return s.variable(op) && s.used[op] >= uses }

// readTimes returns the smallest and the largest of the distances that the assembler keeps between memory
// instructions with uncounted operands and instructions that overwrite these operands.
func (s *Survey) readTimes() (from, until uint8) {
	from, until = never, never
	for p, l := range s.pairs {
		switch {
		case p.kind != operand || readerOf(p.first) != memory || p.second == another || l.count < enough:
		case until == never:
			from, until = l.cycles, l.cycles
		default:
			from, until = min(from, l.cycles), max(until, l.cycles)
		}
	}
	return from, until
}

// uses is the number of uses of uncounted results above which they cannot be accidental.
const uses = 3

// WriteTable writes the tables of surveys as Go.
func WriteTable(out io.Writer, surveys []*Survey) {
	fmt.Fprint(out, "// Code generated by linker/hazard/learn. DO NOT EDIT.\n\npackage hazard\n\n")
	fmt.Fprint(out, "// generations has for each group of SMs when memory reads operands that nothing counts; the operations of variable\n// latency; those of them with forms of fixed latency; the least distances of pairs, by pair.number, with how often\n// the pair was seen; and those of groups, by group.number.\nvar generations = [...]generation{\n")
	kins := map[int]spreads{}
	for _, s := range surveys {
		if kins[eraOf(s.Since)] == nil {
			kins[eraOf(s.Since)] = spreads{}
		}
		from, until := s.readTimes()
		fmt.Fprintf(out, "{%d, %d, %d, %d,\n", s.Since, s.Until, from, until)
		for _, has := range []func(uint16) bool{s.variable, s.fixed} {
			var set operations
			for op := range s.counted {
				if has(op) {
					set[op/64] |= 1 << (op % 64)
				}
			}
			fmt.Fprint(out, "operations{")
			for _, b := range set {
				fmt.Fprintf(out, "%#x, ", b)
			}
			fmt.Fprint(out, "},\n")
		}
		rows := slices.SortedFunc(maps.Values(s.pairs), func(a, b least) int { return cmp.Compare(a.pair, b.pair) })
		fmt.Fprint(out, "[]least{\n")
		for i, l := range rows {
			fmt.Fprintf(out, "{%#x, %d, %d},", l.pair, l.cycles, l.count)
			endLine(out, i, len(rows))
		}
		fmt.Fprint(out, "},\n[]spread")
		groups := spreads{}
		for p, l := range s.pairs {
			groups.add(p.group(), l)
			kins[eraOf(s.Since)].add(p.group().kin(), l)
		}
		groups.write(out)
		fmt.Fprint(out, "},\n")
	}
	fmt.Fprint(out, "}\n\n// kins has the distances of all generations of an era, by the number of group.kin.\nvar kins = [...][]spread{\n")
	for i := range eras {
		fmt.Fprintf(out, "%d: ", i)
		kins[i].write(out)
		fmt.Fprint(out, ",\n")
	}
	fmt.Fprint(out, "}\n")
}

// spreads contains the distances of groups.
type spreads map[group]spread

// add adds the distance of a pair to its group.
func (all spreads) add(g group, l least) {
	s, ok := all[g]
	if !ok {
		s = spread{group: g.number(), least: l.cycles, most: horizon + 1}
	}
	s.least = min(s.least, l.cycles)
	if l.count >= enough && (s.most > horizon || l.cycles > s.most) {
		s.most = l.cycles
	}
	s.count += l.count
	all[g] = s
}

func (all spreads) write(out io.Writer) {
	rows := slices.SortedFunc(maps.Values(all), func(a, b spread) int { return cmp.Compare(a.group, b.group) })
	fmt.Fprint(out, "{\n")
	for i, s := range rows {
		fmt.Fprintf(out, "{%#x, %d, %d, %d},", s.group, s.least, s.most, s.count)
		endLine(out, i, len(rows))
	}
	fmt.Fprint(out, "}")
}

// endLine ends a line of the table after every sixth row, and after the last one.
func endLine(out io.Writer, i, n int) {
	if i%6 == 5 || i == n-1 {
		fmt.Fprintln(out)
	}
}
