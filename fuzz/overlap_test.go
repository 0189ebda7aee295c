package fuzz

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/race"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubintext"
)

// An overlap makes a file of n parts at the same offset. If a reader copied each part, its memory would grow
// quadratically with n.
type overlap struct {
	name, suffix string
	size         int
	make         func(t *testing.T, n int) []byte
}

// sectionsOf returns a function that makes a cubin of n kernels. The name of a section of each kernel begins with
// prefix. The first of these sections is large, and the others have its offset and size.
func sectionsOf(prefix string) func(t *testing.T, n int) []byte {
	return func(t *testing.T, n int) []byte {
		var m race.Module
		for i := range n {
			name := m.Kernel("k%d", i)
			size := 4
			if i == 0 {
				size = 96 * n
			}
			if prefix != ".text." {
				m.More("section %s%s\n\tzero %d\n", prefix, name, size)
			}
		}
		return craft.Overlap(assemble(t, &m), prefix)
	}
}

func assemble(t *testing.T, m *race.Module) []byte {
	t.Helper()
	data, err := cubintext.Parse("overlap", m.String())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// anObject returns a host object with device code.
func anObject(t *testing.T, more ...craft.Section) []byte {
	t.Helper()
	var m race.Module
	m.Kernel("k")
	return craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: assemble(t, &m), Compress: "zstd"}), "_k", more...)
}

// hostSections returns a function that makes a host object with n+1 sections of the same name, offset and size.
func hostSections(name string, contents string) func(t *testing.T, n int) []byte {
	return func(t *testing.T, n int) []byte {
		sections := []craft.Section{{Name: name, Data: []byte(strings.Repeat(contents, n))}}
		for range n {
			sections = append(sections, craft.Section{Name: name, Data: []byte(contents)})
		}
		return craft.Overlap(anObject(t, sections...), name)
	}
}

func overlaps() []overlap {
	list := []overlap{
		{"names of symbols", ".cubin", 500, func(t *testing.T, n int) []byte {
			var m race.Module
			m.Kernel("k")
			for i := range n {
				fmt.Fprintf(&m.Symbols, "\tsymbol u%d global func undef\n", i)
			}
			fmt.Fprintf(&m.Symbols, "\tsymbol %s global func undef\n", strings.Repeat("a", 20*n))
			return craft.LongNames(assemble(t, &m), 10)
		}},
		{"identifiers of a fat binary's entries", ".fatbin", 500, func(_ *testing.T, n int) []byte { return craft.OverlappingEntries(n) }},
		{"names of an archive's members", ".a", 100, func(t *testing.T, n int) []byte {
			members := []craft.Member{{Name: "//", Data: append(bytes.Repeat([]byte("n"), 3000), "/\n"...)}}
			for range n {
				members = append(members, craft.Member{Name: "/0", Data: anObject(t)})
			}
			return craft.Archive(members...)
		}},
		{"code of a host object", ".o", 100, hostSections(".nv_fatbin", "fatb")},
		{"kernels that a host object names", ".o", 100, hostSections(".nvHRKE", "k*k\x00")},
		{"modules of a host object", ".o", 100, hostSections("__nv_module_id", "_id\x00")},
	}
	for _, prefix := range []string{".nv.info.", ".rela.text.", ".rel.text.", ".nv.constant0.", ".nv.constant2.", ".nv.constant3.",
		".nv.shared.", ".nv.local.", ".nv.compat", ".text.", ".debug_", ".nv.callgraph", ".nv.prototype", ".note.nv."} {
		list = append(list, overlap{"sections " + prefix, ".cubin", 100, sectionsOf(prefix)})
	}
	return list
}

// If a file has four times as many parts at one offset and four times the size, the link needs at most six times the
// memory. Copies of the parts would need sixteen times. Instead, the link may exceed its budget and end (LIMIT-001).
func TestOverlapGrowth(t *testing.T) {
	dir := t.TempDir()
	for _, o := range overlaps() {
		cost := func(n int) (bytes uint64, said int) {
			name := filepath.Join(dir, "x"+o.suffix)
			if err := os.WriteFile(name, o.make(t, n), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, said = linkWithBudget(name)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc, said
		}
		small, saidOfSmall := cost(o.size)
		large, said := cost(4 * o.size)
		if large > 6*small+4<<20 {
			t.Errorf("%s: %d parts allocate %d bytes, %d parts %d", o.name, o.size, small, 4*o.size, large)
		}
		if said > 6*saidOfSmall+fixedMessages {
			t.Errorf("%s: %d parts make %d bytes of messages, %d parts %d", o.name, o.size, saidOfSmall, 4*o.size, said)
		}
		t.Logf("%s: %d and %d bytes, %d and %d of messages", o.name, small, large, saidOfSmall, said)
	}
}
