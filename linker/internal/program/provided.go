package program

import (
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// IsLinkers reports whether the linker or the system defines name.
func IsLinkers(name string) bool {
	return UnifiedTables[name] || name == UftOffset || KeptReserved[name]
}

// KeptReserved contains those names of the linker that stay in the symbol table of an executable although no
// input defines them. Other names of the linker, such as __UFT_OFFSET, are only in .strtab (EMIT-012).
var KeptReserved = map[string]bool{
	ReservedSharedStart: true, ".nv.reservedSmem.begin": true, ReservedSharedCap: true, cubin.TensorMemoryColumns: true,

	// The driver defines the sizes of descriptors. Code adds such a size to a handle to query a property of a
	// texture, sampler or surface.
	".nv.unified.texrefDescSize": true, ".nv.independent.texrefDescSize": true,
	".nv.independent.samplerrefDescSize": true, ".nv.surfrefDescSize": true,
}

const (
	ReservedSharedStart = ".nv.reservedSmem.offset0"
	ReservedSharedCap   = ".nv.reservedSmem.cap"
)

// ProvidedValue returns the value of a name that the linker defines. It is 0 except for the reserved shared
// memory of the system, with its first free byte and its size, and for the columns of tensor memory
// (MERGE-314).
func ProvidedValue(name string, sm int) uint64 {
	switch {
	case name == ReservedSharedStart && sm >= arch.MinMercury:
		return 0x40
	case name == ReservedSharedCap && sm >= 90:
		return 0x400
	case name == cubin.TensorMemoryColumns && sm >= arch.MinMercury:
		return 512
	}
	return 0
}

// UftOffset and the names in UnifiedTables are the linker's own symbols for unified functions and data.
const UftOffset = "__UFT_OFFSET"

var UnifiedTables = map[string]bool{
	"__UFT": true, "__UFT_END": true, "__UFT_CANONICAL": true,
	"__UDT": true, "__UDT_END": true, "__UDT_CANONICAL": true, "__UDT_OFFSET": true,
}

// MissesFunction is called between two inputs. It reports whether an earlier input refers to a function that
// none of them defines and that the driver does not provide (LOAD-043).
func (m *Program) MissesFunction() bool {
	for _, fn := range m.Functions {
		if y := fn.Symbol; y.Section == nil && !y.Hidden && y.Name != "" && !ProvidedByDriver(y.Name) {
			return true
		}
	}
	return false
}

// driverFunctions are the functions that the driver adds when it loads a program. They stay undefined in an
// executable (REACH-202).
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

// driverPrefix is the prefix of the names of the driver's system calls.
const driverPrefix = "__cuda_syscall"

func ProvidedByDriver(name string) bool {
	return driverFunctions[name] || KeptReserved[name] || strings.HasPrefix(name, driverPrefix)
}
