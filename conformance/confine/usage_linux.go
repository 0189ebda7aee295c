package confine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The resources of all processes of a program together, as far as the kernel reports them: files in its folders, open
// files without a name, memory of processes, and memory that processes share.

// Limits that no linker approaches, in addition to those of a task.
const (
	mostProcesses = 512 // at a time
	deepest       = 256 // folders in folders
)

// errPast reports that a resource exceeds its limit or cannot be counted: a folder that cannot be opened, a process
// that hides its files.
var errPast = errors.New("past the limit")

// A usage counts the resources of a program.
type usage struct {
	disk, memory uint64
	entries      int
	seen         map[inode]bool // files without a name, and shared memory
}

type inode struct{ device, number uint64 }

// exceeded returns the name of the limit that all processes together exceed.
func (t *task) exceeded() string {
	u := usage{seen: map[inode]bool{}}
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
		if err := u.process(pid); err != nil {
			return "processes"
		}
	}
	switch {
	case t.Limits.Disk > 0 && u.disk > t.Limits.Disk:
		return "disk"
	case t.Limits.Memory > 0 && u.memory > t.Limits.Memory:
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
		case errors.Is(err, io.EOF), errors.Is(err, unix.ENOENT): // it was removed meanwhile, and so is empty
			return nil
		case err != nil:
			return errPast
		}
	}
}

// openFolder opens a folder. If it has no permissions, they are added first.
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

// process adds the resources of a process. Its threads may have separate files, and continue after the first thread has
// ended.
func (u *usage) process(pid int) error {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, _ := os.ReadDir(tasks) // none when it has ended
	var resident uint64
	for _, thread := range threads {
		of := tasks + "/" + thread.Name()
		if resident == 0 {
			if resident = residentMemory(of); resident > 0 {
				u.memory += resident + u.sharedMemory(of)
			}
		}
		if err := u.openFiles(of + "/fd"); err != nil {
			return err
		}
	}
	return nil
}

// openFiles adds the open files of a thread that have no name.
func (u *usage) openFiles(dir string) error {
	f, err := os.Open(dir)
	switch {
	case errors.Is(err, os.ErrPermission):
		return errPast
	case err != nil: // the thread has ended
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		var info unix.Stat_t
		if unix.Fstatat(int(f.Fd()), name, &info, 0) != nil || info.Nlink > 0 || info.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		if file := (inode{uint64(info.Dev), info.Ino}); !u.seen[file] {
			u.seen[file] = true
			u.disk += uint64(info.Blocks) * 512
		}
	}
	return nil
}

// residentMemory returns the memory of a thread's process in bytes.
func residentMemory(thread string) uint64 {
	data, _ := os.ReadFile(thread + "/statm")
	words := strings.Fields(string(data))
	if len(words) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(words[1], 10, 64)
	return pages * uint64(os.Getpagesize())
}

// sharedMemory returns the size of a process's mappings of files without a name and of shared memory. Their pages stay
// allocated even if they are not resident.
func (u *usage) sharedMemory(thread string) (size uint64) {
	f, err := os.Open(thread + "/maps")
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if !strings.HasSuffix(lines.Text(), " (deleted)") {
			continue
		}
		words := strings.Fields(lines.Text()) // range, permissions, offset, device, inode, name
		from, to, _ := strings.Cut(words[0], "-")
		begin, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		number, err3 := strconv.ParseUint(words[4], 10, 64)
		if err := errors.Join(err1, err2, err3); err != nil || !strings.HasSuffix(words[1], "s") {
			continue
		}
		if memory := (inode{begin, number}); !u.seen[memory] { // a child process has it at the same address
			u.seen[memory] = true
			size += end - begin
		}
	}
	return size
}
