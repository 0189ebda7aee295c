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

// KeptReserved contains the linker's names that stay in the symbol table of an executable although no input
// defines them. Other names of the linker (__UFT_OFFSET and so on) leave only their names in .strtab
// (EMIT-012).
var KeptReserved = map[string]bool{
	ReservedSharedStart: true, ".nv.reservedSmem.begin": true, ReservedSharedCap: true, cubin.TensorMemoryColumns: true,

	// The driver knows the sizes of descriptors. Code adds them to a handle to query a property of a texture,
	// sampler or surface.
	".nv.unified.texrefDescSize": true, ".nv.independent.texrefDescSize": true,
	".nv.independent.samplerrefDescSize": true, ".nv.surfrefDescSize": true,
}

const (
	ReservedSharedStart = ".nv.reservedSmem.offset0"
	ReservedSharedCap   = ".nv.reservedSmem.cap"
)

// ProvidedValue is the value of a name of the linker, which is 0 but for what the system has of
// shared memory, its first free byte and its size, and for the columns of tensor memory (MERGE-314).
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

// UftOffset, and those in UnifiedTables, are the linker's own symbols for unified functions and data.
const UftOffset = "__UFT_OFFSET"

var UnifiedTables = map[string]bool{
	"__UFT": true, "__UFT_END": true, "__UFT_CANONICAL": true,
	"__UDT": true, "__UDT_END": true, "__UDT_CANONICAL": true, "__UDT_OFFSET": true,
}

// MissesFunction reports, between two inputs, whether a previous input refers to a function that none of them
// defines and the driver does not provide (LOAD-043).
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
