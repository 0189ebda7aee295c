package check

import (
	"cmp"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// ToolsPatches reports the first function that was not compiled as a patch for a tool, if -astoolspatch
// requires this of all functions (OPT-059). It returns true if there is none.
func ToolsPatches(m *program.Program, log *diag.Log) bool {
	if !m.Options.ToolsPatch {
		return true
	}
	for _, fn := range m.Functions {
		if fn.Text == nil || fn.Attributes.Has(nvinfo.ToolsPatchFunc) || fn.MercuryAttributes.Has(nvinfo.ToolsPatchFunc) {
			continue
		}
		log.Report(diag.NoToolsPatch, fn.Symbol.Name, cmp.Or(fn.Symbol.DefinedIn, fn.Symbol.Mentioned), m.Target.Profile.Options.ToolsPatch)
		return false
	}
	return true
}
