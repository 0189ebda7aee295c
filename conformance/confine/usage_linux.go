package confine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// This file counts the resources of all processes of a program together, as far as the kernel reports them: files in its
// folders, open files without a name, memory of processes, and shared memory.

// Limits in addition to those of a task. No linker comes near them.
const (
	mostProcesses = 512     // at a time
	mostThreads   = 1024    // threads of all processes together
	mostFiles     = 1 << 16 // files that all processes have open
	deepest       = 256     // folders in folders
	mostMapped    = 4       // mapped files without a name and without a descriptor
	mostSockets   = 256     // each keeps 208 KiB of what its peer has written, by the usual limit of the system
	mostWatches   = 1 << 15 // files that all processes watch for events

	// A count looks at no more open files, mappings and watches than this, because other limits can be exceeded while a
	// count takes long.
	mostLooks = 1 << 16
)

// errPast reports that a resource exceeds its limit or cannot be counted, for example because a folder cannot be opened
// or a process hides its files.
var errPast = errors.New("past the limit")

// A usage counts the resources of a program.
type usage struct {
	disk, memory uint64
	entries      int
	threads      int
	open         int // files of all processes
	sockets      int
	watches      int            // files that all processes watch
	looks        int            // open files, mappings and watches that the count has looked at
	zeros        bool           // there is shared memory, of which only a part may be mapped
	seen         map[inode]bool // files without a name, sockets, and shared memory
	mapped       map[inode]bool // mapped files that were in the program's folders and have no name any more
}

type inode struct{ device, number uint64 }

// exceeded returns the name of a limit that all processes together exceed, or "" if there is none.
func (t *task) exceeded() string {
	u := usage{seen: map[inode]bool{}, mapped: map[inode]bool{}}
	for _, folder := range t.Rules.Write {
		if err := u.folder(unix.AT_FDCWD, folder, 0); t.Limits.Disk > 0 && (err != nil || u.disk > t.Limits.Disk) {
			return "disk"
		}
	}
	below := descendants()
	if len(below) > mostProcesses {
		return "processes"
	}
	for _, pid := range below {
		if err := u.process(pid, t.folders); err != nil {
			return "processes"
		}
	}
	for file := range u.mapped {
		if !u.seen[file] { // no descriptor is open, so the size of the file is unknown
			u.disk += t.Limits.Disk / mostMapped
		}
	}
	switch {
	case t.Limits.Disk > 0 && u.disk > t.Limits.Disk:
		return "disk"
	case t.Limits.Memory > 0 && (u.memory > t.Limits.Memory || u.zeros && t.filtered):
		return "memory"
	}
	return ""
}

// folder adds the contents of a folder.
func (u *usage) folder(parent int, name string, depth int) error {
	if depth > deepest {
		return errPast
	}
	f, err := openFolder(parent, name)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) { // it is gone
		return nil
	}
	if err != nil {
		return errPast
	}
	defer f.Close()
	const some, entry = 1024, 512 // an entry takes some space even if it is empty
	for {
		names, err := f.Readdirnames(some)
		for _, name := range names {
			if u.entries++; u.entries > MostEntries {
				return errPast
			}
			u.disk += entry
			var info unix.Stat_t
			if unix.Fstatat(int(f.Fd()), name, &info, unix.AT_SYMLINK_NOFOLLOW) != nil {
				continue
			}
			u.disk += uint64(info.Blocks) * 512
			if info.Mode&unix.S_IFMT == unix.S_IFDIR {
				if err := u.folder(int(f.Fd()), name, depth+1); err != nil {
					return err
				}
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, unix.ENOENT): // the folder was removed meanwhile, so it is empty
			return nil
		case err != nil:
			return errPast
		}
	}
}

// openFolder opens a folder. If the folder has no permissions, openFolder adds them first.
func openFolder(parent int, name string) (*os.File, error) {
	const how = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	fd, err := unix.Openat(parent, name, how|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.EACCES) {
		var place int
		if place, err = unix.Openat(parent, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0); err != nil {
			return nil, err
		}
		defer unix.Close(place)
		self := fmt.Sprintf("/proc/self/fd/%d", place)
		if err = unix.Chmod(self, 0o700); err == nil {
			fd, err = unix.Open(self, how, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// process adds the resources of a process that writes in the folders. Its threads may have separate open files, and may
// continue after the first thread has ended.
func (u *usage) process(pid int, folders []string) error {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, _ := os.ReadDir(tasks) // none when it has ended
	if u.threads += len(threads); u.threads > mostThreads {
		return errPast
	}
	var resident uint64
	most := 0
	var tables []int // threads, of which each has open files of its own
	for _, thread := range threads {
		of := tasks + "/" + thread.Name()
		if resident == 0 {
			if resident = residentMemory(of); resident > 0 {
				u.memory += resident
				if err := u.mappings(of, folders); err != nil {
					return err
				}
			}
		}
		id, _ := strconv.Atoi(thread.Name())
		if slices.ContainsFunc(tables, func(other int) bool { return sharesFiles(id, other) }) {
			continue
		}
		tables = append(tables, id)
		count, err := u.openFiles(of)
		if err != nil && !isEnding(of) {
			return err
		}
		most = max(most, count)
	}
	if u.open += most; u.open > mostFiles {
		return errPast
	}
	return nil
}

// openFiles adds the open files of a thread that have no name, its sockets, and the files that it watches. It returns the
// number of all its open files.
func (u *usage) openFiles(thread string) (int, error) {
	f, err := os.Open(thread + "/fd")
	switch {
	case errors.Is(err, os.ErrPermission):
		return 0, errPast
	case err != nil: // the thread has ended
		return 0, nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if err := u.look(); err != nil {
			return 0, err
		}
		var info unix.Stat_t
		if unix.Fstatat(int(f.Fd()), name, &info, 0) != nil {
			continue
		}
		file := inode{uint64(info.Dev), info.Ino}
		switch kind := info.Mode & unix.S_IFMT; {
		case kind == 0: // a file of the kernel, for example a list of watched files
			if err := u.watchedBy(thread + "/fdinfo/" + name); err != nil {
				return 0, err
			}
		case u.seen[file]:
		case kind == unix.S_IFSOCK:
			u.seen[file] = true
			if u.sockets++; u.sockets > mostSockets {
				return 0, errPast
			}
		case kind == unix.S_IFREG && info.Nlink == 0:
			u.seen[file] = true
			u.disk += uint64(info.Blocks) * 512
		}
	}
	return len(names), nil
}

// sharesFiles reports whether two threads have the same open files. It reports false if the system does not tell.
func sharesFiles(thread, other int) bool {
	const openFiles = 2 // KCMP_FILES
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(thread), uintptr(other), openFiles, 0, 0, 0)
	return errno == 0 && order == 0
}

// look counts one thing that the count looks at.
func (u *usage) look() error {
	if u.looks++; u.looks > mostLooks {
		return errPast
	}
	return nil
}

// watchedBy adds the files that a file of the kernel watches.
func (u *usage) watchedBy(description string) error {
	f, err := os.Open(description)
	if err != nil {
		return nil // it was closed meanwhile
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), "tfd:") {
			continue
		}
		if u.watches++; u.watches > mostWatches {
			return errPast
		}
		if err := u.look(); err != nil {
			return err
		}
	}
	return unlessTooLong(lines.Err())
}

// unlessTooLong returns errPast for a line that is too long to be read. A program can make such lines with long names, and
// the lines behind it were not counted. Other errors come from a process that has ended.
func unlessTooLong(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return errPast
	}
	return nil
}

// isEnding reports whether a thread is ending or has ended. Such a thread opens no more files, and its entries in /proc
// belong to root.
func isEnding(thread string) bool {
	words := statOf(thread)
	if len(words) < 7 { // it is gone
		return true
	}
	const exiting = 4 // PF_EXITING
	flags, _ := strconv.ParseUint(words[6], 10, 32)
	return flags&exiting != 0
}

// residentMemory returns the memory of a thread's process in bytes: resident, swapped out, in large
// pages, and of page tables.
func residentMemory(thread string) (size uint64) {
	data, _ := os.ReadFile(thread + "/status")
	for line := range strings.Lines(string(data)) {
		switch words := strings.Fields(line); words[0] {
		case "VmRSS:", "VmSwap:", "VmPTE:", "HugetlbPages:":
			kilobytes, _ := strconv.ParseUint(words[1], 10, 64)
			size += kilobytes << 10
		}
	}
	return size
}

// mappings adds a process's mappings of nameless files and of shared memory. Their pages stay allocated even if they are
// not resident. It also records the mapped files that had a name in the folders.
func (u *usage) mappings(thread string, folders []string) error {
	f, err := os.Open(thread + "/maps")
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if err := u.look(); err != nil {
			return err
		}
		if !strings.HasSuffix(lines.Text(), nameless) {
			continue
		}
		m, ok := parseMapping(lines.Text())
		switch {
		case !ok:
		case slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(m.name, folder+"/") }):
			u.mapped[m.file] = true
		case m.shared:
			u.zeros = u.zeros || strings.HasPrefix(m.name, "/dev/zero")     // the kernel's name for all shared memory
			if memory := (inode{m.begin, m.file.number}); !u.seen[memory] { // a child process has the same memory at the same address
				u.seen[memory] = true
				u.memory += m.end - m.begin
			}
		}
	}
	return unlessTooLong(lines.Err())
}

// nameless ends the line of a mapping whose file has no name any more.
const nameless = " (deleted)"

// A mapping is a line of a process's maps.
type mapping struct {
	begin, end uint64
	shared     bool
	file       inode
	name       string
}

// parseMapping parses a line: range, permissions, offset, device, inode, name.
func parseMapping(line string) (m mapping, ok bool) {
	words := strings.Fields(line)
	if len(words) < 6 {
		return m, false
	}
	var major, minor uint32
	_, err1 := fmt.Sscanf(words[0], "%x-%x", &m.begin, &m.end)
	_, err2 := fmt.Sscanf(words[3], "%x:%x", &major, &minor)
	number, err3 := strconv.ParseUint(words[4], 10, 64)
	m.file = inode{unix.Mkdev(major, minor), number}
	m.shared = strings.HasSuffix(words[1], "s")
	m.name = line[strings.Index(line, words[5]):]
	return m, errors.Join(err1, err2, err3) == nil
}
