package command

import "syscall"

// hugePage is the size in bytes of a huge page.
const hugePage = 2 << 20

// askForHugePages requests huge pages between two addresses, up to the end of the huge page that contains the
// second, for memory not yet touched. If the system has none, it uses small pages.
func askForHugePages(from, to uintptr) {
	from, to = (from+hugePage-1)/hugePage*hugePage, (to+hugePage-1)/hugePage*hugePage
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
