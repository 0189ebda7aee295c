package command

import "syscall"

// askForHugePages asks for huge pages where memory is not filled yet. A system that has none
// to give gives small ones.
func askForHugePages(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) }

// askForHugePagesAt is askForHugePages for addresses, which need not all be memory.
func askForHugePagesAt(from, to uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
