package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// Some architectures (sm_110) have variables in the shared memory that the system
// reserves: .nv.shared.reserved.0. A file with a Mercury half has the section; its
// variables begin behind the system's own (LAYOUT-062).

// reservedStart is where the first of them may lie: the value of .nv.reservedSmem.offset0.
const reservedStart = 0x40

// layoutReserved gives the variables in reserved shared memory their places: by falling
// alignment, then rising size, ties as nvlink's sort leaves them, from its end. In a
// relocatable file their values are their alignments. The Mercury half counts from the
// first of them; only the finalizer knows what stands before it.
func (l *laidOut) layoutReserved() {
	for _, s := range l.sections {
		if s.typ != cubin.SectionSharedReserved {
			continue
		}
		var variables []*symbol
		for _, y := range l.locals {
			if y.section == s && !y.isSection {
				variables = append(variables, y)
			}
		}
		variables = listSort(variables, func(a, b *symbol) bool {
			return a.value < b.value || a.value == b.value && a.size > b.size
		})
		end := uint64(0)
		s.align = 1
		for _, y := range slices.Backward(variables) {
			s.align = max(s.align, y.value)
			y.mercury.value = alignUp(end, y.value)
			y.value = reservedStart + y.mercury.value
			end = y.mercury.value + y.size
		}
		s.size = reservedStart + end
		if s.copy != nil {
			s.copy.align, s.copy.size = s.align, end
		}
	}
}
