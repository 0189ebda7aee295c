package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// checkUnified refuses functions and data that several modules share. They are in the tables
// .nv.uft and .nv.udt, and the file given by -uidx contains their places. No public compiler makes
// such tables, and the format of that file is not known (seed 001 phase 10; LAYOUT-070).
func (l *Placed) checkUnified(log *diag.Log) {
	if slices.ContainsFunc(l.Sections, func(s *program.Section) bool {
		return (s.Type == cubin.SectionUFT || s.Type == cubin.SectionUDT) && s.State != program.Gone
	}) {
		log.Report(diag.NoUnifiedIndex)
	}
}
