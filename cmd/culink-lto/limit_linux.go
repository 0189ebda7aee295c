package main

import "syscall"

// Limits of the process, in bytes: of a file that it writes, and of its address space.
const (
	maxOutput = 2 << 30
	maxMemory = 64 << 30
)

// limit keeps the process from taking more than it has to: no core when the library
// crashes, no endless file, no endless memory.
func limit() {
	syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: maxMemory, Max: maxMemory})
	syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: maxOutput, Max: maxOutput})
}
