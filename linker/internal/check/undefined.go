package check

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Undefined reports what nothing defines (REACH-201).
//
// Before: dead code is gone; a function that only dead code names is not missed.
// After:  every undefined symbol of the output is one that the driver provides.
func Undefined(m *program.Program, log *diag.Log) {
	for _, y := range m.Globals {
		if y.Section != nil || y.Common || y.Hidden && y.Shared == nil || program.ProvidedByDriver(y.Name) {
			continue
		}
		if cubin.IsHandle(y.Type) {
			continue // bound when the program is loaded
		}
		if m.Options.AllowUndefinedGlobals && y.Fn == nil && y.Input&cubin.OtherSpaceMask == cubin.OtherGlobal {
			continue
		}
		log.Report(diag.UndefinedReference, y.Name, y.Mentioned)
	}
}
