package confine

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock leaves open, a filter of system calls closes: sockets of every kind, so that no
// service of the machine can be asked for help, and limits of other processes. The kernel runs
// the filter, a small program over the number and the arguments of a call, before each call.

// architectures are those whose filter is known, as the kernel numbers them.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Places in what the filter reads.
const (
	atNumber       = 0
	atArchitecture = 4
	atFirst        = 16 // low half of the first argument
)

// otherNumbering is a bit of amd64's calls for programs with short pointers.
const otherNumbering = 0x40000000

// filterCalls makes this thread, and all that it starts, run with the filter. It reports whether
// there is one for this machine, and the kernel, or the container, takes it.
func filterCalls() (taken bool, err error) {
	if architectures[runtime.GOARCH] == 0 {
		return false, nil
	}
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(test uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	end := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	program := []unix.SockFilter{
		load(atArchitecture),
		jump(unix.BPF_JEQ, architectures[runtime.GOARCH], 1, 0),
		end(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)), // 32-bit programs count their calls otherwise
		load(atNumber),
		jump(unix.BPF_JGE, otherNumbering, 0, 1),
		end(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)),
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 1, 0),
		jump(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 0, 1), // it could make sockets
		end(unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)),
		jump(unix.BPF_JEQ, unix.SYS_PRLIMIT64, 0, 2),
		load(atFirst),
		jump(unix.BPF_JEQ, 0, 0, 1), // of the caller itself
		end(unix.SECCOMP_RET_ALLOW),
		end(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)),
	}
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	switch err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0); {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("filter of system calls: %w", err)
	}
	return true, nil
}
