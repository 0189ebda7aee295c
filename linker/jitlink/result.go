package jitlink

import "fmt"

// A Result is the result of a call of the library. Its number is part of the interface (JIT-001).
type Result int32

// The results.
const (
	Success Result = iota
	UnrecognizedOption
	MissingArch
	InvalidInput
	PTXCompile
	NVVMCompile
	Internal
	ThreadPool
	UnrecognizedInput
	Finalize
	NullInput
	IncompatibleOptions
	IncorrectInputType
	ArchMismatch
	OutdatedLibrary
	MissingFatbin
	UnrecognizedArch
	UnsupportedArch
	LTONotEnabled
)

var resultNames = [...]string{
	Success:             "NVJITLINK_SUCCESS",
	UnrecognizedOption:  "NVJITLINK_ERROR_UNRECOGNIZED_OPTION",
	MissingArch:         "NVJITLINK_ERROR_MISSING_ARCH",
	InvalidInput:        "NVJITLINK_ERROR_INVALID_INPUT",
	PTXCompile:          "NVJITLINK_ERROR_PTX_COMPILE",
	NVVMCompile:         "NVJITLINK_ERROR_NVVM_COMPILE",
	Internal:            "NVJITLINK_ERROR_INTERNAL",
	ThreadPool:          "NVJITLINK_ERROR_THREADPOOL",
	UnrecognizedInput:   "NVJITLINK_ERROR_UNRECOGNIZED_INPUT",
	Finalize:            "NVJITLINK_ERROR_FINALIZE",
	NullInput:           "NVJITLINK_ERROR_NULL_INPUT",
	IncompatibleOptions: "NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS",
	IncorrectInputType:  "NVJITLINK_ERROR_INCORRECT_INPUT_TYPE",
	ArchMismatch:        "NVJITLINK_ERROR_ARCH_MISMATCH",
	OutdatedLibrary:     "NVJITLINK_ERROR_OUTDATED_LIBRARY",
	MissingFatbin:       "NVJITLINK_ERROR_MISSING_FATBIN",
	UnrecognizedArch:    "NVJITLINK_ERROR_UNRECOGNIZED_ARCH",
	UnsupportedArch:     "NVJITLINK_ERROR_UNSUPPORTED_ARCH",
	LTONotEnabled:       "NVJITLINK_ERROR_LTO_NOT_ENABLED",
}

// String returns the name of r in the public header.
func (r Result) String() string {
	if r < 0 || int(r) >= len(resultNames) {
		return fmt.Sprintf("result %d", int32(r))
	}
	return resultNames[r]
}
