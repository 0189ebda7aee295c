package check

import (
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Undefined reports symbols that nothing defines (REACH-201).
//
// Before the call, dead code is dropped. A function to which only dead code refers is not reported.
// If nothing is reported, the driver provides every undefined symbol of the output.
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
