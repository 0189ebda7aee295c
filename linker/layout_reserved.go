package linker

import "github.com/culink/culink/linker/cubin"

// Some architectures (sm_110) have variables in the shared memory that the system
// reserves: .nv.shared.reserved.0. A file with a Mercury half has the section; its
// variables begin behind the system's own (LAYOUT-062).

// reservedStart is where the first of them may lie: the value of .nv.reservedSmem.offset0.
const reservedStart = 0x40

// layoutReserved gives the variables in reserved shared memory their places. In a
// relocatable file their values are their alignments.
func (l *laidOut) layoutReserved() {
	for _, s := range l.sections {
		if s.typ != cubin.SectionSharedReserved {
			continue
		}
		end := uint64(reservedStart)
		for _, y := range l.locals {
			if y.section == s && !y.isSection {
				y.value = alignUp(end, y.value)
				y.mercury.value = 0
				end = y.value + y.size
			}
		}
		s.size = end
	}
}
