package linker

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// undefined reports what nothing defines (REACH-201).
//
// Before: dead code is gone; a function that only dead code names is not missed.
// After:  every undefined symbol of the output is one that the driver provides.
func undefined(m *merged, log *diag.Log) {
	for _, y := range m.globals {
		if y.section != nil || y.common || y.hidden && y.shared == nil || providedByDriver(y.name) {
			continue
		}
		if isHandle(y.typ) {
			continue // bound when the program is loaded
		}
		if m.options.AllowUndefinedGlobals && y.fn == nil && y.input&cubin.OtherSpaceMask == cubin.OtherGlobal {
			continue
		}
		log.Report(diag.UndefinedReference, y.name, y.mentioned)
	}
}

// missesFunction tells, between two inputs, whether one of those before mentions a
// function that none of them defines and the driver does not provide (LOAD-043).
func (m *merged) missesFunction() bool {
	for _, fn := range m.functions {
		if y := fn.symbol; y.section == nil && !y.hidden && !providedByDriver(y.name) {
			return true
		}
	}
	return false
}

// driverFunctions are the functions that the driver adds when it loads a program:
// they stay undefined in an executable (REACH-202).
var driverFunctions = map[string]bool{
	"__assertfail": true, "__profile": true,
	"free": true, "malloc": true, "vfprintf": true, "vprintf": true,

	"cnpCtxSynchronize": true, "cnpDeviceGetAttribute": true, "cnpDeviceGetName": true,
	"cnpDeviceGetTotalMem": true, "cnpEventCreate": true, "cnpEventDestroy": true,
	"cnpEventRecord": true, "cnpFuncGetAttribute": true, "cnpGetCacheConfig": true,
	"cnpGetDevice": true, "cnpGetDeviceCount": true, "cnpGetLastError": true, "cnpGetLimit": true,
	"cnpGetParameterBuffer": true, "cnpGetParameterBufferV2": true, "cnpGetSharedMemConfig": true,
	"cnpLaunchDevice": true, "cnpLaunchDeviceV2": true, "cnpSetLastError": true,
	"cnpStreamCreate": true, "cnpStreamDestroy": true, "cnpStreamWaitEvent": true,

	"cudaGraphKernelNodeSetEnabled": true, "cudaGraphKernelNodeSetGridDim": true,
	"cudaGraphKernelNodeSetParam": true, "cudaGraphKernelNodeUpdatesApply": true,
	"cudaGraphLaunch": true, "cudaGraphSetConditional": true,
}

// driverPrefix begins the names of the driver's system calls.
const driverPrefix = "__cuda_syscall"

func providedByDriver(name string) bool {
	return driverFunctions[name] || keptReserved[name] || strings.HasPrefix(name, driverPrefix)
}
