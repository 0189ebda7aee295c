package conformance

import (
	"syscall"
	"unsafe"
)

// limitChild caps the address space of a running child and the size of the files
// that it writes. A child that has already ended is no error.
func limitChild(pid int, limits Limits) {
	for _, l := range []struct {
		resource uintptr
		most     uint64
	}{
		{syscall.RLIMIT_AS, limits.Memory},
		{syscall.RLIMIT_FSIZE, limits.File},
	} {
		if l.most == 0 {
			continue
		}
		limit := syscall.Rlimit{Cur: l.most, Max: l.most}
		syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), l.resource, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	}
}
