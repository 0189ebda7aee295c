package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// Some architectures (sm_110) have variables in the shared memory that the system
// reserves: .nv.shared.reserved.0. A file with a Mercury half has the section; its
// variables begin after the system's own (LAYOUT-062).

// reservedStart is where the first of them may lie: the value of .nv.reservedSmem.offset0.
const reservedStart = 0x40

// layoutReserved returns the variables in reserved shared memory their places: by falling
// alignment, then rising size, ties as nvlink's sort leaves them, from its end. In a
// relocatable file their values are their alignments. The Mercury half counts from the
// first of them; only the finalizer knows what stands before it.
func (l *Placed) layoutReserved() {
	for _, s := range l.Sections {
		if s.Type != cubin.SectionSharedReserved {
			continue
		}
		var variables []*program.Symbol
		for _, list := range [][]*program.Symbol{l.Locals, l.Globals} { // weak ones stand in either (KIT-021)
			for _, y := range list {
				if y.Section == s && !y.IsSection {
					variables = append(variables, y)
				}
			}
		}
		variables = listSort(variables, func(a, b *program.Symbol) bool {
			return a.Value < b.Value || a.Value == b.Value && a.Size > b.Size
		})
		end := uint64(0)
		s.Align = 1
		for _, y := range slices.Backward(variables) {
			s.Align = max(s.Align, y.Value)
			y.Mercury.Value = cubin.AlignUp(end, y.Value)
			y.Value = reservedStart + y.Mercury.Value
			end = y.Mercury.Value + y.Size
		}
		s.Size = reservedStart + end
		if s.Mercury != nil {
			s.Mercury.Align, s.Mercury.Size = s.Align, end
		}
	}
}
