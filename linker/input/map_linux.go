package input

import (
	"os"
	"syscall"
)

// mapFile maps the first size bytes of a file, for reading. They stay until the process ends.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
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
