package conformance

import (
	"syscall"
	"unsafe"
)

// limitMemory caps the address space of a running child. A child that has
// already ended is no error.
func limitMemory(pid int, bytes uint64) {
	limit := syscall.Rlimit{Cur: bytes, Max: bytes}
	syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_AS, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}
