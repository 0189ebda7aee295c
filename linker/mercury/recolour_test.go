package mercury

import "testing"

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
		if _, ok := recolour(loads(n)); ok {
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
	coloured, ok := recolour(code)
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

// MERC-140: what the rules explain but cannot be proven safe keeps the input's scoreboards:
// here the product is used a cycle after it was begun.
func TestRecolouredCodeIsProven(t *testing.T) {
	code := []instruction{
		{0x0000df00ff017b82, 0x000e220000000800}, // LDC R1, c[0x0][0x37c], scoreboard 0
		{0x0000000000007919, 0x000e6e0000002100}, // S2R R0, SR_TID.X, scoreboard 1
		{0x0000e000ff027b82, 0x000e620000000a00}, // LDC.64 R2, c[0x0][0x380], scoreboard 1
		{0x0000000400027825, 0x002fca00078e0202}, // IMAD.WIDE.U32 R2, R0, 4, R2, waits for 1
		{0x0000000400027825, 0x000fca00078e0202}, // the same
		{0x000000000000794d, 0x001fea0003800000}, // EXIT, waits for 0
	}
	for _, test := range []struct {
		stall uint64
		want  Changes
	}{{5, Recoloured}, {1, Scoreboards}} {
		steps := make([]step, len(code))
		for i, x := range code {
			if i == 3 {
				x.high = x.high&^(0xf<<scheduleStart) | test.stall<<scheduleStart
			}
			steps[i] = step{instruction: x, old: i}
		}
		if got := recolourSteps(steps, 100); got != test.want {
			t.Errorf("a stall of %d: %v, want %v", test.stall, got, test.want)
		}
	}
}
