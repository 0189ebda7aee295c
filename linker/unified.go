package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// checkUnified refuses functions and data that several modules share: they stand in
// tables of their own, .nv.uft and .nv.udt, of which the file that -uidx names tells the
// places. No public compiler makes them, and the format of that file is not known (seed
// 001 phase 10; LAYOUT-070).
func (l *laidOut) checkUnified(log *diag.Log) {
	if slices.ContainsFunc(l.sections, func(s *section) bool {
		return (s.typ == cubin.SectionUFT || s.typ == cubin.SectionUDT) && !s.gone
	}) {
		log.Report(diag.NoUnifiedIndex)
	}
}
