package main

import "syscall"

// Limits of the process in bytes: the size of a file that it writes, and its address space.
const (
	maxOutput = 2 << 30
	maxMemory = 64 << 30
)

// limit restricts the resources of the process. It writes no core dump if the library crashes, and its files and its
// memory are limited.
func limit() {
	syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: maxMemory, Max: maxMemory})
	syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: maxOutput, Max: maxOutput})
}
