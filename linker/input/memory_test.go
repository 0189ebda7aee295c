package input

import "testing"

// TestStaysAtHome: a cubin for sm_100 is refused for sm_103 by itself, and no other pair is like that (JIT-042).
func TestStaysAtHome(t *testing.T) {
	for _, c := range []struct {
		sm, target int
		want       bool
	}{{100, 103, true}, {100, 100, false}, {103, 103, false}, {100, 110, false}, {103, 100, false}, {120, 121, false}} {
		if got := staysAtHome(c.sm, c.target); got != c.want {
			t.Errorf("sm_%d for sm_%d: %t", c.sm, c.target, got)
		}
	}
}
