package layout

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Some sections have a maximum size: a kernel's shared and local memory, its constant banks, the user's constants,
// and a kernel's compiler-generated constants. nvlink checks all of them after the layout, in the order in which
// the sections were created, whatever their kind is (LAYOUT-413).

// refuse records that section s is too large. id and args are its diagnostic.
func (l *Placed) refuse(s *program.Section, id diag.ID, args ...any) {
	if l.oversized == nil {
		l.oversized = map[*program.Section]diag.Diagnostic{}
	}
	l.oversized[s] = diag.New(id, args...)
}

// maxLocal is the maximum size, in bytes, of a function's local memory.
const maxLocal = 0x1000000

// checkFunctions refuses sections of local memory and constants that are too large in the inputs already
// (LAYOUT-414). The banks of the user's constants and of compiler-generated constants have their own rules.
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

// reportOversized reports the sections that are too large. It does nothing if the layout has ended with a fatal
// error.
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
