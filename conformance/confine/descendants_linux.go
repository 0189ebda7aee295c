package confine

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// descendants lists the processes below this one. Processes start and end while they are listed, so one of them may be
// missing from a list; it is in a later one.
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

// childrenOf lists the children of a process, by the threads that started or adopted them; none if it has ended.
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

// descendantsOfAll lists the same by the parents of all processes of the system.
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
		// Processes start and end while they are listed, so the chain may be a cycle.
		for p, steps := parents[pid], 0; p > 1 && steps < len(parents); p, steps = parents[p], steps+1 {
			if p == os.Getpid() {
				below = append(below, pid)
				break
			}
		}
	}
	return below
}
