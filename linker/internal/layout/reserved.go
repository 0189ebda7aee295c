package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// Some architectures (sm_110) have variables in the shared memory that is reserved for the system.
// Files with a Mercury half have a section for them, .nv.shared.reserved.0. The program's variables
// in this section begin after the system's own (LAYOUT-062).

// reservedStart is the lowest offset of a variable of the program there. It is the value of
// .nv.reservedSmem.offset0.
const reservedStart = 0x40

// layoutReserved places the variables in reserved shared memory by decreasing alignment, then by
// increasing size. Equal ones are in the reverse of the order that nvlink's sort produces. In a
// relocatable file the values of their symbols are their alignments. Offsets in the Mercury half
// count from the first variable, because only the finalizer knows what precedes it.
func (l *Placed) layoutReserved() {
	for _, s := range l.Sections {
		if s.Type != cubin.SectionSharedReserved {
			continue
		}
		var variables []*program.Symbol
		for _, list := range [][]*program.Symbol{l.Locals, l.Globals} { // weak ones can be in either list (KIT-021)
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
