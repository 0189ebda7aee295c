package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// Global memory consists of .nv.global.init, with contents, and .nv.global, without.
// Merge has already concatenated the inputs' sections into both. This file adds the
// .common variables, which belong to no input (seed 001 phase 1).

// layoutCommons appends the common variables to .nv.global, each at its own alignment.
// The variable that became common last comes first (LAYOUT-011).
func (l *Placed) layoutCommons() {
	for _, y := range slices.Backward(l.Commons) {
		if !y.Common {
			continue
		}
		s := l.GlobalSection()
		s.State = program.Kept
		align := max(y.Value, 1)
		s.Align = max(s.Align, align)
		y.Value = cubin.AlignUp(s.Size, align)
		s.Size = y.Value + y.Size
		y.Section, y.Common = s, false
		l.tracePlace(y, "LAYOUT-011", align, y.Size)
	}
}
