package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// Global memory is .nv.global.init, with contents, and .nv.global, without. Both
// are the inputs' sections one after the other; merge has appended them. What is
// left are the .common variables, which belong to no input (seed 001 phase 1).

const globalName = ".nv.global"

// layoutCommons appends the common variables to .nv.global, the one that last became
// common first, each at its own alignment (LAYOUT-011).
func (l *laidOut) layoutCommons() {
	for _, y := range slices.Backward(l.commons) {
		if !y.common {
			continue
		}
		s := l.globalSection()
		s.kept = true
		align := max(y.value, 1)
		s.align = max(s.align, align)
		y.value = alignUp(s.size, align)
		s.size = y.value + y.size
		y.section, y.common = s, false
		l.options.trace(variablePlaced, y.name, y.value)
	}
}

// globalSection finds or makes .nv.global. Commons that no input's section can
// take make it when all inputs are merged, before the tables of the output.
func (m *merged) globalSection() *section {
	if s := m.byName[globalName]; s != nil {
		return s
	}
	s := m.addSection(&section{
		name: globalName, typ: cubin.SectionGlobal, flags: cubin.FlagAlloc | cubin.FlagWrite, align: 1,
		bank: noBank, group: groupNoBits, noBits: true,
	})
	m.byName[globalName] = s
	return s
}
