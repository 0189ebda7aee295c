package hazard

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/culink/culink/linker/sass"
)

var flights = rapid.Custom(func(t *rapid.T) flight {
	f := flight{
		age: rapid.Uint8Range(0, horizon).Draw(t, "age"), younger: rapid.Uint8().Draw(t, "younger"),
		stale: rapid.Bool().Draw(t, "stale"), over: rapid.Uint8Range(0, 63).Draw(t, "over"),
		behind: rapid.Int8Range(untracked, 5).Draw(t, "behind"),
		live:   sass.Registers{P: rapid.Uint8Range(0, 127).Draw(t, "live")},
	}
	if f.behind >= 0 {
		f.later = rapid.Uint8().Draw(t, "later")
	}
	return f
})

// merged returns the worse of two flights.
func merged(f, g flight) flight {
	f.merge(&g)
	return f
}

// Merging is commutative, associative and idempotent, and the result is never better than its parts. Following
// loops therefore terminates.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, g, h := flights.Draw(t, "f"), flights.Draw(t, "g"), flights.Draw(t, "h")
		if merged(f, f) != f {
			t.Error("a flight and itself")
		}
		if merged(f, g) != merged(g, f) {
			t.Error("the order matters")
		}
		if merged(merged(f, g), h) != merged(f, merged(g, h)) {
			t.Error("the grouping matters")
		}
		m := merged(f, g)
		if m.age > f.age || m.younger > f.younger || m.over&^f.over != 0 || f.stale && !m.stale || f.live.Union(m.live) != m.live ||
			m.behind != untracked && (m.behind != f.behind || m.later > f.later) {
			t.Errorf("%+v is better than %+v", m, f)
		}
		if again := m; again.merge(&f) || again.merge(&g) {
			t.Error("once more changes it")
		}
	})
}

// A flight that is on one of two merging paths is in the merged state. The state is in the order of the code.
func TestMergeStates(t *testing.T) {
	at := func(places ...int) (s state) {
		for _, i := range places {
			s = append(s, flight{at: i, age: 3})
		}
		return s
	}
	for _, c := range []struct {
		s, t, want state
		changed    bool
	}{
		{at(1, 5), nil, at(1, 5), false},
		{nil, at(1, 5), at(1, 5), true},
		{at(1, 5), at(1, 5), at(1, 5), false},
		{at(1, 5), at(3, 7), at(1, 3, 5, 7), true},
	} {
		if got, changed := slices.Clone(c.s).merge(c.t); !slices.Equal(got, c.want) || changed != c.changed {
			t.Errorf("%v and %v: %v, %t", c.s, c.t, got, changed)
		}
	}
	older := flight{at: 1, age: 2}
	if got, changed := at(1).merge(state{older}); len(got) != 1 || got[0].age != 2 || !changed {
		t.Errorf("%v, %t", got, changed)
	}
}

// No distance is both an error and enough. A distance that the assembler has used is never an error.
func TestBounds(t *testing.T) {
	for i := range generations {
		g := &generations[i]
		for _, l := range g.least {
			p := pair{uint16(l.pair >> 9), kind(l.pair >> 7 & 3), sass.File(l.pair >> 5 & 3), class(l.pair >> 1 & 15), l.pair&1 == 1}
			if p.number() != l.pair {
				t.Fatalf("%+v is not %#x", p, l.pair)
			}
			if p.kind != result {
				continue
			}
			if from, to := g.bounds(p); from > to || from > l.cycles || to > l.cycles {
				t.Errorf("sm_%d: %+v: a mistake below %d, enough from %d, seen with %d", g.since, p, from, to, l.cycles)
			}
		}
	}
}

// The assembler may leave only counted results of the previous iteration without a wait, on any scoreboard.
func TestCarriedUnwaited(t *testing.T) {
	for _, tt := range []struct {
		f    flight
		want bool
	}{
		{flight{kind: result, board: 0, carried: true}, true},
		{flight{kind: result, board: 5, carried: true}, true},
		{flight{kind: result, board: untracked, carried: true}, false},
		{flight{kind: result, board: 0}, false},
		{flight{kind: operand, board: 0, carried: true}, false},
	} {
		if got := tt.f.carriedUnwaited(); got != tt.want {
			t.Errorf("%+v: %v", tt.f, got)
		}
	}
	for n := range 3 { // to an empty state
		if merged, changed := state(nil).merge(make(state, n)); len(merged) != n || changed != (n > 0) {
			t.Errorf("%d flights: %d, changed %v", n, len(merged), changed)
		}
	}
}
