package memorymap

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/culink/culink/linker/show"
)

// A Growth is a number that differs between two maps.
type Growth struct {
	Group    string // "space", "input", "kernel", "function", "variable"
	Name     string
	What     string // "code", "registers", "stack"
	Old, New int64  // 0 where there is none
}

// Compare lists the differences between two maps by group, the largest change of each group
// first.
func Compare(a, b *Map) []Growth {
	var all []Growth
	for _, group := range groups {
		old, now := map[[2]string]int64{}, map[[2]string]int64{}
		group.numbers(a, old)
		group.numbers(b, now)
		var changed []Growth
		for key := range maps.Keys(union(old, now)) {
			if old[key] != now[key] {
				changed = append(changed, Growth{group.name, key[0], key[1], old[key], now[key]})
			}
		}
		slices.SortFunc(changed, func(x, y Growth) int {
			return cmp.Or(cmp.Compare(abs(y.New-y.Old), abs(x.New-x.Old)), cmp.Compare(x.Name, y.Name), cmp.Compare(x.What, y.What))
		})
		all = append(all, changed...)
	}
	return all
}

func union(a, b map[[2]string]int64) map[[2]string]int64 {
	u := maps.Clone(a)
	maps.Copy(u, b)
	return u
}

func abs(n int64) int64 { return max(n, -n) }

// groups lists the numbers of a map that are compared, by name and by what they count.
var groups = []struct {
	name    string
	numbers func(*Map, map[[2]string]int64)
}{
	{"space", func(m *Map, n map[[2]string]int64) {
		for _, s := range m.Spaces {
			n[[2]string{string(s.Name), "bytes"}] = int64(s.Size)
		}
	}},
	{"input", func(m *Map, n map[[2]string]int64) {
		for _, in := range m.Inputs {
			for i, size := range in.Bytes {
				if i < len(m.Spaces) {
					n[[2]string{in.Name, string(m.Spaces[i].Name)}] = int64(size)
				}
			}
		}
	}},
	{"kernel", func(m *Map, n map[[2]string]int64) {
		for _, k := range m.Kernels {
			name := m.Functions[k.Function].title()
			n[[2]string{name, "registers"}] = int64(k.Registers)
			n[[2]string{name, "shared"}] = int64(k.Shared)
			if k.Stack != nil {
				n[[2]string{name, "stack"}] = int64(*k.Stack)
			}
			for _, c := range k.Constants {
				n[[2]string{name, c.Section}] = int64(c.Size)
			}
		}
	}},
	{"function", func(m *Map, n map[[2]string]int64) {
		for i := range m.Functions {
			n[[2]string{m.Functions[i].title(), "code"}] += int64(m.Functions[i].Code)
		}
	}},
	{"variable", func(m *Map, n map[[2]string]int64) {
		for _, space := range m.Spaces {
			if space.Name != Global && space.Name != Constant {
				continue
			}
			for _, s := range space.Sections {
				for _, y := range s.Symbols {
					n[[2]string{cmp.Or(y.Source, y.Name), string(space.Name)}] += int64(y.Size)
				}
			}
		}
	}},
}

func (f *Function) title() string { return cmp.Or(f.Source, f.Name) }

// WriteGrowth prints a comparison.
func WriteGrowth(w io.Writer, all []Growth) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, g := range all {
		fmt.Fprintf(table, "%d\t%d\t%+d\t  %s %s: %s\n", g.Old, g.New, g.New-g.Old, show.Line(g.Group), show.Line(g.Name), show.Line(g.What))
	}
	return table.Flush()
}
