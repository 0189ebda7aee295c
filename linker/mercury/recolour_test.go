package mercury

import (
	"slices"
	"testing"
)

// loads is code that loads the stack pointer, and then n times from one address to
// registers in turn, with scoreboards that no compiler would choose.
func loads(n int) []instruction {
	code := []instruction{{0x0000df00ff017b82, 0x000e220000000800}} // LDC R1, scoreboard 0
	for i := range n {
		code = append(code, instruction{0x0000006402007981 | uint64(4+i%200)<<16, 0x0002a2000c1e1900}) // LDG, scoreboards 1, 2
	}
	return append(code, instruction{0x000000000000794d, 0x000fea0003800000}) // EXIT
}

// Code whose scoreboards the rules do not explain keeps them, and code in which all share
// scoreboards does not take long: a test that hangs fails.
func TestNotRecoloured(t *testing.T) {
	for _, n := range []int{3, 300, 3000} {
		if _, ok := recolour(loads(n), 100); ok {
			t.Errorf("%d loads: scoreboards that no compiler chose are explained", n)
		}
	}
}

// A wait for the stack pointer goes, and what was on a later scoreboard moves up.
func TestRecolour(t *testing.T) {
	code := []instruction{
		{0x0000df00ff017b82, 0x000e220000000800}, // LDC R1, c[0x0][0x37c], scoreboard 0
		{0x0000000000007919, 0x000e6e0000002100}, // S2R R0, SR_TID.X, scoreboard 1
		{0x0000e000ff027b82, 0x000e620000000a00}, // LDC.64 R2, c[0x0][0x380], scoreboard 1
		{0x0000000400027825, 0x002fca00078e0202}, // IMAD.WIDE.U32 R2, R0, 4, R2, waits for 1
		{0x000000000000794d, 0x001fea0003800000}, // EXIT, waits for 0
	}
	coloured, ok := recolour(code, 100)
	if !ok {
		t.Fatal("not explained")
	}
	for i, want := range []struct{ writes, waits uint64 }{{7, 0}, {0, 0}, {0, 0}, {7, 1}, {7, 0}} {
		if x := coloured[i]; x.writes() != want.writes || x.high>>waitMask&0x3f != want.waits {
			t.Errorf("instruction %d: scoreboard %d, waits %#x; want %d, %#x", i, x.writes(), x.high>>waitMask&0x3f, want.writes, want.waits)
		}
	}
}

// A set has what was added and not removed, whatever its size.
func TestSet(t *testing.T) {
	s, other := newSet(200), newSet(200)
	for _, i := range []int{0, 63, 64, 199} {
		s.add(i)
	}
	other.add(64)
	if !s.meets(other) || s.addAll(other) || !other.addAll(s) {
		t.Error("64 is in both, 0 was in one")
	}
	s.removeAll(other)
	if i, ok := s.first(); ok || s.meets(other) {
		t.Errorf("%d is still there", i)
	}
	var all []int
	for i := range other.all {
		all = append(all, i)
	}
	if len(all) != 4 || all[3] != 199 || !other.has(63) || other.has(62) {
		t.Error(all)
	}
}

// MERC-140: a new schedule must be as safe as the old one, not safer.
func TestAsSafe(t *testing.T) {
	code := []instruction{
		{0x0000df00ff017b82, 0x000e220000000800}, // LDC R1, c[0x0][0x37c], scoreboard 0
		{0x0000000000007919, 0x000e6e0000002100}, // S2R R0, SR_TID.X, scoreboard 1
		{0x0000e000ff027b82, 0x000e620000000a00}, // LDC.64 R2, c[0x0][0x380], scoreboard 1
		{0x0000000400027825, 0x002fca00078e0202}, // IMAD.WIDE.U32 R2, R0, 4, R2, waits for 1
		{0x0000000400027825, 0x000fca00078e0202}, // the same
		{0x000000000000794d, 0x001fea0003800000}, // EXIT, waits for 0
	}
	with := func(change func(code []instruction)) []instruction {
		c := slices.Clone(code)
		change(c)
		return c
	}
	early := func(c []instruction) { // the product is used a cycle after it was begun
		c[3].high = c[3].high&^(0xf<<scheduleStart) | 1<<scheduleStart
	}
	noWait := func(c []instruction) { c[3].high &^= 0x3f << waitMask }
	for _, test := range []struct {
		name          string
		before, after []instruction
		want          bool
	}{
		{"the same", code, code, true},
		{"a wait is lost", code, with(noWait), false},
		{"too early in both", with(early), with(early), true},
		{"too early in both, and a wait is lost", with(early), with(func(c []instruction) { early(c); noWait(c) }), false},
	} {
		if got := asSafe(test.after, test.before, 100); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
