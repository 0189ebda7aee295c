package advice

import "testing"

// TestVirtualTarget: the target of PTX is that of its first .target directive.
func TestVirtualTarget(t *testing.T) {
	for text, want := range map[string]string{
		".version 9.0\n  .target\tsm_90a, debug\n.target sm_80\n": "compute_90a",
		"// .target sm_75\n.target texmode\n.target sm_\n":        "an unknown target",
		".target": "an unknown target",
	} {
		if got := virtualTarget([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
