package merge

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// Some debug sections describe how to unwind code. Parts about discarded code are dropped. The other parts stay
// and describe the prevailing code (MERGE-013). The relocations of all inputs refer to the function. Those
// merged before the function's code was replaced belong to the old code. When code is replaced, their number is
// recorded. After all inputs are merged, one pass removes or marks them.

// Relocations of unwind sections against discarded code are dropped. Those of range sections stay, and refer to
// places in the old code (MERC-124).
var (
	unwinds = [...]string{cubin.DebugFrameName, cubin.DebugLineName, cubin.DebugSASSLineName}
	ranges  = [...]string{cubin.DebugInfoName, cubin.DebugLocName}
)

func isUnwind(name string) bool { return slices.Contains(unwinds[:], name) }

// An unwindSide is one side of such a section. For each function it has the number of the first relocations
// that belong to replaced code.
type unwindSide struct {
	removed map[*program.Symbol]int // they are dropped
	stale   map[*program.Symbol]int // they stay and are marked as stale
}

// replaceUnwinds records that the relocations of unwind and range sections so far belong to replaced code of
// fn. If that code had relocations, relocations of unwind sections with addends are dropped. Relocations
// without addends are dropped too if they came first (MERGE-023). Some releases count the relocations of jump tables of copies
// that were discarded for that code (KIT-940).
func (in *merger) replaceUnwinds(fn *program.Function) {
	profile := &in.Target.Profile.Merge
	removes := profile.RemovesUnwinds && (fn.Text.HasRelocations() || profile.CountsDiscardedTables && fn.HasDiscardedTables())
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

// isRemoved reports whether relocation r of s is dropped with the code that it refers to.
func isRemoved(s *program.Section, r *program.Relocation) bool {
	return r.Rela || s.RelocatedFirst() == cubin.SectionRela
}

// traceUnwinds traces the relocations of s that replaceUnwinds removes.
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

// forgetUnwinds removes the relocations of unwind sections about replaced code, and marks those of range
// sections.
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
