package command

import "syscall"

// askForHugePages asks for huge pages where memory is not filled yet. A system that has none
// to give gives small ones.
func askForHugePages(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) }
