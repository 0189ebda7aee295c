package linker

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// undefined reports what nothing defines (UNDEF-001).
//
// Before: dead code is gone; a function that only dead code names is not missed.
// After:  every undefined symbol of the output is one that the driver provides.
func undefined(m *merged, log *diag.Log) {
	for _, y := range m.globals {
		if y.section != nil || y.common || y.hidden || y.shared != nil || providedByDriver(y.name) {
			continue
		}
		if m.options.AllowUndefinedGlobals && y.fn == nil && y.inputSpace == cubin.OtherGlobal {
			continue
		}
		log.Report(diag.UndefinedReference, y.name, y.mentioned)
	}
}

// driverFunctions are the functions that the driver adds when it loads a program:
// they stay undefined in an executable.
var driverFunctions = map[string]bool{
	"vprintf": true, "vfprintf": true, "malloc": true, "free": true,
	"__assertfail": true, "__profile": true,
}

func providedByDriver(name string) bool {
	return driverFunctions[name] || keptReserved[name] ||
		strings.HasPrefix(name, "cnp") || strings.HasPrefix(name, "__cuda_syscall")
}
