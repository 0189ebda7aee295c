package hazard

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	cmpdiff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/culink/culink/linker/sass"
)

// The number of a pair identifies the pair completely.
func TestPairNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pair{
			first: uint16(rapid.IntRange(0, 511).Draw(t, "first")), kind: kind(rapid.IntRange(0, int(unwaited)).Draw(t, "kind")),
			file: sass.File(rapid.IntRange(0, int(sass.UniformPredicate)).Draw(t, "file")), second: class(rapid.IntRange(0, int(another)).Draw(t, "second")),
			write: rapid.Bool().Draw(t, "write"),
		}
		if got := pairOf(p.number()); got != p {
			t.Fatalf("%+v came back as %+v", p, got)
		}
	})
}

// Known returns the data of a generation unchanged, and nil for other SMs.
func TestKnown(t *testing.T) {
	for i := range generations {
		g := &generations[i]
		s := Known(int(g.since))
		if s == nil || s.Until != int(g.until) || len(s.pairs) != len(g.least) {
			t.Fatalf("sm_%d: %+v", g.since, s)
		}
		for op := range uint16(len(g.variable) * 64) {
			if s.variable(op) != g.variable.has(op) || s.fixed(op) != g.fixed.has(op) {
				t.Errorf("sm_%d: %#x: variable %t, fixed %t", g.since, op, s.variable(op), s.fixed(op))
			}
		}
	}
	if s := Known(70); s != nil {
		t.Errorf("sm_70: %+v", s)
	}
}

// The survey learns the distances of the pairs of a function. From a function with an unknown form it learns
// nothing, and reports it.
func TestLearn(t *testing.T) {
	learn := func(code ...sass.Instruction) (s *Survey, said []string) {
		s = NewSurvey(100, 121)
		f := assemble(code...)
		s.Count(f)
		s.Learn(f, func(text string) { said = append(said, text) })
		return s, said
	}
	again := slices.Insert(slices.Clone(kernel), 4, setField(kernel[3], 116, 6, 0)) // needs the result of the previous one
	if s, said := learn(again...); s.Functions != 1 || len(s.pairs) == 0 || said != nil {
		t.Errorf("%d functions, %d pairs, %q", s.Functions, len(s.pairs), said)
	}
	strange := slices.Clone(again)
	strange[1].Low = 0x7fff
	if s, said := learn(strange...); s.Functions != 0 || len(s.pairs) != 0 || len(said) != 1 || !strings.Contains(said[0], "unknown form") {
		t.Errorf("a strange form: %d functions, %d pairs, %q", s.Functions, len(s.pairs), said)
	}
	careless := slices.Clone(kernel)
	careless[3] = setField(careless[3], 116, 6, 0)
	if _, said := learn(careless...); len(said) == 0 || !strings.Contains(said[0], "without a wait, as in k at 0x30") {
		t.Errorf("without a wait: %q", said)
	}
}

// A group has the minimum distance of its pairs, and the maximum of those that were seen often. Without such
// pairs the maximum is greater than any distance.
func TestSpread(t *testing.T) {
	all := spreads{}
	for _, c := range []struct {
		l     least
		least uint8
		most  uint8
	}{
		{least{cycles: 9, count: enough - 1}, 9, horizon + 1},
		{least{cycles: 5, count: enough}, 5, 5},
		{least{cycles: 7, count: enough + 1}, 5, 7},
		{least{cycles: 6, count: enough}, 5, 7},
		{least{cycles: 3, count: 1}, 3, 7},
	} {
		all.add(group{}, c.l)
		if s := all[group{}]; s.least != c.least || s.most != c.most {
			t.Errorf("after %+v: %+v", c.l, s)
		}
	}
	if s := all[group{}]; s.count != 4*enough+1 || len(all) != 1 {
		t.Errorf("%+v", all)
	}
}

// The time until results are generally available follows from all readers except integer instructions and other
// functions.
func TestWritten(t *testing.T) {
	var g generation
	const op = 0x24
	for second, cycles := range map[class]uint8{logic: 30, multiply: 4, half: 9, variable: 6, another: 40} {
		g.least = append(g.least, least{pair: pair{op, result, sass.General, second, false}.number(), cycles: cycles})
	}
	for _, p := range []pair{{op, result, sass.General, tensor, true}, {op, operand, sass.General, tensor, false}, {op, result, sass.Predicate, wide, false}} {
		g.least = append(g.least, least{pair: p.number(), cycles: 50})
	}
	slices.SortFunc(g.least, func(a, b least) int { return cmp.Compare(a.pair, b.pair) })
	for file, want := range map[sass.File]uint8{sass.General: 9, sass.Predicate: 50, sass.Uniform: never} {
		if got := g.written(op, file); got != want {
			t.Errorf("file %d: %d cycles, want %d", file, got, want)
		}
	}
	for _, second := range []class{multiply, variable} { // the first and the last class that counts
		g.least = []least{{pair: pair{op, result, sass.General, second, false}.number(), cycles: 7}}
		if got := g.written(op, sass.General); got != 7 {
			t.Errorf("read by %s alone: %d cycles", second, got)
		}
	}
}

// For a kin that was never seen, no distance is an error.
func TestNeverSeenKin(t *testing.T) {
	g := &generation{since: 100}
	for _, p := range []pair{{0x10, unwaited, sass.UniformPredicate, logic, false}, {0x10, result, sass.General, another, true}} {
		if got := g.ofKin(p, slack); got != 0 {
			t.Errorf("%+v: a mistake below %d", p, got)
		}
	}
}

// Uncounted operands are read before another function starts if any instruction could overwrite them there.
// This follows from the distances of that operation if they were seen often enough, and otherwise from those of
// all memory instructions.
func TestReadBefore(t *testing.T) {
	const store = 0x186
	p := pair{store, operand, sass.General, another, true}
	writes := p
	writes.second = logic
	for _, tt := range []struct {
		name  string
		count uint32
		f     flight
		want  bool
	}{
		{"late enough", enough, flight{kind: operand, board: untracked, age: 10}, true},
		{"too soon", enough, flight{kind: operand, board: untracked, age: 9}, false},
		{"seen too seldom", enough - 1, flight{kind: operand, board: untracked, age: 10}, false},
		{"late for all of memory", enough - 1, flight{kind: operand, board: untracked, age: 20}, true},
		{"a cycle sooner", enough - 1, flight{kind: operand, board: untracked, age: 19}, false},
		{"counted", enough, flight{kind: operand, board: 0, age: 20}, false},
		{"results", enough, flight{kind: result, board: untracked, age: 20}, false},
	} {
		g := tableOf(map[pair]least{writes: {cycles: 10, count: tt.count}})
		g.readsFrom, g.readsUntil = 15, 20
		if got := g.readBefore(p, &tt.f); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A missing wait is doubtful if exactly this was seen in correct code. Other observations about the pair do not
// matter.
func TestDoubtOfTables(t *testing.T) {
	w := newWalk(kernel, 100, nil, func(*step) bool { return false })
	m := meeting{flight: &flight{at: 1, kind: result, board: 1}, at: 3}
	p := w.pairOf(m)
	other := p
	other.kind = unwaited
	for name, tt := range map[string]struct {
		seen pair
		want bool
	}{"the pair with enough cycles": {p, false}, "the pair without a wait": {other, true}} {
		if got := tableOf(map[pair]least{tt.seen: {cycles: 4, count: 1}}).doubt(w, m, p); (got == " without a wait, which was seen in code that must be right") != tt.want {
			t.Errorf("%s was seen: %q", name, got)
		}
	}
}

// If a pair was never seen, no distance is an error for it. Instructions that read an operand late have no
// group that could show errors.
func TestLeastOfPairs(t *testing.T) {
	for i := range generations {
		g := &generations[i]
		never := pair{0x1ff, result, sass.General, logic, false}
		if a, b, c := g.leastEver(never), g.leastWritten(never), g.ever(never); a != 0 || b != 0 || c != 0 {
			t.Errorf("sm_%d: a mistake below %d, %d, %d", g.since, a, b, c)
		}
		for _, l := range g.least {
			late, other := pairOf(l.pair), pairOf(l.pair)
			late.second, other.second = wide, half
			if got, want := g.ofKin(late, slack), g.ofKin(other, slack); got != want {
				t.Fatalf("sm_%d: %+v: a mistake below %d, others below %d", g.since, late, got, want)
			}
			if from, to := g.bounds(late); from != min(to, g.ofKin(late, operandLate)) {
				t.Fatalf("sm_%d: %+v: a mistake below %d, which is not so much later", g.since, late, from)
			}
		}
	}
}

// SMs of one family are similar.
func TestFamily(t *testing.T) {
	for sm, want := range map[uint8]uint8{75: 75, 79: 75, 80: 80, 90: 80, 99: 80, 100: 100, 121: 100} {
		if got := family(sm); got != want {
			t.Errorf("sm_%d: %d, want %d", sm, got, want)
		}
	}
}

// tableOf returns a generation with these pairs.
func tableOf(seen map[pair]least) *generation {
	g := &generation{since: 100}
	for p, l := range seen {
		l.pair = p.number()
		g.least = append(g.least, l)
	}
	slices.SortFunc(g.least, func(a, b least) int { return cmp.Compare(a.pair, b.pair) })
	return g
}

// A second instruction may start earlier if its results are slower than those of the first one. The difference
// is that for every common reader, if these readers were seen often enough.
func TestBehindOfTables(t *testing.T) {
	const first, second = 0x24, 0x10
	of := func(op uint16, reader class) pair { return pair{op, result, sass.General, reader, false} }
	for _, tt := range []struct {
		name  string
		seen  map[pair]least
		want  uint8
		known bool
	}{
		{"no reader", nil, 0, false},
		{"one reader", map[pair]least{of(first, logic): {cycles: 9, count: enough}, of(second, logic): {cycles: 4, count: enough}}, 5, true},
		{"the last reader", map[pair]least{of(first, variable): {cycles: 9, count: enough}, of(second, variable): {cycles: 4, count: enough}}, 5, true},
		{"the least of two", map[pair]least{
			of(first, logic): {cycles: 9, count: enough}, of(second, logic): {cycles: 4, count: enough},
			of(first, half): {cycles: 9, count: enough}, of(second, half): {cycles: 6, count: enough},
		}, 3, true},
		{"the second takes longer", map[pair]least{of(first, logic): {cycles: 4, count: enough}, of(second, logic): {cycles: 9, count: enough}}, 0, true},
		{"the first was seen too seldom", map[pair]least{of(first, logic): {cycles: 9, count: enough - 1}, of(second, logic): {cycles: 4, count: enough}}, 0, false},
		{"the second was seen too seldom", map[pair]least{of(first, logic): {cycles: 9, count: enough}, of(second, logic): {cycles: 4, count: enough - 1}}, 0, false},
		{"another function", map[pair]least{of(first, another): {cycles: 9, count: enough}, of(second, another): {cycles: 4, count: enough}}, 0, false},
		{"only one of them", map[pair]least{of(first, logic): {cycles: 9, count: enough}}, 0, false},
	} {
		if got, known := tableOf(tt.seen).behind(first, second, sass.General); got != tt.want || known != tt.known {
			t.Errorf("%s: %d cycles, %t, want %d, %t", tt.name, got, known, tt.want, tt.known)
		}
	}
}

// A distance is enough if it is at least the minimum that was seen, except for late operands. The distances of
// the pair or of its group give an upper bound.
func TestEnough(t *testing.T) {
	p, late := pair{0x10, result, sass.General, logic, false}, pair{0x10, result, sass.General, wide, false}
	over, other := pair{0x10, result, sass.General, logic, true}, pair{0x11, result, sass.General, logic, false}
	g := tableOf(map[pair]least{p: {cycles: 6, count: 1}, late: {cycles: 6, count: 1}, {0x10, result, sass.General, half, false}: {cycles: 4, count: 1}, over: {cycles: 8, count: 1}})
	g.groups = []spread{{group: p.group().number(), least: 2, most: 7}} // results are available to readers after 4 and 6 cycles
	for age, want := range map[uint8]bool{5: false, 6: true, 7: true} {
		if g.isEnough(p, age) != want || g.isEnough(late, age) || g.isEnough(other, age) {
			t.Errorf("%d cycles: %v, late %v, never seen %v", age, g.isEnough(p, age), g.isEnough(late, age), g.isEnough(other, age))
		}
	}
	for p, want := range map[pair]uint8{p: 6, other: 7, over: 6, {0x11, result, sass.Uniform, logic, false}: horizon + 1} {
		if _, to := g.bounds(p); to != want {
			t.Errorf("%+v: enough from %d on, want %d", p, to, want)
		}
	}
}

// Each SM has a generation and an era.
func TestGenerationOf(t *testing.T) {
	for i := range generations {
		g := &generations[i]
		for sm := int(g.since); sm <= int(g.until); sm++ {
			if generationOf(sm) != g {
				t.Errorf("sm_%d is not of sm_%d", sm, g.since)
			}
		}
	}
	if generationOf(int(generations[0].since)-1) != nil || generationOf(int(generations[len(generations)-1].until)+1) != nil {
		t.Error("an SM that nobody measured has a generation")
	}
	for sm, want := range map[int]int{75: 0, 90: 0, 99: 0, 100: 1, 121: 1} {
		if got := eraOf(sm); got != want {
			t.Errorf("sm_%d: era %d, want %d", sm, got, want)
		}
	}
}

// The survey counts how often operations have results, and how often scoreboards count these. It also counts
// each pair, with its minimum distance. It learns nothing from functions that cannot be read.
func TestCount(t *testing.T) {
	s := NewSurvey(100, 121)
	f := assemble(slices.Insert(slices.Clone(kernel), 4, setField(kernel[3], 116, 6, 0))...)
	for range 2 {
		s.Count(f)
	}
	if d := cmpdiff.Diff(map[uint16]int{0x182: 4, 0x119: 2, 0x25: 4}, s.results); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
	if d := cmpdiff.Diff(map[uint16]int{0x182: 4, 0x119: 2}, s.counted); d != "" {
		t.Errorf("counted (-want +got):\n%s", d)
	}
	for range 2 {
		s.Learn(f, func(text string) { t.Error(text) })
	}
	reads := pair{0x25, result, sass.General, wide, false}
	if l := s.pairs[reads]; l.pair != reads.number() || l.count != 2 || l.cycles != 5 {
		t.Errorf("%+v of %+v", l, s.pairs)
	}
	before := len(s.pairs)
	cut := f
	cut.Text = f.Text[:len(f.Text)-1]
	var said []string
	s.Count(cut)
	s.Learn(cut, func(text string) { said = append(said, text) })
	if s.Functions != 2 || len(said) != 1 || s.results[0x25] != 4 || len(s.pairs) != before {
		t.Errorf("cut off: %d functions, %d pairs, %q", s.Functions, len(s.pairs), said)
	}
	bare := slices.Clone(kernel) // without any schedule
	for i := range bare {
		put(&bare[i], 105, 17, 0)
	}
	s.Count(assemble(bare...))
	s.Learn(assemble(bare...), func(text string) { t.Error(text) })
	if s.Functions != 2 || s.results[0x25] != 4 || len(s.pairs) != before {
		t.Errorf("without a schedule: %d functions, %d pairs", s.Functions, len(s.pairs))
	}
	for counted, want := range map[int]bool{5: false, 6: true} { // of ten; at most half is not enough for a rule
		s.results[1], s.counted[1], s.used[1] = 10, counted, 3
		if s.variable(1) != want || s.fixed(1) != want {
			t.Errorf("%d of 10 are counted: variable %v, fixed %v", counted, s.variable(1), s.fixed(1))
		}
	}
	if s.used[1] = 2; s.fixed(1) {
		t.Error("what was used twice has a fixed form")
	}
}
