package check

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Undefined reports symbols that nothing defines (REACH-201).
//
// Before: dead code is dropped; a function that only dead code refers to is not reported.
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
