package sass_test

import (
	"pgregory.net/rapid"
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// Written control fields are read back, and the rest of the instruction is unchanged.
func TestControlRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := sass.Instruction{Low: rapid.Uint64().Draw(t, "low"), High: rapid.Uint64().Draw(t, "high")}
		c := sass.Control{
			Stall: rapid.IntRange(0, 15).Draw(t, "stall"), Yield: rapid.Bool().Draw(t, "yield"),
			Write: rapid.IntRange(0, 7).Draw(t, "write"), Read: rapid.IntRange(0, 7).Draw(t, "read"),
			Wait: rapid.Uint64Range(0, 63).Draw(t, "wait"), Reuse: rapid.Uint64Range(0, 15).Draw(t, "reuse"),
		}
		y := x.WithControl(c)
		if got := y.Control(); got != c {
			t.Errorf("%+v, want %+v", got, c)
		}
		if !x.SameButControl(y) || x.WithControlOf(y) != y {
			t.Errorf("%+v and %+v differ in more than control fields", x, y)
		}
	})
}

// An LDG is decoded as it was compiled, with its results on scoreboard 2 and a wait for scoreboard
// 1.
func TestControl(t *testing.T) {
	x := sasstest.Asm("[B-1----:R-:W2:-:S01] LDG.E R0, desc[UR6][R2.64+0x0]")
	if got, want := x.Control(), (sass.Control{Stall: 1, Write: 2, Read: sass.NoBarrier, Wait: 1 << 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := x.Op().String() + " " + sass.Op(0x1ff).String(); got != "LDG 0x1ff" {
		t.Error(got)
	}
}
