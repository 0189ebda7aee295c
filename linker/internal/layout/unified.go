package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// checkUnified refuses functions and data that several modules share. The list of functions makes the table .nv.uft;
// the data are in .nv.udt. The names of these tables count, not their types. The file given by -uidx contains their
// places, and its format is not known (seed 001 phase 10; LAYOUT-070).
func (l *Placed) checkUnified(log *diag.Log) {
	if slices.ContainsFunc(l.Sections, func(s *program.Section) bool {
		isTable := s.Name == cubin.UFTName || s.Name == cubin.UDTName || s.Type == cubin.SectionUFTEntry
		return isTable && s.State != program.Gone
	}) {
		log.Report(diag.NoUnifiedIndex)
	}
}
