package layout

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Some sections have a largest size: shared and local memory of a kernel, its constant banks, those of the user, the
// compiler's constants of a kernel. nvlink compares all of them when the layout is done, one section after
// the other in the order of their creation, whatever kind they are (LAYOUT-413).

// refuse notes that section s is larger than it may be, and what is said of it.
func (l *Placed) refuse(s *program.Section, id diag.ID, args ...any) {
	if l.oversized == nil {
		l.oversized = map[*program.Section]diag.Diagnostic{}
	}
	l.oversized[s] = diag.New(id, args...)
}

// maxLocal is the most local memory, in bytes, of a function.
const maxLocal = 0x1000000

// checkFunctions refuses sections of local memory and constants that are too large as the inputs have them
// (LAYOUT-414). The bank of the user's constants and that of the compiler's have rules of their own.
func (l *Placed) checkFunctions() {
	for _, s := range l.Sections {
		isBank := s.Bank != program.NoBank && s.Bank != cubin.CompilerBankNumber && s.Name != cubin.UserConstantName
		switch {
		case s.State != program.Kept, s.Dead() && s.Fn.Entry && (s.Bank == 0 || s.Type == cubin.SectionLocal):
		case s.Type == cubin.SectionLocal && s.Size > maxLocal:
			l.refuse(s, diag.TooMuchShared, strings.TrimPrefix(s.Name, cubin.LocalPrefix), "local", s.Size, maxLocal)
		case isBank && s.Size > cubin.MaxConstant && s.Fn != nil:
			l.refuse(s, diag.TooMuchShared, s.Fn.Symbol.Name, "constant", s.Size, cubin.MaxConstant)
		case isBank && s.Size > cubin.MaxConstant:
			l.refuse(s, diag.TooMuchGlobalConstant, "constant", s.Size, cubin.MaxConstant)
		}
	}
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
