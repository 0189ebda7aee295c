package command

import "syscall"

// hugePage is the size in bytes of a huge page.
const hugePage = 2 << 20

// askForHugePages requests huge pages for memory that was not yet touched. The memory begins at the first address, and
// ends with the huge page that contains the second. If the system has no huge pages, it uses small ones.
func askForHugePages(from, to uintptr) {
	from, to = (from+hugePage-1)/hugePage*hugePage, (to+hugePage-1)/hugePage*hugePage
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
