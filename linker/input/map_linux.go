package input

import (
	"os"
	"syscall"
)

// madvPopulateRead asks for all pages of a mapping in one call; Linux 5.14 and later. A kernel that does not
// know it loads each page at its first access.
const madvPopulateRead = 22

// mapFile maps the first size bytes of a file, for reading. They stay until the process ends. The pages of a file
// that the link will read whole are loaded at once; of any other file only the pages that are looked at.
func mapFile(f *os.File, size int) ([]byte, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err == nil && isContainer(data) {
		_ = syscall.Madvise(data, madvPopulateRead)
	}
	return data, err
}

// letGo takes the memory of a mapped file away until it is read again.
func letGo(data []byte) { _ = syscall.Madvise(data, syscall.MADV_DONTNEED) }

// openFile opens a regular file for reading. That of package os first tries to wait for it in the
// poller, six calls of the system for each file, which no regular file can.
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
