package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// Global memory is .nv.global.init, with contents, and .nv.global, without. Both
// are the inputs' sections one after the other; merge has appended them. What is
// left are the .common variables, which belong to no input (seed 001 phase 1).

// layoutCommons appends the common variables to .nv.global, the one that last became
// common first, each at its own alignment (LAYOUT-011).
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
		l.Options.TraceStep(trace.VariablePlaced, y.Name, y.Value)
	}
}
