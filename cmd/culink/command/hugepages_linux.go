package command

import "syscall"

// hugePage is the size in bytes of a huge page.
const hugePage = 2 << 20

// askForHugePages asks for huge pages between two addresses, and in the one that the second is in, where
// memory is not filled yet. A system that has none to give gives small ones.
func askForHugePages(from, to uintptr) {
	from, to = (from+hugePage-1)/hugePage*hugePage, (to+hugePage-1)/hugePage*hugePage
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
