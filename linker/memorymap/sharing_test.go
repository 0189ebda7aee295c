package memorymap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/linker/memorymap"
)

// What several kernels have in one place is listed with these kernels, and with what no kernel
// has together with it: what lies there too, and what could (LAYOUT-503).
func TestSharing(t *testing.T) {
	for _, tt := range []struct {
		id, want string
	}{
		{"shared/shared-of-two-kernels", ".nv.shared a (common) at 0: k m\n"},
		{"shared/disjoint-kernels", `.nv.shared j4 (common) at 0: _Z2k3Pi _Z2k2Pi, with d8 (common), could with i4 (common), could with s2 (common)
.nv.shared d8 (common) at 0: _Z2k4Pi _Z2k1Pi, with j4 (common), could with c1 (common)
.nv.shared i4 (common) at 28: _Z2k4Pi _Z2k1Pi, with c1 (common), could with j4 (common)
.nv.shared c1 (common) at 28: _Z2k3Pi _Z2k2Pi, with i4 (common), could with d8 (common), could with s2 (common)
.nv.shared s2 (common) at 32: _Z2k4Pi _Z2k1Pi, could with j4 (common), could with c1 (common)
`},
		{"constant/compiler-generated-two-kernels", ".nv.constant2 constants of _Z1gd at 8: _Z2k2Pd _Z2k1Pd\n"},
	} {
		m := linked(t, tt.id, "80", inputsOf(t, tt.id+"/sm_80/in")...)
		if got := sharing(m); got != tt.want {
			t.Errorf("%s:\n%s", tt.id, got)
		}
	}
}

// sharing writes the list as lines.
func sharing(m *memorymap.Map) string {
	var b strings.Builder
	list := m.Sharing()
	for _, s := range list {
		fmt.Fprintf(&b, "%s %s at %d:", s.Section, s.What, s.Offset)
		for _, k := range s.Kernels {
			fmt.Fprintf(&b, " %s", m.Functions[k].Name)
		}
		for _, i := range s.With {
			fmt.Fprintf(&b, ", with %s", list[i].What)
		}
		for _, i := range s.Could {
			fmt.Fprintf(&b, ", could with %s", list[i].What)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
