package hazard

import (
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

// Where paths meet, their order does not matter, a path twice is one path, and nothing gets
// better: that is why following loops ends.
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

// No distance is both a mistake and enough, and what the assembler left is never a mistake.
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
