package input

import (
	"os"
	"syscall"
)

// madvPopulateRead loads all pages of a mapping in one call, on Linux 5.14 and later. An older kernel loads
// each page at its first access.
const madvPopulateRead = 22

// mapFile maps the first size bytes of a file for reading. The mapping lasts until the process ends. If the
// link will read the whole file, all pages are loaded at once. Otherwise only the accessed pages are loaded.
func mapFile(f *os.File, size int) ([]byte, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err == nil && isContainer(data) {
		_ = syscall.Madvise(data, madvPopulateRead)
	}
	return data, err
}

// openFile opens a regular file for reading. os.Open would first try to register the file with the poller,
// which does not support regular files. That costs six system calls for each file.
func openFile(path string) (*os.File, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), path), nil
		case syscall.EINTR:
		default:
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
