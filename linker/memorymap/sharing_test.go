package memorymap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/linker/memorymap"
)

// A variable that has one place in several kernels is listed with these kernels. It is also listed with the
// variables that no kernel uses together with it: those that share its bytes, and those that could
// (LAYOUT-503).
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

// Only variables in shared and constant memory are listed. Adjacent variables do not count as sharing. The list
// is limited.
func TestSharingBounds(t *testing.T) {
	m := &memorymap.Map{
		Functions: []memorymap.Function{{Name: "k"}, {Name: "m"}, {Name: "p"}, {Name: "q"}},
		Kernels:   []memorymap.Kernel{{Function: 0}, {Function: 1}, {Function: 2}, {Function: 3}},
	}
	part := func(name string, offset, size uint64) memorymap.Part {
		return memorymap.Part{Offset: offset, Size: size, Input: "a.cubin", What: name}
	}
	space := func(name memorymap.SpaceName, prefix string, parts map[string][]memorymap.Part) (s memorymap.Space) {
		s.Name = name
		for _, kernel := range []string{"k", "m", "p", "q"} {
			s.Sections = append(s.Sections, memorymap.Section{Name: prefix + kernel, Parts: parts[kernel]})
		}
		return s
	}
	first, second, over := []memorymap.Part{part("first", 0, 32)}, []memorymap.Part{part("second", 32, 64)}, []memorymap.Part{part("over", 31, 16)}
	m.Spaces = []memorymap.Space{
		space(memorymap.Local, ".nv.local.", map[string][]memorymap.Part{"k": first, "m": first}),
		space(memorymap.Shared, ".nv.shared.", map[string][]memorymap.Part{"k": first, "m": first, "p": second, "q": second}),
		space(memorymap.Constant, ".nv.constant2.", map[string][]memorymap.Part{"k": first, "m": first, "p": over, "q": over}),
	}
	const want = ".nv.shared second at 32: p q, could with first\n.nv.shared first at 0: k m, could with second\n" +
		".nv.constant2 first at 0: k m, with over\n.nv.constant2 over at 31: p q, with first\n"
	if got := sharing(m); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var many []memorymap.Part
	for i := range 501 {
		many = append(many, part(fmt.Sprint("v", i), 0, uint64(i)+1))
	}
	m.Spaces = []memorymap.Space{space(memorymap.Shared, ".nv.shared.", map[string][]memorymap.Part{"k": many, "m": many})}
	if list := m.Sharing(); len(list) != 500 || list[499].What != "v1" {
		t.Errorf("%d shared variables", len(list))
	}
}

// sharing returns the list as lines.
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

// The list shows which kernels share a variable, and which variables could share its place.
func ExampleMap_Sharing() {
	m := &memorymap.Map{
		Functions: []memorymap.Function{{Name: "k"}, {Name: "m"}, {Name: "p"}, {Name: "q"}},
		Kernels:   []memorymap.Kernel{{Function: 0}, {Function: 1}, {Function: 2}, {Function: 3}},
	}
	tile := memorymap.Part{Size: 64, Input: "a.cubin", What: memorymap.Common("tile")}
	bins := memorymap.Part{Offset: 64, Size: 32, Input: "a.cubin", What: memorymap.Common("bins")}
	shared := memorymap.Space{Name: memorymap.Shared}
	for kernel, part := range map[string]memorymap.Part{"k": tile, "m": tile, "p": bins, "q": bins} {
		shared.Sections = append(shared.Sections, memorymap.Section{Name: ".nv.shared." + kernel, Parts: []memorymap.Part{part}})
	}
	m.Spaces = []memorymap.Space{shared}
	list := m.Sharing()
	for _, s := range list {
		fmt.Println(s.What, "in", len(s.Kernels), "kernels, could share its place with", list[s.Could[0]].What)
	}
	// Output:
	// tile (common) in 2 kernels, could share its place with bins (common)
	// bins (common) in 2 kernels, could share its place with tile (common)
}
