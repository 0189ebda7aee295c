package memorymap

import (
	"cmp"
	"slices"
	"strings"
)

// A Sharing is a variable or a group of constants that has the same offset in several kernels. A
// variable is in the shared memory of these kernels. Constants of a function are in their constant
// banks. Two Sharings can overlap if no kernel has both.
type Sharing struct {
	Section string `json:"section"` // ".nv.shared" or ".nv.constant2"
	What    string `json:"what"`
	Source  string `json:"source,omitempty"`
	Offset  uint64 `json:"offset"`
	Size    uint64 `json:"size"`
	Kernels []int  `json:"kernels"` // that have it: indices of Map.Functions
	// These are indices in the list. They identify other elements that no kernel has together with
	// this one.
	With  []int `json:"with"`  // shares its place
	Could []int `json:"could"` // lies elsewhere, and could share its place
}

// mostShared is the maximum number of elements that Sharing lists, the largest first. The number is
// limited because all pairs are compared.
const mostShared = 500

// Sharing lists variables and constants that have the same offset in several kernels, the largest
// first. It shows which kernels have each of them, which others overlap it, and which others could.
func (m *Map) Sharing() []Sharing {
	list := m.inSeveralKernels()
	for i := range list {
		for k := range list[:i] {
			a, b := &list[i], &list[k]
			if a.Section != b.Section || slices.ContainsFunc(a.Kernels, func(f int) bool { return slices.Contains(b.Kernels, f) }) {
				continue
			}
			if a.Offset < b.Offset+b.Size && b.Offset < a.Offset+a.Size {
				a.With, b.With = append(a.With, k), append(b.With, i)
			} else {
				a.Could, b.Could = append(a.Could, k), append(b.Could, i)
			}
		}
	}
	return list
}

// inSeveralKernels collects the parts of the kernels' sections by name.
func (m *Map) inSeveralKernels() (list []Sharing) {
	kernels := map[string]int{}
	for _, k := range m.Kernels {
		kernels[m.Functions[k.Function].Name] = k.Function
	}
	type key struct{ section, what string }
	at := map[key]int{}
	for _, space := range m.Spaces {
		if space.Name != Shared && space.Name != Constant {
			continue
		}
		for _, s := range space.Sections {
			section, name := splitSection(s.Name)
			kernel, known := kernels[name]
			for _, p := range s.Parts {
				if !known || p.What == "" || p.Input == Linker {
					continue
				}
				i, seen := at[key{section, p.What}]
				if !seen {
					i = len(list)
					at[key{section, p.What}] = i
					list = append(list, Sharing{Section: section, What: p.What, Source: p.Source, Offset: p.Offset, Size: p.Size})
				}
				list[i].Kernels = append(list[i].Kernels, kernel)
			}
		}
	}
	list = slices.DeleteFunc(list, func(s Sharing) bool { return len(s.Kernels) < 2 })
	slices.SortStableFunc(list, func(a, b Sharing) int { return cmp.Compare(b.Size, a.Size) })
	return list[:min(len(list), mostShared)]
}

// splitSection splits the name of a kernel's section: ".nv.shared.k" is ".nv.shared" of k.
func splitSection(name string) (section, kernel string) {
	const prefix = ".nv."
	rest, ok := strings.CutPrefix(name, prefix)
	section, kernel, _ = strings.Cut(rest, ".")
	if !ok {
		return name, ""
	}
	return prefix + section, kernel
}
