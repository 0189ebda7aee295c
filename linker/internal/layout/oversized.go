package layout

import (
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Some sections have a largest size: shared memory of a kernel, the user's constants, the compiler's
// constants of a kernel. nvlink compares all of them when the layout is done, one section after
// the other in the order of their creation, whatever kind they are (LAYOUT-413).

// refuse notes that section s is larger than it may be, and what is said of it.
func (l *Placed) refuse(s *program.Section, id diag.ID, args ...any) {
	if l.oversized == nil {
		l.oversized = map[*program.Section]diag.Diagnostic{}
	}
	l.oversized[s] = diag.New(id, args...)
}

// reportOversized says of sections that they are too large, unless the layout has ended the link.
func (l *Placed) reportOversized(log *diag.Log) {
	if log.Worst() == diag.Fatal {
		return
	}
	for _, s := range l.Sections {
		if said, ok := l.oversized[s]; ok {
			log.Add(said)
		}
	}
}
