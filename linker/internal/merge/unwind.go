package merge

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// Some sections for debuggers say how to unwind code. What they say of code that lost goes;
// what the others say stays, about the code that won (MERGE-013). Relocations of both name
// the function, whichever input they came from: those that came before the function's code
// gave way are of the old code. A replacement notes how many there are by then, and one
// pass when all inputs are merged removes or marks them.

// unwinds are the sections whose relocations against code that lost go; those of ranges stay, and name
// places in the old code (MERC-124).
var (
	unwinds = [...]string{cubin.DebugFrameName, cubin.DebugLineName, cubin.DebugSASSLineName}
	ranges  = [...]string{cubin.DebugInfoName, cubin.DebugLocName}
)

func isUnwind(name string) bool { return slices.Contains(unwinds[:], name) }

// An unwindSide is a side of such a section. By function, so many of its first relocations
// are of code that gave way:
type unwindSide struct {
	removed map[*program.Symbol]int // they go
	stale   map[*program.Symbol]int // they stay, and are known to be stale
}

// replaceUnwinds notes that the relocations of unwinds and ranges so far are about code of fn that
// gives way. If that code had relocations, those of unwinds with addends go, and where such ones came
// first those without (MERGE-023).
func (in *merger) replaceUnwinds(fn *program.Function) {
	removes := in.Target.Profile.Merge.RemovesUnwinds && fn.Text.HasRelocations()
	for _, name := range ranges {
		if s := in.ByName[name]; s != nil {
			in.unwindSide(&s.Side).stale[fn.Symbol] = len(s.Relocations)
		}
	}
	for _, name := range unwinds {
		s := in.ByName[name]
		if s == nil {
			continue
		}
		in.traceUnwinds(s, fn, removes)
		in.unwindSide(&s.Side).stale[fn.Symbol] = len(s.Relocations)
		for _, side := range s.Sides() {
			if removes {
				in.unwindSide(side).removed[fn.Symbol] = len(side.Relocations)
			}
		}
	}
}

// isRemoved reports whether relocation r of s goes with the code that it is about.
func isRemoved(s *program.Section, r *program.Relocation) bool {
	return r.Rela || s.RelocatedFirst() == cubin.SectionRela
}

// traceUnwinds tells of the relocations of s that replaceUnwinds removes.
func (in *merger) traceUnwinds(s *program.Section, fn *program.Function, removes bool) {
	if in.Options.Trace == nil || !removes {
		return
	}
	for i := in.unwindSide(&s.Side).removed[fn.Symbol]; i < len(s.Relocations); i++ {
		if r := &s.Relocations[i]; r.Symbol == fn.Symbol && isRemoved(s, r) {
			in.Options.TraceStep(trace.RemovesWeakDebugRelocation)
		}
	}
}

func (m *merged) unwindSide(side *program.Side) *unwindSide {
	u := m.unwindSides[side]
	if u == nil {
		u = &unwindSide{map[*program.Symbol]int{}, map[*program.Symbol]int{}}
		m.unwindSides[side] = u
	}
	return u
}

// forgetUnwinds removes the relocations of unwinds about code that gave way, and marks those that stay.
func (m *merged) forgetUnwinds() {
	for _, name := range slices.Concat(unwinds[:], ranges[:]) {
		s := m.ByName[name]
		if s == nil {
			continue
		}
		for _, side := range s.Sides() {
			u := m.unwindSides[side]
			if u == nil {
				continue
			}
			kept := side.Relocations[:0]
			for i, r := range side.Relocations {
				if i < u.removed[r.Symbol] && isRemoved(s, &r) {
					continue
				}
				r.Stale = r.Stale || i < u.stale[r.Symbol]
				kept = append(kept, r)
			}
			side.Relocations = kept
		}
	}
}
