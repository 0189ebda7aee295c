package helper

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER

// adopt makes the process the parent of the processes that its children leave running. It returns the children
// that exist already. A process may have some because it replaced a shell by exec.
func adopt() []int {
	syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	return children()
}

// mostRounds is the maximum number of times that the children are listed. Each time, children of the killed
// processes may appear.
const mostRounds = 1000

// endStrays kills the children of the process, except those in keep. It also kills the processes that these
// children leave.
func endStrays(keep map[int]bool) {
	for range mostRounds {
		killed := false
		for _, pid := range children() {
			if !keep[pid] {
				killed = true
				_ = syscall.Kill(pid, syscall.SIGKILL)
				_, _ = syscall.Wait4(pid, nil, 0, nil)
			}
		}
		if !killed {
			return
		}
	}
}

// children returns the process ids of the children of all threads, or none if the kernel does not list them.
func children() (pids []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		for word := range strings.FieldsSeq(string(list)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
