package confine

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// descendants lists the processes that this one has started, directly or indirectly. Processes start and end meanwhile,
// so a process may be missing from one list. A later list contains it.
func descendants() []int {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil { // a kernel without CONFIG_PROC_CHILDREN
		return descendantsOfAll()
	}
	var below []int
	seen := map[int]bool{os.Getpid(): true}
	for todo := []int{os.Getpid()}; len(todo) > 0; {
		children := childrenOf(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		for _, pid := range children {
			if !seen[pid] {
				seen[pid] = true
				below, todo = append(below, pid), append(todo, pid)
			}
		}
	}
	return below
}

// childrenOf lists the children of a process, from the lists of its threads. The list is empty if the process has ended.
func childrenOf(pid int) (children []int) {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, _ := os.ReadDir(tasks)
	for _, thread := range threads {
		list, _ := os.ReadFile(tasks + "/" + thread.Name() + "/children")
		for word := range bytes.FieldsSeq(list) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// descendantsOfAll also lists the descendants of this process. It reads the parent of every process of the system.
func descendantsOfAll() (below []int) {
	parents := map[int]int{}
	list, _ := os.ReadDir("/proc")
	for _, e := range list {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if words := statOf(fmt.Sprintf("/proc/%d", pid)); len(words) > 1 {
			parents[pid], _ = strconv.Atoi(words[1])
		}
	}
	for pid := range parents {
		// Processes start and end meanwhile, so the chain of parents may be a cycle.
		for p, steps := parents[pid], 0; p > 1 && steps < len(parents); p, steps = parents[p], steps+1 {
			if p == os.Getpid() {
				below = append(below, pid)
				break
			}
		}
	}
	return below
}
