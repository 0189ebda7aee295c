package hazard

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/culink/culink/linker/sass"
)

// The number of a pair says all of it.
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

// What the table has of a generation is written as it was read, and the others are none.
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

// A function teaches the distances of its pairs; one with a form that nobody knows teaches nothing, and is reported.
func TestLearn(t *testing.T) {
	learn := func(code ...sass.Instruction) (s *Survey, said []string) {
		s = NewSurvey(100, 121)
		f := assemble(code...)
		s.Count(f)
		s.Learn(f, func(text string) { said = append(said, text) })
		return s, said
	}
	again := slices.Insert(slices.Clone(kernel), 4, setField(kernel[3], 116, 6, 0)) // needs what the one before makes
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

// A group has the least distance of its pairs, and the most of those that were seen often; without such it
// has none, which is beyond every distance.
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
