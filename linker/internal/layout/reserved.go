package layout

import (
	"github.com/culink/culink/linker/cubin"
)

// Some architectures (sm_110) have variables in the shared memory that the system
// reserves: .nv.shared.reserved.0. A file with a Mercury half has the section; its
// variables begin after the system's own (LAYOUT-062).

// reservedStart is where the first of them may lie: the value of .nv.reservedSmem.offset0.
const reservedStart = 0x40

// layoutReserved gives the variables in reserved shared memory their places. In a
// relocatable file their values are their alignments.
func (l *Placed) layoutReserved() {
	for _, s := range l.Sections {
		if s.Type != cubin.SectionSharedReserved {
			continue
		}
		end := uint64(reservedStart)
		for _, y := range l.Locals {
			if y.Section == s && !y.IsSection {
				y.Value = cubin.AlignUp(end, y.Value)
				y.Mercury.Value = 0
				end = y.Value + y.Size
			}
		}
		s.Size = end
	}
}
